"""How severe each reviewer is: least squares of score = case + reviewer.

Reviewers can be compared only where cases connect them, so each connected part of the graph of
reviewers and cases is solved alone, with reviewers that sum to 0. Scores are never overwritten:
raw and adjusted values are shown side by side.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from .means import Number

Case = TypeVar("Case", bound=Hashable)
Reviewer = TypeVar("Reviewer", bound=Hashable)
Given = dict[Hashable, dict[Hashable, float]]


@dataclass(frozen=True, slots=True)
class Component:
    """Reviewers connected by shared cases. `reviewers`: how far above 0 each scores; sums to 0."""

    reviewers: Mapping[Hashable, float]
    raw: Mapping[Hashable, float]
    adjusted: Mapping[Hashable, float]
    n_ratings: int

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
    # Connected reviewers are known up to a constant; this chooses the one that sums to 0.
    effects = np.linalg.solve(np.array(system) + 1 / size, np.array(right))
    effects -= effects.mean()
    by_person = {who: float(effects[n]) for who, n in people.items()}
    return Component(
        reviewers=by_person,
        raw=raw,
        adjusted={
            case: raw[case] - sum(by_person[who] for who in scores) / len(scores)
            for case, scores in part.items()
        },
        n_ratings=sum(len(scores) for scores in part.values()),
    )


# --- From counts of pairs -------------------------------------------------------------------------


class PairedScores(NamedTuple):
    """How many cases with `size` reviews two reviewers scored like this; each pair once."""

    first: Hashable
    second: Hashable
    size: int
    first_score: Number
    second_score: Number
    times: int


def severity_of_pairs(pairs: Iterable[PairedScores]) -> tuple[dict[Hashable, float], ...]:
    """Estimate like `severity`, from counts of pairs, for each connected part.

    Eliminating the cases leaves only pairs: a case of m reviews adds 1/m to the system for each of
    its pairs, and its difference of scores over m to the right side. A reviewer who shares no case
    is in no pair, and so in no part.
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
        for level in given:
            if (level.first, level.second) not in part:
                continue
            first, second = people[level.first], people[level.second]
            weight = level.times / level.size
            system[first][second] -= weight
            system[second][first] -= weight
            system[first][first] += weight
            system[second][second] += weight
            moved = float(level.first_score - level.second_score) * weight
            right[first] += moved
            right[second] -= moved
        effects = np.linalg.solve(np.array(system) + 1 / size, np.array(right))
        effects -= effects.mean()
        found.append({who: float(effects[n]) for who, n in people.items()})
    return tuple(found)
