from django.urls import path

from evalsite.api import documenting, signing_in
from evalsite.api.endpoints import endpoint

urlpatterns = [
    path("schema/", endpoint(get=documenting.schema, public=True, hidden=True), name="api-schema"),
    path("docs/", documenting.Docs.as_view(), name="api-docs"),
    path(
        "v1/auth/token/",
        endpoint(post=signing_in.token_for_password, public=True),
        name="api-token",
    ),
]
