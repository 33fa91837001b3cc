"""The sections below the figures: findings, disagreements, remarks, and the sample.

Lists are cut; each has a page of its own for a release of three thousand cases.
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
    """List the findings, those with most cases first."""
    metrics = {metric.key: metric.name for metric in document.metrics}
    found = [
        Finding(
            text=metrics.get(escape.subject) or document.question(escape.subject).text,
            count=len(escape.cases),
            cases=[found_case(case, links) for case in escape.cases[:MOST_CASES]],
            href=links.rows(
                only="escaped",
                **{"metric" if escape.subject in metrics else "question": escape.subject},
            ),
        )
        for escape in summary.escapes
    ]
    return sorted(found, key=lambda finding: -finding.count)


def found_case(escaped: EscapedCase, links: Links) -> FoundCase:
    figure = numbers.format_points(escaped.standing) if escaped.standing is not None else ""
    if escaped.answers is not None:
        figure = answers_words(escaped.answers._asdict())
    return FoundCase(links.case(escaped.case_key), figure, escaped.reason)


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
    """List disagreements: open ones first, then by the largest gap; cut."""
    order = [State.WAITING, State.STALE, State.WAIVED, State.SETTLED]
    found = sorted(
        summary.disagreements,
        key=lambda disagreement: (
            order.index(State(disagreement.state)),
            -disagreement.gap,
            disagreement.case_key,
        ),
    )
    return [differing(disagreement, document, links) for disagreement in found[:MOST_LISTED]]


def differing(disagreement: DisagreementSummary, document: Document, links: Links) -> Differing:
    settled = disagreement.adjudication
    return Differing(
        case=links.case(disagreement.case_key),
        where=[
            gettext("%(metric)s: %(low)d against %(high)d")
            % {"metric": metric.name, "low": disagreement.ranges[metric.key][0], "high": span[1]}
            for metric in document.metrics
            if (span := disagreement.ranges.get(metric.key))
        ],
        state=State(disagreement.state),
        cause=str(DisagreementCause(settled.cause).label) if settled else "",
        note=settled.note if settled else "",
        by=settled.by if settled else "",
    )


# --- Words ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordsOn:
    """How many remarks and pieces of evidence a subject has, with a link to them."""

    text: str
    remarks: int
    evidence: int
    href: str


@dataclass(frozen=True)
class Comment:
    case: CaseLink
    remark: Remark


def words_on(summary: Summary, document: Document, links: Links) -> list[WordsOn]:
    remarks = Counter(remark.subject for remark in summary.remarks if remark.text.strip())
    evidence = Counter[str]()
    for remark in summary.remarks:
        evidence[remark.subject] += len(remark.evidence)
    found = [WordsOn(gettext("Overall"), remarks[""], evidence[""], links.rows(only="words"))]
    for metric in document.metrics:
        href = links.rows(metric=metric.key)
        found.append(WordsOn(metric.name, remarks[metric.key], evidence[metric.key], href))
        found += [
            WordsOn(
                question.text,
                remarks[question.key],
                evidence[question.key],
                links.rows(question=question.key),
            )
            for question in metric.checklist
        ]
    return found


def list_comments(summary: Summary, links: Links) -> list[Comment]:
    found = [remark for remark in summary.remarks if not remark.subject and remark.text.strip()]
    return [Comment(links.case(remark.case_key), remark) for remark in found[:MOST_LISTED]]


@dataclass(frozen=True)
class Coherence:
    """A reviewer's explanation of how score and checklist fit together."""

    case: CaseLink
    metric: str
    reviewer: str
    text: str
    changed_mind: bool


def list_coherence(
    summary: Summary, document: Document, links: Links
) -> tuple[int, list[Coherence]]:
    """Return the number of explanations, and the first of them."""
    names = {metric.key: metric.name for metric in document.metrics}
    found = [remark for remark in summary.remarks if remark.coherence or remark.changed_mind]
    return len(found), [
        Coherence(
            links.case(remark.case_key),
            names.get(remark.subject, remark.subject),
            remark.reviewer,
            remark.coherence,
            remark.changed_mind,
        )
        for remark in found[:MOST_LISTED]
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
                text=document.kind(kind.kind).text,
                cases=[links.case(key) for key in kind.cases[:MOST_CASES]],
                more=max(0, len(kind.cases) - MOST_CASES),
                fitting=kind.fitting,
                is_covered=kind.is_covered,
                waived=kind.waived,
                href=links.rows(kind=kind.kind),
            )
            for kind in summary.coverage
        ],
        withdrawn=[
            WithdrawnLine(
                links.case(withdrawal.case_key),
                kind_text(withdrawal.kind, document),
                str(Cause(withdrawal.cause).label),
                withdrawal.reason,
                withdrawal.reviews_not_counted,
            )
            for withdrawal in summary.withdrawn
        ],
        draws=[
            DrawLine(
                draw.number,
                draw.size,
                draw.pool_size,
                draw.pool_digest,
                draw.by,
                changes_words(draw.changes),
            )
            for draw in summary.draws
        ],
        excluded=summary.excluded[:MOST_LISTED],
        more_excluded=max(0, len(summary.excluded) - MOST_LISTED),
        rulings=[
            RulingLine(found.metric.name, found.text, ruling.text, ruling.by)
            for ruling in summary.rulings
            for found in [subject_in(document, ruling.subject)]
        ],
    )


def list_limits(summary: Summary, document: Document) -> list[str]:
    """List the limits of the verdict."""
    floors = [
        gettext("floor of %(metric)s: %(floor)s")
        % {
            "metric": document.metric(metric.metric).name,
            "floor": numbers.format_points(metric.floor),
        }
        for metric in summary.metrics
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
    """Describe how the pool changed since the draw before."""
    names = {
        "new": gettext("new"),
        "gone": gettext("gone"),
        "content": gettext("changed content"),
        "tags": gettext("changed tags"),
    }
    between = pgettext("between the items of a list", ", ")
    return between.join(
        f"{names[key]} {change['count']}"
        for key, change in changes.items()
        if key in names and change["count"]
    )
