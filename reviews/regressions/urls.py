from django.urls import path

from reviews.regressions import views

urlpatterns = [
    path("releases/<release:name>/regressions/", views.regression_list, name="regression-list"),
    path(
        "releases/<release:name>/regressions/file",
        views.export_regressions,
        name="export-regressions",
    ),
]
