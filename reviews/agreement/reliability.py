"""Krippendorff's alpha and the one-way intraclass correlation.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Shrout and Fleiss (1979).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from . import results
from .rates import exact_interval
from .results import CONFIDENCE, FEWEST_CASES, Reason, Result
from .table import Floats, Ints, PatternTable

Metric = Literal["ordinal", "nominal", "interval"]

# With fewer cases an interval from the spread of the cases alone is too narrow where scores bunch.
ENOUGH_FOR_JACKKNIFE = 20


def alpha(table: PatternTable, metric: Metric = "ordinal") -> Result:
    """Compute Krippendorff's alpha over the cases with two or more reviews."""
    if metric not in ("ordinal", "nominal", "interval"):
        raise ValueError(f"Unknown metric {metric!r}: use ordinal, nominal or interval.")
    cases = table.pairable()
    why = why_undefined(cases, needs_variation=True)
    if why:
        return results.undefined(why, cases.n_units, cases.n_pairs)
    value, without = _alphas(cases, metric)
    units = cases.n_units
    se = _jackknife_se(without, cases.times)
    result = results.defined(value, units, cases.n_pairs, se=se)
    if not has_differences(cases):
        # Nothing within the cases to go by: take the share of pairs that are the same.
        return result.with_interval("share", _lowest_without_differences(cases), 1.0)
    low, high = value, value
    used = []
    scores = _one_dimension(cases, metric)
    if scores is not None:
        # This is the interval of the intraclass correlation, which is close to alpha.
        between = one_way(cases, scores).interval()
        low, high = min(low, between[0]), max(high, between[1])
        used.append("one-way-f")
    if se is not None:
        # Around alpha itself: around the mean of the pseudo-values the coverage is lower.
        reach = results.t_quantile(units - 1) * se
        low, high = min(low, value - reach), max(high, value + reach)
        used.append("jackknife-t")
    if not used:
        return replace(result, caution=results.hangs_on_one_case())
    return result.with_interval("-or-".join(used), low, high)


def _lowest_without_differences(table: PatternTable) -> float:
    """Compute how low a coefficient of cases without any difference may be.

    That is nominal alpha with the lower limit of the share of pairs that are the same.
    """
    share, _ = exact_interval(table.n_units, table.n_units)
    ratings = int(table.totals.sum())
    expected = float((table.totals * (table.totals - 1)).sum()) / (ratings * (ratings - 1))
    return 1 - (1 - share) / (1 - expected)


def icc1(table: PatternTable) -> Result:
    """Compute ICC(1,1) of the levels as numbers. Cases with one review count: they vary too."""
    why = why_undefined(table, needs_variation=True)
    units, pairs = table.n_units, table.n_pairs
    if why:
        return results.undefined(why, units, pairs)
    variance = one_way(table, table.values)
    # With uneven numbers of reviews the estimate can leave the scale.
    result = results.defined(max(-1.0, min(1.0, variance.icc)), units, pairs)
    if variance.within == 0:
        low = _lowest_without_differences(table.pairable()) if len(table.levels_used) > 1 else -1.0
        return result.with_interval("share", low, 1.0)
    return result.with_interval("one-way-f", *variance.interval())


def why_undefined(table: PatternTable, *, needs_variation: bool) -> Reason | None:
    """Return why these cases give no coefficient, or None if they do."""
    units = table.n_units
    if units == 0:
        return results.no_pairs()
    if units < FEWEST_CASES:
        return results.too_few_cases(units)
    used = table.levels_used
    if needs_variation and len(used) == 1 and np.count_nonzero(table.totals) == 1:
        return results.all_equal(used[0], table.n_pairs)
    return None


def midranks(totals: Ints) -> Floats:
    """Compute midranks: their squared difference is the ordinal distance of two levels."""
    return np.asarray(np.cumsum(totals, axis=-1) - totals / 2, dtype=np.float64)


def _one_dimension(table: PatternTable, metric: Metric) -> Floats | None:
    """Return a number for each level; None for more than two levels that are only names."""
    if metric == "interval":
        return table.values
    if metric == "nominal" and len(table.levels_used) > 2:
        return None
    return midranks(table.totals)


