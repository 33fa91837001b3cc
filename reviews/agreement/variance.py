"""One-way analysis of variance on a pattern table, and the F interval that comes from it."""

from __future__ import annotations

from dataclasses import dataclass

import scipy

from .results import CONFIDENCE
from .table import Floats, PatternTable


@dataclass(frozen=True, slots=True)
class OneWay:
    """Cases as groups. `n0` is the number of ratings a case has, for unequal ones their average."""

    cases: int
    ratings: int
    between: float
    within: float
    n0: float

    @property
    def icc(self) -> float:
        return (self.between - self.within) / (self.between + (self.n0 - 1) * self.within)

    def interval(self) -> tuple[float, float]:
        """Of the intraclass correlation. Only called when the variance within cases is not 0."""
        upper = (1 + CONFIDENCE) / 2
        between, within = self.cases - 1, self.ratings - self.cases
        ratio = self.between / self.within
        low = ratio / scipy.special.fdtri(between, within, upper)
        high = ratio * scipy.special.fdtri(within, between, upper)
        return float((low - 1) / (low + self.n0 - 1)), float((high - 1) / (high + self.n0 - 1))


def one_way(table: PatternTable, scores: Floats) -> OneWay:
    """`scores` are what the levels count for: their values, or midranks."""
    counts, times, sizes = table.counts, table.times, table.sizes
    cases = table.n_cases
    ratings = int(times @ sizes)
    means = counts @ scores / sizes
    mean = float((table.totals @ scores) / ratings)
    within = times @ (counts * (scores - means[:, None]) ** 2).sum(axis=1)
    between = times @ (sizes * (means - mean) ** 2)
    return OneWay(
        cases=cases,
        ratings=ratings,
        between=float(between) / (cases - 1),
        # Rounding must not make a difference of none.
        within=float(within) / (ratings - cases) if has_differences(table) else 0.0,
        n0=(ratings - int(times @ sizes**2) / ratings) / (cases - 1),
    )


def has_differences(table: PatternTable) -> bool:
    """Whether any case has two different scores."""
    return bool(((table.counts > 0).sum(axis=1) > 1).any())
