from django.urls import path

from evalsite.api.docs import DocsView, SchemaView
from evalsite.api.sign_in import TokenViewSet

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", DocsView.as_view(), name="api-docs"),
    path("v1/auth/token/", TokenViewSet.as_view({"post": "create"}), name="api-token"),
]
