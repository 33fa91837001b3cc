"""The cases behind a criterion of scores, the worst first."""

from __future__ import annotations

from reviews.report.summary.document import Summary
from reviews.report.summary.figures import MetricSummary


def find_below(summary: Summary, metric: MetricSummary) -> tuple[str, ...]:
    """Return the cases with a standing score below the floor, the lowest first."""
    place = summary.metrics.index(metric)
    found = sorted((case.scores[place].standing, case.case_key) for case in summary.counted)
    return tuple(case_key for standing, case_key in found if standing < metric.floor)


def find_fallen(summary: Summary, metric: str) -> tuple[str, ...]:
    """Return the shared cases that got worse, the largest fall first."""
    assert summary.comparison is not None
    place = [metric_summary.metric for metric_summary in summary.comparison.metrics].index(metric)
    moved = sorted(
        (case.after[place] - case.before[place], case.case_key) for case in summary.comparison.cases
    )
    return tuple(case_key for difference, case_key in moved if difference < 0)
