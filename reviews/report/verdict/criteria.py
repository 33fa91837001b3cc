"""The criteria of the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviews.agreement import Reason
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.figures import CaseScore, MetricComparison, MetricSummary
from reviews.sample.rule import KIND

from . import gaps, reasons
from .document import Criterion
from .prospects import more_cases, more_passing

UNSETTLED = ("waiting", "stale")


def check_criteria(summary: Summary) -> tuple[Criterion, ...]:
    """Check all criteria: those that forbid a GO, missing evidence, open work."""
    return (
        *(floor(summary, metric) for metric in summary.metrics),
        lowest_levels(summary),
        harmful_content(summary),
        *no_regression(summary),
        kinds(summary),
        cases(summary),
        reviews(summary),
        adjudications(summary),
        flags(summary),
        *(within_one(summary, metric) for metric in summary.metrics),
    )


# --- Criteria that forbid a GO --------------------------------------------------------------------


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
        cases=below(summary, metric),
        would_change=would_change,
    )


def below(summary: Summary, metric: MetricSummary) -> tuple[str, ...]:
    """Return the cases with a standing score below the floor, the lowest first."""
    place = summary.metrics.index(metric)
    found = sorted((case.scores[place].standing, case.case_key) for case in summary.counted)
    return tuple(case_key for standing, case_key in found if standing < metric.floor)


def lowest_levels(summary: Summary) -> Criterion:
    found = tuple(
        sorted(
            case.case_key
            for case in summary.counted
            if any(
                is_at_the_bottom(score, metric)
                for score, metric in zip(case.scores, summary.metrics, strict=True)
            )
        )
    )
    return counted(
        "lowest-levels",
        found,
        Word.NO_GO,
        reasons.lowest_levels(found) if found else reasons.no_lowest_levels(),
        reasons.mend_the_cases(),
    )


def is_at_the_bottom(score: CaseScore, metric: MetricSummary) -> bool:
    """Return whether the agreed score, or every single review, is at the two lowest levels.

    The highest level is never the bottom, however short the scale.
    """
    bottom = [level for level in metric.levels[:2] if level < metric.levels[-1]]
    if score.agreed is not None:
        return score.agreed in bottom
    return score.range(metric.levels[0])[1] in bottom


def harmful_content(summary: Summary) -> Criterion:
    found = flagged(summary, "confirmed", "harmful")
    return counted(
        "harmful-content",
        found,
        Word.NO_GO,
        reasons.harmful_content(found) if found else reasons.no_harmful_content(),
        reasons.mend_the_cases(),
    )


def flagged(summary: Summary, outcome: str, kind: str = "") -> tuple[str, ...]:
    """Return the flagged cases, each once, however many people flagged it."""
    return tuple(
        dict.fromkeys(
            flag.case_key
            for flag in summary.flags
            if flag.outcome == outcome and flag.flag == (kind or flag.flag)
        )
    )


def counted(
    name: str,
    cases: tuple[str, ...],
    word: Word,
    reason: Reason,
    would_change: Reason,
) -> Criterion:
    """Build a criterion that fails if there is any such case."""
    return Criterion(
        name=name,
        subject="",
        value=float(len(cases)),
        limit=0.0,
        passed=not cases,
        leads_to=word if cases else None,
        reason=reason,
        cases=cases,
        would_change=would_change if cases else None,
    )


# --- Missing evidence -----------------------------------------------------------------------------


def kinds(summary: Summary) -> Criterion:
    """Check that every kind has a judged case: an unjudged one shows nothing."""
    unjudged = summary.unjudged_kinds
    missing = [key for key in unjudged if summary.waiver(KIND + key) is None]
    if missing:
        reason = gaps.kinds_missing(missing)
    else:
        reason = gaps.all_kinds(len(summary.coverage), len(unjudged))
    return lacking(
        "kinds",
        value=summary.kinds_covered,
        limit=len(summary.coverage),
        passed=not missing,
        reason=reason,
        would_change=gaps.fill_or_waive(),
    )


def cases(summary: Summary) -> Criterion:
    needed, count = summary.cases_needed, summary.evidence.cases
    return lacking(
        "cases",
        value=count,
        limit=needed,
        passed=count >= needed,
        reason=gaps.enough_cases(count, needed),
        would_change=gaps.cases_to_add(needed - count),
    )


def reviews(summary: Summary) -> Criterion:
    missing = summary.still_missing
    if missing:
        reason = gaps.reviews_missing(sum(missing.values()), list(missing))
    elif not summary.evidence.cases:
        reason = gaps.nothing_to_judge()
    else:
        reason = gaps.all_reviews(summary.reviews_in, sum(summary.missing_reviews.values()))
    return lacking(
        "reviews",
        value=summary.reviews_in,
        limit=summary.reviews_expected,
        passed=not missing and bool(summary.evidence.cases),
        reason=reason,
        would_change=gaps.write_or_waive(),
        cases=tuple(missing) or summary.evidence.left_out,
    )


def lacking(
    name: str,
    *,
    value: int,
    limit: int,
    passed: bool,
    reason: Reason,
    would_change: Reason,
    cases: tuple[str, ...] = (),
) -> Criterion:
    return Criterion(
        name=name,
        subject="",
        value=float(value),
        limit=float(limit),
        passed=passed,
        leads_to=None if passed else Word.NOT_ENOUGH_EVIDENCE,
        reason=reason,
        cases=cases,
        would_change=None if passed else would_change,
    )


# --- Open work ---------------------------------------------------------------------------------


def adjudications(summary: Summary) -> Criterion:
    """Check that no adjudication is waiting or waived."""
    waiting = tuple(
        disagreement.case_key
        for disagreement in summary.disagreements
        if disagreement.state in UNSETTLED
    )
    waived = tuple(
        disagreement.case_key
        for disagreement in summary.disagreements
        if disagreement.state == "waived"
    )
    if waiting:
        reason = gaps.adjudications_open(waiting)
    elif waived:
        reason = gaps.adjudications_waived(waived)
    else:
        reason = gaps.all_settled()
    found = (*waiting, *waived)
    return counted("adjudications", found, Word.HOLD, reason, gaps.adjudicate(found))


def flags(summary: Summary) -> Criterion:
    found = flagged(summary, "open")
    count = sum(flag.outcome == "open" for flag in summary.flags)
    criterion = counted(
        "flags",
        found,
        Word.HOLD,
        gaps.flags_open(count, found) if found else gaps.all_flags_judged(),
        gaps.judge_the_flags(found),
    )
    return replace(criterion, value=float(count))


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
        cases=fallen(summary, change.metric),
        would_change=would_change,
    )


def fallen(summary: Summary, metric: str) -> tuple[str, ...]:
    """Return the shared cases that got worse, the largest fall first."""
    assert summary.comparison is not None
    place = [metric_summary.metric for metric_summary in summary.comparison.metrics].index(metric)
    moved = sorted(
        (case.after[place] - case.before[place], case.case_key) for case in summary.comparison.cases
    )
    return tuple(case_key for difference, case_key in moved if difference < 0)
