from django.urls import path

from reviews.home import views

urlpatterns = [
    path("", views.home, name="home"),
]
