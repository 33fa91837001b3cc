"""What adopted rules catch and miss, release by release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import add

from django.db.models import Count, Q
from django.utils.translation import get_language

from cases.models import CaseTag, LedgerEvent, Release, Rule, RuleHit, RuleState
from cases.models.cases import CheckStatus, TagOrigin, TagStrength
from cases.models.ledgers import PRODUCT
from cases.models.rubrics import RubricText
from cases.rubric import Question
from cases.rules.workflow import EVENTS
from reviews.backtest import Share
from reviews.models import ChecklistAnswer, Closing
from reviews.models.reviews import counted_in
from reviews.rules.agreeing import Doubt, Reads, find_doubt
from reviews.rules.trial import asks_the_same

# Releases of each product that are looked at, the newest.
MOST_RELEASES = 12


@dataclass(frozen=True)
class RegisterRow:
    """A rule in a release. `caught`: cases that it hits and that no one had to read, because their
    checks failed or they were excluded; `came_through`: those that it hits and that could be drawn.

    `reads` is None while the release is not closed, or if it asks another question.
    """

    release: Release
    is_after: bool
    caught: int
    came_through: int
    reads: Reads | None


@dataclass(frozen=True)
class Record:
    """An adopted rule with its releases since the adoption, the newest first."""

    rule: Rule
    adopted_at: datetime | None
    rows: list[RegisterRow]
    before: Reads
    after: Reads

    @property
    def text(self) -> RubricText:
        """Return the rubric in the reader's language."""
        return self.rule.rubric.text_for(get_language())

    @property
    def question(self) -> Question:
        return self.text.document.question(self.rule.parsed.question)

    @property
    def doubt(self) -> Doubt | None:
        return find_doubt(self.before, self.after)


def load_doubtful() -> list[Record]:
    """Load the adopted rules of all products that no longer agree with people."""
    return [record for record in load_register() if record.doubt]


def load_register(product: str | None = None) -> list[Record]:
    """Load the adopted rules of a product, or of all; with none in one query, else in nine."""
    rules = Rule.objects.adopted().select_related("rubric").in_order()
    rules = rules.prefetch_related("rubric__translations")
    versions = list(rules if product is None else rules.of(product))
    if not versions:
        return []
    adopted = load_adoptions({version.product for version in versions})
    releases = load_releases({version.product for version in versions})
    closed = load_closings([release for found in releases.values() for release in found])
    hits = count_hits(versions, releases)
    reads = load_reads(versions, releases, closed)
    return [
        build_record(
            version,
            releases[version.product],
            adopted.get((version.product, version.key, version.version)),
            closed,
            hits,
            reads,
        )
        for version in versions
    ]


Place = tuple[int, int]  # keys of a rule and of a release


def build_record(
    version: Rule,
    releases: Iterable[Release],
    adopted_at: datetime | None,
    closed: Mapping[int, datetime],
    hits: Mapping[Place, tuple[int, int]],
    reads: Mapping[Place, Reads],
) -> Record:
    rows = []
    for release in releases:
        place = (version.pk, release.pk)
        total, through = hits.get(place, (0, 0))
        since = closed.get(release.pk)
        is_after = adopted_at is not None and (since is None or since > adopted_at)
        rows.append(RegisterRow(release, is_after, total - through, through, reads.get(place)))
    found = [row for row in rows if row.reads is not None]
    return Record(
        rule=version,
        adopted_at=adopted_at,
        rows=[row for row in rows if row.is_after],
        before=add_up(row.reads for row in found if not row.is_after),
        after=add_up(row.reads for row in found if row.is_after),
    )


def add_up(reads: Iterable[Reads | None]) -> Reads:
    return reduce(add, (each for each in reads if each), Reads())


# --- Rows -----------------------------------------------------------------------------------------


def load_adoptions(products: Collection[str]) -> dict[tuple[str, str, int], datetime]:
    """Return when each version was adopted, by product, key and version."""
    events = LedgerEvent.objects.filter(
        ledger__name__in=[PRODUCT + product for product in products],
        kind=EVENTS[RuleState.ADOPTED],
    ).order_by("number")
    return {
        (name.removeprefix(PRODUCT), data["rule"], data["version"]): at
        for name, data, at in events.values_list("ledger__name", "data", "at")
    }


