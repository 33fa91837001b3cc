"""Ratings as a pattern table: how often each way of scoring a case occurs.

A case is its counts over the declared levels. Cases with the same counts share a row, so computing
from the table costs the same for fifty cases and for a million.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Array = TypeVar("Array", Ints, Floats)
Unit = TypeVar("Unit", bound=Hashable)
Rater = TypeVar("Rater", bound=Hashable)

# Up to so many possible patterns are counted in one pass; more are sorted.
MOST_COUNTED = 2**22


class BadRatings(ValueError):
    """The ratings do not fit the declared levels."""


@dataclass(frozen=True, eq=False)
class PatternTable:
    """`counts` has a row for each pattern and a column for each level; `times` counts its cases.

    Rows are sorted; cases without a rating are left out. Cases with one rating stay, because they
    show how often a level is used. A report takes a dozen figures from one table, all of which
    need the same sums, so these are cached.
    """

    levels: tuple[Hashable, ...]
    counts: Ints
    times: Ints

    @cached_property
    def sizes(self) -> Ints:
        """Count the ratings of a case of each pattern."""
        return _fixed(_ints(self.counts.sum(axis=1)))

    @cached_property
    def totals(self) -> Ints:
        """Count the ratings of each level."""
        return _fixed(_ints(self.times @ self.counts))

    @cached_property
    def values(self) -> Floats:
        """Return the levels as numbers, or their positions if they are words."""
        if all(isinstance(level, int | float | np.number) for level in self.levels):
            return _fixed(np.array(self.levels, dtype=np.float64))
        return _fixed(np.arange(len(self.levels), dtype=np.float64))

    @cached_property
    def n_cases(self) -> int:
        """Count the cases with at least one rating."""
        return int(self.times.sum())

    @cached_property
    def n_units(self) -> int:
        """Count the cases with at least two ratings."""
        return int(self.times[self.sizes >= 2].sum())

    @cached_property
    def n_pairs(self) -> int:
        return int(self.times @ (self.sizes * (self.sizes - 1) // 2))

    @cached_property
    def levels_used(self) -> tuple[Hashable, ...]:
        """List the levels that cases with at least two ratings use."""
        totals = self.pairable().totals
        return tuple(level for level, total in zip(self.levels, totals, strict=True) if total)

    def pairable(self) -> PatternTable:
        """Return the table without the cases that have a single rating."""
        keep = self.sizes >= 2
        return self if keep.all() else _table(self.levels, self.counts[keep], self.times[keep])


def pattern_table(
    ratings: Mapping[Unit, Mapping[Rater, Hashable | None]], levels: Sequence[Hashable]
) -> PatternTable:
    """Build the table of `{unit: {rater: level or None}}`; `levels` is the whole scale."""
    check_levels(levels)
    place = {level: n for n, level in enumerate(levels)}
    found: Counter[tuple[int, ...]] = Counter()
    for unit, given in ratings.items():
        row = [0] * len(levels)
        for rater, level in given.items():
            if level is None:
                continue
            if level not in place:
                raise BadRatings(f"{unit}, {rater}: {level!r} is not one of the declared levels.")
            row[place[level]] += 1
        found[tuple(row)] += 1
    counts = np.array(list(found), dtype=np.int64).reshape(-1, len(levels))
    return pattern_table_from_counts(counts, levels, times=list(found.values()))


def pattern_table_from_counts(
    array: npt.ArrayLike, levels: Sequence[Hashable], *, times: npt.ArrayLike | None = None
) -> PatternTable:
    """Build the table of a units x levels array of counts; `times` counts the cases of each row."""
    check_levels(levels)
    given = np.asarray(array)
    if given.size == 0:
        given = given.reshape(0, len(levels))
    if given.ndim != 2 or given.shape[1] != len(levels):
        raise BadRatings(f"Counts must have one column for each of the {len(levels)} levels.")
    counts = _whole(given)
    of_rows = None if times is None else _whole(np.asarray(times))
    if of_rows is not None and of_rows.shape != (len(counts),):
        raise BadRatings("There must be one number of times for each row of counts.")
    patterns, often = _grouped(counts, of_rows)
    # Check the few patterns, not the cases, which may be a million.
    rated = (often > 0) & patterns.any(axis=1)
    return _table(tuple(levels), patterns[rated], often[rated])


def check_levels(levels: Sequence[Hashable]) -> None:
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise BadRatings("Levels must be the whole scale: at least two, each of them once.")


def _whole(given: npt.NDArray[np.generic]) -> Ints:
    if given.size == 0:
        return given.astype(np.int64)
    if given.dtype.kind not in "iubf":
        raise BadRatings("Counts must be whole numbers of at least 0.")
    # NaN becomes some number, which then differs from what was given.
    with np.errstate(invalid="ignore"):
        whole = _ints(given)
    if (given.dtype.kind == "f" and (whole != given).any()) or whole.min() < 0:
        raise BadRatings("Counts must be whole numbers of at least 0.")
    return whole


def _ints(values: npt.ArrayLike) -> Ints:
    return np.asarray(values, dtype=np.int64)


def _table(levels: tuple[Hashable, ...], counts: Ints, times: Ints) -> PatternTable:
    return PatternTable(levels, _fixed(counts), _fixed(times))


def _fixed(array: Array) -> Array:
    """Make the array read-only, because it is shared."""
    array.flags.writeable = False
    return array


def _grouped(counts: Ints, times: Ints | None) -> tuple[Ints, Ints]:
    """Return each row once, sorted, with how often it occurs. Without times each counts once."""
    if len(counts) == 0:
        return counts.copy(), np.zeros(0, np.int64)
    base = int(counts.max()) + 1
    width = counts.shape[1]
    if base**width > np.iinfo(np.int64).max:
        rows, inverse = np.unique(counts, axis=0, return_inverse=True)
        return rows, _summed(inverse.reshape(-1), times, len(rows))
    # Read each row as the digits of one number.
    powers = base ** np.arange(width - 1, -1, -1, dtype=np.int64)
    keys = counts @ powers
    if base**width <= MOST_COUNTED:
        found = _summed(keys, times, base**width)
        once = np.flatnonzero(found)
        often = found[once]
    else:
        once, places = np.unique(keys, return_inverse=True)
        often = _summed(places, times, len(once))
    return once[:, None] // powers % base, often


def _summed(places: npt.NDArray[np.intp] | Ints, times: Ints | None, size: int) -> Ints:
    # Floats add whole numbers exactly up to 2**53.
    return _ints(np.bincount(places, weights=times, minlength=size))
