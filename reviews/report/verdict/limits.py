"""The criteria of scores and changes at a planned look, by one-sided limits."""

from __future__ import annotations

from collections.abc import Iterator

from reviews.agreement import Reason
from reviews.agreement.results import _, ngettext
from reviews.comparison import Limits
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary
from reviews.report.summary.rounding import format_change, format_points

from . import gaps, reasons
from .cases import find_below, find_fallen
from .document import Criterion

# A mean is clearly above its floor if its lower limit is at least so far above.
CLEARLY = 0.25

REQUIRED = "required"


def floor(summary: Summary, metric: MetricSummary) -> Criterion:
    """Check that the lower limit is above the floor; an upper limit below it forbids a GO."""
    limits, limit = metric.limits, metric.floor
    leads_to, would_change = None, None
    if limits is None:
        leads_to, reason = Word.NOT_ENOUGH_EVIDENCE, reasons.no_interval(metric)
        would_change = reasons.more_reviews_needed()
    elif limits.high < limit:
        leads_to, reason = Word.NO_GO, below_floor(metric, limits)
        would_change = reasons.must_improve(metric.metric)
    elif limits.low <= limit:
        leads_to, reason = Word.NOT_ENOUGH_EVIDENCE, around_floor(metric, limits)
        would_change = gaps.next_look(summary.plan)
    else:
        reason = above_floor(metric, limits)
    return Criterion(
        name=f"floor:{metric.metric}",
        subject=metric.metric,
        value=metric.mean.value,
        limit=limit,
        passed=leads_to is None,
        leads_to=leads_to,
        reason=reason,
        cases=find_below(summary, metric),
        would_change=would_change,
    )


def is_clearly_above(metric: MetricSummary) -> bool:
    return metric.limits is not None and metric.limits.low >= metric.floor + CLEARLY


def describe_limits(metric: MetricSummary, limits: Limits) -> dict[str, int | str]:
    assert metric.mean.value is not None
    return {
        "metric": metric.metric,
        "value": format_points(metric.mean.value, beside=metric.floor),
        "low": format_points(limits.low, beside=metric.floor),
        "high": format_points(limits.high, beside=metric.floor),
        "floor": format_points(metric.floor),
        "level": format_level(limits),
    }


def format_level(limits: Limits) -> str:
    """Format how sure a one-sided limit is, in percent."""
    return f"{100 * (1 - limits.level):.1f}"


def above_floor(metric: MetricSummary, limits: Limits) -> Reason:
    params = describe_limits(metric, limits)
    if is_clearly_above(metric):
        return Reason(
            "clearly-above-floor",
            _(
                "%(metric)s is %(value)s, clearly above its floor of %(floor)s: its lower limit is "
                "%(low)s (one-sided, %(level)s %%)."
            ),
            params=params,
        )
    return Reason(
        "above-floor-by-limit",
        _(
            "%(metric)s is %(value)s, above its floor of %(floor)s: its lower limit is %(low)s "
            "(one-sided, %(level)s %%)."
        ),
        params=params,
    )


def around_floor(metric: MetricSummary, limits: Limits) -> Reason:
    return Reason(
        "floor-between-limits",
        _(
            "%(metric)s is %(value)s; its floor of %(floor)s is between its limits of %(low)s and "
            "%(high)s (one-sided, %(level)s %% each)."
        ),
        params=describe_limits(metric, limits),
    )


def below_floor(metric: MetricSummary, limits: Limits) -> Reason:
    return Reason(
        "below-floor-by-limit",
        _(
            "%(metric)s is %(value)s, below its floor of %(floor)s: its upper limit is %(high)s "
            "(one-sided, %(level)s %%)."
        ),
        params=describe_limits(metric, limits),
    )


# --- Changes against the baseline -----------------------------------------------------------------


def no_regression(summary: Summary) -> Iterator[Criterion]:
    """Check each metric for a drop: a proven one forbids a GO, whatever the number of cases.

    A drop that is not excluded blocks only where the policy requires it.
    """
    compared = summary.comparison.metrics if summary.comparison else ()
    changes = {change.metric: change for change in compared}
    for metric in summary.metrics:
        change = changes.get(metric.metric)
        if change is None or change.limits is None:
            why = summary.not_compared or (summary.comparison and summary.comparison.why)
            why = why or reasons.not_in_baseline(metric.metric)
            yield build_change(summary, metric.metric, why)
        else:
            yield check_change(summary, change, change.limits)


