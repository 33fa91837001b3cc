"""How often each shipped interval covers the true value of simulated reviews.

`python -m tests.bed.coverage_tables [SETS]` prints the tables that docs/agreement.md shows.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from reviews.agreement import (
    Result,
    ac1,
    ac2,
    alpha,
    exact_agreement,
    fleiss,
    icc1,
    pattern_table_from_counts,
    weighted_kappa,
    within_one,
)
from reviews.agreement.rates import exact_interval
from reviews.agreement.table import Floats, Ints, PatternTable
from reviews.comparison import Prior, mean_over_cases, paired, severity, widen

LEVELS = range(6)
DESIGNS = [(5, 2), (5, 3), (8, 2), (12, 3), (20, 4)]
SETS = 2000
MANY = 200_000


class Scores(NamedTuple):
    """A normal case and a normal review, the case with the share `likeness`, cut at `cuts`."""

    cuts: Floats
    likeness: float


SPREAD = np.array([-1.4, -0.7, 0.0, 0.7, 1.4])
BUNCHED = np.array([-3.2, -2.6, -1.9, -0.9, 0.9])
SCALES = {
    # Nearly three of four scores are a 5.
    "ceiling": Scores(np.array([-3.4, -2.9, -2.4, -1.6, -0.6]), 0.5),
    # Nearly two of three scores are a 4.
    "bunched": Scores(BUNCHED, 0.475),
    "bunched, alike": Scores(BUNCHED, 0.876),
    "skewed": Scores(np.array([-1.75, -1.28, -0.84, -0.39, 0.39]), 0.6),
    "disagreeing": Scores(SPREAD, 0.05),
    "spread": Scores(SPREAD, 0.77),
}


def simulate(chance: np.random.Generator, shape: tuple[int, int, int], scores: Scores) -> Ints:
    """Draw the scores of sets x cases x reviewers."""
    sets, cases, reviewers = shape
    case = chance.standard_normal((sets, cases, 1))
    review = chance.standard_normal((sets, cases, reviewers))
    share = scores.likeness
    found: Ints = np.searchsorted(scores.cuts, share**0.5 * case + (1 - share) ** 0.5 * review)
    return found


def build_table(given: Ints) -> PatternTable:
    counts = np.stack([(given == level).sum(axis=1) for level in LEVELS], axis=1)
    return pattern_table_from_counts(counts, LEVELS)


class Interval(NamedTuple):
    low: float | None
    high: float | None


def from_table(statistic: Callable[[PatternTable], Result]) -> Callable[[Ints], Result]:
    return lambda given: statistic(build_table(given))


def kappa(given: Ints) -> Result:
    """Linear kappa of the first two reviewers."""
    return weighted_kappa(given[:, 0].tolist(), given[:, 1].tolist(), LEVELS)


def student(given: Ints) -> Interval:
    found = mean_over_cases(given.mean(axis=1).tolist())
    return Interval(found.low, found.high)


def wider_mean(given: Ints) -> Interval:
    """The wider of Student's interval and the moderated one (docs/verdict.md)."""
    mean = mean_over_cases(given.mean(axis=1).tolist())
    found = widen(mean, squared_shares=1 / given.shape[1], prior=Prior())
    return Interval(found.low, found.high)


STATISTICS: dict[str, Callable[[Ints], Result | Interval]] = {
    "ordinal alpha": from_table(alpha),
    "AC1": from_table(ac1),
    "AC2, linear": from_table(ac2),
    "Fleiss' kappa": from_table(fleiss),
    "weighted kappa": kappa,
    "ICC(1,1)": from_table(icc1),
    "same score": from_table(exact_agreement),
    "within one": from_table(within_one),
    "mean, Student": student,
    "mean, the wider": wider_mean,
}
# With these a row of the table may fall below .90; docs/agreement.md and the page say so.
NOT_PROMISED = {"ordinal alpha", "Fleiss' kappa", "weighted kappa", "ICC(1,1)", "mean, Student"}


