"""What the pool of a draft can do for the kinds, and which cases come nearest to the rest.

However large the pool is, the database counts and sorts it, and only a few cases are read.
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
from reviews.sample.coverage import Hopeful, Near, nearest
from reviews.sample.matching import Shortage, shortages
from reviews.sample.pool import Wanted
from reviews.sample.rule import Rule

# In how many cases tags are counted, and how many are compared to find the nearest.
MOST_LOOKED_AT = 2_000
MOST_COMPARED = 200


@dataclass(frozen=True)
class NearCase:
    case: Case
    near: Near


@dataclass(frozen=True)
class Forecast:
    """`available` cases can be sampled; counted no further than anybody needs to know.

    `tags` counts the tags of the first `looked_at` of them. `is_cut`: there are more.
    """

    available: int
    fitting: Mapping[str, int]
    shortages: list[Shortage]
    nearest: dict[str, list[NearCase]]
    tags: list[tuple[str, int]]
    looked_at: int
    is_cut: bool

    @property
    def short(self) -> list[str]:
        """The kinds that cannot all have a case of their own."""
        return [key for one in self.shortages for key in one.kinds]


def load_forecast(release: Release, rule: Rule, draw: Draw | None) -> Forecast:
    """`draw` is the last one, if the pool is for sure the one that it was made from."""
    eligible = Case.objects.of(release).eligible()
    kinds = release.rubric.document.sampling.kinds
    if draw and draw.fitting.keys() >= {kind.key for kind in kinds}:
        fitting = draw.fitting
    else:
        fitting = eligible.counts_of_kinds(kinds)
    required = [kind for kind in kinds if kind.key not in rule.waived]
    lacking = shortages_among(eligible, required, fitting)
    short = {key for one in lacking for key in one.kinds}
    near_to = [kind for kind in rule.kinds if kind.key in short or not fitting[kind.key]]
    available = eligible.order_by()[: max(MOST_LOOKED_AT, rule.minimum) + 1].count()
    return Forecast(
        available=available,
        fitting=fitting,
        shortages=lacking,
        nearest=nearest_to(release, near_to),
        tags=tags_in(eligible.order_by("case_key")[:MOST_LOOKED_AT]),
        looked_at=MOST_LOOKED_AT,
        is_cut=available > MOST_LOOKED_AT,
    )


def shortages_among(
    eligible: CaseQuerySet, kinds: Sequence[Kind], fitting: Mapping[str, int]
) -> list[Shortage]:
    """Of n kinds one with n cases always finds one of its own: only rarer ones are looked at."""
    rare = [kind for kind in kinds if fitting[kind.key] < len(kinds)]
    there = [kind for kind in rare if fitting[kind.key]]
    cases = eligible.fitting_any(there).without_content().with_tags() if there else []
    return shortages(
        {
            kind.key: [case.case_key for case in cases if fits(case.standing_tags, kind)]
            for kind in rare
        }
    )


def nearest_to(release: Release, kinds: Sequence[Wanted]) -> dict[str, list[NearCase]]:
    """Also of cases that cannot be sampled, and of tags that were found but not surely."""
    if not kinds:
        return {}
    some = reduce(or_, (Q(pk__in=closest(release, kind.tags)) for kind in kinds))
    found = Case.objects.filter(some).without_content().with_tags().select_related("exclusion")
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
        kind.key: [NearCase(cases[one.case_key], one) for one in nearest(hopefuls, kind)]
        for kind in kinds
    }


def closest(release: Release, tags: Collection[str]) -> QuerySet[CaseTag, int]:
    """The cases that have the most of these tags, surely first."""
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


def tags_in(cases: CaseQuerySet) -> list[tuple[str, int]]:
    """The most frequent first."""
    standing = CaseTag.objects.standing().filter(case__in=cases.values("pk")).order_by()
    counts = standing.values_list("tag").annotate(count=Count("case", distinct=True))
    return sorted(counts, key=lambda one: (-one[1], one[0]))
