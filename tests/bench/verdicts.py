"""Simulates releases of known quality and prints how often each earns which word.

    .venv/bin/python -m tests.bench.verdicts [--runs 4000] [--seed 7]

A case has a true quality, a reviewer a severity, a review some noise; scores are rounded and cut to
the scale. Where two reviews of a case are two points apart, or one is at the two lowest levels and
another is not, the case gets an agreed score: what one more reviewer without severity would give.
The limits are those of the product (`reviews.comparison`), look by look.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reviews.comparison import Prior, look_levels, moderated_limits

Array = NDArray[np.float64]

NOISE = 0.5
LOWEST, HIGHEST, FLOOR = 0, 5, 3.0
PLAN = (5, 8, 12)


@dataclass(frozen=True)
class World:
    """What is true of a release. `mean` is the expected standing score of a case."""

    mean: float
    reviewers: int = 2
    case_sd: float = 0.7
    severity: float = 0.25
    two_peaks: bool = False


@dataclass(frozen=True)
class Outcome:
    """The share of runs with each word about one metric, and how many cases were read."""

    go: float
    no_go: float
    cases: float

    @property
    def neither(self) -> float:
        return 1 - self.go - self.no_go


def simulate(world: World, looks: Sequence[int], *, runs: int, seed: int) -> Outcome:
    """Read cases look by look until a word is earned or no look is left."""
    draw = np.random.default_rng([seed, runs, *looks])
    quality = find_quality(world)
    levels = look_levels(looks)
    go = no_go = read = 0
    shares = 1 / world.reviewers
    for scores in standing_scores(world, quality, looks[-1], runs, draw):
        for size, level in zip(looks, levels, strict=True):
            seen = scores[:size]
            limits = moderated_limits(
                mean=float(seen.mean()),
                sd=float(seen.std(ddof=1)) if size > 1 else 0.0,
                cases=size,
                level=level,
                squared_shares=shares,
                prior=Prior(),
            )
            if limits.low > FLOOR:
                go += 1
                break
            if limits.high < FLOOR:
                no_go += 1
                break
        read += size
    return Outcome(go / runs, no_go / runs, read / runs)


def standing_scores(
    world: World, quality: float, cases: int, runs: int, draw: np.random.Generator
) -> Iterator[Array]:
    """Yield the standing scores of one release after the other."""
    k = world.reviewers
    spread = draw.normal(0, 1, (runs, cases))
    if world.two_peaks:
        # Half of the cases far above, half far below, with the same spread.
        spread = np.where(draw.random((runs, cases)) < 0.5, -1.0, 1.0)
    true = quality + world.case_sd * spread
    severity = draw.normal(0, 1, (runs, 1, k)) * world.severity
    noise = draw.normal(0, NOISE, (runs, cases, k))
    scores = as_scores(true[..., None] + severity + noise)
    agreed = as_scores(true + draw.normal(0, NOISE, (runs, cases)))
    low, high = scores.min(axis=2), scores.max(axis=2)
    differ = (high - low >= 2) | ((low <= LOWEST + 1) & (high > LOWEST + 1))
    yield from np.where(differ, agreed, scores.mean(axis=2))


def as_scores(values: Array) -> Array:
    return np.clip(np.rint(values), LOWEST, HIGHEST)


@lru_cache(maxsize=256)
def find_quality(world: World) -> float:
    """Find the quality at which the expected standing score is the mean of the world."""
    low, high = LOWEST - 3.0, HIGHEST + 3.0
    for _round in range(18):
        middle = (low + high) / 2
        draw = np.random.default_rng(1)
        cases = np.array(list(standing_scores(world, middle, 4, 20_000, draw)))
        low, high = (middle, high) if cases.mean() < world.mean else (low, middle)
    return (low + high) / 2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=4000)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    for line in print_tables(runs=given.runs, seed=given.seed):
        print(line, flush=True)


def print_tables(*, runs: int, seed: int) -> Iterator[str]:
    yield from print_power(runs=runs, seed=seed)
    yield from print_false_go(runs=runs, seed=seed)


def print_power(*, runs: int, seed: int) -> Iterator[str]:
    yield "**The word about one metric by the true mean**: GO / NO-GO in percent"
    yield "(case SD 0.7, severity 0.25, floor 3.0)."
    yield ""
    means = (2.0, 2.5, 3.0, 3.5, 3.8, 4.0, 4.2, 4.4)
    yield "| plan, reviews a case | " + " | ".join(f"{mean:.1f}" for mean in means) + " |"
    yield "| --- |" + " --- |" * len(means)
    for looks in ((5,), (8,), (12,), (20,), PLAN):
        for reviewers in (1, 2, 3, 4):
            cells = []
            for mean in means:
                world = World(mean=mean, reviewers=reviewers)
                found = simulate(world, looks, runs=runs, seed=seed)
                cells.append(f"{found.go * 100:.0f} / {found.no_go * 100:.0f}")
            yield f"| {name_plan(looks)} x {reviewers} | " + " | ".join(cells) + " |"


def print_false_go(*, runs: int, seed: int) -> Iterator[str]:
    yield ""
    yield "**False GO at the floor**, in percent, with the looks 5, 8, 12 and with 5 cases alone."
    yield ""
    yield "| world | k = 1 | k = 2 | k = 3 | k = 4 |"
    yield "| --- | --- | --- | --- | --- |"
    worlds = [
        World(mean=FLOOR, case_sd=case_sd, severity=severity)
        for severity in (0.0, 0.25, 0.4)
        for case_sd in (0.5, 0.7, 1.0, 1.2)
    ]
    worlds.append(World(mean=FLOOR, case_sd=1.0, two_peaks=True))
    for world in worlds:
        for looks in (PLAN, (5,)):
            cells = [
                simulate(replace(world, reviewers=k), looks, runs=runs, seed=seed).go
                for k in (1, 2, 3, 4)
            ]
            name = f"SD {world.case_sd}, severity {world.severity}, {name_plan(looks)}"
            if world.two_peaks:
                name += ", two peaks"
            yield f"| {name} | " + " | ".join(f"{cell * 100:.1f}" for cell in cells) + " |"


def name_plan(looks: Sequence[int]) -> str:
    return ", ".join(map(str, looks))


if __name__ == "__main__":
    main()
