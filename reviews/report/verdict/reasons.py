"""The sentences of a verdict about scores and changes; they are translated where they are shown.

`metric` and `kinds` among the params are keys; the translation replaces them by names.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviews.agreement import Reason
from reviews.agreement.results import _, ngettext
from reviews.comparison import Paired
from reviews.report.summary.figures import MetricSummary
from reviews.report.summary.rounding import format_change, format_points

from .prospects import FAR, about

MOST_NAMED = 3


def named(cases: Sequence[str]) -> str:
    return ", ".join(cases[:MOST_NAMED]) + (" …" if len(cases) > MOST_NAMED else "")


# --- Floors ---------------------------------------------------------------------------------------


def format_interval(metric: MetricSummary) -> dict[str, int | str]:
    mean, limit = metric.mean, metric.floor
    assert mean.value is not None
    assert mean.low is not None
    assert mean.high is not None
    return {
        "metric": metric.metric,
        "value": format_points(mean.value, beside=limit),
        "low": format_points(mean.low, beside=limit),
        "high": format_points(mean.high, beside=limit),
        "floor": format_points(limit),
        "count": mean.n,
    }


def has_width(metric: MetricSummary) -> bool:
    return metric.mean.low != metric.mean.high


def above_floor(metric: MetricSummary) -> Reason:
    if not has_width(metric):
        message, plural = ngettext(
            "%(metric)s is %(value)s in %(count)s case, above its floor of %(floor)s. The interval "
            "has no width: the cases do not differ, and others may.",
            "%(metric)s is %(value)s in each of %(count)s cases, above its floor of %(floor)s. The "
            "interval has no width: the cases do not differ, and others may.",
        )
        return Reason("above-floor-without-width", message, plural, format_interval(metric))
    return Reason(
        "above-floor",
        _("%(metric)s is %(value)s (%(low)s to %(high)s), above its floor of %(floor)s."),
        params=format_interval(metric),
    )


def around_floor(metric: MetricSummary) -> Reason:
    if not has_width(metric):
        message, plural = ngettext(
            "%(metric)s is %(value)s in %(count)s case, just at its floor. The interval has no "
            "width: the cases do not differ, and others may.",
            "%(metric)s is %(value)s in each of %(count)s cases, just at its floor. The interval "
            "has no width: the cases do not differ, and others may.",
        )
        return Reason("at-floor-without-width", message, plural, format_interval(metric))
    return Reason(
        "around-floor",
        _(
            "The floor of %(floor)s lies inside the interval of %(metric)s: %(value)s (%(low)s to "
            "%(high)s)."
        ),
        params=format_interval(metric),
    )


def below_floor(metric: MetricSummary) -> Reason:
    if not has_width(metric):
        message, plural = ngettext(
            "%(metric)s is %(value)s in %(count)s case, below its floor of %(floor)s. The interval "
            "has no width: the cases do not differ, and others may.",
            "%(metric)s is %(value)s in each of %(count)s cases, below its floor of %(floor)s. The "
            "interval has no width: the cases do not differ, and others may.",
        )
        return Reason("below-floor-without-width", message, plural, format_interval(metric))
    return Reason(
        "below-floor",
        _("%(metric)s is %(value)s (%(low)s to %(high)s), wholly below its floor of %(floor)s."),
        params=format_interval(metric),
    )


def no_interval(metric: MetricSummary) -> Reason:
    message, plural = ngettext(
        "%(metric)s has no interval to hold against its floor: %(count)s case is counted.",
        "%(metric)s has no interval to hold against its floor: %(count)s cases are counted.",
    )
    return Reason(
        "no-interval-yet", message, plural, {"metric": metric.metric, "count": metric.mean.n}
    )


def until_above(metric: MetricSummary, more: int | None) -> Reason:
    assert metric.mean.value is not None
    distance = metric.mean.value - metric.floor
    if distance <= 0:
        return Reason(
            "not-above-floor",
            _(
                "%(metric)s does not stand above its floor, so more cases like these would not "
                "lift it. It has to improve."
            ),
            params={"metric": metric.metric},
        )
    params: dict[str, int | str] = {
        "metric": metric.metric,
        "distance": format_points(distance, beside=0.0),
    }
    if more is None:
        return Reason(
            "too-near-floor",
            _(
                "%(metric)s stands only %(distance)s above its floor: more cases than anybody "
                "would read. Better to improve it than to measure it."
            ),
            params=params,
        )
    if more > FAR:
        return Reason(
            "far",
            _(
                "%(metric)s stands only %(distance)s above its floor: about %(count)s more cases "
                "like these. Better to improve it than to measure it."
            ),
            params={**params, "count": about(more)},
        )
    return more_cases_like_these(more, {"metric": metric.metric})


def more_cases_like_these(more: int, params: dict[str, int | str]) -> Reason:
    message, plural = ngettext(
        "%(metric)s: about %(count)s more case like these.",
        "%(metric)s: about %(count)s more cases like these.",
    )
    return Reason("more-cases", message, plural, {**params, "count": more})


def must_improve(metric: str) -> Reason:
    return Reason(
        "must-improve",
        _("%(metric)s has to improve: more cases like these would not change this."),
        params={"metric": metric},
    )


def more_reviews_needed() -> Reason:
    return Reason("more-reviews-needed", _("More cases whose reviews are in."))


# --- Criteria that forbid a GO --------------------------------------------------------------------


def no_lowest_levels() -> Reason:
    return Reason("no-lowest-levels", _("No case is agreed to stand at the two lowest levels."))


def lowest_levels(cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "%(count)s case stands at the two lowest levels, as agreed or by all its reviewers: "
        "%(cases)s.",
        "%(count)s cases stand at the two lowest levels, as agreed or by all their reviewers: "
        "%(cases)s.",
    )
    return Reason("lowest-levels", message, plural, {"count": len(cases), "cases": named(cases)})


def mend_the_cases() -> Reason:
    return Reason(
        "mend-the-cases",
        _("Mend what is wrong in these cases, and have the new plans judged in a new release."),
    )


def no_harmful_content() -> Reason:
    return Reason("no-harmful-content", _("No case is confirmed to have harmful content."))


def harmful_content(cases: Sequence[str]) -> Reason:
    message, plural = ngettext(
        "Harmful content is confirmed in %(count)s case: %(cases)s.",
        "Harmful content is confirmed in %(count)s cases: %(cases)s.",
    )
    return Reason("harmful-content", message, plural, {"count": len(cases), "cases": named(cases)})


def moved(metric: str, paired: Paired, margin: float) -> dict[str, int | str]:
    assert paired.mean is not None
    assert paired.low is not None
    assert paired.high is not None
    return {
        "metric": metric,
        "mean": format_change(paired.mean, beside=-margin),
        "low": format_change(paired.low, beside=-margin),
        "high": format_change(paired.high, beside=-margin),
        "count": paired.n,
        "margin": format_points(margin),
    }


def dropped(metric: str, paired: Paired, margin: float) -> Reason:
    assert paired.mean is not None
    assert paired.low is not None
    assert paired.high is not None
    params: dict[str, int | str] = {
        "metric": metric,
        "mean": format_points(-paired.mean, beside=margin),
        "low": format_points(-paired.high, beside=0.0),
        "high": format_points(-paired.low, beside=margin),
        "count": paired.n,
        "margin": format_points(margin),
    }
    if paired.low == paired.high:
        message, plural = ngettext(
            "%(metric)s fell by %(mean)s points in the same %(count)s case; the agreed margin was "
            "%(margin)s. The interval has no width: the cases do not differ, and others may.",
            "%(metric)s fell by %(mean)s points in each of the same %(count)s cases; the agreed "
            "margin was %(margin)s. The interval has no width: the cases do not differ, and others "
            "may.",
        )
        return Reason("dropped-without-width", message, plural, params)
    message, plural = ngettext(
        "%(metric)s fell by %(mean)s points (%(low)s to %(high)s) on the same %(count)s case; the "
        "agreed margin was %(margin)s.",
        "%(metric)s fell by %(mean)s points (%(low)s to %(high)s) on the same %(count)s cases; the "
        "agreed margin was %(margin)s.",
    )
    return Reason("dropped", message, plural, params)


def drop_not_ruled_out(metric: str, paired: Paired, margin: float) -> Reason:
    return Reason(
        "drop-not-ruled-out",
        _(
            "%(metric)s changed by %(mean)s (%(low)s to %(high)s) on %(count)s shared cases: a "
            "fall by the margin of %(margin)s is not ruled out."
        ),
        params=moved(metric, paired, margin),
    )


def held(metric: str, paired: Paired, margin: float) -> Reason:
    if paired.low == paired.high:
        message, plural = ngettext(
            "%(metric)s changed by %(mean)s in %(count)s shared case: no fall by the margin of "
            "%(margin)s. The interval has no width: the cases do not differ, and others may.",
            "%(metric)s changed by %(mean)s in each of %(count)s shared cases: no fall by the "
            "margin of %(margin)s. The interval has no width: the cases do not differ, and others "
            "may.",
        )
        return Reason("held-without-width", message, plural, moved(metric, paired, margin))
    return Reason(
        "held",
        _(
            "%(metric)s changed by %(mean)s (%(low)s to %(high)s) on %(count)s shared cases: no "
            "fall by the margin of %(margin)s."
        ),
        params=moved(metric, paired, margin),
    )


def few_pairs(metric: str, paired: Paired, enough: int) -> Reason:
    params: dict[str, int | str] = {"metric": metric, "count": paired.n, "enough": enough}
    if paired.detectable is None:
        message, plural = ngettext(
            "%(metric)s: not assessed (%(count)s pair). From %(enough)s shared cases on it is.",
            "%(metric)s: not assessed (%(count)s pairs). From %(enough)s shared cases on it is.",
        )
        return Reason("few-pairs", message, plural, params)
    message, plural = ngettext(
        "%(metric)s: not assessed (%(count)s pair): only changes of about %(detectable)s points "
        "could be seen.",
        "%(metric)s: not assessed (%(count)s pairs): only changes of about %(detectable)s points "
        "could be seen.",
    )
    params["detectable"] = format_points(paired.detectable)
    return Reason("few-pairs", message, plural, params)


def not_in_baseline(metric: str) -> Reason:
    return Reason(
        "not-in-baseline",
        _("%(metric)s: not assessed, because the baseline has no such metric on this scale."),
        params={"metric": metric},
    )


def until_ruled_out(metric: str, more: int | None) -> Reason:
    if more is None:
        return must_improve(metric)
    message, plural = ngettext(
        "%(metric)s: about %(count)s more shared case like these.",
        "%(metric)s: about %(count)s more shared cases like these.",
    )
    return Reason("more-shared-cases", message, plural, {"metric": metric, "count": about(more)})
