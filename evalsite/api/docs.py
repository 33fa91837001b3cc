"""The OpenAPI document, and a page to read it and try it: everything from this site."""

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
    """Made once in each process: it depends on nothing but the code."""
    text: bytes = OpenApiJsonRenderer().render(make_document(), renderer_context={})
    return text


def make_document() -> dict[str, Any]:
    with translation.override("en"):
        found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI. Its own template has a style in the page, which our policy refuses."""

    template_name = "api_docs.html"
    url_name = "api-schema"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        # The page asks for no window of another site, so it keeps the header of all others.
        response.headers.pop("Cross-Origin-Opener-Policy", None)
        return response
