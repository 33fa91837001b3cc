"""Files of a release, for those who may see its scores."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import confirm_first_look
from reviews.errors import NotStarted
from reviews.export.files import BUNDLE, SUMMARY, TABLES, WORKBOOK, File


def export_csv(request: SignedInRequest, name: str) -> HttpResponseBase:
    shape = request.GET.get("shape", "wide")
    if shape not in TABLES:
        raise BadRequest("shape")
    return handed_out(request, name, TABLES[shape])


def export_xlsx(request: SignedInRequest, name: str) -> HttpResponseBase:
    return handed_out(request, name, WORKBOOK)


def export_json(request: SignedInRequest, name: str) -> HttpResponseBase:
    return handed_out(request, name, SUMMARY)


def export_zip(request: SignedInRequest, name: str) -> HttpResponseBase:
    return handed_out(request, name, BUNDLE)


def handed_out(request: SignedInRequest, name: str, file: File) -> HttpResponseBase:
    """Behind the same door as every page with scores."""
    release = find_release(name)
    door = not_started(request, release) or confirm_first_look(request, release, title=_("Export"))
    if door is not None:
        return door
    disposition = f'attachment; filename="{file.name_for(release)}"'
    return StreamingHttpResponse(
        file.parts(release),
        content_type=file.content_type,
        headers={"Content-Disposition": disposition},
    )


def not_started(request: SignedInRequest, release: Release) -> HttpResponse | None:
    if not release.is_draft:
        return None
    sentence = _("%(release)s is still a draft, so there is nothing to export.")
    refusal = NotStarted(sentence % {"release": release.name})
    context = {"release": release, "refusal": refusal}
    return render(request, "reviews/adjudication/look.html", context, status=409)
