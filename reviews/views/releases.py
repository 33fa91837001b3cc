"""Releases: the list with the one search, and the page of a release."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language

from cases import importing
from cases.finding import find_release
from cases.models import Case, Release
from cases.models.cases import MOST_COUNTED, case_count
from evalsite.http import SignedInRequest
from reviews import listing, looking
from reviews.board import board_of
from reviews.errors import Refused

PAGE_SIZE = 25


def release_list(request: SignedInRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "").strip()
    is_archive = request.GET.get("archived") == "1"
    found = Release.objects.select_related("rubric").defer("rubric__text", "rubric__data")
    found = found.named(words) if words else found.filter(archived_at__isnull=not is_archive)
    found = found.annotate(case_count=case_count()).newest_first()
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": listing.rows_for(list(page)),
        "words": words,
        "is_archive": is_archive,
        "archived": Release.objects.filter(archived_at__isnull=False).count(),
        "cases": listing.search_cases(words) if words else None,
    }
    return render(request, "reviews/release_list.html", context)


def release_page(request: SignedInRequest, name: str) -> HttpResponse:
    return show_release(request, find_release(name))


def show_release(
    request: SignedInRequest,
    release: Release,
    *,
    refusal: Refused | None = None,
    wished: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of a release, also as the answer to an act that was refused."""
    batches = list(release.batches.order_by("-number"))
    batch_counts = importing.counts_of(release) if batches else {}
    standing = [batch for batch in batches if not batch.undone_at]
    counts = Case.objects.of(release).counts()
    context = {
        "release": release,
        "rubric_text": release.rubric.text_for(get_language()),
        "board": board_of(release, counts["total"], request.user),
        "news": looking.look(user=request.user, release=release, now=timezone.now()),
        "batches": [(batch, batch_counts.get(batch.number)) for batch in batches],
        "newest_batch": standing[0] if standing else None,
        "counts": counts,
        "most_counted": MOST_COUNTED,
        "refusal": refusal,
        "wished": wished,
    }
    return render(request, "reviews/release.html", context, status=status)
