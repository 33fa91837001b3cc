"""What would help most: for each possible act the chance that it changes the word, and to what.

Simulated from the figures of a summary at a look:

- New cases (the next look): the variance of each metric is drawn from its moderated posterior
  (scaled inverse chi-square), its mean from a normal distribution around the mean, with the
  severity of reviewers in it. Scores are rounded to steps of 1/k and cut to the scale. Metrics are
  drawn as correlated as the scores are, moderated like the variance. A new case needs adjudication
  as often as the cases did so far; at the two lowest levels it forbids a GO.
- An adjudication: the agreed score is what one more reviewer without severity would give.
- One more review of every case: by a newcomer, who may differ from the others. What was agreed
  stays agreed.

Not modelled: flags, revisions, waivers, kinds, and the comparison with the baseline, which stay as
they are. The same seed gives the same chances.

Forecasts before the draw use the same limits with a true mean instead of a posterior.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt

import msgspec
import numpy as np
import scipy
from numpy.typing import NDArray

from reviews.adjudication.disagreements import FAR_APART
from reviews.comparison import SEVERITY, Limits, Prior, find_reaches, look_levels
from reviews.models.outcomes import Word
from reviews.report.summary.document import Summary
from reviews.report.summary.figures import CaseSummary, MetricSummary, Plan

from .criteria import UNSETTLED
from .document import Verdict

Array = NDArray[np.float64]
Flags = NDArray[np.bool_] | np.bool_
Random = np.random.Generator

# So many runs, or fewer if so many cells would be drawn in all.
RUNS, LEAST_RUNS = 2000, 200
MOST_CELLS = 500_000
# More cases than this nobody reviews again; more cases that wait are only weighed together.
MOST_REVIEWED_AGAIN = 200
MOST_ADJUDICATED = 20
WORDS = tuple(Word)

# What a review adds to the quality of a case, as in the simulation of docs/verdict.md.
NOISE = 0.5
# How much cases of a release differ in quality, and how alike the plans of two releases for the
# same request are; for forecasts, before any score is known.
CASE_SD = 0.7
ALIKE = 0.5


class Act(msgspec.Struct, frozen=True):
    """An act, and the chance of each word after it, the present one included.

    `act` is "adjudicate" (these `cases`), "next-look" (at `size` cases) or "review-again" (with
    `size` reviews of every case).
    """

    act: str
    word: str
    chances: dict[str, float]
    cases: tuple[str, ...] = ()
    size: int = 0

    @property
    def change(self) -> float:
        """Return the chance that the word changes."""
        return sum(chance for word, chance in self.chances.items() if word != self.word)

    @property
    def others(self) -> list[tuple[Word, float]]:
        """Return the words that it can change to, the likeliest first."""
        found = [(Word(word), chance) for word, chance in self.chances.items() if word != self.word]
        return sorted(found, key=lambda pair: -pair[1])


def weigh_acts(summary: Summary, verdict: Verdict, seed: str) -> tuple[Act, ...]:
    """Weigh each possible act, the most helpful first.

    Only at a look: between looks it would tell the word. Nothing has to help a GO, and new scores
    are only asked for where evidence is missing.
    """
    plan, word = summary.plan, verdict.word
    if plan is None or not plan.is_at_look or word in (None, Word.GO):
        return ()
    if any(metric.limits is None for metric in summary.metrics):
        return ()
    present = Present(summary, verdict, plan)
    found = list(weigh_adjudications(present, seed))
    if word == Word.NOT_ENOUGH_EVIDENCE:
        if plan.next_size is not None and plan.next_size > present.count:
            found.append(weigh_next_look(present, plan.next_size, seed))
        if present.count <= MOST_REVIEWED_AGAIN:
            found.append(weigh_one_more_review(present, seed))
    return tuple(sorted(found, key=lambda act: -act.change))


def choose_runs(cells: int) -> int:
    return max(LEAST_RUNS, min(RUNS, MOST_CELLS // max(cells, 1)))


def seed_random(seed: str, what: str) -> Random:
    return np.random.default_rng(list(sha256(f"{seed} {what}".encode()).digest()))


# --- The release as it is -------------------------------------------------------------------------


class Present:
    """The scores of a release at a look as arrays: cases x metrics."""

    def __init__(self, summary: Summary, verdict: Verdict, plan: Plan) -> None:
        self.summary, self.verdict, self.plan = summary, verdict, plan
        self.metrics = summary.metrics
        self.cases = summary.counted
        self.standing = np.array([[score.standing for score in case.scores] for case in self.cases])
        self.sums, self.squares = self.standing.sum(axis=0), (self.standing**2).sum(axis=0)
        self.floors = np.array([metric.floor for metric in self.metrics])
        self.lowest = np.array([metric.levels[0] for metric in self.metrics], dtype=float)
        self.highest = np.array([metric.levels[-1] for metric in self.metrics], dtype=float)
        # The second lowest level is low, unless it is the highest as well.
        self.bottom = np.minimum(self.lowest + 1, self.highest - 1)
        self.squared_shares = find_squared_shares(self.metrics[0], len(self.cases))
        self.outside = {case.case_key for case in summary.outside}
        self.listed = {
            disagreement.case_key: disagreement
            for disagreement in summary.disagreements
            if disagreement.case_key not in self.outside
        }

    @property
    def count(self) -> int:
        return len(self.cases)

    @property
    def waiting(self) -> list[str]:
        return [key for key, listed in self.listed.items() if listed.state in UNSETTLED]

    def find_variances(self) -> Array:
        """Return the moderated variance of each metric."""
        return np.array([limits.sd**2 for limits in map(get_limits, self.metrics)])

    def fails(self, word: Word, *without: str) -> bool:
        """Return whether a criterion other than the floors and `without` leads to the word."""
        return any(
            criterion.leads_to == word
            for criterion in self.verdict.criteria
            if not criterion.name.startswith("floor:") and criterion.name not in without
        )

    def find_words(
        self,
        sums: Array,
        squares: Array,
        *,
        cases: int,
        level: float,
        squared_shares: float,
        waiting: Flags | bool,
        at_the_bottom: Flags | bool,
    ) -> dict[str, float]:
        """Return the chance of each word for simulated sums of scores and of their squares.

        Both are runs x metrics.
        """
        means = sums / cases
        variances = np.maximum(squares - sums * means, 0.0) / max(cases - 1, 1)
        reaches = find_reaches(
            variances,
            cases=cases,
            level=level,
            squared_shares=squared_shares,
            prior=self.plan.prior,
        )
        below = (means + reaches < self.floors).any(axis=1)
        between = (means - reaches <= self.floors).any(axis=1)
        lacks_cases = cases < self.summary.cases_needed
        words = choose_words(
            forbidden=below | at_the_bottom | self.fails(Word.NO_GO),
            lacking=between | lacks_cases | self.fails(Word.NOT_ENOUGH_EVIDENCE, "cases"),
            waiting=np.broadcast_to(
                waiting | np.array(self.fails(Word.HOLD, "adjudications")), below.shape
            ),
        )
        return count_words(words)


def get_limits(metric: MetricSummary) -> Limits:
    assert metric.limits is not None
    return metric.limits


def find_squared_shares(metric: MetricSummary, cases: int) -> float:
    """Return the squared shares that the standard error contains."""
    limits = get_limits(metric)
    return max(0.0, (limits.se**2 - limits.sd**2 / cases) / SEVERITY**2)


def choose_words(*, forbidden: Flags, lacking: Flags, waiting: Flags) -> NDArray[np.int_]:
    """Return the place of the word in WORDS: the first that applies, as `decide` does."""
    return np.select([forbidden, lacking, waiting], [0, 1, 2], 3)


def count_words(words: NDArray[np.int_]) -> dict[str, float]:
    times = np.bincount(words, minlength=len(WORDS)) / len(words)
    return {str(word): float(share) for word, share in zip(WORDS, times, strict=True) if share}


def find_moments(scores: Array) -> tuple[Array, Array]:
    """Return mean and variance over cases: runs x cases x metrics become runs x metrics."""
    count = scores.shape[1]
    means = scores.mean(axis=1)
    if count == 1:
        return means, np.zeros_like(means)
    return means, ((scores - means[:, None]) ** 2).sum(axis=1) / (count - 1)


# --- The next look --------------------------------------------------------------------------------


def weigh_next_look(present: Present, size: int, seed: str) -> Act:
    plan, new = present.plan, size - present.count
    scores = draw_new_cases(present, new, seed_random(seed, "next-look"))
    # Half a case more, so that none so far does not mean never.
    rate = (len(present.listed) + 0.5) / (present.count + 1)
    differ = seed_random(seed, "disagreements").binomial(new, rate, len(scores)) > 0
    chances = present.find_words(
        present.sums + scores.sum(axis=1),
        present.squares + (scores**2).sum(axis=1),
        cases=size,
        level=look_levels(plan.sizes)[plan.look],
        squared_shares=present.squared_shares,
        waiting=differ | bool(present.verdict.criterion("adjudications").cases),
        at_the_bottom=(scores <= present.bottom).any(axis=(1, 2)),
    )
    return Act("next-look", str(present.verdict.word), chances, size=size)


def draw_new_cases(present: Present, count: int, random: Random) -> Array:
    """Draw standing scores of new cases from the posterior: runs x cases x metrics."""
    degrees = present.plan.prior.degrees + present.count - 1
    metrics = len(present.metrics)
    runs = choose_runs(count * metrics)
    variances = present.find_variances() * degrees / random.chisquare(degrees, (runs, metrics))
    mix = np.linalg.cholesky(correlate(present)).T
    errors = variances / present.count + SEVERITY**2 * present.squared_shares
    centres = present.sums / present.count + np.sqrt(errors) * (
        random.standard_normal((runs, metrics)) @ mix
    )
    spread = np.sqrt(variances)[:, None] * (random.standard_normal((runs, count, metrics)) @ mix)
    k = present.summary.reviews_per_case
    return as_standing(centres[:, None] + spread, k, present.lowest, present.highest)


def correlate(present: Present) -> Array:
    """Return how metrics go together, moderated towards not at all."""
    centred = present.standing - present.sums / present.count
    degrees = present.plan.prior.degrees + present.count - 1
    sds = np.sqrt(present.find_variances())
    found = centred.T @ centred / degrees / np.outer(sds, sds)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def as_standing(values: Array, k: int, lowest: Array | float, highest: Array | float) -> Array:
    """Round to the means that k reviews can have."""
    return np.clip(np.rint(values * k) / k, lowest, highest)


# --- Adjudications --------------------------------------------------------------------------------


def weigh_adjudications(present: Present, seed: str) -> Iterator[Act]:
    """Weigh each case that waits, and all of them together."""
    waiting = present.waiting
    if len(waiting) <= MOST_ADJUDICATED:
        for case_key in waiting:
            yield weigh_adjudication(present, [case_key], seed)
    if len(waiting) > 1:
        yield weigh_adjudication(present, waiting, seed)


def weigh_adjudication(present: Present, keys: Sequence[str], seed: str) -> Act:
    random = seed_random(seed, "adjudicate " + " ".join(keys))
    runs = choose_runs(len(keys) * len(present.metrics))
    sums = np.repeat(present.sums[None], runs, axis=0)
    squares = np.repeat(present.squares[None], runs, axis=0)
    at_the_bottom = np.zeros(runs, dtype=bool)
    wanted = set(keys)
    for case in present.cases:
        if case.case_key not in wanted:
            continue
        centres, sds = find_qualities(present, case)
        for place, metric in enumerate(present.metrics):
            if metric.metric not in present.listed[case.case_key].ranges:
                continue
            values = random.normal(centres[place], sqrt(sds[place] ** 2 + NOISE**2), runs)
            agreed = np.clip(np.rint(values), metric.levels[0], metric.levels[-1])
            standing = case.scores[place].standing
            sums[:, place] += agreed - standing
            squares[:, place] += agreed**2 - standing**2
            at_the_bottom |= agreed <= present.bottom[place]
    left = present.verdict.criterion("adjudications").cases
    chances = present.find_words(
        sums,
        squares,
        cases=present.count,
        level=present.plan.level,
        squared_shares=present.squared_shares,
        waiting=bool(set(left) - wanted),
        at_the_bottom=at_the_bottom,
    )
    return Act("adjudicate", str(present.verdict.word), chances, cases=tuple(keys))


def find_qualities(present: Present, case: CaseSummary) -> tuple[Array, Array]:
    """Return mean and deviation of the quality of a case on each metric, given its reviews.

    Few reviews are drawn towards the mean of the release.
    """
    counts = [np.array(score.counts) for score in case.scores]
    given = np.array([count.sum() for count in counts])
    means = np.array(
        [
            metric.levels[0] + count @ np.arange(len(count)) / count.sum()
            for metric, count in zip(present.metrics, counts, strict=True)
        ]
    )
    errors = (NOISE**2 + SEVERITY**2) / given
    # The spread of scores contains that of reviews; cases always differ a little.
    between = np.maximum(present.find_variances() - errors, errors)
    weights = between / (between + errors)
    centres = weights * means + (1 - weights) * present.sums / present.count
    return centres, np.sqrt(weights * errors)


# --- One more review of every case ----------------------------------------------------------------


def weigh_one_more_review(present: Present, seed: str) -> Act:
    random, metrics = seed_random(seed, "review-again"), len(present.metrics)
    runs = choose_runs(present.count * metrics)
    sums, squares = np.zeros((runs, metrics)), np.zeros((runs, metrics))
    waiting = np.full(runs, bool(present.verdict.criterion("adjudications").cases))
    severity = random.normal(0, SEVERITY, (runs, metrics))
    for case in present.cases:
        centres, sds = find_qualities(present, case)
        noise = random.standard_normal((runs, metrics))
        values = centres + severity + np.sqrt(sds**2 + NOISE**2) * noise
        new = np.clip(np.rint(values), present.lowest, present.highest)
        for place, (score, metric) in enumerate(zip(case.scores, present.metrics, strict=True)):
            if score.agreed is not None:
                sums[:, place] += score.agreed
                squares[:, place] += score.agreed**2
                continue
            given = sum(score.counts)
            standing = (score.standing * given + new[:, place]) / (given + 1)
            sums[:, place] += standing
            squares[:, place] += standing**2
            low, high = score.range(metric.levels[0])
            second = metric.levels[0] + 1
            least, most = np.minimum(low, new[:, place]), np.maximum(high, new[:, place])
            waiting |= (most - least >= FAR_APART) | ((least <= second) & (most > second))
    k = present.summary.reviews_per_case
    chances = present.find_words(
        sums,
        squares,
        cases=present.count,
        level=present.plan.level,
        # The newcomer reads every case.
        squared_shares=(present.squared_shares * k**2 + 1) / (k + 1) ** 2,
        waiting=waiting,
        at_the_bottom=False,
    )
    return Act("review-again", str(present.verdict.word), chances, size=k + 1)


# --- Before the draw ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outlook:
    """What a release can expect: by each look, the chance that it has earned its GO.

    `found` is the chance that a `drop` is found by the last look, on so many `shared` cases; None
    without a baseline or shared cases.
    """

    mean: float
    earned: tuple[tuple[int, float], ...]
    drop: float
    found: float | None
    shared: int


def forecast(
    *,
    sizes: Sequence[int],
    reviews_per_case: int,
    floors: Sequence[float],
    scales: Sequence[tuple[int, int]],
    margin: float,
    prior: Prior,
    shared: Sequence[int] = (),
    mean: float = 4.0,
    drop: float = 0.5,
) -> Outlook:
    """Forecast the looks of a release whose metrics all have this true mean.

    `shared` has the number of cases shared with the baseline at each look; they are taken to be
    read by the same reviewers. Metrics are independent: the least favourable case. Disagreements
    are taken to be settled.
    """
    random, k = np.random.default_rng(7), reviews_per_case
    runs = choose_runs(sizes[-1] * len(scales))
    earned = np.zeros((runs, len(sizes)), dtype=bool)
    is_open = np.ones(runs, dtype=bool)
    levels = look_levels(sizes)
    stacked = np.stack(
        [draw_known(mean, scale, k, (runs, sizes[-1]), random) for scale in scales], axis=2
    )
    changes = draw_changes(-drop, k, (runs, max(shared, default=0)), random)
    found = np.zeros(runs, dtype=bool)
    for look, (size, level) in enumerate(zip(sizes, levels, strict=True)):
        means, variances = find_moments(stacked[:, :size])
        reaches = find_reaches(
            variances, cases=size, level=level, squared_shares=1 / k, prior=prior
        )
        above = (means - reaches > np.array(floors)).all(axis=1)
        below = (means + reaches < np.array(floors)).any(axis=1)
        earned[:, look] = (earned[:, look - 1] if look else False) | (is_open & above)
        is_open &= ~(above | below)
        if shared and shared[look]:
            found |= find_drops(changes[:, : shared[look]], margin, level, prior)
    return Outlook(
        mean=mean,
        earned=tuple(
            (size, float(share)) for size, share in zip(sizes, earned.mean(axis=0), strict=True)
        ),
        drop=drop,
        found=float(found.mean()) if changes.shape[1] else None,
        shared=changes.shape[1],
    )


def find_drops(
    changes: Array, margin: float, level: float, prior: Prior, squared_shares: float = 0.0
) -> NDArray[np.bool_]:
    """Return in which runs a drop is proven. `changes`: runs x shared cases."""
    means, variances = find_moments(changes[..., None])
    reaches = find_reaches(
        variances,
        cases=changes.shape[1],
        level=level,
        squared_shares=squared_shares,
        prior=prior,
    )
    return np.asarray((means <= -margin) & (means + reaches < 0))[:, 0]


def draw_known(
    mean: float, scale: tuple[int, int], k: int, shape: tuple[int, int], random: Random
) -> Array:
    """Draw standing scores of releases with this expected score: runs x cases."""
    lowest, highest = scale
    spread = sqrt(CASE_SD**2 + (NOISE**2 + 1 / 12) / k)
    centre = find_centre(mean, sqrt(spread**2 + SEVERITY**2 / k), lowest, highest)
    severity = random.normal(0, SEVERITY / sqrt(k), (shape[0], 1))
    values = centre + severity + random.normal(0, spread, shape)
    return as_standing(values, k, lowest, highest)


def draw_changes(mean: float, k: int, shape: tuple[int, int], random: Random) -> Array:
    spread = sqrt(2 * CASE_SD**2 * (1 - ALIKE) + 2 * (NOISE**2 + 1 / 12) / k)
    return np.rint(random.normal(mean, spread, shape) * k) / k


def find_centre(mean: float, sd: float, lowest: float, highest: float) -> float:
    """Find the centre at which a normal score cut to the scale has this mean."""
    low, high = lowest - 3 * sd, highest + 3 * sd
    for _round in range(40):
        middle = (low + high) / 2
        bounds = (np.array([lowest, highest]) - middle) / sd
        chances = scipy.special.ndtr(bounds)
        densities = np.exp(-(bounds**2) / 2) / sqrt(2 * np.pi)
        inside = middle * (chances[1] - chances[0]) - sd * (densities[1] - densities[0])
        cut = lowest * chances[0] + inside + highest * (1 - chances[1])
        low, high = (middle, high) if cut < mean else (low, middle)
    return (low + high) / 2
