"""One-sided limits of a mean that few cases can earn and equal scores cannot fake.

The spread of a few cases is itself uncertain, so it is averaged with a prior one (as empirical
Bayes does for genes): s² = (d0 s0² + (n - 1) s²) / (d0 + n - 1), with t at d0 + n - 1 degrees of
freedom. No limit has zero width. How severe the reviewers are does not average out over cases, so
the variance also has SEVERITY² times the sum of the squared shares that each reviewer has in the
mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import scipy

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
    variance = (prior.degrees * prior.sd**2 + (cases - 1) * sd**2) / degrees
    se = sqrt(variance / cases + SEVERITY**2 * squared_shares)
    reach = float(scipy.special.stdtrit(degrees, 1 - level)) * se
    return Limits(mean - reach, mean + reach, level, sqrt(variance), se, degrees)


def reviewer_shares(cases: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return each reviewer's share in the mean over cases; they sum to 1."""
    shares = defaultdict[str, float](float)
    count = 0
    for reviewers in cases:
        count += 1
        for who in reviewers:
            shares[who] += 1 / len(reviewers)
    return {who: share / count for who, share in shares.items()}


def square_shares(after: Mapping[str, float], before: Mapping[str, float] | None = None) -> float:
    """Sum the squared shares of a mean, or of the difference of two means.

    A reviewer with the same share before and after cancels out.
    """
    old = before or {}
    people = sorted(after.keys() | old.keys())
    return sum((after.get(who, 0.0) - old.get(who, 0.0)) ** 2 for who in people)
