"""The sections below the first screen: weak questions, findings, disagreements, flags, remarks.

Lists are cut; each has a page of its own for a release of three thousand cases.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from cases.rubric import Document
from reviews.adjudication.queries import State
from reviews.adjudication.together import describe_together
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import FlagKind, FlagOutcome
from reviews.report.summary import Summary
from reviews.report.summary.document import DisagreementSummary, Remark
from reviews.report.summary.figures import QuestionSummary

from .links import Links

MOST_WEAK = 3
MOST_CASES = 3
MOST_LISTED = 10
MOST_REMARKS = 4


def build_findings(summary: Summary, document: Document, links: Links) -> dict[str, Any]:
    names = {metric.key: metric.name for metric in document.metrics}
    return {
        "weakest": list_weakest(summary),
        "findings": list_findings(summary, names, links),
        "differing": [
            describe_disagreement(disagreement, names, links)
            for disagreement in sort_disagreements(summary)[:MOST_LISTED]
        ],
        "flags": [
            (links.case(flag.case_key), FlagKind(flag.flag).label, FlagOutcome(flag.outcome), flag)
            for flag in summary.flags[:MOST_LISTED]
        ],
        "remarks": list_remarks(summary, links),
    }


def list_weakest(summary: Summary) -> list[QuestionSummary]:
    """List the questions with a "no" whose rate has the lowest upper limit, the weakest first.

    By the upper limit, so that one "no" of one answer does not outweigh twenty of forty.
    """
    refused = [question for question in summary.checklist if question.answers.no]
    refused.sort(key=lambda question: (question.rate.high or 0.0, question.rate.value or 0.0))
    return refused[:MOST_WEAK]


def list_findings(summary: Summary, names: dict[str, str], links: Links) -> list[dict[str, Any]]:
    """List the metrics and questions that failed in some cases, those with most cases first."""
    return [
        {
            "subject": escape.subject,
            "count": len(escape.cases),
            "cases": [(links.case(case.case_key), case) for case in escape.cases[:MOST_CASES]],
            "href": links.rows(
                only="escaped",
                **{"metric" if escape.subject in names else "question": escape.subject},
            ),
        }
        for escape in sorted(summary.escapes, key=lambda escape: -len(escape.cases))
    ]


# --- Disagreements --------------------------------------------------------------------------------


def sort_disagreements(summary: Summary) -> list[DisagreementSummary]:
    """Sort disagreements: open ones first, then by the largest gap."""
    order = [State.WAITING, State.STALE, State.WAIVED, State.SETTLED]

    def rank(disagreement: DisagreementSummary) -> tuple[int, int, str]:
        state = order.index(State(disagreement.state))
        return state, -disagreement.gap, disagreement.case_key

    return sorted(summary.disagreements, key=rank)


def describe_disagreement(
    disagreement: DisagreementSummary, names: dict[str, str], links: Links
) -> dict[str, Any]:
    settled = disagreement.adjudication
    return {
        "case": links.case(disagreement.case_key),
        "spans": [(names[key], *span) for key, span in disagreement.ranges.items()],
        "state": State(disagreement.state),
        "settled": settled,
        "cause": DisagreementCause(settled.cause).label if settled else "",
        "together": describe_together(settled.together) if settled else "",
    }


# --- Remarks --------------------------------------------------------------------------------------


def list_remarks(summary: Summary, links: Links) -> list[tuple[Any, list[Remark], int]]:
    """List the cases with the lowest scores, each with its remarks and how many more it has."""
    said = defaultdict[str, list[Remark]](list)
    for remark in summary.remarks:
        if remark.text.strip() or remark.evidence or remark.coherence:
            said[remark.case_key].append(remark)
    cases = sorted(
        (case for case in summary.sample if case.case_key in said),
        key=lambda case: (min((score.standing for score in case.scores), default=0), case.case_key),
    )
    return [
        (links.case(case.case_key), found[:MOST_REMARKS], max(0, len(found) - MOST_REMARKS))
        for case in cases[:MOST_LISTED]
        for found in [said[case.case_key]]
    ]
