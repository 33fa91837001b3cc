"""Differences of paired cases: their size, their interval, and what so few cases can show.

Also the interval of a rate, and whether a rate changed on the same cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from reviews.agreement.rates import wilson_interval
from reviews.agreement.results import Reason, _, t_quantile

from .means import Number, exact, in_steps, mean_of_steps

POWER = 0.80
# Steps of the sum of all differences; means of up to five scores for 10,000 cases fit.
MOST_STEPS = 2**22


@dataclass(frozen=True, slots=True)
class Paired:
    """New minus old: a positive difference is better.

    `detectable` is the smallest true difference, in points, that so many pairs with this spread
    would find with 80 % power; `detectable_in_sds` the same in standard deviations.
    `why`: why there is no value; `caution`: why there is no interval, or one without width;
    `p_caution`: why there is no p-value.
    """

    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None
    detectable: float | None
    detectable_in_sds: float | None
    sd: float | None
    n: int
    better: int
    same: int
    worse: int
    why: Reason | None = None
    caution: Reason | None = None
    p_caution: Reason | None = None

    @property
    def reason(self) -> str | None:
        """Return in English why there is no value."""
        return self.why.sentence if self.why else None

    @property
    def smallest_p_value(self) -> float:
        """Return the smallest p-value that the sign-flip test can reach: 2/32 with five pairs."""
        return min(1.0, 2.0 ** (1 - self.n))


def paired(differences: Iterable[Number]) -> Paired:
    whole, scale = in_steps(exact(differences))
    count = len(whole)
    mean = mean_of_steps(whole, scale)
    in_sds = detectable_in_sds(count) if count > 1 else None
    p_value = _sign_flip(whole) if whole else None
    return Paired(
        mean=mean.value,
        low=mean.low,
        high=mean.high,
        p_value=p_value,
        detectable=in_sds * mean.sd if in_sds is not None and mean.sd else None,
        detectable_in_sds=in_sds,
        sd=mean.sd,
        n=count,
        better=sum(step > 0 for step in whole),
        same=whole.count(0),
        worse=sum(step < 0 for step in whole),
        why=no_shared_case() if mean.why else None,
        caution=mean.caution,
        p_caution=too_fine() if whole and p_value is None else None,
    )


def sign_flip_p_value(differences: Sequence[Fraction]) -> float | None:
    """Compute the exact two-sided p-value: the share of the 2^n signs with a sum as far from 0.

    Every sum is a multiple of one step, so the distribution of the sums is built up difference by
    difference. None where the steps are too many.
    """
    return _sign_flip(in_steps(differences).whole)


def _sign_flip(differences: Sequence[int]) -> float | None:
    step = gcd(*differences)
    if not step:
        return 1.0
    sizes = sorted(abs(difference) // step for difference in differences if difference)
    reach = sum(sizes)
    if reach > MOST_STEPS:
        return None
    observed = abs(sum(differences)) // step
    if observed == 0:
        return 1.0
    # A choice of signs sums to 2 * (positive part) - reach, so only the positive part is counted.
    chances = np.zeros(reach + 1)
    chances[0] = 1.0
    top = 0
    for size in sizes:
        moved = chances[: top + 1] / 2
        chances[: top + 1] = moved
        chances[size : size + top + 1] += moved
        top += size
    # |2 * positive - reach| >= observed; both differ from reach by an even number.
    tail = (reach - observed) // 2
    return min(1.0, 2 * float(chances[: tail + 1].sum()))


@lru_cache(maxsize=1024)
def detectable_in_sds(pairs: int) -> float:
    """Find the difference that a paired t test (two-sided, 5 %) detects with 80 % power."""
    critical = t_quantile(pairs - 1)

    def power(difference: float) -> float:
        shift = difference * sqrt(pairs)
        above = 1 - scipy.special.nctdtr(pairs - 1, shift, critical)
        return float(above + scipy.special.nctdtr(pairs - 1, shift, -critical))

    low, high = 0.0, 2.0 * (critical + 3) / sqrt(pairs)
    for _round in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return (low + high) / 2


# The reasons


def no_shared_case() -> Reason:
    return Reason("no-shared-case", _("no comparison possible: no case is shared"))


def too_fine() -> Reason:
    return Reason("too-fine", _("no p-value: the differences are no fractions of a common step"))


class Interval(NamedTuple):
    low: float
    high: float


def wilson(k: int, n: int) -> Interval:
    """Compute Wilson's score interval of k out of n; 0 to 1 if n is 0."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a rate.")
    return Interval(*wilson_interval(k, n)) if n else Interval(0.0, 1.0)


def mcnemar_exact(b: int, c: int) -> float:
    """Compute the two-sided binomial p-value of b changes one way and c the other."""
    if b < 0 or c < 0:
        raise ValueError("Changes cannot be fewer than 0.")
    return min(1.0, 2 * float(scipy.special.bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
