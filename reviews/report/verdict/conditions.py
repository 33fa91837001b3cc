"""The plain conditions beside the word of a verdict, the weightiest first.

The word is only as good as what it was earned with: waived kinds, one reader per case, agreement
that cannot be shown. Conditions never change the word.
"""

from __future__ import annotations

from collections.abc import Iterator

from reviews.agreement import Reason
from reviews.agreement.results import _, ngettext
from reviews.report.summary.document import DisagreementSummary, Summary
from reviews.report.summary.figures import MetricComparison, MetricSummary
from reviews.report.summary.rounding import format_points
from reviews.sample.rule import KIND

from . import sides
from .limits import is_proven_drop

# More than this nobody reads beside a word.
MOST_CONDITIONS = 3


def list_conditions(summary: Summary) -> tuple[Reason, ...]:
    """List the weightiest conditions; none between looks, and none under the first rules."""
    if summary.plan is None or not summary.plan.is_at_look:
        return ()
    return tuple(find_conditions(summary))[:MOST_CONDITIONS]


def find_conditions(summary: Summary) -> Iterator[Reason]:
    if summary.reviews_per_case == 1:
        yield Reason("one-reader", _("one reader per case"))
    yield from find_waived(summary)
    if summary.reviews_per_case > 1:
        yield from find_disagreement(summary)
    yield from find_unclear_changes(summary)
    together = sum(map(is_settled_together, summary.disagreements))
    if together:
        message, plural = ngettext(
            "%(count)s case settled by its own reviewers",
            "%(count)s cases settled by their own reviewers",
        )
        yield Reason("settled-together", message, plural, {"count": together})


def find_waived(summary: Summary) -> Iterator[Reason]:
    waived_kinds = sum(summary.waiver(KIND + key) is not None for key in summary.unjudged_kinds)
    if waived_kinds:
        message, plural = ngettext("with %(count)s kind waived", "with %(count)s kinds waived")
        yield Reason("kinds-waived", message, plural, {"count": waived_kinds})
    count, least = summary.evidence.cases, summary.least_cases
    if summary.cases_needed <= count < least:
        message, plural = ngettext(
            "with %(count)s case of the %(least)s that the rubric asks for",
            "with %(count)s cases of the %(least)s that the rubric asks for",
        )
        yield Reason("cases-waived", message, plural, {"count": count, "least": least})
    waived = sum(summary.missing_in_plan.values())
    if waived:
        message, plural = ngettext("with %(count)s review waived", "with %(count)s reviews waived")
        yield Reason("reviews-waived", message, plural, {"count": waived})


def find_disagreement(summary: Summary) -> Iterator[Reason]:
    """Yield where agreement is not shown, and where too many pairs of reviews are apart."""
    lacking = [metric.metric for metric in summary.metrics if not is_beyond_chance(metric)]
    if len(lacking) == len(summary.metrics):
        yield Reason("agreement-not-shown", _("agreement not shown beyond chance"))
    elif lacking:
        yield Reason(
            "agreement-not-shown-on",
            _("agreement not shown beyond chance: %(metrics)s"),
            params={"metrics": ", ".join(lacking)},
        )
    worst = min(summary.metrics, key=lambda metric: metric.agreement.within_one.value or 0.0)
    share = worst.agreement.within_one
    if share.value is not None and share.value < float(summary.policy["within_one"]):
        apart = share.n_pairs - round(share.value * share.n_pairs)
        message, plural = ngettext(
            "%(count)s of %(pairs)s pairs of reviews two points apart or more",
            "%(count)s of %(pairs)s pairs of reviews two points apart or more",
        )
        yield Reason("reviews-apart", message, plural, {"count": apart, "pairs": share.n_pairs})


def is_beyond_chance(metric: MetricSummary) -> bool:
    """Return whether the lower limit of alpha excludes agreement by chance alone."""
    low = metric.agreement.alpha.low
    return low is not None and low > 0


def find_unclear_changes(summary: Summary) -> Iterator[Reason]:
    if sides.is_by_side(summary):
        yield from sides.find_unclear(summary)
        return
    margin = float(summary.policy["margin"])
    found = summary.comparison
    if found is None or found.why is not None:
        if summary.baseline is None:
            yield Reason("no-baseline", _("comparison not assessed: no baseline"))
        else:
            yield Reason("not-compared", _("comparison not assessed"))
        return
    unclear = [change for change in found.metrics if is_unclear(change, margin)]
    if unclear:
        worst = min(unclear, key=find_lower_limit)
        message, plural = ngettext(
            "a drop of up to %(drop)s is not excluded: %(count)s shared case",
            "a drop of up to %(drop)s is not excluded: %(count)s shared cases",
        )
        params: dict[str, int | str] = {
            "drop": format_points(-find_lower_limit(worst), beside=margin),
            "count": worst.paired.n,
        }
        yield Reason("drop-not-excluded", message, plural, params)


def is_unclear(change: MetricComparison, margin: float) -> bool:
    if change.limits is None or change.paired.mean is None:
        return False
    if is_proven_drop(change.paired.mean, change.limits, margin):
        return False
    return change.limits.low <= -margin


def find_lower_limit(change: MetricComparison) -> float:
    return change.limits.low if change.limits else 0.0


def is_settled_together(disagreement: DisagreementSummary) -> bool:
    agreed = disagreement.adjudication
    return bool(agreed and agreed.together and disagreement.state == "settled")
