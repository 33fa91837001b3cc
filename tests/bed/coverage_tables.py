"""How often the shipped interval covers the true alpha of simulated reviews.

`python -m tests.bed.coverage_tables` prints the table that docs/agreement.md shows.
"""

from collections.abc import Iterator

import numpy as np

from reviews.agreement import alpha, pattern_table_from_counts
from reviews.agreement.table import Floats, Ints

LEVELS = range(6)
SPREAD = np.array([-1.4, -0.7, 0.0, 0.7, 1.4])
# Nearly two of three scores are a 4.
BUNCHED = np.array([-3.2, -2.6, -1.9, -0.9, 0.9])
DESIGNS = [(5, 2), (5, 3), (10, 3), (20, 3)]
# Cuts and likeness: true alphas of about .37 and .72.
SCALES = {
    "spread-37": (SPREAD, 0.40),
    "spread-72": (SPREAD, 0.77),
    "bunched-37": (BUNCHED, 0.475),
    "bunched-72": (BUNCHED, 0.876),
}
SETS = 4000


def simulated(
    chance: np.random.Generator, shape: tuple[int, int, int], likeness: float, cuts: Floats
) -> Ints:
    """Counts of sets x cases x reviewers: a normal case and a normal review, cut into levels."""
    sets, cases, reviewers = shape
    case = chance.standard_normal((sets, cases, 1))
    review = chance.standard_normal((sets, cases, reviewers))
    scores = np.searchsorted(cuts, likeness**0.5 * case + (1 - likeness) ** 0.5 * review)
    return np.stack([(scores == level).sum(axis=2) for level in LEVELS], axis=2)


def covered(counts: Ints, true: float) -> Iterator[bool | None]:
    """None where there is no interval."""
    for one in counts:
        result = alpha(pattern_table_from_counts(one, LEVELS))
        if result.low is None or result.high is None:
            yield None
        else:
            yield result.low <= true <= result.high


def coverage(
    cases: int, reviewers: int, likeness: float, cuts: Floats, sets: int
) -> tuple[float, float, float]:
    """The true alpha, how often the interval covers it, and how often there is none."""
    chance = np.random.default_rng([cases, reviewers, int(100 * likeness)])
    many = simulated(chance, (1, 200_000, 3), likeness, cuts)[0]
    true = alpha(pattern_table_from_counts(many, LEVELS)).value
    assert true is not None
    found = list(covered(simulated(chance, (sets, cases, reviewers), likeness, cuts), true))
    defined = [one for one in found if one is not None]
    return true, sum(defined) / len(defined), 1 - len(defined) / len(found)


def main() -> None:
    print("| scores | true alpha | cases x reviewers | covers | without interval |")
    print("| --- | --- | --- | --- | --- |")
    for name, (cuts, likeness) in SCALES.items():
        for cases, reviewers in DESIGNS:
            true, share, none = coverage(cases, reviewers, likeness, cuts, SETS)
            where = name.split("-")[0]
            print(f"| {where} | {true:.2f} | {cases} x {reviewers} | {share:.3f} | {none:.3f} |")


if __name__ == "__main__":
    main()
