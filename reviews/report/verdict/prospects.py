"""Estimates how many more cases would change a criterion."""

from __future__ import annotations

from math import sqrt

from reviews.agreement.results import t_quantile

# With more than this it is better to improve the product than to measure it.
FAR = 20
MOST = 100_000


def more_cases(*, distance: float, sd: float, cases: int) -> int | None:
    """Return how many more cases with this mean and spread take the t interval past its limit.

    `distance` is how far the mean is on the good side of the limit. None: too many to read, or the
    mean is not on the good side.
    """
    if distance <= 0:
        return None

    def clears(count: int) -> bool:
        return t_quantile(count - 1) * sd / sqrt(count) < distance

    low, high = max(cases, 2), max(cases, 2)
    if clears(high):
        return max(0, high - cases)
    while not clears(high):
        low, high = high, high * 2
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high - cases


def about(count: int) -> int:
    """Round for a sentence: small numbers stay, larger ones go up to the next ten."""
    return count if count <= FAR else -(-count // 10) * 10


def more_passing(*, passing: int, of: int, share: float) -> int:
    """Return how many more passing cases reach the share; 0 if it is never reached."""
    if share >= 1:
        return 0
    count = 0
    while round((passing + count) / (of + count), 10) < share:
        count += 1
    return count
