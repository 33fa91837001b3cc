from django.urls import path

from reviews.desk import views, views_rubric

urlpatterns = [
    path("mirror/", views.mirror, name="mirror"),
    path("reviews/", views.my_reviews, name="my-reviews"),
    path("reviews/next/", views.next_review, name="review-next"),
    path("reviews/<int:pk>/", views.review, name="review"),
    path("reviews/<int:pk>/discard/", views.discard, name="review-discard"),
    path("reviews/<int:pk>/keep/", views.keep, name="review-keep"),
    path("reviews/<int:pk>/decline/", views.decline, name="review-decline"),
    path("reviews/<int:pk>/ask/", views.ask, name="review-ask"),
    path("practice/", views.practice, name="practice"),
    path("rubrics/desk/", views_rubric.rubric_desk, name="rubric-desk"),
]
