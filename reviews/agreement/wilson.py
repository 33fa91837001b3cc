"""Wilson's score interval (1927); Newcombe (1998), method 3."""

from __future__ import annotations

from math import sqrt

import scipy

from .results import CONFIDENCE


def wilson_interval(successes: float, tried: int) -> tuple[float, float]:
    """Of a share. `successes` may be a sum of shares."""
    z = float(scipy.special.ndtri((1 + CONFIDENCE) / 2))
    share = successes / tried
    middle = share + z * z / (2 * tried)
    reach = z * sqrt(max(0.0, share * (1 - share)) / tried + (z / (2 * tried)) ** 2)
    scale = 1 + z * z / tried
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if successes <= 0 else (middle - reach) / scale
    high = 1.0 if successes >= tried else (middle + reach) / scale
    return low, high
