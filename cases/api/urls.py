"""Each route stands in evalsite/permissions.py; what a token needs, in evalsite/api/access.py."""

from django.urls import path

from cases.api import cases, releases, rubrics
from evalsite.api.endpoints import endpoint

urlpatterns = [
    path(
        "rubrics/",
        endpoint(get=rubrics.rubric_list, post=rubrics.rubric_publish),
        name="api-rubrics",
    ),
    path("rubrics/<int:number>/", endpoint(get=rubrics.rubric_version), name="api-rubric"),
    path(
        "releases/",
        endpoint(get=releases.release_list, post=releases.release_open),
        name="api-releases",
    ),
    path(
        "releases/<release:name>/",
        endpoint(get=releases.release_one, patch=releases.release_change),
        name="api-release",
    ),
    path(
        "releases/<release:name>/cases/",
        endpoint(get=cases.case_list, post=cases.case_push),
        name="api-cases",
    ),
]
