"""Downloads of a release, for people who may see its scores."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import confirm_first_look, show_not_closed
from reviews.errors import NotStarted
from reviews.export.files import BUNDLE, SUMMARY, TABLES, WORKBOOK, File
from reviews.export.tools import TOOLS


def export_csv(request: SignedInRequest, name: str) -> HttpResponseBase:
    shape = request.GET.get("shape", "wide")
    if shape not in TABLES:
        raise BadRequest("shape")
    return send(request, name, TABLES[shape])


def export_xlsx(request: SignedInRequest, name: str) -> HttpResponseBase:
    return send(request, name, WORKBOOK)


def export_json(request: SignedInRequest, name: str) -> HttpResponseBase:
    return send(request, name, SUMMARY)


def export_zip(request: SignedInRequest, name: str) -> HttpResponseBase:
    return send(request, name, BUNDLE)


def export_tool(request: SignedInRequest, name: str) -> HttpResponseBase:
    tool = request.GET.get("tool", "")
    if tool not in TOOLS:
        raise BadRequest("tool")
    release = find_release(name)
    return show_not_closed(request, release) or TOOLS[tool].respond(release)


def send(request: SignedInRequest, name: str, file: File) -> HttpResponseBase:
    """Send a file, unless the release is a draft or the first look is not confirmed yet."""
    release = find_release(name)
    page = show_not_started(request, release) or confirm_first_look(
        request, release, title=_("Export")
    )
    if page is not None:
        return page
    return file.respond(release)


def show_not_started(request: SignedInRequest, release: Release) -> HttpResponse | None:
    if not release.is_draft:
        return None
    sentence = _("%(release)s is still a draft, so there is nothing to export.")
    refusal = NotStarted(sentence % {"release": release.name})
    context = {"release": release, "refusal": refusal}
    return render(request, "reviews/adjudication/look.html", context, status=409)
