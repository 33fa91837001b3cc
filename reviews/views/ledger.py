"""The history of a release."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render

from cases import ledger
from cases.models import Event, Release
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews import verifying
from reviews.adjudication.visibility import has_opened, is_blind
from reviews.history import OF_SCORES

EVENTS_PER_PAGE = 50


def event_list(request: SignedInRequest, name: str) -> HttpResponse:
    """What is shown is verified; the whole ledger on request."""
    release = find_release(name)
    events = release.events.order_by("-number")
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    blind = is_blind(release, request.user)
    context: dict[str, object] = {
        "release": release,
        "page": page,
        "events": shown,
        "wrong": ledger.first_that_does_not_fit(
            shown, release, is_newest=not page.has_previous(), is_oldest=not page.has_next()
        ),
        "is_blind": blind,
        "untold": set() if has_opened(release, request.user) else untold_in(release, shown),
        "is_whole": request.GET.get("verify") == "all",
    }
    if context["is_whole"]:
        try:
            verifying.verify_ledger(release)
        except ledger.LedgerBroken as broken:
            context["broken"] = str(broken)
    return render(request, "reviews/ledger.html", context)


def untold_in(release: Release, shown: list[Event]) -> set[int]:
    """Events that tell what reviewers said: nothing for somebody who has not looked at it.

    Nor are digests for whoever still judges here: they rest on scores that could be guessed.
    """
    numbers = [one.number for one in shown]
    found = release.events.filter(OF_SCORES, number__in=numbers)
    return set(found.values_list("number", flat=True))
