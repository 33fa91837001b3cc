"""How far the reviews of a release are. No scores here."""

from collections.abc import Iterable

from django.db.models import Count

from cases.models import Release
from reviews.models import Review, SampledCase, Waiver
from reviews.models.reviews import OPEN, ReviewStatus


def reviews_in(release: Release) -> dict[int, int]:
    """Case -> how many submitted reviews it has; a case without any is left out."""
    submitted = Review.objects.of(release).submitted().order_by()
    return dict(submitted.values_list("case").annotate(count=Count("pk")))


def reviews_counted(submitted: Iterable[int], wanted: int) -> int:
    """How many reviews of a sample are in: of each case no more than it needs."""
    return sum(min(count, wanted) for count in submitted)


def reviewers_on(release: Release) -> dict[int, int]:
    """Case -> how many people have it, submitted or not; a case without any is left out."""
    has_it = (*OPEN, ReviewStatus.SUBMITTED)
    rows = Review.objects.of(release).filter(status__in=has_it).order_by()
    return dict(rows.values_list("case").annotate(count=Count("pk")))


def missing_reviews(release: Release) -> dict[str, int]:
    """Case key -> how many reviews it lacks, for each case that stands in the sample."""
    counts, k = reviews_in(release), release.reviews_per_case
    rows = SampledCase.objects.of(release).standing().order_by("case__case_key")
    lacking = {key: k - counts.get(pk, 0) for pk, key in rows.values_list("case", "case__case_key")}
    return {key: count for key, count in lacking.items() if count > 0}


def still_missing(release: Release, waiver: Waiver | None) -> dict[str, int]:
    """As `missing_reviews`, without what a waiver of missing reviews covers."""
    waived = waiver.covers["reviews"] if waiver else {}
    lacking = {key: count - waived.get(key, 0) for key, count in missing_reviews(release).items()}
    return {key: count for key, count in lacking.items() if count > 0}


def is_complete(submitted: int, waived: int, wanted: int) -> bool:
    """Whether a case's reviews are in, or what lacks is waived by name. It enters figures then."""
    return submitted > 0 and submitted + waived >= wanted
