"""More sentences of a verdict: what changed against the baseline."""

from __future__ import annotations

from reviews.agreement import Reason
from reviews.agreement.results import _, ngettext
from reviews.comparison import Paired
from reviews.report.summary.decimals import change, points

from .prospects import about
from .reasons import must_improve


def moved(metric: str, paired: Paired, margin: float) -> dict[str, int | str]:
    assert paired.mean is not None
    assert paired.low is not None
    assert paired.high is not None
    return {
        "metric": metric,
        "mean": change(paired.mean, beside=-margin),
        "low": change(paired.low, beside=-margin),
        "high": change(paired.high, beside=-margin),
        "count": paired.n,
        "margin": points(margin),
    }


def dropped(metric: str, paired: Paired, margin: float) -> Reason:
    assert paired.mean is not None
    assert paired.low is not None
    assert paired.high is not None
    params: dict[str, int | str] = {
        "metric": metric,
        "mean": points(-paired.mean, beside=margin),
        "low": points(-paired.high, beside=0.0),
        "high": points(-paired.low, beside=margin),
        "count": paired.n,
        "margin": points(margin),
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
    params["detectable"] = points(paired.detectable)
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
