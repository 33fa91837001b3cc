from django.urls import path

from reviews.pairings import views

urlpatterns = [
    path("releases/<release:name>/pairings/", views.release_pairings, name="pairings"),
    path("releases/<release:name>/pairings/plan/", views.plan, name="pairings-plan"),
    path("releases/<release:name>/pairings/take-back/", views.take_back, name="pairings-take-back"),
    path("pairings/next/", views.next_pairing, name="pairing-next"),
    path("pairings/practice/", views.practice, name="pairing-practice"),
    path("pairings/<int:pk>/", views.pairing, name="pairing"),
    path("pairings/<int:pk>/decline/", views.decline, name="pairing-decline"),
]
