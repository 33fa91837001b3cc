"""Sums of money in the words of people. Nothing is converted between currencies."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .sentences import Words

_SAME_CURRENCY = {
    "RMB": "CNY",
    "CN¥": "CNY",
    "元": "CNY",
    "人民币": "CNY",
    "US$": "USD",
    "US DOLLAR": "USD",
    "€": "EUR",
    "£": "GBP",
}
_SMALLEST = 0.005
_LARGEST = 1e12


def amount(value: float) -> str:
    """1234.5 -> "1,234.50"; 1234.0 -> "1,234". Nothing real is as large as the last form."""
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return f"{value:.3g}"
    if abs(value - round(value)) < _SMALLEST:
        return f"{round(value):,}"
    return f"{value:,.2f}"


def same(one: float, other: float) -> bool:
    """To the cent."""
    return abs(one - other) < _SMALLEST


def total(values: Iterable[float | None]) -> float:
    return float(sum(value for value in values if value is not None))


def code(currency: str | None) -> str:
    """What can be compared; "" when none is stated. A bare $ or ¥ may be several currencies."""
    short = (currency or "").strip().upper()[:12]
    return _SAME_CURRENCY.get(short, short)


def money(value: float, currency: str | None, pointer: str) -> Words:
    return Words(f"{amount(value)} {(currency or '').strip()[:12]}".strip(), pointer)
