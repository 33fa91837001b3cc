"""The pages of `reviews`, room by room."""

from django.urls import include, path

urlpatterns = [
    path("", include("reviews.home.urls")),
    path("", include("reviews.releases.urls")),
    path("", include("reviews.export.urls")),
    path("", include("reviews.sample.urls")),
    path("", include("reviews.assignments.urls")),
    path("", include("reviews.report.urls")),
    path("", include("reviews.adjudication.urls")),
    path("", include("reviews.questions.urls")),
    path("", include("reviews.desk.urls")),
    path("", include("reviews.people.urls")),
]
