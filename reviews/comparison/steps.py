"""Two plans of a case read side by side: how far readers step from the old plan to the new one.

A reader's step is a whole number from -3 (the old plan is much better) to 3 (the new one is). The
case is the unit: the steps of its readers are averaged first, so that a case with more readers
does not count more, and readers who agree with each other are not taken for more cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from .differences import Interval, Paired, paired, wilson

FARTHEST = 3
# A change is claimed where the exact sign-flip test (two-sided) has at most this p-value.
LEVEL = 0.05
# The lower limit of the mean step above which a drop is excluded: "slightly worse" is one step.
ONE_STEP = 1.0


class Reading(NamedTuple):
    """What one reader says of one case on one metric. `step` is new minus old."""

    case: str
    reader: str
    step: int
    is_new_left: bool

    @property
    def is_left_better(self) -> bool | None:
        """Return whether the left plan was chosen; None if neither was."""
        return (self.step > 0) == self.is_new_left if self.step else None


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a number, with Wilson's interval; 0 to 1 if there is nothing to count."""

    count: int
    of: int

    @property
    def interval(self) -> Interval:
        return wilson(self.count, self.of)


def average_by_case(readings: Iterable[Reading]) -> dict[str, Fraction]:
    """Average the steps of each case's readers."""
    steps = defaultdict[str, list[int]](list)
    for reading in readings:
        if abs(reading.step) > FARTHEST:
            raise ValueError(f"{reading.step} is not a step from -{FARTHEST} to {FARTHEST}.")
        steps[reading.case].append(reading.step)
    return {case: Fraction(sum(steps[case]), len(steps[case])) for case in sorted(steps)}


def compare_steps(by_case: Mapping[str, Fraction]) -> Paired:
    """Average over cases, with the interval by case and the exact sign-flip test."""
    return paired(by_case.values())


def is_claimed(change: Paired) -> bool:
    """Return whether so many cases step one way that chance alone does not explain it."""
    return bool(change.mean) and change.p_value is not None and change.p_value <= LEVEL


def is_proven_drop(change: Paired) -> bool:
    return is_claimed(change) and change.mean is not None and change.mean < 0


def is_drop_excluded(change: Paired) -> bool:
    """Return whether the lower limit is less than one step below "no difference"."""
    return change.low is not None and change.low > -ONE_STEP


def can_claim(cases: int) -> bool:
    """Return whether the test can reach its level at all: five cases cannot, six can."""
    return 2.0 ** (1 - cases) <= LEVEL


def count_left(readings: Iterable[Reading]) -> Share:
    """Count how often the left plan was chosen, of those that chose one."""
    chosen = [reading.is_left_better for reading in readings if reading.is_left_better is not None]
    return Share(sum(chosen), len(chosen))


def count_recognised(guesses: Iterable[bool]) -> Share:
    """Count the right ones of the guesses which plan is newer."""
    known = list(guesses)
    return Share(sum(known), len(known))
