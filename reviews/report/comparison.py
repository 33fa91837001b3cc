"""Two releases side by side, for the section of the report and for its own page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from reviews.report.summary.figures import CaseChange, Comparison

from .links import CaseLink, Links

MOST_FALLEN = 5


class CaseRow(NamedTuple):
    """`moves`: the metric, the score before, the score now and the difference."""

    case: CaseLink
    change: CaseChange
    moves: list[tuple[str, float, float, float]]


def build_comparison(found: Comparison, links: Links) -> dict[str, Any]:
    """Turn kinds into rows with a difference for each metric, and list the largest falls."""
    fallen = [case for case in sort_cases(found) if case.change < 0]
    kinds = [kind.kind for kind in found.metrics[0].by_kind] if found.metrics else []
    return {
        "compared": found,
        "links": links,
        "by_kind": [
            (kind, [(metric.metric, metric.by_kind[place].paired) for metric in found.metrics])
            for place, kind in enumerate(kinds)
        ],
        "turned": [question for question in found.checklist if question.to_yes or question.to_no],
        "rows": build_case_rows(found, fallen[:MOST_FALLEN], links),
    }


def sort_cases(found: Comparison) -> list[CaseChange]:
    """Sort the cases: the largest fall first, the largest rise last."""
    return sorted(found.cases, key=lambda case: (case.change, case.case_key))


def build_case_rows(found: Comparison, cases: Sequence[CaseChange], links: Links) -> list[CaseRow]:
    return [
        CaseRow(
            links.case(case.case_key),
            case,
            [
                (metric.metric, before, after, after - before)
                for metric, before, after in zip(
                    found.metrics, case.before, case.after, strict=True
                )
            ],
        )
        for case in cases
    ]
