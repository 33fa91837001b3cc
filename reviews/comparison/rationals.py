"""Case means are fractions: halves, thirds. Exact ones have exact ties."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import NamedTuple

Number = int | float | Fraction

# A float that is a mean of so few scores is read as that mean.
MOST_SCORES = 1000


def exact(values: Iterable[Number]) -> list[Fraction]:
    return [_exact(value) for value in values]


class Steps(NamedTuple):
    """Numbers as whole multiples of one step: their sums are as exact, and much faster.

    `scale` says how many steps make 1.
    """

    whole: list[int]
    scale: int


def in_steps(values: Iterable[Fraction]) -> Steps:
    ratios = [value.as_integer_ratio() for value in values]
    scale = lcm(*{denominator for _numerator, denominator in ratios})
    return Steps([numerator * (scale // denominator) for numerator, denominator in ratios], scale)


def _exact(value: Number) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, float):
        return Fraction(value)
    near = Fraction(value).limit_denominator(MOST_SCORES)
    # Differences of floats are off by a few units in the last place.
    return (
        near if abs(near - Fraction(value)) < Fraction(1, 10**12) else Fraction(str(float(value)))
    )