def load_releases(products: Collection[str]) -> dict[str, list[Release]]:
    """Load the newest releases of each product."""
    found = defaultdict[str, list[Release]](list)
    rows = Release.objects.filter(product__in=products).select_related("rubric").newest_first()
    for release in rows:
        if len(found[release.product]) < MOST_RELEASES:
            found[release.product].append(release)
    return found


def load_closings(releases: Collection[Release]) -> dict[int, datetime]:
    """Return when each release was closed, apart from those that are open or abandoned."""
    rows = Closing.objects.standing().filter(release__in=releases, is_abandoned=False)
    return dict(rows.values_list("release", "closed_at"))


def count_hits(
    versions: Collection[Rule], releases: Mapping[str, Collection[Release]]
) -> dict[Place, tuple[int, int]]:
    """Count the cases that each rule hits in each release, and those of them that can be drawn."""
    every = [release for found in releases.values() for release in found]
    warned = [release.pk for release in every if release.accepts_warnings]
    accepted = Q(case__check_status=CheckStatus.PASS)
    accepted |= Q(case__check_status=CheckStatus.WARN, case__release__in=warned)
    through = accepted & Q(case__has_plan=True, case__exclusion=None)
    rows = (
        RuleHit.objects.filter(rule__in=versions, case__release__in=every)
        .values_list("rule", "case__release")
        .annotate(total=Count("pk"), through=Count("pk", filter=through))
        .order_by()
    )
    return {(rule, release): (total, some) for rule, release, total, some in rows}


def load_reads(
    versions: Collection[Rule],
    releases: Mapping[str, Collection[Release]],
    closed: Mapping[int, datetime],
) -> dict[Place, Reads]:
    """Count the reads of closed releases that ask the question of the rule in the same words.

    A case that no reader could answer is not read; a no is one if every reader said no.
    """
    pairs = [
        (version, release)
        for version in versions
        for release in releases[version.product]
        if release.pk in closed and asks_the_same(version, release.rubric)
    ]
    asked = {release for _version, release in pairs}
    answers = load_answers(asked, {version.parsed.question for version in versions})
    cases = {case for found in answers.values() for case in found}
    hit = set(RuleHit.objects.filter(rule__in=versions, case__in=cases).values_list("rule", "case"))
    tags = load_tags(cases, {tag for version in versions for tag in version.parsed.tags})
    return {
        (version.pk, release.pk): count_reads(
            version, answers.get((release.pk, version.parsed.question), {}), hit, tags
        )
        for version, release in pairs
    }


def load_answers(
    releases: Collection[Release], questions: Collection[str]
) -> dict[tuple[int, str], dict[int, bool]]:
    """Return for each release and question: each case that was read, and whether it got a no."""
    rows = (
        ChecklistAnswer.objects.filter(counted_in(releases, "review__"), item__in=questions)
        .values_list("release", "item", "review__case")
        .annotate(
            total=Count("pk"),
            no=Count("pk", filter=Q(answer="no")),
            na=Count("pk", filter=Q(answer="na")),
        )
        .order_by()
    )
    found = defaultdict[tuple[int, str], dict[int, bool]](dict)
    for release, item, case, total, no, na in rows:
        if na < total:
            found[release, item][case] = no == total
    return found


def load_tags(cases: Collection[int], tags: Collection[str]) -> dict[int, set[str]]:
    """Return which of these tags the row of each case gives: declared, or strongly detected."""
    found = defaultdict[int, set[str]](set)
    if tags:
        given = Q(origin=TagOrigin.DECLARED) | Q(
            origin=TagOrigin.DETECTED, strength=TagStrength.STRONG
        )
        rows = CaseTag.objects.filter(given, case__in=cases, tag__in=tags)
        for case, tag in rows.values_list("case", "tag"):
            found[case].add(tag)
    return found


def count_reads(
    version: Rule,
    answers: Mapping[int, bool],
    hit: Collection[Place],
    tags: Mapping[int, set[str]],
) -> Reads:
    wanted = set(version.parsed.tags)
    counts = Counter[tuple[bool, bool]]()
    for case, is_no in answers.items():
        if not wanted or wanted <= tags.get(case, set()):
            counts[(version.pk, case) in hit, is_no] += 1
    return Reads(
        hit=Share(counts[True, True], counts[True, True] + counts[True, False]),
        passed=Share(counts[False, True], counts[False, True] + counts[False, False]),
    )
