"""Serve the OpenAPI document and Swagger UI, without files from other sites."""

from functools import lru_cache
from typing import Any

from django.http import HttpResponse
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class SchemaView(APIView):
    """OpenAPI 3.1 as JSON."""

    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(render_document(), content_type="application/vnd.oai.openapi+json")


@lru_cache(maxsize=1)
def render_document() -> bytes:
    """Build the document once per process; it depends only on the code."""
    text: bytes = OpenApiJsonRenderer().render(make_document(), renderer_context={})
    return text


def make_document() -> dict[str, Any]:
    with translation.override("en"):
        found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI with our template: its own has an inline style, which our policy forbids."""

    template_name = "api_docs.html"
    url_name = "api-schema"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        # spectacular loosens this header for sign-in pop-ups, which we do not have.
        response.headers.pop("Cross-Origin-Opener-Policy", None)
        return response
