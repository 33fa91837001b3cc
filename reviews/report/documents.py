"""What stands below the figures: findings, disagreements, words, and what happened to the sample.

Lists are cut: a release of three thousand cases has pages of its own for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from cases.rubric import Document
from reviews.adjudication.queries import State
from reviews.models.outcomes import DisagreementCause
from reviews.models.samples import Cause
from reviews.questions.queries import subject_in
from reviews.report.summary import Summary
from reviews.report.summary.document import DisagreementSummary, Remark
from reviews.report.summary.figures import EscapedCase

from . import numbers
from .cases_behind import answers_words
from .links import CaseLink, Links
from .scores import kind_text

MOST_CASES = 5
MOST_LISTED = 10


@dataclass(frozen=True)
class Finding:
    """A metric or question that failed in some cases."""

    text: str
    count: int
    cases: list[FoundCase]
    href: str


@dataclass(frozen=True)
class FoundCase:
    case: CaseLink
    figure: str
    words: str


def list_findings(summary: Summary, document: Document, links: Links) -> list[Finding]:
    """Most cases first."""
    metrics = {one.key: one.name for one in document.metrics}
    found = [
        Finding(
            text=metrics.get(one.subject) or document.question(one.subject).text,
            count=len(one.cases),
            cases=[found_case(each, links) for each in one.cases[:MOST_CASES]],
            href=links.rows(
                only="escaped",
                **{"metric" if one.subject in metrics else "question": one.subject},
            ),
        )
        for one in summary.escapes
    ]
    return sorted(found, key=lambda one: -one.count)


def found_case(one: EscapedCase, links: Links) -> FoundCase:
    figure = numbers.format_points(one.standing) if one.standing is not None else ""
    if one.answers is not None:
        figure = answers_words(one.answers._asdict())
    return FoundCase(links.case(one.case_key), figure, one.reason)


# --- Disagreements --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Differing:
    case: CaseLink
    where: list[str]
    state: State
    cause: str
    note: str
    by: str


def list_disagreements(summary: Summary, document: Document, links: Links) -> list[Differing]:
    """What waits first, then the largest gap; cut."""
    order = [State.WAITING, State.STALE, State.WAIVED, State.SETTLED]
    found = sorted(
        summary.disagreements,
        key=lambda one: (order.index(State(one.state)), -one.gap, one.case_key),
    )
    return [differing(one, document, links) for one in found[:MOST_LISTED]]


def differing(one: DisagreementSummary, document: Document, links: Links) -> Differing:
    settled = one.adjudication
    return Differing(
        case=links.case(one.case_key),
        where=[
            gettext("%(metric)s: %(low)d against %(high)d")
            % {"metric": metric.name, "low": one.ranges[metric.key][0], "high": span[1]}
            for metric in document.metrics
            if (span := one.ranges.get(metric.key))
        ],
        state=State(one.state),
        cause=str(DisagreementCause(settled.cause).label) if settled else "",
        note=settled.note if settled else "",
        by=settled.by if settled else "",
    )


# --- Words ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordsOn:
    """How much was written on a subject, and where it is."""

    text: str
    remarks: int
    evidence: int
    href: str


@dataclass(frozen=True)
class Comment:
    case: CaseLink
    remark: Remark


def words_on(summary: Summary, document: Document, links: Links) -> list[WordsOn]:
    remarks = Counter(one.subject for one in summary.remarks if one.text.strip())
    evidence = Counter[str]()
    for one in summary.remarks:
        evidence[one.subject] += len(one.evidence)
    found = [WordsOn(gettext("On the whole"), remarks[""], evidence[""], links.rows(only="words"))]
    for metric in document.metrics:
        href = links.rows(metric=metric.key)
        found.append(WordsOn(metric.name, remarks[metric.key], evidence[metric.key], href))
        found += [
            WordsOn(one.text, remarks[one.key], evidence[one.key], links.rows(question=one.key))
            for one in metric.checklist
        ]
    return found


def list_comments(summary: Summary, links: Links) -> list[Comment]:
    found = [one for one in summary.remarks if not one.subject and one.text.strip()]
    return [Comment(links.case(one.case_key), one) for one in found[:MOST_LISTED]]


@dataclass(frozen=True)
class Coherence:
    """How score and checklist go together, in the reviewer's words."""

    case: CaseLink
    metric: str
    reviewer: str
    text: str
    changed_mind: bool


