"""The criteria of changes where plans read side by side decide them. They never touch a floor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cases.releases.policy import BY_SIDE
from reviews.agreement import Reason
from reviews.agreement.results import _, ngettext
from reviews.comparison import Paired
from reviews.comparison.steps import can_claim, is_drop_excluded, is_proven_drop
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.rounding import format_change
from reviews.report.summary.side_by_side import MetricSteps

from . import reasons
from .document import Criterion

REQUIRED = "required"


def is_by_side(summary: Summary) -> bool:
    return summary.policy.get("regression_by") == BY_SIDE


def no_regression(summary: Summary) -> Iterator[Criterion]:
    """Check each metric for a drop among the pairs that were read."""
    found = summary.read_side_by_side
    for metric in summary.metrics:
        steps = found.metric(metric.metric) if found else None
        if steps is None or steps.paired.mean is None:
            yield build(summary, metric.metric, not_read())
        elif is_proven_drop(steps.paired):
            yield build(summary, metric.metric, worse(steps), steps, leads_to=Word.NO_GO)
        elif is_drop_excluded(steps.paired):
            yield build(summary, metric.metric, not_worse(steps), steps, passed=True)
        else:
            yield build(summary, metric.metric, not_excluded(steps), steps)


def find_lowest(summary: Summary, criteria: Iterable[Criterion]) -> Criterion | None:
    """Find the criterion of the metric with the lowest mean step; None if pairs do not decide."""
    if not is_by_side(summary):
        return None
    found = [criterion for criterion in criteria if criterion.name.startswith("no-regression:")]
    return min(found, key=lambda criterion: criterion.value or 0.0, default=None)


def build(
    summary: Summary,
    metric: str,
    reason: Reason,
    steps: MetricSteps | None = None,
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
        Word.NOT_ENOUGH_EVIDENCE: read_more(),
    }[leads_to]
    fallen = [] if steps is None else [case for case in steps.cases if case.step < 0]
    return Criterion(
        name=f"no-regression:{metric}",
        subject=metric,
        value=steps.paired.mean if steps else None,
        limit=0.0,
        passed=passed if leads_to is None else False,
        leads_to=leads_to,
        reason=reason,
        cases=tuple(case.case_key for case in sorted(fallen, key=lambda case: case.step)),
        would_change=would_change,
    )


def describe(steps: MetricSteps) -> dict[str, int | str]:
    found = steps.paired
    assert found.mean is not None
    return {
        "metric": steps.metric,
        "mean": format_change(found.mean, beside=0.0),
        "count": found.n,
        "worse": found.worse,
        "p": format_p(found),
        "low": "–" if found.low is None else format_change(found.low, beside=-1.0),
    }


def format_p(found: Paired) -> str:
    return "–" if found.p_value is None else f"{found.p_value:.4f}"


def not_read() -> Reason:
    return Reason("no-pair-read", _("not assessed: no pair of plans was read side by side"))


def worse(steps: MetricSteps) -> Reason:
    message, plural = ngettext(
        "Side by side, the new plan is worse on %(metric)s: the mean step is %(mean)s on "
        "%(count)s pair (worse in %(worse)s; exact sign-flip test, p = %(p)s).",
        "Side by side, the new plans are worse on %(metric)s: the mean step is %(mean)s on "
        "%(count)s pairs (worse in %(worse)s; exact sign-flip test, p = %(p)s).",
    )
    return Reason("worse-side-by-side", message, plural, describe(steps))


def not_worse(steps: MetricSteps) -> Reason:
    message, plural = ngettext(
        "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pair; its lower limit "
        "%(low)s is less than one step down.",
        "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pairs; its lower limit "
        "%(low)s is less than one step down.",
    )
    return Reason("not-worse-side-by-side", message, plural, describe(steps))


def not_excluded(steps: MetricSteps) -> Reason:
    if not can_claim(steps.paired.n):
        smallest = {"smallest": f"{steps.paired.smallest_p_value:.4f}"}
        message, plural = ngettext(
            "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pair. With so few pairs "
            "the smallest possible p is %(smallest)s, so none can prove a drop.",
            "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pairs. With so few "
            "pairs the smallest possible p is %(smallest)s, so they cannot prove a drop.",
        )
        return Reason("too-few-pairs", message, plural, describe(steps) | smallest)
    message, plural = ngettext(
        "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pair: a drop of one step is "
        "not excluded (lower limit %(low)s).",
        "Side by side, %(metric)s moved by %(mean)s steps on %(count)s pairs: a drop of one step "
        "is not excluded (lower limit %(low)s).",
    )
    return Reason("drop-not-excluded-side-by-side", message, plural, describe(steps))


def read_more() -> Reason:
    return Reason("read-more-pairs", _("Read more pairs side by side."))


def find_unclear(summary: Summary) -> Iterator[Reason]:
    """Yield the condition beside the word: what pairs leave open."""
    found = summary.read_side_by_side
    if found is None or not found.readings:
        yield Reason("not-read-side-by-side", _("comparison not assessed: no pair was read"))
        return
    unclear = [
        metric
        for metric in found.metrics
        if not is_proven_drop(metric.paired) and not is_drop_excluded(metric.paired)
    ]
    if unclear:
        params: dict[str, int | str] = {"count": max(metric.paired.n for metric in unclear)}
        message, plural = ngettext(
            "a drop of one step is not excluded: %(count)s pair",
            "a drop of one step is not excluded: %(count)s pairs",
        )
        yield Reason("step-down-not-excluded", message, plural, params)
    if found.missing:
        message, plural = ngettext("with %(count)s pair not read", "with %(count)s pairs not read")
        yield Reason("pairs-waived", message, plural, {"count": len(found.missing)})
