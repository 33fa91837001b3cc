"""The history of a release."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render

from cases import ledger
from cases.views.releases import find_release
from evalsite.http import SignedInRequest

EVENTS_PER_PAGE = 50


def event_list(request: SignedInRequest, name: str) -> HttpResponse:
    """What is shown is verified; the whole ledger on request."""
    release = find_release(name)
    events = release.events.order_by("-number")
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    context: dict[str, object] = {
        "release": release,
        "page": page,
        "events": shown,
        "wrong": ledger.first_that_does_not_fit(
            shown, release, is_newest=not page.has_previous(), is_oldest=not page.has_next()
        ),
        "is_whole": request.GET.get("verify") == "all",
    }
    if context["is_whole"]:
        try:
            ledger.verify(release)
        except ledger.LedgerBroken as broken:
            context["broken"] = str(broken)
    return render(request, "reviews/ledger.html", context)
