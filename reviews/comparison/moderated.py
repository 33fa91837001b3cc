"""One-sided limits of a mean that few cases can earn and equal scores cannot fake.

The spread of a few cases is itself uncertain, so it is averaged with a prior one (as empirical
Bayes does for genes): s² = (d0 s0² + (n - 1) s²) / (d0 + n - 1), with t at d0 + n - 1 degrees of
freedom. No limit has zero width. How severe the reviewers are does not average out over cases, so
the variance also has SEVERITY² times the sum of the squared shares that each reviewer has in the
mean.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from reviews.agreement.results import CONFIDENCE

from .differences import Paired
from .means import Mean

# The standard deviation between reviewers that a verdict allows for, in points.
SEVERITY = 0.25


@dataclass(frozen=True, slots=True)
class Prior:
    """The spread of standing scores that is assumed before any is seen, worth so many cases."""

    sd: float = 0.9
    degrees: int = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """`low` and `high` are one-sided: either is passed by chance with probability `level`.

    `sd` is the moderated spread, `se` the standard error with the reviewers' part in it.
    """

    low: float
    high: float
    level: float
    sd: float
    se: float
    degrees: int


def moderated_limits(
    *,
    mean: float,
    sd: float,
    cases: int,
    level: float,
    squared_shares: float,
    prior: Prior,
) -> Limits:
    """Compute the limits of a mean over `cases`, whose spread is `sd` (0 for one case)."""
    degrees = prior.degrees + cases - 1
    variance, error = moderate(sd**2, cases=cases, squared_shares=squared_shares, prior=prior)
    reach = float(scipy.special.stdtrit(degrees, 1 - level)) * sqrt(error)
    return Limits(mean - reach, mean + reach, level, sqrt(variance), sqrt(error), degrees)


Figure = TypeVar("Figure", float, NDArray[np.float64])


def moderate(
    variance: Figure, *, cases: int, squared_shares: float, prior: Prior
) -> tuple[Figure, Figure]:
    """Return the moderated variance of scores, and the squared standard error of their mean."""
    degrees = prior.degrees + cases - 1
    moderated = (prior.degrees * prior.sd**2 + (cases - 1) * variance) / degrees
    return moderated, moderated / cases + SEVERITY**2 * squared_shares


def find_reaches(
    variances: NDArray[np.float64],
    *,
    cases: int,
    level: float,
    squared_shares: float,
    prior: Prior,
) -> NDArray[np.float64]:
    """Return how far the limits are from their means, for many samples of the same size."""
    _moderated, errors = moderate(
        variances, cases=cases, squared_shares=squared_shares, prior=prior
    )
    quantile = float(scipy.special.stdtrit(prior.degrees + cases - 1, 1 - level))
    reaches: NDArray[np.float64] = quantile * np.sqrt(errors)
    return reaches


Spread = TypeVar("Spread", Mean, Paired)


def widen(found: Spread, *, squared_shares: float, prior: Prior) -> Spread:
    """Return the mean with the wider of Student's and the moderated two-sided interval."""
    value = found.value if isinstance(found, Mean) else found.mean
    if value is None or found.low is None or found.high is None or found.sd is None:
        return found
    limits = moderated_limits(
        mean=value,
        sd=found.sd,
        cases=found.n,
        level=(1 - CONFIDENCE) / 2,
        squared_shares=squared_shares,
        prior=prior,
    )
    return replace(
        found, low=min(found.low, limits.low), high=max(found.high, limits.high), caution=None
    )


def reviewer_shares(cases: Mapping[tuple[str, ...], int]) -> dict[str, float]:
    """Return each reviewer's share in the mean over cases; they sum to 1.

    `cases` has how many cases each group of reviewers read: many have the same.
    """
    shares = defaultdict[str, float](float)
    count = sum(cases.values())
    for reviewers, times in cases.items():
        for who in reviewers:
            shares[who] += times / (len(reviewers) * count)
    return dict(shares)


# A prior that is estimated never says that scores spread less than this, or counts for more cases.
LEAST_SD = 0.9
MOST_DEGREES = 8


def estimate_prior(groups: Iterable[Sequence[float]]) -> Prior | None:
    """Estimate the prior from groups of standing scores; None if no group has two.

    Each group is a metric of an earlier release. Good releases vary too little, because the scale
    ends at their best, so the spread is never taken to be less than usual.
    """
    spread = [(len(group) - 1, statistics.variance(group)) for group in groups if len(group) > 1]
    degrees = sum(cases for cases, _variance in spread)
    if not degrees:
        return None
    pooled = sqrt(sum(cases * variance for cases, variance in spread) / degrees)
    return Prior(max(LEAST_SD, pooled), min(MOST_DEGREES, degrees))


def square_shares(after: Mapping[str, float], before: Mapping[str, float] | None = None) -> float:
    """Sum the squared shares of a mean, or of the difference of two means.

    A reviewer with the same share before and after cancels out.
    """
    old = before or {}
    people = sorted(after.keys() | old.keys())
    return sum((after.get(who, 0.0) - old.get(who, 0.0)) ** 2 for who in people)
