"""A rule on trial: what reviewers said where it hits, and what it would do to the next sample."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from cases import rule as pure
from cases.models import Case, Release, Rubric, Rule, RuleHit
from cases.models.cases import accepted
from cases.rubric import Kind
from cases.rules.counting import WINDOW
from reviews.backtest import BackTest, Read, back_test
from reviews.models import ChecklistAnswer, Closing
from reviews.models.reviews import ReviewStatus
from reviews.sample.matching import find_shortages
from reviews.sample.pool import Candidate
from reviews.sample.queries import load_pool

# Releases of the product that the page counts one by one, the newest.
MOST_RELEASES = 12


@dataclass(frozen=True)
class Flagged:
    """How many cases of a release passed the product's checks, and how many the rule would flag."""

    release: Release
    passed: int
    flagged: int


@dataclass(frozen=True)
class KindLeft:
    """Candidates for a kind now, and without the cases that the rule hits.

    `is_lost`: it could be filled now, and not once the rule is adopted.
    """

    kind: Kind
    now: int
    left: int
    is_lost: bool


@dataclass(frozen=True)
class Trial:
    """`closed` are the releases whose reads count, `pool` the release whose kinds are counted."""

    test: BackTest
    closed: list[str]
    flagged: list[Flagged]
    pool: Release | None
    kinds: list[KindLeft]

    @property
    def lost(self) -> list[KindLeft]:
        return [kind for kind in self.kinds if kind.is_lost]

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self.flagged)

    @property
    def would_flag(self) -> int:
        return sum(each.flagged for each in self.flagged)


def load_trial(version: Rule) -> Trial:
    closed = list_comparable(version)
    pool = find_pool(version.product)
    return Trial(
        test=back_test(load_reads(version, closed)),
        closed=[release.name for release in closed],
        flagged=list(count_flagged(version)),
        pool=pool,
        kinds=count_kinds(version, pool) if pool else [],
    )


# --- What reviewers said --------------------------------------------------------------------------


def list_comparable(version: Rule) -> list[Release]:
    """List the closed releases whose rubric asks the question of the rule in the same words.

    Only closed ones, so that nobody learns scores of a release that is still in review.
    """
    closings = Closing.objects.standing().filter(
        release__product=version.product, is_abandoned=False
    )
    rows = closings.select_related("release__rubric").defer("summary").order_by("closed_at", "pk")
    return [row.release for row in rows if asks_the_same(version, row.release.rubric)]


def asks_the_same(version: Rule, rubric: Rubric) -> bool:
    words = version.question.text.split()
    return any(
        question.key == version.question.key and question.text.split() == words
        for question in rubric.document.questions
    )


def load_reads(version: Rule, releases: Collection[Release]) -> Iterator[Read]:
    """Yield each case of these releases with a yes or no to the question of the rule.

    A no counts if every reader of the case said no.
    """
    own = version.question.key
    noes: dict[int, dict[str, bool]] = {}
    for case, item, total, no, na in count_answers(releases):
        if na < total:
            noes.setdefault(case, {})[item] = no == total
    with_tags = keep_tagged(version, [case for case, said in noes.items() if own in said])
    hit = set(
        RuleHit.objects.filter(rule=version, case__in=with_tags).values_list("case", flat=True)
    )
    for case in with_tags:
        said = noes[case]
        yield Read(case in hit, said[own], sum(said.values()), len(said))


def count_answers(
    releases: Collection[Release],
) -> Iterable[tuple[int, str, int, int, int]]:
    """Return case, question, and how many answers, noes and "not applicable" it has."""
    submitted = ChecklistAnswer.objects.filter(
        release__in=releases, review__status=ReviewStatus.SUBMITTED
    )
    return submitted.values_list("review__case", "item").annotate(
        total=Count("pk"),
        no=Count("pk", filter=Q(answer="no")),
        na=Count("pk", filter=Q(answer="na")),
    )


def keep_tagged(version: Rule, cases: Collection[int]) -> list[int]:
    """Keep the cases that the rule is about, so that like is compared with like."""
    tags = version.parsed.tags
    if not tags:
        return sorted(cases)
    rows = Case.objects.filter(pk__in=cases).order_by("pk")
    return [case.pk for case in rows if pure.find_tags(case.itinerary, WINDOW).issuperset(tags)]


# --- What it would do -----------------------------------------------------------------------------


def count_flagged(version: Rule) -> Iterator[Flagged]:
    """Count the passed plans of the newest releases of the product that the rule hits."""
    releases = list(Release.objects.filter(product=version.product).newest_first()[:MOST_RELEASES])
    hit = RuleHit.objects.filter(rule=version, case=OuterRef("pk"))
    passed = Case.objects.filter(accepted(["pass"]), release__in=releases, has_plan=True)
    rows = passed.annotate(is_hit=Exists(hit)).order_by().values("release")
    counts = {
        row["release"]: (row["passed"], row["flagged"])
        for row in rows.annotate(passed=Count("pk"), flagged=Count("pk", filter=Q(is_hit=True)))
    }
    for release in releases:
        if release.pk in counts:
            yield Flagged(release, *counts[release.pk])


def find_pool(product: str) -> Release | None:
    """Return the newest release of the product that has cases."""
    with_cases = Exists(Case.objects.filter(release=OuterRef("pk")))
    releases = Release.objects.filter(with_cases, product=product).select_related("rubric")
    return releases.newest_first().first()


def count_kinds(version: Rule, pool: Release) -> list[KindLeft]:
    """Count the candidates of each kind without those that adopted rules hit, now and after."""
    hits = RuleHit.objects.filter(case__release=pool)
    others = Rule.objects.of(version.product).adopted().exclude(key=version.key)
    stopped = set(hits.filter(rule__in=others).values_list("case__case_key", flat=True))
    hit = set(hits.filter(rule=version).values_list("case__case_key", flat=True))
    now = [each for each in load_pool(pool) if each.case_key not in stopped]
    left = [each for each in now if each.case_key not in hit]
    kinds = pool.rubric.document.sampling.kinds
    short = find_short(now, kinds)
    lacking = find_short(left, kinds)
    fitting, remaining = list_fitting(now, kinds), list_fitting(left, kinds)
    return [
        KindLeft(
            kind,
            len(fitting[kind.key]),
            len(remaining[kind.key]),
            kind.key in lacking and kind.key not in short,
        )
        for kind in kinds
    ]


def list_fitting(pool: Collection[Candidate], kinds: Collection[Kind]) -> dict[str, list[str]]:
    return {
        kind.key: [each.case_key for each in pool if each.tags.issuperset(kind.required_tags)]
        for kind in kinds
    }


def find_short(pool: Collection[Candidate], kinds: Collection[Kind]) -> set[str]:
    """Return the kinds that cannot each have a case of their own."""
    shortages = find_shortages(list_fitting(pool, kinds))
    return {kind for shortage in shortages for kind in shortage.kinds}