def check_change(summary: Summary, change: MetricComparison, limits: Limits) -> Criterion:
    margin = float(summary.policy["margin"])
    mean = change.paired.mean
    assert mean is not None
    if is_proven_drop(mean, limits, margin):
        reason = dropped(change, limits, margin)
        return build_change(summary, change.metric, reason, mean, leads_to=Word.NO_GO)
    if limits.low > -margin:
        return build_change(summary, change.metric, held(change, limits, margin), mean, passed=True)
    return build_change(summary, change.metric, not_excluded(change, limits), mean)


def is_proven_drop(mean: float, limits: Limits, margin: float) -> bool:
    return mean <= -margin and limits.high < 0


def build_change(
    summary: Summary,
    metric: str,
    reason: Reason,
    value: float | None = None,
    *,
    passed: bool | None = None,
    leads_to: Word | None = None,
) -> Criterion:
    """Build the criterion of a metric. What is not settled fails only where that is required."""
    if leads_to is None and passed is None and summary.policy.get("regression") == REQUIRED:
        leads_to = Word.NOT_ENOUGH_EVIDENCE
    would_change = {
        None: None,
        Word.NO_GO: reasons.must_improve(metric),
        Word.NOT_ENOUGH_EVIDENCE: gaps.next_look(summary.plan),
    }[leads_to]
    return Criterion(
        name=f"no-regression:{metric}",
        subject=metric,
        value=value,
        limit=-float(summary.policy["margin"]),
        passed=passed if leads_to is None else False,
        leads_to=leads_to,
        reason=reason,
        cases=() if value is None else find_fallen(summary, metric),
        would_change=would_change,
    )


def describe_change(
    change: MetricComparison, limits: Limits, margin: float
) -> dict[str, int | str]:
    assert change.paired.mean is not None
    return {
        "metric": change.metric,
        "mean": format_change(change.paired.mean, beside=-margin),
        "fall": format_points(-change.paired.mean, beside=margin),
        "low": format_change(limits.low, beside=-margin),
        "high": format_change(limits.high, beside=0.0),
        "drop": format_points(-limits.low, beside=margin),
        "count": change.paired.n,
        "margin": format_points(margin),
        "level": format_level(limits),
    }


def dropped(change: MetricComparison, limits: Limits, margin: float) -> Reason:
    params = describe_change(change, limits, margin)
    if change.is_by_others:
        message, plural = ngettext(
            "%(metric)s fell by %(fall)s points on %(count)s shared case, and the upper limit of "
            "the change is %(high)s (one-sided, %(level)s %%; other reviewers than before are "
            "allowed for). The agreed margin is %(margin)s.",
            "%(metric)s fell by %(fall)s points on %(count)s shared cases, and the upper limit of "
            "the change is %(high)s (one-sided, %(level)s %%; other reviewers than before are "
            "allowed for). The agreed margin is %(margin)s.",
        )
        return Reason("drop-by-others", message, plural, params)
    message, plural = ngettext(
        "%(metric)s fell by %(fall)s points on %(count)s shared case, and the upper limit of the "
        "change is %(high)s (one-sided, %(level)s %%). The agreed margin is %(margin)s.",
        "%(metric)s fell by %(fall)s points on %(count)s shared cases, and the upper limit of the "
        "change is %(high)s (one-sided, %(level)s %%). The agreed margin is %(margin)s.",
    )
    return Reason("drop", message, plural, params)


def held(change: MetricComparison, limits: Limits, margin: float) -> Reason:
    message, plural = ngettext(
        "%(metric)s changed by %(mean)s on %(count)s shared case; the lower limit of the change is "
        "%(low)s (one-sided, %(level)s %%), above the margin of -%(margin)s.",
        "%(metric)s changed by %(mean)s on %(count)s shared cases; the lower limit of the change "
        "is %(low)s (one-sided, %(level)s %%), above the margin of -%(margin)s.",
    )
    return Reason("no-drop", message, plural, describe_change(change, limits, margin))


def not_excluded(change: MetricComparison, limits: Limits) -> Reason:
    params = describe_change(change, limits, 0.0)
    if change.is_by_others:
        message, plural = ngettext(
            "%(metric)s changed by %(mean)s: a drop of up to %(drop)s is not excluded "
            "(%(count)s shared case, other reviewers than before).",
            "%(metric)s changed by %(mean)s: a drop of up to %(drop)s is not excluded "
            "(%(count)s shared cases, other reviewers than before).",
        )
        return Reason("drop-not-excluded-by-others", message, plural, params)
    message, plural = ngettext(
        "%(metric)s changed by %(mean)s: a drop of up to %(drop)s is not excluded "
        "(%(count)s shared case).",
        "%(metric)s changed by %(mean)s: a drop of up to %(drop)s is not excluded "
        "(%(count)s shared cases).",
    )
    return Reason("drop-not-excluded", message, plural, params)
