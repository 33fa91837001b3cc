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
    """The steps of a case by metric; None where none was said."""

    case: CaseLink
    readers: int
    steps: list[tuple[str, CaseStep | None]]

    @property
    def worst(self) -> float:
        return min(step.step for _metric, step in self.steps if step)


def build_pairs(found: SideBySide, links: Links) -> dict[str, Any]:
    by_case = {
        (metric.metric, case.case_key): case for metric in found.metrics for case in metric.cases
    }
    keys = sorted({case_key for _metric, case_key in by_case})
    rows = [
        [(metric.metric, by_case.get((metric.metric, key))) for metric in found.metrics]
        for key in keys
    ]
    return {
        "side_by_side": found,
        "pair_metrics": [
            MetricRow(metric, Share(metric.chosen_left, metric.chosen), can_claim(metric.paired.n))
            for metric in found.metrics
        ],
        "pair_cases": sorted(
            (
                CaseRow(links.case(key), max(step.readers for _, step in steps if step), steps)
                for key, steps in zip(keys, rows, strict=True)
            ),
            key=lambda row: row.worst,
        ),
        "pair_questions": [
            question
            for question in found.questions
            if question.new or question.old or question.both or question.neither
        ],
        "recognised": Share(found.recognised, found.guessed),
        "pairs_missing": sum(found.missing.values()),
    }