def find_truth(name: str, given: Ints) -> float:
    if name.startswith("mean"):
        return float(given.mean())
    result = STATISTICS[name](given)
    assert isinstance(result, Result)
    assert result.value is not None
    return result.value


class Coverage(NamedTuple):
    """How many of the intervals held the truth, and how many sets had none."""

    true: float
    covers: float
    without: float


def count_covered(found: list[Result | Interval], true: float) -> Coverage:
    known = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    covered = sum(low - 1e-9 <= true <= high + 1e-9 for low, high in known)
    return Coverage(true, covered / max(1, len(known)), 1 - len(known) / len(found))


def measure(scale: str, cases: int, reviewers: int, sets: int) -> dict[str, Coverage]:
    """Measure every statistic at one design."""
    chance = np.random.default_rng([cases, reviewers, list(SCALES).index(scale)])
    many = simulate(chance, (1, MANY, 3), SCALES[scale])[0]
    drawn = simulate(chance, (sets, cases, reviewers), SCALES[scale])
    return {
        name: count_covered([statistic(one) for one in drawn], find_truth(name, many))
        for name, statistic in STATISTICS.items()
    }


# --- Differences, two peaks -----------------------------------------------------------------------

# Points of latent scores for one point of severity, on an evenly spread scale.
POINT = 0.7
SEVERITY = 0.25


def measure_difference(
    scale: str, cases: int, reviewers: int, sets: int, *, by_others: bool
) -> float:
    """Measure how often the interval of a difference covers 0, where nothing changed.

    Half of what makes a case good is its request, which both releases share. Other reviewers
    differ in severity; the same ones cancel out.
    """
    scores = SCALES[scale]
    chance = np.random.default_rng([cases, reviewers, list(SCALES).index(scale), by_others])
    request = chance.standard_normal((sets, cases, 1))
    severity = SEVERITY * POINT * chance.standard_normal((2, sets, 1, reviewers))
    means = []
    for release in range(2):
        plan = chance.standard_normal((sets, cases, 1))
        case = 0.5**0.5 * request + 0.5**0.5 * plan
        review = chance.standard_normal((sets, cases, reviewers))
        share = scores.likeness
        latent = share**0.5 * case + (1 - share) ** 0.5 * review
        latent += severity[release if by_others else 0]
        means.append(np.searchsorted(scores.cuts, latent).mean(axis=2))
    shares = 2 / reviewers if by_others else 0.0
    covered = 0
    for moved in means[1] - means[0]:
        found = widen(paired(moved.tolist()), squared_shares=shares, prior=Prior())
        assert found.low is not None
        assert found.high is not None
        covered += found.low - 1e-9 <= 0 <= found.high + 1e-9
    return covered / sets


PEAKS = (2.0, 5.0)


def measure_peaks(cases: int, reviewers: int, sets: int) -> float:
    """Measure how often the wider interval of a mean covers, where cases are good or bad."""
    chance = np.random.default_rng([cases, reviewers])

    def draw(shape: tuple[int, int, int]) -> Floats:
        quality = chance.choice(PEAKS, (*shape[:2], 1))
        scores: Floats = np.clip(np.rint(quality + 0.5 * chance.standard_normal(shape)), 0, 5)
        return scores

    true = float(draw((1, MANY, reviewers)).mean())
    found = [wider_mean(given.astype(int)) for given in draw((sets, cases, reviewers))]
    return count_covered(list(found), true).covers


# --- Checklist rates ------------------------------------------------------------------------------

RATES = (0.5, 0.7, 0.9, 0.97)
RATE_DESIGNS = [(5, 2), (8, 2), (12, 3), (20, 4)]
# How alike the answers on one case are: of two, so many of those that chance would let differ.
ALIKE = (0.0, 0.5, 0.9)


