"""How the error of a verdict is spent over planned looks at a growing sample.

Each look at the data is one more chance for a lucky word. Linear spending (Lan and DeMets, 1983)
lets the first n of N planned cases use n/N of the error; the level of each look follows from the
joint normal distribution of the means, of which later ones contain the earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

# The chance of a false word about one metric, over all looks together.
ERROR = 0.05
# The density of the sum of scores is kept at so many points, as far as so many deviations.
POINTS = 1001
REACH = 8.0


def look_levels(sizes: Sequence[int], error: float = ERROR) -> tuple[float, ...]:
    """Return the one-sided level of each look at samples of these sizes, in rising order."""
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError("Looks are whole numbers from 1 on, in rising order.")
    return _look_levels(tuple(sizes), error)


@lru_cache(maxsize=256)
def _look_levels(sizes: tuple[int, ...], error: float) -> tuple[float, ...]:
    levels = [error * sizes[0] / sizes[-1]]
    # In units where the sum of n cases has variance n. The density of all sums that earned no word
    # yet, below the boundary of the last look.
    boundary = -float(scipy.special.ndtri(levels[0])) * sqrt(sizes[0])
    sums = np.linspace(-REACH * sqrt(sizes[0]), boundary, POINTS)
    density = np.exp(-(sums**2) / (2 * sizes[0])) / sqrt(2 * np.pi * sizes[0])
    for last, size in pairwise(sizes):
        to_spend = error * (size - last) / sizes[-1]
        step = sqrt(size - last)
        weights = density * _trapezoid_weights(sums)

        def chance_above(
            limit: float,
            sums: Array = sums,
            weights: Array = weights,
            step: float = step,
        ) -> float:
            return float(weights @ scipy.special.ndtr((sums - limit) / step))

        low, high = -REACH * sqrt(size), REACH * sqrt(size)
        for _round in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if chance_above(middle) > to_spend else (low, middle)
        boundary = (low + high) / 2
        levels.append(float(scipy.special.ndtr(-boundary / sqrt(size))))
        following = np.linspace(-REACH * sqrt(size), boundary, POINTS)
        steps = (following[:, None] - sums[None, :]) / step
        density = np.exp(-(steps**2) / 2) @ weights / (step * sqrt(2 * np.pi))
        sums = following
    return tuple(levels)


def _trapezoid_weights(points: Array) -> Array:
    weights = np.full(len(points), points[1] - points[0])
    weights[[0, -1]] /= 2
    return weights
