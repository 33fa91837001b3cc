"""Plain agreement: the share of pairs of reviews that agree, averaged over cases.

The unit is the case: the reviews of one case are alike, so they are not counted as independent.
Intervals are those of Clopper and Pearson (1934) over cases. Wilson's interval (1927) is here too.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import scipy

from . import results
from .results import CONFIDENCE, FEWEST_CASES, Result
from .table import Floats, PatternTable

# Levels such as 0.1 and 1.1 are within one point despite rounding.
_HAIR = 1e-9


def exact_agreement(table: PatternTable) -> Result:
    """Compute the share of pairs with the same score."""
    return _share(table, np.eye(len(table.levels)))


def within_one(table: PatternTable) -> Result:
    """Compute the share of pairs whose scores are at most one point apart."""
    return _share(table, (_gaps(table) <= 1 + _HAIR).astype(np.float64))


def cases_within_one(table: PatternTable) -> Result:
    """Compute the share of cases whose scores all lie within one point."""
    cases = table.pairable()
    given = cases.counts > 0
    highest = np.where(given, cases.values, -np.inf).max(axis=1, initial=-np.inf)
    lowest = np.where(given, cases.values, np.inf).min(axis=1, initial=np.inf)
    return _rate(cases, (highest - lowest <= 1 + _HAIR).astype(np.float64))


def mean_gap(table: PatternTable) -> Result:
    """Compute how many points two reviews of a case are apart, on average."""
    cases = table.pairable()
    units, pairs = cases.n_units, cases.n_pairs
    if units == 0:
        return results.undefined(results.no_pairs(), units, pairs)
    gaps = _over_pairs(cases, _gaps(cases))
    value = float(cases.times @ gaps) / units
    if units < FEWEST_CASES:
        return replace(results.defined(value, units, pairs), caution=results.no_interval(units))
    se = np.sqrt(cases.times @ (gaps - value) ** 2 / (units - 1) / units)
    return results.defined(value, units, pairs, se=float(se)).with_t_interval(
        "case-t", cases=units, least=0.0, most=float(np.ptp(cases.values)), perfect=0.0
    )


def _share(table: PatternTable, agrees: Floats) -> Result:
    cases = table.pairable()
    return _rate(cases, _over_pairs(cases, agrees))


def _rate(cases: PatternTable, shares: Floats) -> Result:
    """Average the shares of the cases, with the interval of Clopper and Pearson over cases."""
    units, pairs = cases.n_units, cases.n_pairs
    if units == 0:
        return results.undefined(results.no_pairs(), units, pairs)
    agreeing = float(cases.times @ shares)
    result = results.defined(agreeing / units, units, pairs)
    if units < FEWEST_CASES:
        return replace(result, caution=results.no_interval(units))
    low, high = exact_interval(agreeing, units)
    return result.with_interval("clopper-pearson", low, high, least=0.0)


def _gaps(table: PatternTable) -> Floats:
    return np.abs(np.subtract.outer(table.values, table.values))


def _over_pairs(cases: PatternTable, matrix: Floats) -> Floats:
    """Average the matrix over the pairs of different reviews of each pattern."""
    counts, sizes = cases.counts, cases.sizes
    with_itself = counts @ np.diagonal(matrix)
    both = ((counts @ matrix) * counts).sum(axis=1) - with_itself
    return np.asarray(both / (sizes * (sizes - 1)), dtype=np.float64)


def wilson_interval(successes: float, tried: int) -> tuple[float, float]:
    """Compute Wilson's interval of a share. `successes` may be a sum of shares."""
    z = float(scipy.special.ndtri((1 + CONFIDENCE) / 2))
    share = successes / tried
    middle = share + z * z / (2 * tried)
    reach = z * sqrt(max(0.0, share * (1 - share)) / tried + (z / (2 * tried)) ** 2)
    scale = 1 + z * z / tried
    # At the ends the formula gives 0 and 1, apart from rounding.
    low = 0.0 if successes <= 0 else (middle - reach) / scale
    high = 1.0 if successes >= tried else (middle + reach) / scale
    return low, high


def exact_interval(successes: float, tried: int) -> tuple[float, float]:
    """Compute the interval of Clopper and Pearson. `successes` may be a sum of shares of cases.

    A share between 0 and 1 varies no more than a yes or no with the same mean. So with the case as
    the unit the interval is on the safe side, whatever the reviews of a case have in common. It
    never has zero width.
    """
    tail = (1 - CONFIDENCE) / 2
    failures = max(0.0, tried - successes)
    # A sum of thirds is whole only up to rounding.
    is_none, is_all = successes <= _HAIR, failures <= _HAIR
    low = 0.0 if is_none else float(scipy.special.betaincinv(successes, failures + 1, tail))
    high = 1.0 if is_all else float(scipy.special.betaincinv(successes + 1, failures, 1 - tail))
    return low, high
