"""The criteria of scores and changes under the first rules, before planned looks.

Releases that were started under them keep them: Student's interval against the floor, the share of
cases within one point, and a comparison from ten shared cases on.
"""

from __future__ import annotations

from collections.abc import Iterator

from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary

from . import gaps, reasons
from .cases import find_below, find_fallen
from .document import Criterion
from .prospects import more_cases, more_passing


def floor(summary: Summary, metric: MetricSummary) -> Criterion:
    """Check that the interval lies above the floor; wholly below it forbids a GO."""
    mean, limit = metric.mean, metric.floor
    leads_to, would_change = None, None
    if mean.value is None or mean.low is None or mean.high is None:
        leads_to, reason = Word.NOT_ENOUGH_EVIDENCE, reasons.no_interval(metric)
        would_change = reasons.more_reviews_needed()
    elif mean.high < limit:
        leads_to, reason = Word.NO_GO, reasons.below_floor(metric)
        would_change = reasons.must_improve(metric.metric)
    elif mean.low <= limit:
        leads_to, reason = Word.NOT_ENOUGH_EVIDENCE, reasons.around_floor(metric)
        more = more_cases(distance=mean.value - limit, sd=mean.sd or 0.0, cases=mean.n)
        would_change = reasons.until_above(metric, more)
    else:
        reason = reasons.above_floor(metric)
    return Criterion(
        name=f"floor:{metric.metric}",
        subject=metric.metric,
        value=mean.value,
        limit=limit,
        passed=leads_to is None,
        leads_to=leads_to,
        reason=reason,
        cases=find_below(summary, metric),
        would_change=would_change,
    )


def within_one(summary: Summary, metric: MetricSummary) -> Criterion:
    """Check the share of cases with two or more reviews whose scores lie within one point."""
    rate, limit = metric.agreement.cases_within_one, float(summary.policy["within_one"])
    name, subject = f"within-one:{metric.metric}", metric.metric
    if rate.value is None:
        reason = gaps.one_review_a_case(subject)
        return Criterion(name, subject, None, limit, None, None, reason)
    within = round(rate.value * rate.n_units)
    passed = rate.value >= limit
    more = more_passing(passing=within, of=rate.n_units, share=limit)
    return Criterion(
        name=name,
        subject=subject,
        value=rate.value,
        limit=limit,
        passed=passed,
        leads_to=None if passed else Word.HOLD,
        reason=gaps.within_one(subject, rate, within, limit),
        cases=metric.apart,
        would_change=None if passed else gaps.talk_it_over(more),
    )


# With fewer shared cases only a proven drop counts.
ENOUGH_SHARED = 10


def no_regression(summary: Summary) -> Iterator[Criterion]:
    """Check that no metric dropped.

    A proven drop forbids a GO; ruling one out is only required with enough shared cases.
    """
    compared = (
        {metric_summary.metric: metric_summary for metric_summary in summary.comparison.metrics}
        if summary.comparison
        else {}
    )
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
                reason=why or reasons.not_in_baseline(metric.metric),
            )
        else:
            yield change(summary, one, margin)


def change(summary: Summary, change: MetricComparison, margin: float) -> Criterion:
    paired = change.paired
    assert paired.mean is not None
    passed: bool | None = True
    leads_to, would_change = None, None
    if paired.high is not None and paired.mean <= -margin and paired.high < 0:
        passed, leads_to = False, Word.NO_GO
        reason = reasons.dropped(change.metric, paired, margin)
        would_change = reasons.must_improve(change.metric)
    elif paired.n < ENOUGH_SHARED or paired.low is None:
        passed, reason = None, reasons.few_pairs(change.metric, paired, ENOUGH_SHARED)
    elif paired.low <= -margin:
        passed, leads_to = False, Word.NOT_ENOUGH_EVIDENCE
        reason = reasons.drop_not_ruled_out(change.metric, paired, margin)
        more = more_cases(distance=paired.mean + margin, sd=paired.sd or 0.0, cases=paired.n)
        would_change = reasons.until_ruled_out(change.metric, more)
    else:
        reason = reasons.held(change.metric, paired, margin)
    return Criterion(
        name=f"no-regression:{change.metric}",
        subject=change.metric,
        value=paired.mean,
        limit=-margin,
        passed=passed,
        leads_to=leads_to,
        reason=reason,
        cases=find_fallen(summary, change.metric),
        would_change=would_change,
    )
