"""The one place where figures are rounded: to ten decimals, as they are stored and compared."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from reviews.agreement import Result
from reviews.comparison import Mean, Paired

DECIMALS = 10

Figure = TypeVar("Figure", Result, Mean, Paired)


def rounded(value: float) -> float:
    """Without a minus before 0, which two machines may disagree on."""
    return round(float(value), DECIMALS) + 0.0


def figure(statistic: Figure) -> Figure:
    """A statistic with all its floats rounded."""
    values = {field.name: getattr(statistic, field.name) for field in fields(statistic)}
    shorter: dict[str, Any] = {
        name: rounded(value) for name, value in values.items() if isinstance(value, float)
    }
    return replace(statistic, **shorter)


MOST_DECIMALS = 4


def format_points(value: float, *, beside: float | None = None) -> str:
    """One decimal, and as many more as it takes to stand on the right side of a limit."""
    for decimals in range(1, MOST_DECIMALS + 1):
        shown = f"{value:.{decimals}f}"
        if beside is None or value == beside or float(shown) != round(beside, decimals):
            break
    return shown.removeprefix("-") if float(shown) == 0 else shown


def format_change(value: float, *, beside: float | None = None) -> str:
    """A difference: a rise has its plus, and only none at all looks like none."""
    shown = format_points(value, beside=beside)
    if float(shown) == 0 and round(value, 2):
        shown = format_points(value, beside=0.0)
    return f"+{shown}" if float(shown) > 0 else shown
