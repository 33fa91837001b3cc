"""Case means are fractions: halves, thirds. Exact ones have exact ties."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

Number = int | float | Fraction

# A float that is a mean of so few scores is read as that mean.
MOST_SCORES = 1000


def exact(values: Iterable[Number]) -> list[Fraction]:
    return [_exact(value) for value in values]


def _exact(value: Number) -> Fraction:
    if not isinstance(value, float):
        return Fraction(value)
    near = Fraction(value).limit_denominator(MOST_SCORES)
    # Differences of floats are off by a few units in the last place.
    return (
        near if abs(near - Fraction(value)) < Fraction(1, 10**12) else Fraction(str(float(value)))
    )
