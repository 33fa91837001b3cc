"""The sentences of a verdict about missing evidence and open work."""

from __future__ import annotations

from collections.abc import Sequence

from reviews.agreement import Reason, Result
from reviews.agreement.results import _, ngettext
from reviews.report.summary.figures import Plan

from .reasons import named

# --- Missing evidence -----------------------------------------------------------------------------


def all_kinds(count: int, waived: int) -> Reason:
    if waived:
        message, plural = ngettext(
            "Every kind has a judged case, but %(count)s that is waived.",
            "Every kind has a judged case, but %(count)s that are waived.",
        )
        return Reason("kinds-waived", message, plural, {"count": waived})
    message, plural = ngettext(
        "The %(count)s kind of the rule has a judged case.",
        "All %(count)s kinds of the rule have a judged case.",
    )
    return Reason("all-kinds", message, plural, {"count": count})


def kinds_missing(kinds: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s kind has no judged case: %(kinds)s.",
        "%(count)s kinds have no judged case: %(kinds)s.",
    )
    return Reason(
        "kinds-missing", message, plural, {"count": len(kinds), "kinds": ", ".join(kinds)}
    )


def fill_or_waive() -> Reason:
    return Reason("fill-or-waive", _("A judged case for each of them, or a waiver with a reason."))


def enough_cases(count: int, least: int) -> Reason:
    message, plural = ngettext(
        "%(count)s case is judged; %(least)s are asked for.",
        "%(count)s cases are judged; %(least)s are asked for.",
    )
    return Reason("cases", message, plural, {"count": count, "least": least})


def cases_to_add(count: int) -> Reason:
    message, plural = ngettext(
        "%(count)s more judged case, or a waiver with a reason.",
        "%(count)s more judged cases, or a waiver with a reason.",
    )
    return Reason("cases-to-add", message, plural, {"count": count})


def all_reviews(count: int, waived: int) -> Reason:
    if waived:
        message, plural = ngettext(
            "%(reviews)s reviews are in; %(count)s that is missing is waived.",
            "%(reviews)s reviews are in; %(count)s that are missing are waived.",
        )
        return Reason("reviews-waived", message, plural, {"reviews": count, "count": waived})
    message, plural = ngettext("%(count)s review is in: all.", "%(count)s reviews are in: all.")
    return Reason("all-reviews", message, plural, {"count": count})


def reviews_missing(count: int, cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s review is missing: %(cases)s.", "%(count)s reviews are missing: %(cases)s."
    )
    return Reason("reviews-missing", message, plural, {"count": count, "cases": named(cases)})


def write_or_waive() -> Reason:
    return Reason("write-or-waive", _("These reviews, or a waiver with a reason."))


def nothing_to_judge() -> Reason:
    return Reason("nothing-to-judge", _("No case of the sample has its reviews yet."))


# --- Open work ---------------------------------------------------------------------------------


def all_settled() -> Reason:
    return Reason("all-settled", _("No case waits for adjudication."))


def adjudications_open(cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s case waits for adjudication: %(cases)s.",
        "%(count)s cases wait for adjudication: %(cases)s.",
    )
    return Reason(
        "adjudications-open", message, plural, {"count": len(cases), "cases": named(cases)}
    )


def adjudications_waived(cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "The adjudication of %(count)s case was waived: %(cases)s.",
        "The adjudication of %(count)s cases was waived: %(cases)s.",
    )
    return Reason(
        "adjudications-waived", message, plural, {"count": len(cases), "cases": named(cases)}
    )


def adjudicate(cases: Sequence[str]) -> Reason:
    return Reason("adjudicate", _("Adjudicate %(cases)s."), params={"cases": named(cases)})


def all_flags_judged() -> Reason:
    return Reason("all-flags-judged", _("No flag waits to be judged."))


def flags_open(count: int, cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s flag waits to be judged: %(cases)s.",
        "%(count)s flags wait to be judged: %(cases)s.",
    )
    return Reason("flags-open", message, plural, {"count": count, "cases": named(cases)})


def judge_the_flags(cases: Sequence[str]) -> Reason:
    return Reason(
        "judge-flags", _("Judge what is flagged on %(cases)s."), params={"cases": named(cases)}
    )


