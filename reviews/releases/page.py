"""The page of a release."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language

from cases import imports
from cases.models import Case, Release
from cases.models.cases import MOST_COUNTED
from evalsite.http import SignedInRequest
from reviews.releases import news
from reviews.releases.overview import load_overview
from reviews.workflow.refusals import Refused


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
    batch_counts = imports.count_batches(release) if batches else {}
    standing = [batch for batch in batches if not batch.undone_at]
    counts = Case.objects.of(release).counts()
    context = {
        "release": release,
        "rubric_text": release.rubric.text_for(get_language()),
        "board": load_overview(release, counts["total"], request.user),
        "news": news.look(user=request.user, release=release, now=timezone.now()),
        "batches": [(batch, batch_counts.get(batch.number)) for batch in batches],
        "newest_batch": standing[0] if standing else None,
        "counts": counts,
        "most_counted": MOST_COUNTED,
        "refusal": refusal,
        "wished": wished,
    }
    return render(request, "reviews/releases/release.html", context, status=status)