def measure_rate(rate: float, alike: float, cases: int, reviewers: int, sets: int) -> float:
    """Measure how often the interval of a rate covers; one answer in ten does not apply."""
    chance = np.random.default_rng([int(rate * 100), int(alike * 100), cases, reviewers])
    if alike:
        scale = (1 - alike) / alike
        own = chance.beta(rate * scale, (1 - rate) * scale, (sets, cases, 1))
    else:
        own = np.full((sets, cases, 1), rate)
    says_yes = chance.random((sets, cases, reviewers)) < own
    applies = chance.random((sets, cases, reviewers)) >= 0.1
    yes, of = (says_yes & applies).sum(axis=2), applies.sum(axis=2)
    shares = np.where(of > 0, yes / np.maximum(of, 1), 0.0).sum(axis=1)
    asked = (of > 0).sum(axis=1)
    found = [
        exact_interval(float(share), int(units)) for share, units in zip(shares, asked, strict=True)
    ]
    return sum(low <= rate <= high for low, high in found) / len(found)


# --- Severity -------------------------------------------------------------------------------------

SEVERITY_DESIGNS = [(10, 2), (12, 3), (20, 4)]


def measure_severity(cases: int, people: int, scores: Scores, sets: int) -> float:
    """Measure how often a reviewer's interval excludes 0 where nobody is severe.

    Two of the people review each case, in turn.
    """
    chance = np.random.default_rng([cases, people])
    drawn = simulate(chance, (sets, cases, 2), scores)
    pairs = [(a, b) for a in range(people) for b in range(a + 1, people)]
    shown = tried = 0
    for given in drawn:
        ratings = {
            case: dict(zip(pairs[case % len(pairs)], map(int, row), strict=True))
            for case, row in enumerate(given)
        }
        effects = severity(ratings).effects.values()
        shown += sum(effect.excludes_zero for effect in effects)
        tried += len(effects)
    return shown / tried


# --- Tables ---------------------------------------------------------------------------------------


def write_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_coverage(sets: int) -> Iterator[str]:
    yield write_row(["scores", "figure", "true", *(f"{n} x {k}" for n, k in DESIGNS)])
    yield write_row(["---"] * (3 + len(DESIGNS)))
    for scale in SCALES:
        found = [measure(scale, *design, sets) for design in DESIGNS]
        for name in STATISTICS:
            cells = [f"{one[name].covers:.2f}" for one in found]
            yield write_row([scale, name, f"{found[0][name].true:.2f}", *cells])


def write_differences(sets: int) -> Iterator[str]:
    yield write_row(["scores", "reviewers", *(f"{n} x {k}" for n, k in DESIGNS)])
    yield write_row(["---"] * (2 + len(DESIGNS)))
    for scale in SCALES:
        for by_others in (False, True):
            cells = [
                f"{measure_difference(scale, *design, sets, by_others=by_others):.2f}"
                for design in DESIGNS
            ]
            yield write_row([scale, "others" if by_others else "the same", *cells])
    yield ""
    yield write_row(["mean, the wider", *(f"{n} x {k}" for n, k in DESIGNS)])
    yield write_row(["---"] * (1 + len(DESIGNS)))
    yield write_row(["two peaks", *(f"{measure_peaks(*design, sets):.2f}" for design in DESIGNS)])


def write_rates(sets: int) -> Iterator[str]:
    yield write_row(["rate", "alike", *(f"{n} x {k}" for n, k in RATE_DESIGNS)])
    yield write_row(["---"] * (2 + len(RATE_DESIGNS)))
    for rate in RATES:
        for alike in ALIKE:
            cells = [f"{measure_rate(rate, alike, *one, sets):.2f}" for one in RATE_DESIGNS]
            yield write_row([str(rate), str(alike), *cells])


def write_severity(sets: int) -> Iterator[str]:
    yield write_row(["scores", *(f"{n} cases, {p} people" for n, p in SEVERITY_DESIGNS)])
    yield write_row(["---"] * (1 + len(SEVERITY_DESIGNS)))
    for name, scores in SCALES.items():
        cells = [f"{measure_severity(*one, scores, sets):.3f}" for one in SEVERITY_DESIGNS]
        yield write_row([name, *cells])


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    for part in (write_coverage, write_differences, write_rates, write_severity):
        for line in part(sets):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
