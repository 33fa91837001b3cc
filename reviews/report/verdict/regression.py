"""Whether the release got worse than its baseline."""

from __future__ import annotations

from collections.abc import Iterator

from reviews.models.outcomes import Word
from reviews.report.summary.changes import MetricComparison
from reviews.report.summary.document import Summary

from . import changes, reasons
from .document import Criterion
from .prospects import more_cases

# With fewer shared cases only a proven drop can be told.
ENOUGH_SHARED = 10


def no_regression(summary: Summary) -> Iterator[Criterion]:
    """A proven drop forbids. Whether one is ruled out is asked with enough shared cases only."""
    compared = {one.metric: one for one in summary.comparison.metrics} if summary.comparison else {}
    margin = float(summary.policy["margin"])
    for metric in summary.metrics:
        one = compared.get(metric.metric)
        if one is None or one.paired.mean is None:
            why = summary.not_compared or (summary.comparison and summary.comparison.why)
            yield Criterion(
                name=f"no-regression:{metric.metric}",
                subject=metric.metric,
                value=None,
                limit=-margin,
                passed=None,
                leads_to=None,
                reason=why or changes.not_in_baseline(metric.metric),
            )
        else:
            yield change(summary, one, margin)


def change(summary: Summary, one: MetricComparison, margin: float) -> Criterion:
    paired = one.paired
    assert paired.mean is not None
    passed: bool | None = True
    leads_to, would_change = None, None
    if paired.high is not None and paired.mean <= -margin and paired.high < 0:
        passed, leads_to = False, Word.NO_GO
        reason = changes.dropped(one.metric, paired, margin)
        would_change = reasons.must_improve(one.metric)
    elif paired.n < ENOUGH_SHARED or paired.low is None:
        passed, reason = None, changes.few_pairs(one.metric, paired, ENOUGH_SHARED)
    elif paired.low <= -margin:
        passed, leads_to = False, Word.NOT_ENOUGH_EVIDENCE
        reason = changes.drop_not_ruled_out(one.metric, paired, margin)
        more = more_cases(distance=paired.mean + margin, sd=paired.sd or 0.0, cases=paired.n)
        would_change = changes.until_ruled_out(one.metric, more)
    else:
        reason = changes.held(one.metric, paired, margin)
    return Criterion(
        name=f"no-regression:{one.metric}",
        subject=one.metric,
        value=paired.mean,
        limit=-margin,
        passed=passed,
        leads_to=leads_to,
        reason=reason,
        cases=fallen(summary, one.metric),
        would_change=would_change,
    )


def fallen(summary: Summary, metric: str) -> tuple[str, ...]:
    """The shared cases that got worse, the largest fall first."""
    assert summary.comparison is not None
    place = [one.metric for one in summary.comparison.metrics].index(metric)
    moved = sorted(
        (one.after[place] - one.before[place], one.case_key) for one in summary.comparison.cases
    )
    return tuple(case_key for difference, case_key in moved if difference < 0)
