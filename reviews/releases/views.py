"""Pages of releases: the list with the search, one release, and its ledger."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render

from cases import ledger
from cases.models import Event, Release
from cases.models.cases import case_count
from cases.releases.queries import find_release
from evalsite.http import SignedInRequest
from reviews.adjudication.visibility import has_opened, is_blind
from reviews.releases import queries, verify
from reviews.releases.history import OF_SCORES
from reviews.releases.page import show_release

PAGE_SIZE = 25


def release_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "").strip()
    is_archive = request.GET.get("archived") == "1"
    found = Release.objects.select_related("rubric").defer("rubric__text", "rubric__data")
    found = found.containing(words) if words else found.filter(archived_at__isnull=not is_archive)
    found = found.annotate(case_count=case_count()).newest_first()
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": queries.rows_for(list(page)),
        "words": words,
        "is_archive": is_archive,
        "archived": Release.objects.filter(archived_at__isnull=False).count(),
        "cases": queries.search_cases(words) if words else None,
    }
    return render(request, "reviews/releases/release_list.html", context)


def release_page(request: SignedInRequest, name: str) -> HttpResponse:
    return show_release(request, find_release(name))


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
            verify.verify_ledger(release)
        except ledger.LedgerBroken as broken:
            context["broken"] = str(broken)
    return render(request, "reviews/releases/ledger.html", context)


def untold_in(release: Release, shown: list[Event]) -> set[int]:
    """Events that tell what reviewers said: nothing for somebody who has not looked at it.

    Nor are digests for whoever still judges here: they rest on scores that could be guessed.
    """
    numbers = [one.number for one in shown]
    found = release.events.filter(OF_SCORES, number__in=numbers)
    return set(found.values_list("number", flat=True))
