"""Do the intervals cover? Simulated reviews whose true alpha is known."""

from collections.abc import Iterator

import numpy as np
import pytest

from reviews.agreement import alpha, pattern_table_from_counts
from reviews.agreement.table import Floats, Ints
from tests.bed import soak

LEVELS = range(6)
SPREAD = np.array([-1.4, -0.7, 0.0, 0.7, 1.4])
# Nearly two of three scores are a 4.
BUNCHED = np.array([-3.2, -2.6, -1.9, -0.9, 0.9])
SETS = soak.size(short=40, long=4000)


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


@pytest.mark.soak
@pytest.mark.parametrize(("cases", "reviewers"), [(5, 2), (5, 3), (10, 3), (20, 3)])
@pytest.mark.parametrize(
    ("cuts", "likeness"),
    # True alphas of about .37 and .72.
    [(SPREAD, 0.40), (SPREAD, 0.77), (BUNCHED, 0.475), (BUNCHED, 0.876)],
    ids=["spread-37", "spread-72", "bunched-37", "bunched-72"],
)
def test_the_interval_of_alpha_covers(
    cases: int, reviewers: int, likeness: float, cuts: Floats
) -> None:
    chance = np.random.default_rng([cases, reviewers, int(100 * likeness)])
    many = simulated(chance, (1, 200_000, 3), likeness, cuts)[0]
    true = alpha(pattern_table_from_counts(many, LEVELS)).value
    assert true is not None
    assert min(abs(true - 0.37), abs(true - 0.72)) < 0.01
    found = list(covered(simulated(chance, (SETS, cases, reviewers), likeness, cuts), true))
    defined = [one for one in found if one is not None]
    share = sum(defined) / len(defined)
    name = "spread" if cuts is SPREAD else "bunched"
    soak.report(
        f"{cases} x {reviewers}, scores {name}, alpha {true:.2f}: covers {share:.3f}, "
        f"without interval {1 - len(defined) / len(found):.3f}",
        tried=len(found),
        bad=0,
    )
    # A short run has a wide error of its own; bunched scores are measured, not promised.
    if soak.SOAKING and cuts is SPREAD:
        assert 0.92 <= share <= 0.98
    assert share > 0.6
