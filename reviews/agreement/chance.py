"""Agreement beyond chance: AC1 and AC2, Fleiss, Brennan and Prediger, and Cohen's kappa.

Gwet, Handbook of Inter-Rater Reliability (4th ed., 2014): levels are weighted by all cases, also
those with one rating; the variance is the linearised one over cases. Fleiss (1971), Brennan and
Prediger (1981), Cohen (1968), Fleiss, Cohen and Everitt (1969).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import results
from .rates import exact_interval
from .reliability import ENOUGH_FOR_JACKKNIFE, why_undefined
from .results import Result
from .table import (
    BadRatings,
    Floats,
    Ints,
    PatternTable,
    check_levels,
    pattern_table_from_counts,
)

METHOD = "linearised-t"


class Chance(NamedTuple):
    """The agreement expected by chance, and how it changes with each pattern."""

    expected: float
    slope: Floats


def ac1(table: PatternTable) -> Result:
    return ac2(table, weights="identity")


def ac2(table: PatternTable, weights: Weights = "linear") -> Result:
    """Compute Gwet's AC1 with weights."""

    def chance(matrix: Floats, shares: Floats, use: Floats) -> Chance:
        size = len(use)
        scale = matrix.sum() / (size * (size - 1))
        return Chance(float(scale * use @ (1 - use)), 2 * scale * shares @ (1 - use))

    return _coefficient(table, weights, chance, needs_variation=False)


def fleiss(table: PatternTable, weights: Weights = "identity") -> Result:
    def chance(matrix: Floats, shares: Floats, use: Floats) -> Chance:
        return Chance(float(use @ matrix @ use), 2 * shares @ (matrix @ use))

    return _coefficient(table, weights, chance, needs_variation=True)


def brennan_prediger(table: PatternTable, weights: Weights = "identity") -> Result:
    def chance(matrix: Floats, shares: Floats, use: Floats) -> Chance:
        return Chance(float(matrix.mean()), np.full(len(shares), 2 * matrix.mean()))

    return _coefficient(table, weights, chance, needs_variation=False)


def _coefficient(
    table: PatternTable,
    weights: Weights,
    chance: Callable[[Floats, Floats, Floats], Chance],
    *,
    needs_variation: bool,
) -> Result:
    matrix = agreement_weights(table.values, weights)
    units, pairs = table.n_units, table.n_pairs
    why = why_undefined(table, needs_variation=needs_variation)
    if why:
        return results.undefined(why, units, pairs)
    counts, times, sizes, cases = table.counts, table.times, table.sizes, table.n_cases
    shares = counts / sizes[:, None]
    expected, slope = chance(matrix, shares, times @ shares / cases)
    if expected >= 1 - 1e-12:
        return results.undefined(results.no_difference_counts(), units, pairs)
    is_paired = sizes >= 2
    agreeing = (counts * (counts @ matrix - np.diagonal(matrix))).sum(axis=1)
    observed = agreeing / np.maximum(sizes * (sizes - 1), 1)
    value = (times[is_paired] @ observed[is_paired] / units - expected) / (1 - expected)
    # The contribution of each pattern: its own agreement less its part in chance agreement.
    own = cases / units * (observed - expected) * is_paired / (1 - expected)
    moved = own - (1 - value) * (slope - 2 * expected) / (1 - expected)
    result = _with_interval(value, moved, times, units, pairs)
    return _widened(result, float(times[is_paired] @ observed[is_paired]), expected)


