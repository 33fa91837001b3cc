"""The pages of `cases`, room by room."""

from django.urls import include, path, register_converter

from cases.models.cases import CODE_LENGTH, CODE_LETTERS
from cases.models.releases import RELEASE_NAME


class ReleaseNameConverter:
    regex = RELEASE_NAME
    to_python = to_url = staticmethod(str)


class CodeConverter:
    regex = f"[{CODE_LETTERS}]{{{CODE_LENGTH}}}"
    to_python = to_url = staticmethod(str)


register_converter(ReleaseNameConverter, "release")
register_converter(CodeConverter, "code")

urlpatterns = [
    path("", include("cases.rubrics.urls")),
    path("", include("cases.releases.urls")),
    path("", include("cases.imports.urls")),
    path("", include("cases.case.urls")),
    path("", include("cases.tags.urls")),
]