def _alphas(table: PatternTable, metric: Metric) -> tuple[float, Floats]:
    """Compute alpha, and alpha without one case of each pattern; nan if the rest is all equal.

    Only terms that are not negative are summed, so nothing cancels and full agreement is exactly
    1. The first row has all cases, the others leave one out.
    """
    own = np.vstack([np.zeros_like(table.totals), table.counts]).astype(np.float64)
    left = table.totals - own
    ratings = left.sum(axis=1)
    others = np.append(np.inf, table.sizes - 1)
    if metric == "ordinal":
        scores = np.cumsum(left, axis=1) - left / 2
    else:
        scores = np.broadcast_to(table.values, left.shape)
    observed, expected = np.zeros(len(left)), np.zeros(len(left))
    for level in range(len(table.levels)):
        for other in range(level):
            both = table.counts[:, level] * table.counts[:, other]
            coincidences = float(table.times @ (both / (table.sizes - 1)))
            distance = (
                np.ones(len(left))
                if metric == "nominal"
                else (scores[:, level] - scores[:, other]) ** 2
            )
            observed += (coincidences - own[:, level] * own[:, other] / others) * distance
            expected += left[:, level] * left[:, other] * distance
    varies = np.count_nonzero(left, axis=1) > 1
    alphas = np.full(len(left), np.nan)
    alphas[varies] = 1 - (ratings[varies] - 1) * observed[varies] / expected[varies]
    return float(alphas[0]), alphas[1:]


def _jackknife_se(without: Floats, times: Ints) -> float | None:
    """Compute the jackknife error from one leave-one-out value per pattern and its cases."""
    if np.isnan(without).any():
        return None
    units = int(times.sum())
    mean = times @ without / units
    return float(np.sqrt((units - 1) / units * (times @ (without - mean) ** 2)))


@dataclass(frozen=True, slots=True)
class OneWay:
    """A one-way analysis of variance with cases as groups. `n0`: ratings per case, on average."""

    cases: int
    ratings: int
    between: float
    within: float
    n0: float

    @property
    def icc(self) -> float:
        return (self.between - self.within) / (self.between + (self.n0 - 1) * self.within)

    def interval(self) -> tuple[float, float]:
        """Compute the interval of the intraclass correlation; needs variance within cases."""
        upper = (1 + CONFIDENCE) / 2
        between, within = self.cases - 1, self.ratings - self.cases
        ratio = self.between / self.within
        low = ratio / scipy.special.fdtri(between, within, upper)
        high = ratio * scipy.special.fdtri(within, between, upper)
        return float((low - 1) / (low + self.n0 - 1)), float((high - 1) / (high + self.n0 - 1))


def one_way(table: PatternTable, scores: Floats) -> OneWay:
    """Analyse the variance; `scores` are the numbers of the levels: values or midranks."""
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
        # Rounding must not make a difference where there is none.
        within=float(within) / (ratings - cases) if has_differences(table) else 0.0,
        n0=(ratings - int(times @ sizes**2) / ratings) / (cases - 1),
    )


def has_differences(table: PatternTable) -> bool:
    """Return whether any case has two different scores."""
    return bool(((table.counts > 0).sum(axis=1) > 1).any())


Reading = Literal[
    "reliable", "tentative", "unreliable", "barely-varies", "no-interval", "undefined"
]

# Krippendorff, Content Analysis: reliable from .800 on, tentative conclusions from .667 on.
RELIABLE = 0.800
TENTATIVE = 0.667
MOST_ARE_WITHIN_ONE = 0.90


def reading(alpha: Result, *, within_one: Result, levels_used: Collection[Hashable]) -> Reading:
    """Classify alpha by its lower limit: a wide interval supports little.

    "barely-varies": agreement beyond chance cannot be shown where nearly all scores are the same.
    """
    if alpha.value is None:
        return "undefined"
    if alpha.low is None:
        return "no-interval"
    # Compare what is shown and stored.
    low = round(alpha.low, 10)
    if low >= RELIABLE:
        return "reliable"
    if low >= TENTATIVE:
        return "tentative"
    close = within_one.value is not None and round(within_one.value, 10) >= MOST_ARE_WITHIN_ONE
    return "barely-varies" if close and len(levels_used) <= 2 else "unreliable"
