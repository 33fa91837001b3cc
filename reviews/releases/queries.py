"""Load the list of releases in a fixed number of queries, and search cases."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from statistics import mean

from django.db.models import Count, Q

from cases.models import Case, Release, Rubric
from cases.models.releases import Status
from reviews.assignments.queries import count_late, count_needed
from reviews.desk.minutes import is_told
from reviews.models import Closing, Decision, Review, SampledCase
from reviews.models.reviews import counted_in
from reviews.sample.matching import find_uncovered
from reviews.sample.pool import Wanted
from reviews.sample.queries import load_samples
from reviews.sample.rule import list_wanted

MOST_FOUND = 20
# The text search reads at most this many cases, newest first.
MOST_SEARCHED = 10_000


@dataclass(frozen=True)
class ReleaseRow:
    """A release in the list. `kinds_covered` and `reviews` are None before there is a sample."""

    release: Release
    kinds: int
    kinds_covered: int | None
    reviews: int | None
    reviews_expected: int
    closing: Closing | None
    decision: Decision | None
    late: int = 0


def load_rows(releases: Sequence[Release], *, today: date) -> list[ReleaseRow]:
    """Load a row for each release, in at most nine queries.

    A closed release shows what was stored at closing, so only the others need their rubric.
    """
    closings = {
        closing.release_id: closing
        for closing in Closing.objects.standing().filter(release__in=releases).defer("summary")
    }
    decisions = {
        decision.release_id: decision
        for decision in Decision.objects.standing().filter(release__in=releases)
    }
    for pk, decision in decisions.items():
        decision.closing = closings[pk]
    under_way = [release for release in releases if release.pk not in closings]
    rubrics = Rubric.objects.filter(pk__in={release.rubric_id for release in under_way})
    kinds = {rubric.pk: list_wanted(rubric.document.sampling) for rubric in rubrics.defer("text")}
    samples = {
        pk: (cases, kinds)
        for pk, cases, kinds in SampledCase.objects.standing()
        .planned()
        .filter(release__in=under_way)
        .order_by()
        .values_list("release")
        .annotate(cases=Count("pk"), kinds=Count("kind", distinct=True, filter=~Q(kind="")))
    }
    # In a draft, tags and exclusions may have changed since the draw.
    of_draft = {release.pk: kinds[release.rubric_id] for release in under_way if release.is_draft}
    for pk, sample in load_samples(of_draft).items():
        covered = len(of_draft[pk]) - len(find_uncovered(sample, of_draft[pk]))
        samples[pk] = (samples[pk][0], covered)
    submitted = defaultdict[int, list[int]](list)
    counted = counted_in(under_way) & Q(case__sampled__is_outside=False)
    counts = Review.objects.filter(counted).order_by().values_list("release", "case")
    for pk, _case, count in counts.annotate(count=Count("pk")):
        submitted[pk].append(count)
    late = count_late(under_way, today)
    return [
        replace(
            build_row(release, kinds, closings, decisions, samples, submitted),
            late=late.get(release.pk, 0),
        )
        for release in releases
    ]


def build_row(
    release: Release,
    kinds: Mapping[int, Sequence[Wanted]],
    closings: dict[int, Closing],
    decisions: dict[int, Decision],
    samples: dict[int, tuple[int, int]],
    submitted: Mapping[int, Iterable[int]],
) -> ReleaseRow:
    closing = closings.get(release.pk)
    if closing:
        headline = closing.headline
        return ReleaseRow(
            release,
            headline["kinds"],
            headline["kinds_covered"],
            headline["reviews"],
            headline["reviews_expected"],
            closing,
            decisions.get(release.pk),
        )
    sample = samples.get(release.pk)
    expected = sample[0] * release.reviews_per_case if sample else 0
    return ReleaseRow(
        release,
        len(kinds[release.rubric_id]),
        sample[1] if sample else None,
        count_needed(submitted.get(release.pk, ()), release.reviews_per_case) if sample else None,
        expected,
        None,
        None,
    )


@dataclass(frozen=True)
class FoundCases:
    """`is_cut`: there are more. `searched`: how many cases were searched, if not all."""

    cases: list[Case]
    is_cut: bool
    searched: int | None


def search_cases(words: str) -> FoundCases:
    """Search all cases by key or code, and the newest ones by words of the request."""
    listed = Case.objects.without_content().select_related("release").order_by("-pk")
    exact = listed.filter(Q(case_key=words) | Q(code=words.upper()))[: MOST_FOUND + 1]
    newest = Case.objects.order_by("-pk").values("pk")
    by_words = listed.filter(pk__in=newest[:MOST_SEARCHED]).containing(words)
    found = {case.pk: case for case in [*exact, *by_words[: MOST_FOUND + 1]]}
    return FoundCases(
        list(found.values())[:MOST_FOUND],
        len(found) > MOST_FOUND,
        MOST_SEARCHED if newest[MOST_SEARCHED : MOST_SEARCHED + 1].exists() else None,
    )


def list_comparable(release: Release) -> list[Release]:
    """List the other releases of the product that have a report, newest first."""
    return list(
        Release.objects.filter(product=release.product)
        .exclude(status=Status.DRAFT)
        .exclude(pk=release.pk)
        .exclude(closings__reopened_at=None, closings__is_abandoned=True)
        .newest_first()
    )


@dataclass(frozen=True)
class TypicalTime:
    """The median of how long reviews of a release took, of so many reviews by so many people."""

    minutes: int
    reviews: int
    people: int


def load_typical_time(release: Release) -> TypicalTime | None:
    """Load the median with two queries, or None while there are too few reviews or people.

    Of one person, or of a few reviews, it would tell how long a person takes.
    """
    measured = Review.objects.of(release).submitted().filter(active_seconds__gt=0)
    counts = measured.aggregate(reviews=Count("pk"), people=Count("reviewer", distinct=True))
    if not is_told(**counts):
        return None
    ordered = measured.order_by("active_seconds").values_list("active_seconds", flat=True)
    middle = ordered[(counts["reviews"] - 1) // 2 : counts["reviews"] // 2 + 1]
    return TypicalTime(max(round(mean(middle) / 60), 1), **counts)
