"""Formats numbers for reading: few decimals, with intervals, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from reviews.agreement import Result
from reviews.comparison import Mean, Paired
from reviews.report.summary.figures import Rate
from reviews.report.summary.rounding import format_change, format_points

LEAST_CHANCE = 1e-4
MOST_CHANCE = 0.95

# Verdicts follow the same rule of decimals, so it is part of the summary.
__all__ = [
    "format_cases",
    "format_chance",
    "format_change",
    "format_change_interval",
    "format_coefficient",
    "format_interval",
    "format_percents",
    "format_points",
    "format_rate_interval",
    "format_reviewers",
    "format_reviews",
    "format_share",
    "format_span",
    "round_percent",
]


def format_span(low: str, high: str) -> str:
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


def format_interval(mean: Mean, *, beside: float | None = None) -> str:
    """Format the interval; empty if there is none, which `caution` explains."""
    if mean.low is None or mean.high is None:
        return ""
    return format_span(
        format_points(mean.low, beside=beside), format_points(mean.high, beside=beside)
    )


def format_change_interval(paired: Paired, *, beside: float | None = None) -> str:
    if paired.low is None or paired.high is None:
        return ""
    return format_span(
        format_change(paired.low, beside=beside), format_change(paired.high, beside=beside)
    )


def round_percent(share: float) -> int:
    """Round to whole percents; only all is 100 and only none is 0."""
    shown = round(100 * share)
    if shown == 100 and share < 1:
        return 99
    return 1 if shown == 0 and share > 0 else shown


def format_rate_interval(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return ""
    return format_percents(rate.low, rate.high)


def format_percents(low: float, high: float) -> str:
    return gettext("%(low)d to %(high)d %%") % {
        "low": round_percent(low),
        "high": round_percent(high),
    }


def format_share(result: Result) -> str:
    """Format a rate over cases, in percent with its interval."""
    if result.value is None:
        return ""
    shown = gettext("%(share)d %%") % {"share": round_percent(result.value)}
    if result.low is None or result.high is None:
        return shown
    limits = format_percents(result.low, result.high)
    return gettext("%(figure)s (%(interval)s)") % {"figure": shown, "interval": limits}


def format_coefficient(value: float) -> str:
    """Format a coefficient the usual way: .672"""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def format_chance(p_value: float) -> str:
    """Format how often chance alone would change as much where nothing changed."""
    if p_value < LEAST_CHANCE:
        return gettext("less than 1 in 10,000")
    if p_value < 0.15:
        return gettext("about 1 in %(count)d") % {"count": round(1 / p_value)}
    if p_value > MOST_CHANCE:
        return gettext("nearly always")
    return gettext("%(count)d times in 10") % {"count": min(9, round(10 * p_value))}


# --- Counts ---------------------------------------------------------------------------------------


def format_cases(count: int) -> str:
    return ngettext("%(count)d case", "%(count)d cases", count) % {"count": count}


def format_reviews(count: int) -> str:
    return ngettext("%(count)d review", "%(count)d reviews", count) % {"count": count}


def format_reviewers(count: int) -> str:
    return ngettext("%(count)d reviewer", "%(count)d reviewers", count) % {"count": count}
