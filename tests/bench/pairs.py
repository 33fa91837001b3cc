"""How often a drop is found by scores and side by side: `python -m tests.bench.pairs`.

Ten cases have an old and a new plan of known quality, and two readers. Each reader scores the old
plan and later the new one, from 0 to 5, with noise each time and perhaps softer the second time; or
reads both at once and says by how many half points, in whole steps, one is better. Whether that
shows anything is what the product says: `is_proven_drop` of each. The table is in
docs/side-by-side.md, and a test compares a small run with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from reviews.comparison import Paired, Prior, moderated_limits, paired
from reviews.comparison.steps import FARTHEST, is_claimed, is_proven_drop

CASES, READERS = 10, 2
# In points: how much cases differ, and one day of a reader from another.
CASE_SD, NOISE = 0.7, 0.5
HALF_A_POINT = 0.5
MARGIN, LEVEL = 0.5, 0.05


@dataclass(frozen=True)
class World:
    """In points: `change` of the true quality, how much a plan differs from its successor beyond
    that, and how much higher reviewers score the second time."""

    change: float
    plan_sd: float
    softer: float = 0.0


@dataclass(frozen=True)
class Found:
    """Shares of runs: a drop was proven; a change was claimed in either direction."""

    drop: float
    change: float


SOFTER = 0.3
WORLDS = {
    f"{name}, plans differ by {plan_sd}{', reviewers 0.3 softer' if softer else ''}": World(
        change, plan_sd, softer
    )
    for name, change in (("a drop of 0.5", -0.5), ("no change", 0.0))
    for plan_sd in (0.4, 0.7)
    for softer in (0.0, SOFTER)
}


def simulate(world: World, *, runs: int, seed: int) -> tuple[Found, Found]:
    """Return what scores find, and what reading side by side finds."""
    draw = np.random.default_rng([seed, runs])
    by_scores, by_side = [], []
    for _run in range(runs):
        old = 4.0 + draw.normal(0, CASE_SD, (CASES, 1))
        new = old + world.change + draw.normal(0, world.plan_sd, (CASES, 1))
        first, second = (
            np.clip(np.rint(plan + draw.normal(0, NOISE, (CASES, READERS))), 0, 5)
            for plan in (old, new + world.softer)
        )
        told = (new - old + draw.normal(0, NOISE, (CASES, READERS))) / HALF_A_POINT
        steps = np.clip(np.rint(told), -FARTHEST, FARTHEST)
        by_scores.append(compare(second - first))
        by_side.append(compare(steps))
    return (
        Found(
            share(is_drop_by_scores(found) for found in by_scores),
            share(is_change_by_scores(found) for found in by_scores),
        ),
        Found(
            share(is_proven_drop(found) for found in by_side),
            share(is_claimed(found) for found in by_side),
        ),
    )


def share(findings: Iterator[bool]) -> float:
    found = list(findings)
    return sum(found) / len(found)


def compare(moved: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Paired:
    return paired(Fraction(int(case.sum()), READERS) for case in moved)


def is_drop_by_scores(found: Paired) -> bool:
    """As `reviews.report.verdict.limits` decides at a single look, with the same reviewers."""
    assert found.mean is not None
    limits = moderated_limits(
        mean=found.mean,
        sd=found.sd or 0.0,
        cases=found.n,
        level=LEVEL,
        squared_shares=0.0,
        prior=Prior(),
    )
    return found.mean <= -MARGIN and limits.high < 0


def is_change_by_scores(found: Paired) -> bool:
    return found.p_value is not None and found.p_value <= LEVEL


def print_table(*, runs: int, seed: int) -> Iterator[str]:
    yield (
        "| what is true | drop found by scores | side by side "
        "| any change claimed by scores | side by side |"
    )
    yield "| --- | --- | --- | --- | --- |"
    for name, world in WORLDS.items():
        scores, sides = simulate(world, runs=runs, seed=seed)
        cells = [f"{100 * value:.0f} %" for value in (scores.drop, sides.drop)]
        cells += [f"{100 * value:.0f} %" for value in (scores.change, sides.change)]
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=4000)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    for line in print_table(runs=given.runs, seed=given.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
