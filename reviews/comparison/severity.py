"""How severe each reviewer is: least squares of score = case + reviewer.

Reviewers can be compared only where cases connect them, so each connected part of the graph of
reviewers and cases is solved alone, with reviewers that sum to 0. Scores are never overwritten:
raw and adjusted values are shown side by side. Intervals are those of least squares: the residual
variance times the inverse of the system, and t with the degrees of freedom that are left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, TypeVar

import numpy as np

from reviews.agreement.results import t_quantile
from reviews.agreement.table import Floats

from .means import Number

Case = TypeVar("Case", bound=Hashable)
Reviewer = TypeVar("Reviewer", bound=Hashable)
Given = dict[Hashable, dict[Hashable, float]]


# Scores that fit without any residual are still rounded to whole points: the variance of that.
ROUNDING = 1 / 12


class Effect(NamedTuple):
    """How far above 0 a reviewer scores. No interval where no degree of freedom is left."""

    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def excludes_zero(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Component:
    """Reviewers connected by shared cases. `reviewers`: how far above 0 each scores; sums to 0.

    `effects` has the same with standard error and interval.
    """

    reviewers: Mapping[Hashable, float]
    raw: Mapping[Hashable, float]
    adjusted: Mapping[Hashable, float]
    n_ratings: int
    effects: Mapping[Hashable, Effect] = field(default_factory=dict)

    @property
    def is_comparable(self) -> bool:
        """Return whether there is more than one reviewer: one alone is neither severe nor mild."""
        return len(self.reviewers) > 1


@dataclass(frozen=True, slots=True)
class Severity:
    """`raw` and `adjusted` are means of cases: as given, and as if all were equally severe."""

    components: tuple[Component, ...]

    @property
    def reviewers(self) -> dict[Hashable, float]:
        return {
            key: value
            for component in self.components
            for key, value in component.reviewers.items()
        }

    @property
    def effects(self) -> dict[Hashable, Effect]:
        """Return each reviewer with standard error and interval."""
        return {
            key: value for component in self.components for key, value in component.effects.items()
        }

    @property
    def raw(self) -> dict[Hashable, float]:
        return {key: value for component in self.components for key, value in component.raw.items()}

    @property
    def adjusted(self) -> dict[Hashable, float]:
        return {
            key: value for component in self.components for key, value in component.adjusted.items()
        }


def severity(ratings: Mapping[Case, Mapping[Reviewer, Number | None]]) -> Severity:
    """Estimate the severity of `{case: {reviewer: score or None}}`; cases without scores are left
    out."""
    given: Given = {
        case: {who: float(score) for who, score in scores.items() if score is not None}
        for case, scores in ratings.items()
    }
    return Severity(tuple(_solved(part) for part in _connected(given)))


def _connected(given: Given) -> list[Given]:
    """Split the cases into connected components, in the order of the cases."""
    leader: dict[Hashable, Hashable] = {}

    def led_by(who: Hashable) -> Hashable:
        while leader.setdefault(who, who) != who:
            # Every second step is cut short, so that no chain grows long.
            leader[who] = leader[leader[who]]
            who = leader[who]
        return who

    for scores in given.values():
        people = list(scores)
        for who in people[1:]:
            leader[led_by(who)] = led_by(people[0])
    parts: dict[Hashable, Given] = {}
    for case, scores in given.items():
        if scores:
            parts.setdefault(led_by(next(iter(scores))), {})[case] = scores
    return list(parts.values())


def _solved(part: Given) -> Component:
    """Solve one component. Eliminating the cases leaves one row for each reviewer."""
    people = {who: n for n, who in enumerate(dict.fromkeys(w for s in part.values() for w in s))}
    size = len(people)
    # Plain lists: a small array for each case would cost more than all the rest.
    system, right = [[0.0] * size for _ in people], [0.0] * size
    raw = {case: sum(scores.values()) / len(scores) for case, scores in part.items()}
    for case, scores in part.items():
        rows = [people[who] for who in scores]
        for row, score in zip(rows, scores.values(), strict=True):
            right[row] += score - raw[case]
            system[row][row] += 1
            for other in rows:
                system[row][other] -= 1 / len(rows)
    ratings = sum(len(scores) for scores in part.values())
    squares = sum((score - raw[case]) ** 2 for case, s in part.items() for score in s.values())
    effects = _estimated(system, right, squares, ratings - len(part))
    by_person = {who: effects[n].value for who, n in people.items()}
    return Component(
        reviewers=by_person,
        raw=raw,
        adjusted={
            case: raw[case] - sum(by_person[who] for who in scores) / len(scores)
            for case, scores in part.items()
        },
        n_ratings=ratings,
        effects={who: effects[n] for who, n in people.items()},
    )


def _estimated(
    system: list[list[float]], right: list[float], squares: float, freedom: int
) -> list[Effect]:
    """Solve for the reviewers of one part, with their intervals.

    `squares` is the sum of squares within cases, and `freedom` its degrees of freedom: reviews
    less cases. The reviewers take all but one of their number from it.
    """
    size, moved = len(right), np.array(right)
    # Connected reviewers are known up to a constant; this chooses the one that sums to 0.
    inverse: Floats = np.linalg.inv(np.array(system) + 1 / size).astype(np.float64)
    effects = inverse @ moved
    effects -= effects.mean()
    left = freedom - (size - 1)
    residual = squares - float(effects @ moved)
    if size < 2 or left < 1:
        return [Effect(float(effect)) for effect in effects]
    variance = residual / left if residual > 1e-9 * squares else ROUNDING
    quantile = t_quantile(left)
    found = []
    for place, effect in enumerate(effects.tolist()):
        # The part of the inverse that sums to 0.
        se = sqrt(max(0.0, float(inverse[place, place]) - 1 / size) * variance)
        found.append(Effect(effect, se, effect - quantile * se, effect + quantile * se))
    return found


# --- From counts of pairs -------------------------------------------------------------------------


class PairedScores(NamedTuple):
    """How many cases with `size` reviews two reviewers scored like this; each pair once."""

    first: Hashable
    second: Hashable
    size: int
    first_score: Number
    second_score: Number
    times: int


def severity_of_pairs(pairs: Iterable[PairedScores]) -> tuple[dict[Hashable, Effect], ...]:
    """Estimate like `severity`, from counts of pairs, for each connected part.

    Eliminating the cases leaves only pairs: a case of m reviews adds 1/m to the system for each of
    its pairs, and its difference of scores over m to the right side. Its sum of squares is that of
    its pairs over m too, and its m - 1 degrees of freedom are 2/m for each pair. A reviewer who
    shares no case is in no pair, and so in no part.
    """
    given = list(pairs)
    met = dict.fromkeys((level.first, level.second) for level in given)
    found = []
    for part in _connected({pair: dict.fromkeys(pair, 0.0) for pair in met}):
        people = {
            who: n for n, who in enumerate(dict.fromkeys(w for s in part.values() for w in s))
        }
        size = len(people)
        # Plain lists: to change one number of an array takes ten times as long.
        system, right = [[0.0] * size for _ in people], [0.0] * size
        squares = freedom = 0.0
        for level in given:
            if (level.first, level.second) not in part:
                continue
            first, second = people[level.first], people[level.second]
            weight = level.times / level.size
            system[first][second] -= weight
            system[second][first] -= weight
            system[first][first] += weight
            system[second][second] += weight
            gap = float(level.first_score - level.second_score)
            right[first] += gap * weight
            right[second] -= gap * weight
            squares += gap * gap * weight
            freedom += 2 * weight
        effects = _estimated(system, right, squares, round(freedom))
        found.append({who: effects[n] for who, n in people.items()})
    return tuple(found)
