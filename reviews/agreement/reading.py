"""What a coefficient allows to say, as a code; pages have the words."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Literal

from .results import Result

Reading = Literal[
    "reliable", "tentative", "unreliable", "barely-varies", "no-interval", "undefined"
]

# Krippendorff, Content Analysis: rely on it; tentative conclusions only.
RELIABLE = 0.800
TENTATIVE = 0.667
MOST_ARE_WITHIN_ONE = 0.90


def reading(alpha: Result, *, within_one: Result, levels_used: Collection[Hashable]) -> Reading:
    """Chosen by the lower limit of alpha: a wide interval supports little.

    "barely-varies": agreement beyond chance cannot be shown where nearly all scores are the same.
    """
    if alpha.value is None:
        return "undefined"
    if alpha.low is None:
        return "no-interval"
    # As far as figures are shown and stored.
    low = round(alpha.low, 10)
    if low >= RELIABLE:
        return "reliable"
    if low >= TENTATIVE:
        return "tentative"
    close = within_one.value is not None and round(within_one.value, 10) >= MOST_ARE_WITHIN_ONE
    return "barely-varies" if close and len(levels_used) <= 2 else "unreliable"