def within_one(metric: str, rate: Result, within: int, limit: float) -> Reason:
    message, plural = ngettext(
        "%(metric)s: the scores of %(within)s of %(count)s case lie within one point; "
        "%(limit)s %% are asked for.",
        "%(metric)s: the scores of %(within)s of %(count)s cases lie within one point; "
        "%(limit)s %% are asked for.",
    )
    params: dict[str, int | str] = {
        "metric": metric,
        "within": within,
        "count": rate.n_units,
        "limit": f"{100 * limit:g}",
    }
    return Reason("within-one", message, plural, params)


def one_review_a_case(metric: str) -> Reason:
    return Reason(
        "one-review-a-case",
        _("%(metric)s: not assessed, because no case has two reviews."),
        params={"metric": metric},
    )


def talk_it_over(more: int) -> Reason:
    if not more:
        return Reason("talk-it-over", _("Talk over how the rubric is read."))
    message, plural = ngettext(
        "%(count)s more case within one point; or talk over how the rubric is read.",
        "%(count)s more cases within one point; or talk over how the rubric is read.",
    )
    return Reason("more-within-one", message, plural, {"count": more})


# --- The sentence beside the word -----------------------------------------------------------------


def go(*, is_clear: bool, is_compared: bool) -> Reason:
    if is_clear and is_compared:
        return Reason(
            "go-compared",
            _(
                "Every metric is clearly above its floor, nothing got worse by more than the "
                "margin, and nothing is open."
            ),
        )
    if is_clear:
        return Reason("go", _("Every metric is clearly above its floor, and nothing is open."))
    if is_compared:
        return Reason(
            "go-compared-without-width",
            _(
                "Every metric is above its floor, nothing got worse by more than the margin, and "
                "nothing is open; but the cases do not differ, so an interval has no width."
            ),
        )
    return Reason(
        "go-without-width",
        _(
            "Every metric is above its floor and nothing is open; but the cases do not differ, so "
            "an interval has no width."
        ),
    )


def next_look(plan: Plan | None) -> Reason:
    size = plan.next_size if plan else None
    if size is None:
        return Reason(
            "last-look",
            _("No look is left: improve it, and judge the new plans in a new release."),
        )
    message, plural = ngettext(
        "The next look, at %(count)s case.", "The next look, at %(count)s cases."
    )
    return Reason("next-look", message, plural, {"count": size})


def between_looks(plan: Plan, submitted: int, expected: int) -> Reason:
    message, plural = ngettext(
        "No word yet: %(reviews)s of %(count)s review for look %(look)s of %(looks)s is in.",
        "No word yet: %(reviews)s of %(count)s reviews for look %(look)s of %(looks)s are in.",
    )
    params: dict[str, int | str] = {
        "count": expected,
        "reviews": submitted,
        "look": plan.look,
        "looks": len(plan.sizes),
    }
    return Reason("between-looks", message, plural, params)


def all_above(*, is_clear: bool) -> Reason:
    if is_clear:
        return Reason("all-clearly-above", _("Every metric is clearly above its floor."))
    return Reason("all-above", _("Every metric is above its floor."))


def metrics_below(metrics: Sequence[str]) -> Reason:
    return Reason(
        "metrics-below-floors",
        _("%(metrics)s are below their floors."),
        params={"metrics": ", ".join(metrics)},
    )


def floors_between(count: int, reviews: int, metrics: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s case, %(reviews)s reviews: the floors are between the limits of %(metrics)s.",
        "%(count)s cases, %(reviews)s reviews: the floors are between the limits of %(metrics)s.",
    )
    return Reason(
        "floors-between-limits",
        message,
        plural,
        {"count": count, "reviews": reviews, "metrics": ", ".join(metrics)},
    )


def abandoned() -> Reason:
    return Reason("abandoned", _("The release was abandoned, without a verdict."))


def floors_inside(count: int, reviews: int, metrics: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s case, %(reviews)s reviews: the floors lie inside the intervals of %(metrics)s.",
        "%(count)s cases, %(reviews)s reviews: the floors lie inside the intervals of %(metrics)s.",
    )
    return Reason(
        "floors-inside",
        message,
        plural,
        {"count": count, "reviews": reviews, "metrics": ", ".join(metrics)},
    )
