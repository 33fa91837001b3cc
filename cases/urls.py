"""The pages and calls of `cases`, room by room."""

from django.urls import include, path, register_converter

from cases.imports.api import CaseViewSet
from cases.models.cases import CODE_LENGTH, CODE_LETTERS
from cases.models.releases import RELEASE_NAME
from cases.releases.api import ReleaseViewSet
from cases.rubrics.api import RubricViewSet
from evalsite.api.routers import Router


class ReleaseNameConverter:
    regex = RELEASE_NAME
    to_python = to_url = staticmethod(str)


class CodeConverter:
    regex = f"[{CODE_LETTERS}]{{{CODE_LENGTH}}}"
    to_python = to_url = staticmethod(str)


class ProductConverter:
    """Any name of a product, also one with a slash."""

    regex = ".{1,200}"
    to_python = to_url = staticmethod(str)


class RuleKeyConverter:
    regex = "[a-z0-9-]{1,100}"
    to_python = to_url = staticmethod(str)


register_converter(ReleaseNameConverter, "release")
register_converter(ProductConverter, "product")
register_converter(RuleKeyConverter, "rule")
register_converter(CodeConverter, "code")

urlpatterns = [
    path("", include("cases.rubrics.urls")),
    path("", include("cases.releases.urls")),
    path("", include("cases.imports.urls")),
    path("", include("cases.case.urls")),
    path("", include("cases.tags.urls")),
]

# Each route is in evalsite/permissions.py; what a token needs, in evalsite/api/permissions.py.
api = Router()
api.register("rubrics", RubricViewSet, "api-rubric")
api.register("releases", ReleaseViewSet, "api-release")
api.register("releases/<release:name>/cases", CaseViewSet, "api-case")
