"""Numbers as they are read: one decimal, with their interval, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from reviews.agreement import Reason, Result
from reviews.comparison import Mean, Paired
from reviews.report.sentences import Names, tell_reason
from reviews.report.summary.decimals import change, points
from reviews.report.summary.figures import Rate

# Fewer cases than these are called few; see docs/verdict.md for what they can show.
SMALL_SAMPLE = 20
LEAST_CHANCE = 1e-4

# The rule of decimals is a verdict's as well.
__all__ = [
    "SMALL_SAMPLE",
    "cases",
    "chance",
    "change",
    "change_interval",
    "coefficient",
    "format_share",
    "interval",
    "of",
    "percent",
    "points",
    "rate_interval",
    "reviewers",
    "reviews",
    "said",
    "span",
]


def said(reason: Reason | None, names: Names | None = None) -> str:
    """A reason in the reader's language; `names` are what the rubric calls its keys there."""
    return tell_reason(reason, names or {}) if reason else ""


def span(low: str, high: str) -> str:
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


def interval(mean: Mean, *, beside: float | None = None) -> str:
    """Empty where there is none; `caution` says why."""
    if mean.low is None or mean.high is None:
        return ""
    return span(points(mean.low, beside=beside), points(mean.high, beside=beside))


def change_interval(one: Paired, *, beside: float | None = None) -> str:
    if one.low is None or one.high is None:
        return ""
    return span(change(one.low, beside=beside), change(one.high, beside=beside))


def percent(share: float) -> int:
    """Whole percents; 100 is all and 0 is none, nothing else."""
    shown = round(100 * share)
    if shown == 100 and share < 1:
        return 99
    return 1 if shown == 0 and share > 0 else shown


def rate_interval(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return ""
    return gettext("%(low)d to %(high)d %%") % {
        "low": percent(rate.low),
        "high": percent(rate.high),
    }


def format_share(result: Result) -> str:
    """A rate over cases, in percent with its interval."""
    if result.value is None:
        return ""
    shown = gettext("%(share)d %%") % {"share": percent(result.value)}
    if result.low is None or result.high is None:
        return shown
    limits = gettext("%(low)d to %(high)d %%") % {
        "low": percent(result.low),
        "high": percent(result.high),
    }
    return gettext("%(figure)s (%(interval)s)") % {"figure": shown, "interval": limits}


def coefficient(value: float) -> str:
    """As they are written: .672"""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def chance(p_value: float) -> str:
    """How often so large a change comes about where nothing changed."""
    if p_value < LEAST_CHANCE:
        return gettext("less than 1 in 10,000")
    if p_value < 0.1:
        return gettext("about 1 in %(count)d") % {"count": round(1 / p_value)}
    return gettext("about %(share)d %%") % {"share": percent(p_value)}


# --- Counts ---------------------------------------------------------------------------------------


def cases(count: int) -> str:
    return ngettext("%(count)d case", "%(count)d cases", count) % {"count": count}


def reviews(count: int) -> str:
    return ngettext("%(count)d review", "%(count)d reviews", count) % {"count": count}


def reviewers(count: int) -> str:
    return ngettext("%(count)d reviewer", "%(count)d reviewers", count) % {"count": count}


def of(count: int, whole: int) -> str:
    return gettext("%(count)d of %(all)d") % {"count": count, "all": whole}
