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


def figure(one: Figure) -> Figure:
    """A statistic with all its floats rounded."""
    values = {each.name: getattr(one, each.name) for each in fields(one)}
    shorter: dict[str, Any] = {
        name: rounded(value) for name, value in values.items() if isinstance(value, float)
    }
    return replace(one, **shorter)
