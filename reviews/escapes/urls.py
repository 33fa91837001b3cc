from django.urls import path

from reviews.escapes import views

urlpatterns = [
    path("escapes/", views.escapes, name="escapes"),
    path("escapes/history/", views.product_history, name="product-history"),
]
