"""Simulates releases of known quality: how often each earns which word.

A case has a true quality, a reviewer a severity, a review some noise; scores are rounded and cut to
the scale. Where two reviews of a case are two points apart, or one is at the two lowest levels and
another is not, the case gets an agreed score: what one more reviewer without severity would give.
Every reviewer reads every case. The two metrics of a release are independent, which is the least
favourable for a GO. Limits and words are those of the product, for many releases at once; a test
compares them with `decide`. The tables are printed as docs/verdict.md has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from reviews.comparison import Prior, find_reaches, look_levels
from reviews.models.outcomes import Word
from reviews.report.verdict.acts import ALIKE, NOISE, WORDS, choose_words, find_drops, find_moments

Array = NDArray[np.float64]
Flags = NDArray[np.bool_] | np.bool_

LOWEST, HIGHEST, FLOOR, MARGIN = 0, 5, 3.0, 0.5
METRICS = 2


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
    """The share of runs with each word, and how many cases were read."""

    go: float
    no_go: float
    cases: float

    @property
    def neither(self) -> float:
        return 1 - self.go - self.no_go


@dataclass(frozen=True)
class Readings:
    """Scores: runs x cases x metrics x reviewers; what was agreed where `differ`."""

    scores: Array
    agreed: Array
    differ: NDArray[np.bool_]

    @property
    def standing(self) -> Array:
        standing: Array = np.where(self.differ, self.agreed, self.scores.mean(axis=3))
        return standing

    @property
    def at_the_bottom(self) -> NDArray[np.bool_]:
        """Return in which cases the agreed score, or every review, is at the two lowest levels."""
        highest = np.where(self.differ, self.agreed, self.scores.max(axis=3))
        return np.asarray((highest <= LOWEST + 1).any(axis=2))


# --- A release ------------------------------------------------------------------------------------


def draw_readings(
    world: World, quality: float, cases: int, runs: int, draw: np.random.Generator
) -> Readings:
    severity = draw_severity(world, runs, draw)
    spread = draw_spread(world, cases, runs, draw)
    return read_cases(quality + world.case_sd * spread, severity, draw)


def draw_severity(world: World, runs: int, draw: np.random.Generator) -> Array:
    return draw.normal(0, 1, (runs, 1, METRICS, world.reviewers)) * world.severity


def draw_spread(world: World, cases: int, runs: int, draw: np.random.Generator) -> Array:
    spread = draw.normal(0, 1, (runs, cases, METRICS))
    if not world.two_peaks:
        return spread
    # Half of the cases far above, half far below, with the same spread.
    peaks: Array = np.where(draw.random(spread.shape) < 0.5, -1.0, 1.0)
    return peaks


def read_cases(true: Array, severity: Array, draw: np.random.Generator) -> Readings:
    """Let each reviewer read each case. `true`: runs x cases x metrics."""
    noise = draw.normal(0, NOISE, (*true.shape, severity.shape[3]))
    scores = as_scores(true[..., None] + severity + noise)
    agreed = as_scores(true + draw.normal(0, NOISE, true.shape))
    low, high = scores.min(axis=3), scores.max(axis=3)
    differ = (high - low >= 2) | ((low <= LOWEST + 1) & (high > LOWEST + 1))
    return Readings(scores, agreed, np.asarray(differ))


def as_scores(values: Array) -> Array:
    scores: Array = np.clip(np.rint(values), LOWEST, HIGHEST)
    return scores


@lru_cache(maxsize=1024)
def find_quality(world: World) -> float:
    """Find the quality at which the expected standing score is the mean of the world."""
    low, high = LOWEST - 3.0, HIGHEST + 3.0
    for _round in range(14):
        middle = (low + high) / 2
        found = draw_readings(world, middle, 4, 5_000, np.random.default_rng(1))
        low, high = (middle, high) if found.standing.mean() < world.mean else (low, middle)
    return (low + high) / 2


# --- Words ----------------------------------------------------------------------------------------


def decide_look(
    readings: Readings,
    size: int,
    level: float,
    *,
    prior: Prior,
    drops: Flags | bool = False,
) -> tuple[Array, NDArray[np.int_]]:
    """Return for each metric whether it is above (1) or below (-1) its floor, and the words."""
    means, variances = find_moments(readings.standing[:, :size])
    reaches = find_reaches(
        variances,
        cases=size,
        level=level,
        squared_shares=1 / readings.scores.shape[3],
        prior=prior,
    )
    above, below = means - reaches > FLOOR, means + reaches < FLOOR
    at_the_bottom = readings.at_the_bottom[:, :size].any(axis=1)
    words = choose_words(
        forbidden=below.any(axis=1) | at_the_bottom | drops,
        lacking=~above.all(axis=1),
        waiting=np.zeros(len(means), dtype=bool),
    )
    return above * 1.0 - below * 1.0, words


def simulate(
    world: World, looks: Sequence[int], *, runs: int, seed: int, prior: Prior | None = None
) -> tuple[Outcome, Outcome]:
    """Read cases look by look until a word is earned or no look is left.

    Return the outcome of a metric by its limits alone, and that of the release.
    """
    draw = np.random.default_rng([seed, runs, *looks])
    readings = draw_readings(world, find_quality(world), looks[-1], runs, draw)
    sides, words = np.zeros((runs, METRICS)), np.full(runs, WORDS.index(Word.NOT_ENOUGH_EVIDENCE))
    read_metric, read = np.full((runs, METRICS), looks[-1]), np.full(runs, looks[-1])
    open_metric, is_open = np.ones((runs, METRICS), bool), np.ones(runs, bool)
    for size, level in zip(looks, look_levels(looks), strict=True):
        now, word = decide_look(readings, size, level, prior=prior or Prior())
        settles, ends = open_metric & (now != 0), is_open & (word != 1)
        sides[settles], read_metric[settles] = now[settles], size
        words[ends], read[ends] = word[ends], size
        open_metric &= ~settles
        is_open &= ~ends
    go, no_go = WORDS.index(Word.GO), WORDS.index(Word.NO_GO)
    return (
        Outcome((sides > 0).mean(), (sides < 0).mean(), read_metric.mean()),
        Outcome((words == go).mean(), (words == no_go).mean(), read.mean()),
    )


# --- Against a baseline ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """`found`: a proven drop of a metric; `false`: NO-GO by a drop of any; `go`: the word."""

    found: float
    go: float


def simulate_change(
    world: World,
    cases: int,
    shared: Sequence[int],
    *,
    drop: float,
    by_others: bool,
    runs: int,
    seed: int,
) -> list[Compared]:
    """Compare a release with its baseline on so many shared cases, at a single look."""
    draw = np.random.default_rng([seed, runs, cases])
    quality, k = find_quality(replace(world, mean=world.mean + drop)), world.reviewers
    common = draw_spread(world, cases, runs, draw) * sqrt(ALIKE)
    own = [draw_spread(world, cases, runs, draw) * sqrt(1 - ALIKE) for _release in range(2)]
    severity = draw_severity(world, runs, draw)
    before_by = draw_severity(world, runs, draw) if by_others else severity
    before = read_cases(quality + world.case_sd * (common + own[0]), before_by, draw)
    after_quality = find_quality(world)
    after = read_cases(after_quality + world.case_sd * (common + own[1]), severity, draw)
    changes = after.standing - before.standing
    level = look_levels((cases,))[0]
    found = []
    for count in shared:
        drops = np.stack(
            [
                find_drops(
                    changes[:, :count, metric],
                    MARGIN,
                    level,
                    Prior(),
                    squared_shares=2 / k if by_others else 0.0,
                )
                for metric in range(METRICS)
            ],
            axis=1,
        )
        _sides, words = decide_look(after, cases, level, prior=Prior(), drops=drops.any(axis=1))
        found.append(Compared(drops.mean(), (words == WORDS.index(Word.GO)).mean()))
    return found
