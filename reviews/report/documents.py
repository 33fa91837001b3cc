"""The sections below the figures: findings, disagreements, remarks, and the sample.

Lists are cut; each has a page of its own for a release of three thousand cases.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, pgettext

from cases.rubric import Document
from reviews.adjudication.queries import State
from reviews.adjudication.together import describe_together
from reviews.models.outcomes import DisagreementCause
from reviews.models.samples import Cause
from reviews.questions.queries import find_subject
from reviews.report.summary import Summary
from reviews.report.summary.document import DisagreementSummary, Remark
from reviews.report.summary.figures import EscapedCase

from . import numbers
from .cases_behind import format_answers
from .links import CaseLink, Links

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
            cases=[describe_case(case, links) for case in escape.cases[:MOST_CASES]],
            href=links.rows(
                only="escaped",
                **{"metric" if escape.subject in metrics else "question": escape.subject},
            ),
        )
        for escape in summary.escapes
    ]
    return sorted(found, key=lambda finding: -finding.count)


def describe_case(escaped: EscapedCase, links: Links) -> FoundCase:
    figure = numbers.format_points(escaped.standing) if escaped.standing is not None else ""
    if escaped.answers is not None:
        figure = format_answers(escaped.answers._asdict())
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
    together: str


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
    return [
        describe_disagreement(disagreement, document, links) for disagreement in found[:MOST_LISTED]
    ]


def describe_disagreement(
    disagreement: DisagreementSummary, document: Document, links: Links
) -> Differing:
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
        together=describe_together(settled.together) if settled else "",
    )


# --- Words ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordsOn:
    """How many remarks and pieces of evidence a subject has, with a link to them."""

    text: str
    remarks: int
    evidence: int
    href: str


def count_remarks(summary: Summary, document: Document, links: Links) -> list[WordsOn]:
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


def list_comments(summary: Summary, links: Links) -> list[tuple[CaseLink, Remark]]:
    """List the first overall comments, each with its case."""
    comments = [remark for remark in summary.remarks if not remark.subject and remark.text.strip()]
    return [(links.case(remark.case_key), remark) for remark in comments[:MOST_LISTED]]


def list_coherence(
    summary: Summary, document: Document, links: Links
) -> tuple[int, list[tuple[CaseLink, str, Remark]]]:
    """Count the explanations of how score and checklist fit together, and list the first.

    Each comes with its case and the name of the metric.
    """
    names = {metric.key: metric.name for metric in document.metrics}
    found = [remark for remark in summary.remarks if remark.coherence or remark.changed_mind]
    return len(found), [
        (links.case(remark.case_key), names.get(remark.subject, remark.subject), remark)
        for remark in found[:MOST_LISTED]
    ]


# --- The sample -----------------------------------------------------------------------------------


def describe_sample(summary: Summary, document: Document, links: Links) -> dict[str, Any]:
    """Put names and links beside the records of the summary, for the section on the sample."""
    return {
        "floors": [
            (document.metric(metric.metric).name, metric.floor) for metric in summary.metrics
        ],
        "kinds": [
            {
                "kind": kind,
                "text": document.kind(kind.kind).text,
                "cases": [links.case(key) for key in kind.cases[:MOST_CASES]],
                "more": max(0, len(kind.cases) - MOST_CASES),
                "href": links.rows(kind=kind.kind),
            }
            for kind in summary.coverage
        ],
        "withdrawn": [
            (links.case(withdrawal.case_key), Cause(withdrawal.cause), withdrawal)
            for withdrawal in summary.withdrawn
        ],
        "draws": [(draw, describe_changes(draw.changes)) for draw in summary.draws],
        "last_draw": summary.draws[-1].number if summary.draws else None,
        "excluded": summary.excluded[:MOST_LISTED],
        "more_excluded": max(0, len(summary.excluded) - MOST_LISTED),
        "rulings": [(find_subject(document, ruling.subject), ruling) for ruling in summary.rulings],
    }


def describe_changes(changes: dict[str, Any]) -> str:
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
