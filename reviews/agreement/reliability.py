"""Krippendorff's alpha and the one-way intraclass correlation.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); Shrout and Fleiss (1979).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from . import results
from .results import FEWEST_CASES, Reason, Result
from .table import Floats, Ints, PatternTable
from .variance import has_differences, one_way

Metric = Literal["ordinal", "nominal", "interval"]

# Below, the jackknife is too narrow where scores bunch; from here on it covers.
ENOUGH_FOR_JACKKNIFE = 20


def alpha(table: PatternTable, metric: Metric = "ordinal") -> Result:
    """Krippendorff's alpha over the cases with two reviews or more."""
    if metric not in ("ordinal", "nominal", "interval"):
        raise ValueError(f"There is no metric {metric!r}: ordinal, nominal or interval.")
    cases = table.pairable()
    why = why_undefined(cases, needs_variation=True)
    if why:
        return results.undefined(why, cases.n_units, cases.n_pairs)
    value, without = _alphas(cases, metric)
    units = cases.n_units
    se = _jackknife_se(without, cases.times)
    result = results.defined(value, units, cases.n_pairs, se=se)
    scores = _one_dimension(cases, metric)
    if (
        scores is not None
        and has_differences(cases)
        and (units < ENOUGH_FOR_JACKKNIFE or se is None)
    ):
        low, high = one_way(cases, scores).interval()
        # It is about the intraclass correlation of the scores, which alpha comes close to. With
        # very unequal numbers of reviews it can miss alpha by a little.
        return result.with_interval("one-way-f", min(low, value), max(high, value))
    if se is None:
        return replace(result, caution=results.hangs_on_one_case())
    # Around alpha itself: around the mean of the pseudo-values it covers less.
    return result.with_t_interval("jackknife-t", cases=units)


def icc1(table: PatternTable) -> Result:
    """ICC(1,1) of the levels as numbers. Cases with one review count: they vary as well."""
    why = why_undefined(table, needs_variation=True)
    units, pairs = table.n_units, table.n_pairs
    if why:
        return results.undefined(why, units, pairs)
    variance = one_way(table, table.values)
    result = results.defined(variance.icc, units, pairs)
    if variance.within == 0:
        return result.with_interval("one-way-f", 1.0, 1.0)
    return result.with_interval("one-way-f", *variance.interval(), least=-np.inf)


def why_undefined(table: PatternTable, *, needs_variation: bool) -> Reason | None:
    """Why no coefficient can be had from these cases."""
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
    """The ordinal distance of two levels is the squared difference of these."""
    return np.asarray(np.cumsum(totals, axis=-1) - totals / 2, dtype=np.float64)


def _one_dimension(table: PatternTable, metric: Metric) -> Floats | None:
    """What each level counts for; None where levels are names only, and more than two are used."""
    if metric == "interval":
        return table.values
    if metric == "nominal" and len(table.levels_used) > 2:
        return None
    return midranks(table.totals)


def _alphas(table: PatternTable, metric: Metric) -> tuple[float, Floats]:
    """Alpha, and alpha without one case of each pattern; nan where the rest is all equal.

    Sums of what cannot be negative over pairs of levels: nothing cancels, and full agreement is
    exactly 1. The first row is all cases, the others leave one out.
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
    for one in range(len(table.levels)):
        for other in range(one):
            both = table.counts[:, one] * table.counts[:, other]
            coincidences = float(table.times @ (both / (table.sizes - 1)))
            distance = (
                np.ones(len(left))
                if metric == "nominal"
                else (scores[:, one] - scores[:, other]) ** 2
            )
            observed += (coincidences - own[:, one] * own[:, other] / others) * distance
            expected += left[:, one] * left[:, other] * distance
    varies = np.count_nonzero(left, axis=1) > 1
    alphas = np.full(len(left), np.nan)
    alphas[varies] = 1 - (ratings[varies] - 1) * observed[varies] / expected[varies]
    return float(alphas[0]), alphas[1:]


def _jackknife_se(without: Floats, times: Ints) -> float | None:
    """From one leave-one-out value for each pattern, and how many cases have the pattern."""
    if np.isnan(without).any():
        return None
    units = int(times.sum())
    mean = times @ without / units
    return float(np.sqrt((units - 1) / units * (times @ (without - mean) ** 2)))
