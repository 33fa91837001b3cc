"""The schema of the API, and a page to read and try it: everything from this site."""

from typing import Any

from django.http import HttpResponse
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from evalsite.api import schema as shapes
from evalsite.api.endpoints import Call
from evalsite.api.refusals import named
from evalsite.keeping import Kept

# Known to spectacular by being imported.
EXTENSIONS = (
    shapes.Shapes,
    shapes.SummaryShape,
    shapes.ComparisonShape,
    shapes.TokenScheme,
    shapes.BrowserScheme,
)
_schemas = Kept[bytes](most=1)


def schema(request: Call) -> HttpResponse:
    """OpenAPI 3.1 as JSON. Made once in each process: it depends on nothing but the code."""
    text = _schemas.get("schema", made)
    return HttpResponse(text, content_type="application/vnd.oai.openapi+json")


def made() -> bytes:
    text: bytes = OpenApiJsonRenderer().render(document(), renderer_context={})
    return text


def document() -> dict[str, Any]:
    with translation.override("en"):
        found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return named(found)


class Docs(SpectacularSwaggerSplitView):
    """Swagger UI. Its own template has a style in the page, which our policy refuses."""

    template_name = "api_docs.html"
    url_name = "api-schema"

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        # The page asks for no window of another site, so it keeps the header of all others.
        response.headers.pop("Cross-Origin-Opener-Policy", None)
        return response
