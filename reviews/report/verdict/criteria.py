"""The criteria of the verdict."""

from __future__ import annotations

from dataclasses import replace

from reviews.agreement import Reason
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.figures import CaseScore, MetricSummary
from reviews.sample.rule import KIND

from . import first_rules, gaps, limits, reasons, sides
from .document import Criterion

UNSETTLED = ("waiting", "stale")


def check_criteria(summary: Summary) -> tuple[Criterion, ...]:
    """Check all criteria: those that forbid a GO, missing evidence, open work.

    Between looks those that depend on scores are not checked: they would tell the word.
    """
    if summary.plan is None:
        return (
            *(first_rules.floor(summary, metric) for metric in summary.metrics),
            lowest_levels(summary),
            harmful_content(summary),
            *first_rules.no_regression(summary),
            *check_evidence(summary),
            *check_open_work(summary),
            *(first_rules.within_one(summary, metric) for metric in summary.metrics),
        )
    if not summary.plan.is_at_look:
        return (*check_evidence(summary), *check_open_work(summary))
    return (
        *(limits.floor(summary, metric) for metric in summary.metrics),
        lowest_levels(summary),
        harmful_content(summary),
        *(sides if sides.is_by_side(summary) else limits).no_regression(summary),
        *check_evidence(summary),
        *check_open_work(summary),
    )


def check_evidence(summary: Summary) -> tuple[Criterion, ...]:
    return kinds(summary), cases(summary), reviews(summary)


def check_open_work(summary: Summary) -> tuple[Criterion, ...]:
    return adjudications(summary), flags(summary)


# --- Criteria that forbid a GO --------------------------------------------------------------------


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
        waived = sum(summary.missing_in_plan.values())
        reason = gaps.all_reviews(summary.reviews_counted, waived)
    return lacking(
        "reviews",
        value=summary.reviews_counted,
        limit=summary.reviews_wanted,
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
    outside = {case.case_key for case in summary.outside}
    states = {
        disagreement.case_key: disagreement.state
        for disagreement in summary.disagreements
        if disagreement.case_key not in outside
    }
    waiting = tuple(key for key, state in states.items() if state in UNSETTLED)
    waived = tuple(key for key, state in states.items() if state == "waived")
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
