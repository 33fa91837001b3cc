"""Plans read side by side, for the section of the report."""

from __future__ import annotations

from typing import Any, NamedTuple

from reviews.comparison.steps import Share, can_claim
from reviews.report.summary.side_by_side import CaseStep, MetricSteps, SideBySide

from .links import CaseLink, Links


class MetricRow(NamedTuple):
    """`left` counts how often the left plan was chosen. `can_claim`: the test can reach 5 %."""

    steps: MetricSteps
    left: Share
    can_claim: bool


class CaseRow(NamedTuple):
    """The steps of a case, in the order of the metrics; None where none was said."""

    case: CaseLink
    readers: int
    steps: list[CaseStep | None]


def build_pairs(found: SideBySide, links: Links) -> dict[str, Any]:
    by_case = {
        (metric.metric, case.case_key): case for metric in found.metrics for case in metric.cases
    }
    keys = sorted({case_key for _metric, case_key in by_case})
    rows = [[by_case.get((metric.metric, key)) for metric in found.metrics] for key in keys]
    return {
        "pairs": found,
        "pair_metrics": [
            MetricRow(metric, Share(metric.chosen_left, metric.chosen), can_claim(metric.paired.n))
            for metric in found.metrics
        ],
        "pair_cases": sorted(
            (
                CaseRow(links.case(key), max(step.readers for step in steps if step), steps)
                for key, steps in zip(keys, rows, strict=True)
            ),
            key=lambda row: min(step.step for step in row.steps if step),
        ),
        "pair_questions": [
            question
            for question in found.questions
            if question.new or question.old or question.both or question.neither
        ],
        "recognised": Share(found.recognised, found.guessed),
        "pairs_missing": sum(found.missing.values()),
    }
