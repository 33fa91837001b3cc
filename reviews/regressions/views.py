"""The page of the regressions of a closed release, and their files."""

from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import get_language

from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.first_look import show_not_closed
from reviews.report.sentences import names_in

from .files import FILES
from .issue import describe_part, write_issue
from .queries import Findings

CASES_PER_PAGE = 20


def regression_list(request: SignedInRequest, name: str) -> HttpResponse:
    """Show every case with findings, each finding as the text of an issue."""
    release = find_release(name)
    refused = show_not_closed(request, release)
    if refused is not None:
        return refused
    text = release.rubric.text_for(get_language())
    found = Findings(release, names_in(text.document))
    page = Paginator(found.case_keys, CASES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "release": release,
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
    if shape not in FILES:
        raise BadRequest("shape")
    release, file = find_release(name), FILES[shape]
    return show_not_closed(request, release) or file.respond(release)
