"""The numbers in the parameters of a fact, so that a threshold can be set on them."""

from __future__ import annotations

import re
from typing import NamedTuple

from cases.facts import Value

_AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_RANGE = re.compile(r"(\d+)–(\d+)")


class Span(NamedTuple):
    """From the smallest to the largest number that a parameter names; mostly the same."""

    low: float
    high: float


def read_span(value: Value) -> Span | None:
    """Read 4, "1,234.50", "15–20" or the number of names; None if there is no number."""
    if isinstance(value, int):
        return Span(value, value)
    if isinstance(value, tuple):
        return Span(len(value), len(value))
    if not isinstance(value, str):
        return None
    if _AMOUNT.fullmatch(value):
        amount = float(value.replace(",", ""))
        return Span(amount, amount)
    both = _RANGE.fullmatch(value)
    return Span(float(both[1]), float(both[2])) if both else None