def list_coherence(
    summary: Summary, document: Document, links: Links
) -> tuple[int, list[Coherence]]:
    """How many answers there are, and the first of them."""
    names = {one.key: one.name for one in document.metrics}
    found = [one for one in summary.remarks if one.coherence or one.changed_mind]
    return len(found), [
        Coherence(
            links.case(one.case_key),
            names.get(one.subject, one.subject),
            one.reviewer,
            one.coherence,
            one.changed_mind,
        )
        for one in found[:MOST_LISTED]
    ]


# --- The sample -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class KindLine:
    text: str
    cases: list[CaseLink]
    more: int
    fitting: int | None
    is_covered: bool
    waived: str
    href: str


@dataclass(frozen=True)
class WithdrawnLine:
    case: CaseLink
    kind: str
    cause: str
    reason: str
    reviews: int


@dataclass(frozen=True)
class RulingLine:
    metric: str
    text: str
    ruling: str
    by: str


@dataclass(frozen=True)
class SampleOf:
    limits: list[str]
    kinds: list[KindLine]
    withdrawn: list[WithdrawnLine]
    draws: list[DrawLine]
    excluded: Sequence[tuple[str, str]]
    more_excluded: int
    rulings: list[RulingLine]

    @property
    def last_draw(self) -> int:
        return self.draws[-1].number


@dataclass(frozen=True)
class DrawLine:
    number: int
    size: int
    pool_size: int
    pool_digest: str
    by: str
    changes: str


def describe_sample(summary: Summary, document: Document, links: Links) -> SampleOf:
    return SampleOf(
        limits=list_limits(summary, document),
        kinds=[
            KindLine(
                text=document.kind(one.kind).text,
                cases=[links.case(key) for key in one.cases[:MOST_CASES]],
                more=max(0, len(one.cases) - MOST_CASES),
                fitting=one.fitting,
                is_covered=one.is_covered,
                waived=one.waived,
                href=links.rows(kind=one.kind),
            )
            for one in summary.coverage
        ],
        withdrawn=[
            WithdrawnLine(
                links.case(one.case_key),
                kind_text(one.kind, document),
                str(Cause(one.cause).label),
                one.reason,
                one.reviews_not_counted,
            )
            for one in summary.withdrawn
        ],
        draws=[
            DrawLine(
                one.number,
                one.size,
                one.pool_size,
                one.pool_digest,
                one.by,
                changes_words(one.changes),
            )
            for one in summary.draws
        ],
        excluded=summary.excluded[:MOST_LISTED],
        more_excluded=max(0, len(summary.excluded) - MOST_LISTED),
        rulings=[
            RulingLine(found.metric.name, found.text, one.text, one.by)
            for one in summary.rulings
            for found in [subject_in(document, one.subject)]
        ],
    )


def list_limits(summary: Summary, document: Document) -> list[str]:
    """What the verdict is held against."""
    floors = [
        gettext("floor of %(metric)s: %(floor)s")
        % {"metric": document.metric(one.metric).name, "floor": numbers.format_points(one.floor)}
        for one in summary.metrics
    ]
    k, least = summary.reviews_per_case, summary.least_cases
    return [
        *floors,
        gettext("margin %(margin)s") % {"margin": numbers.format_points(summary.policy["margin"])},
        gettext("at least %(share)d %% of the cases within one point")
        % {"share": numbers.round_percent(summary.policy["within_one"])},
        ngettext("%(count)d review per case", "%(count)d reviews per case", k) % {"count": k},
        ngettext("at least %(count)d case", "at least %(count)d cases", least) % {"count": least},
    ]


def changes_words(changes: dict[str, Any]) -> str:
    """What was another one in the pool than at the draw before."""
    names = {
        "new": gettext("new"),
        "gone": gettext("gone"),
        "content": gettext("other content"),
        "tags": gettext("other tags"),
    }
    between = pgettext("between the items of a list", ", ")
    return between.join(
        f"{names[key]} {one['count']}"
        for key, one in changes.items()
        if key in names and one["count"]
    )
