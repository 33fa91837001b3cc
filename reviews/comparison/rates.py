"""Two rates: their intervals, and whether they changed on the same cases."""

from __future__ import annotations

from typing import NamedTuple

import scipy

from reviews.agreement.wilson import wilson_interval


class Interval(NamedTuple):
    low: float
    high: float


def wilson(k: int, n: int) -> Interval:
    """The score interval of k out of n. Of nothing, nothing is known: 0 to 1."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a rate.")
    return Interval(*wilson_interval(k, n)) if n else Interval(0.0, 1.0)


def mcnemar_exact(b: int, c: int) -> float:
    """The two-sided p-value of b changes one way and c the other, by the binomial distribution."""
    if b < 0 or c < 0:
        raise ValueError("Changes cannot be fewer than 0.")
    return min(1.0, 2 * float(scipy.special.bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
