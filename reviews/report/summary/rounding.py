"""How figures are rounded: to ten decimals for storage, to few for reading."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from reviews.agreement import Result
from reviews.comparison import Limits, Mean, Paired

DECIMALS = 10

Figure = TypeVar("Figure", Result, Mean, Paired, Limits)


def round_float(value: float) -> float:
    """Round to ten decimals, without a minus before 0, on which two machines may differ."""
    return round(float(value), DECIMALS) + 0.0


def round_figure(statistic: Figure) -> Figure:
    """Round all floats of a statistic."""
    shorter: dict[str, Any] = {
        name: round_float(value)
        for name in statistic.__dataclass_fields__
        if isinstance(value := getattr(statistic, name), float)
    }
    return replace(statistic, **shorter)


MOST_DECIMALS = 4


def format_points(value: float, *, beside: float | None = None) -> str:
    """Format with one decimal, or as many as show on which side of a limit the value is."""
    for decimals in range(1, MOST_DECIMALS + 1):
        shown = f"{value:.{decimals}f}"
        if beside is None or value == beside or float(shown) != round(beside, decimals):
            break
    return shown.removeprefix("-") if float(shown) == 0 else shown


def format_change(value: float, *, beside: float | None = None) -> str:
    """Format a difference: a rise has a plus sign, and only no difference at all reads as 0.0."""
    shown = format_points(value, beside=beside)
    if float(shown) == 0 and round(value, 2):
        shown = format_points(value, beside=0.0)
    return f"+{shown}" if float(shown) > 0 else shown
