"""The page of the regressions of a closed release, and their files."""

from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import get_language

from cases.models import Case, Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import show_not_closed
from reviews.report.sentences import names_in

from .files import SHAPES
from .issue import describe_part, write_issue
from .queries import Findings

CASES_PER_PAGE = 20


def regression_list(request: SignedInRequest, name: str) -> HttpResponse:
    """Show every case with findings, or the one in the address, each finding as an issue."""
    release = find_release(name)
    refused = show_not_closed(request, release)
    if refused is not None:
        return refused
    text = release.rubric.text_for(get_language())
    found = Findings(release, names_in(text.document))
    case = find_case(request, release)
    case_keys = [key for key in found.case_keys if case is None or key == case.case_key]
    page = Paginator(case_keys, CASES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "release": release,
        "case": case,
        "language": text.language,
        "page": page,
        "count": len(found.case_keys),
        "rows": [
            (
                regression,
                [
                    (describe_part(part), write_issue(regression, [part]))
                    for part in regression.parts
                ],
            )
            for regression in found.load(list(page))
        ],
    }
    return render(request, "reviews/regressions/regressions.html", context)


def export_regressions(request: SignedInRequest, name: str) -> HttpResponseBase:
    shape = request.GET.get("shape", "itinerary-case")
    if shape not in SHAPES:
        raise BadRequest("shape")
    release = find_release(name)
    refused = show_not_closed(request, release)
    if refused is not None:
        return refused
    return SHAPES[shape].file(find_case(request, release)).respond(release)


def find_case(request: SignedInRequest, release: Release) -> Case | None:
    """Return the case in the address, by its code; None if it names none."""
    code = request.GET.get("case", "")
    if not code:
        return None
    case = Case.objects.of(release).without_content().filter(code=code).first()
    if case is None:
        raise Http404
    return case
