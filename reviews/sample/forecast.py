"""Forecast a draw: how many cases fit each kind, which kinds are short, what comes nearest.

The database counts and sorts the pool, so only a few cases are read however large it is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Count, Q, QuerySet

from cases.models import Case, CaseTag, Release
from cases.models.cases import WEAKLY_DETECTED, CaseQuerySet
from cases.rubric import Kind, fits
from reviews.models import Draw
from reviews.sample.coverage import Hopeful, Near, find_nearest
from reviews.sample.matching import Shortage, find_shortages
from reviews.sample.pool import Wanted
from reviews.sample.rule import Rule

# How many cases are read to count tags, and how many are compared to find the nearest.
MOST_LOOKED_AT = 2_000
MOST_COMPARED = 200


@dataclass(frozen=True)
class NearCase:
    case: Case
    near: Near


@dataclass(frozen=True)
class Forecast:
    """What a draw from the pool of a draft would find.

    `available` is the number of eligible cases, counted up to a limit. `tags` counts the tags of
    the first `looked_at` of them; `is_cut` means there are more. `with_warnings` counts, for kinds
    that are short, the cases that would fit as well if the release accepted warnings.
    """

    available: int
    fitting: Mapping[str, int]
    with_warnings: Mapping[str, int]
    shortages: list[Shortage]
    nearest: dict[str, list[NearCase]]
    tags: list[tuple[str, int]]
    looked_at: int
    is_cut: bool

    @property
    def short(self) -> list[str]:
        """List the kinds that cannot all have their own case."""
        return [key for shortage in self.shortages for key in shortage.kinds]


def load_forecast(release: Release, rule: Rule, draw: Draw | None) -> Forecast:
    """`draw` is the last draw, if the pool is known not to have changed since."""
    eligible = Case.objects.eligible(release)
    kinds = release.rubric.document.sampling.kinds
    if draw and draw.fitting.keys() >= {kind.key for kind in kinds}:
        fitting = draw.fitting
    else:
        fitting = eligible.counts_of_kinds(kinds)
    required = [kind for kind in kinds if kind.key not in rule.waived]
    lacking = find_shortages_among(eligible, required, fitting)
    short = {key for shortage in lacking for key in shortage.kinds}
    near_to = [kind for kind in rule.kinds if kind.key in short or not fitting[kind.key]]
    available = eligible.order_by()[: max(MOST_LOOKED_AT, rule.minimum) + 1].count()
    return Forecast(
        available=available,
        fitting=fitting,
        with_warnings=count_with_warnings(release, [wanted.key for wanted in near_to]),
        shortages=lacking,
        nearest=find_nearest_cases(release, near_to),
        tags=count_tags(eligible.order_by("case_key")[:MOST_LOOKED_AT]),
        looked_at=MOST_LOOKED_AT,
        is_cut=available > MOST_LOOKED_AT,
    )


def count_with_warnings(release: Release, keys: Collection[str]) -> dict[str, int]:
    """Count the cases that would fit these kinds as well if the release accepted warnings."""
    kinds = [kind for kind in release.rubric.document.sampling.kinds if kind.key in keys]
    if not kinds or release.accepts_warnings:
        return {}
    return Case.objects.barred_by_warnings(release).counts_of_kinds(kinds)


def find_shortages_among(
    eligible: CaseQuerySet, kinds: Sequence[Kind], fitting: Mapping[str, int]
) -> list[Shortage]:
    """Find the shortages. A kind with at least as many cases as there are kinds is never short,
    so only rarer kinds are read."""
    rare = [kind for kind in kinds if fitting[kind.key] < len(kinds)]
    there = [kind for kind in rare if fitting[kind.key]]
    cases = eligible.fitting_any(there).without_content().with_tags() if there else []
    return find_shortages(
        {
            kind.key: [case.case_key for case in cases if fits(case.standing_tags, kind)]
            for kind in rare
        }
    )


def find_nearest_cases(release: Release, kinds: Sequence[Wanted]) -> dict[str, list[NearCase]]:
    """Find the nearest cases for each kind, counting ineligible cases and weakly detected tags."""
    if not kinds:
        return {}
    some = reduce(or_, (Q(pk__in=select_closest(release, kind.tags)) for kind in kinds))
    # The release of a case decides whether it is eligible.
    own = Case.objects.of(release).filter(some).select_related("exclusion", "release")
    found = own.without_content().with_tags()
    cases = {case.case_key: case for case in found}
    hopefuls = [
        Hopeful(
            case.case_key,
            frozenset(case.standing_tags),
            frozenset(row.tag for row in case.unremoved_tags),
            case.is_eligible,
        )
        for case in cases.values()
    ]
    return {
        kind.key: [NearCase(cases[near.case_key], near) for near in find_nearest(hopefuls, kind)]
        for kind in kinds
    }


def select_closest(release: Release, tags: Collection[str]) -> QuerySet[CaseTag, int]:
    """Select the cases that have the most of these tags; certain tags count before hinted ones."""
    rows = CaseTag.objects.unremoved().filter(case__release=release, tag__in=tags)
    return (
        rows.values("case")
        .annotate(
            sure=Count("tag", distinct=True, filter=~WEAKLY_DETECTED),
            hinted=Count("tag", distinct=True),
        )
        .order_by("-sure", "-hinted", "case__case_key")
        .values_list("case", flat=True)[:MOST_COMPARED]
    )


def count_tags(cases: CaseQuerySet) -> list[tuple[str, int]]:
    """Count the cases that have each tag, most frequent first."""
    standing = CaseTag.objects.standing().filter(case__in=cases.values("pk")).order_by()
    counts = standing.values_list("tag").annotate(count=Count("case", distinct=True))
    return sorted(counts, key=lambda tag_count: (-tag_count[1], tag_count[0]))