def weighted_kappa(
    a: Sequence[Hashable | None],
    b: Sequence[Hashable | None],
    levels: Sequence[Hashable],
    weights: Weights = "linear",
) -> Result:
    """Compute Cohen's kappa of two reviewers over the cases that both scored."""
    check_levels(levels)
    if len(a) != len(b):
        raise BadRatings(
            "Both reviewers must have one entry for each case, None where there is no score."
        )
    both = [pair for pair in zip(a, b, strict=True) if None not in pair]
    place = {level: n for n, level in enumerate(levels)}
    unknown = {level for pair in both for level in pair} - set(place)
    if unknown:
        raise BadRatings(f"Not among the declared levels: {sorted(map(repr, unknown))}.")
    cells = np.zeros((len(levels), len(levels)), dtype=np.int64)
    for first, second in both:
        cells[place[first], place[second]] += 1
    # The cells as patterns of two ratings, to check the levels and what is undefined.
    rows = np.eye(len(levels), dtype=np.int64)
    table = pattern_table_from_counts(
        (rows[:, None] + rows[None, :]).reshape(-1, len(levels)), levels, times=cells.reshape(-1)
    )
    units = len(both)
    why = why_undefined(table, needs_variation=True)
    if why:
        return results.undefined(why, units, units)
    matrix = agreement_weights(table.values, weights)
    first, second = cells.sum(axis=1) / units, cells.sum(axis=0) / units
    expected = float(first @ matrix @ second)
    if expected >= 1 - 1e-12:
        return results.undefined(results.no_difference_counts(), units, units)
    value = (float((cells * matrix).sum()) / units - expected) / (1 - expected)
    slope = np.add.outer(matrix @ second, first @ matrix)
    moved = (matrix - expected - (1 - value) * (slope - 2 * expected)) / (1 - expected)
    result = _with_interval(value, moved.reshape(-1), cells.reshape(-1), units, units)
    return _widened(result, float((cells * matrix).sum()), expected)


def _with_interval(value: float, moved: Floats, times: Ints, units: int, pairs: int) -> Result:
    """Add a t interval from the variance of the contributions of the cases."""
    cases = int(times.sum())
    # Where all cases contribute the same, rounding must not give the interval a width.
    spread = moved - value
    spread[np.abs(spread) < 1e-12] = 0.0
    se = float(np.sqrt(times @ spread**2 / (cases - 1) / cases))
    return results.defined(value, units, pairs, se=se).with_t_interval(METHOD, cases=cases)


def _widened(result: Result, agreeing: float, expected: float) -> Result:
    """Widen the interval of few cases, or one without width, by that of the share that agrees.

    Few cases that happen to be alike make the linearised error too small, or 0. The share of
    agreement has an interval that covers; here chance agreement is taken as it was found.
    """
    assert result.low is not None
    assert result.high is not None
    is_flat = result.low == result.high
    if result.n_units >= ENOUGH_FOR_JACKKNIFE and not is_flat:
        return result
    low, high = (
        (share - expected) / (1 - expected) for share in exact_interval(agreeing, result.n_units)
    )
    return result.with_interval(
        f"{METHOD}-or-share", min(low, result.low), max(high, result.high, result.value or 0.0)
    )


# A name, or a matrix over the levels: agreement (diagonal 1) or disagreement (diagonal 0).
Weights = Literal["identity", "linear", "quadratic"] | npt.ArrayLike


def agreement_weights(values: Floats, weights: Weights) -> Floats:
    size = len(values)
    if isinstance(weights, str):
        gaps = np.abs(np.subtract.outer(values, values)) / np.ptp(values)
        if weights == "identity":
            return np.eye(size)
        if weights == "linear":
            return np.asarray(1 - gaps, dtype=np.float64)
        if weights == "quadratic":
            return np.asarray(1 - gaps**2, dtype=np.float64)
        raise ValueError(
            f"Unknown weights {weights!r}: use identity, linear, quadratic or a matrix."
        )
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (size, size) or not np.array_equal(matrix, matrix.T):
        raise ValueError(f"Weights must be a symmetric matrix over the {size} levels.")
    diagonal = set(np.diagonal(matrix).tolist())
    if diagonal == {1.0} and matrix.max() <= 1:
        return matrix
    if diagonal == {0.0} and matrix.min() >= 0 < matrix.max():
        return np.asarray(1 - matrix / matrix.max(), dtype=np.float64)
    raise ValueError("Weights must have 1 on the diagonal (agreement) or 0 (disagreement).")
