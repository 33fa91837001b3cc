from django.urls import path

from reviews.pairings import views

urlpatterns = [
    path("pairings/next/", views.next_pairing, name="pairing-next"),
    path("pairings/practice/", views.practice, name="pairing-practice"),
    path("pairings/<int:pk>/", views.pairing, name="pairing"),
    path("pairings/<int:pk>/decline/", views.decline, name="pairing-decline"),
]
