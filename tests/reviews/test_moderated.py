"""Limits that decide: moderated spread, reviewers' severity, and the error spent over looks."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from reviews.comparison import (
    Prior,
    estimate_prior,
    look_levels,
    mean_over_cases,
    moderated_limits,
    paired,
    reviewer_shares,
    square_shares,
    widen,
)
from tests.bench.verdicts.simulation import World, simulate
from tests.bench.verdicts.tables import PLAN

COUNTS = st.integers(1, 60)
SPREADS = st.floats(0, 2.5)
LEVELS = st.floats(0.001, 0.2)
NAMES = st.sampled_from(["rita", "omar", "wei", "ana"])
READERS = st.lists(st.lists(NAMES, min_size=1, max_size=4, unique=True), min_size=1, max_size=12)


# --- Limits ---------------------------------------------------------------------------------------


def test_the_limit_of_five_cases_by_two_people_is_the_formula_by_hand() -> None:
    limits = moderated_limits(
        mean=4.0, sd=0.7, cases=5, level=0.05, squared_shares=0.5, prior=Prior(0.9, 4)
    )
    variance = (4 * 0.81 + 4 * 0.49) / 8
    se = sqrt(variance / 5 + 0.0625 * 0.5)
    assert limits.degrees == 8
    assert limits.se == pytest.approx(se, abs=1e-12)
    # The 95 % quantile of t with 8 degrees of freedom, from a printed table.
    assert limits.low == pytest.approx(4.0 - 1.859548 * se, abs=1e-6)
    assert limits.high == pytest.approx(4.0 + 1.859548 * se, abs=1e-6)


@given(mean=st.floats(0, 5), sd=SPREADS, cases=COUNTS, level=LEVELS)
def test_no_limit_has_zero_width(mean: float, sd: float, cases: int, level: float) -> None:
    limits = moderated_limits(
        mean=mean, sd=sd, cases=cases, level=level, squared_shares=0.0, prior=Prior()
    )
    assert limits.low < mean < limits.high


def test_equal_scores_and_one_case_alone_have_limits_too() -> None:
    alike = moderated_limits(
        mean=4.0, sd=0.0, cases=5, level=0.05, squared_shares=0.5, prior=Prior()
    )
    alone = moderated_limits(
        mean=4.0, sd=0.0, cases=1, level=0.05, squared_shares=0.5, prior=Prior()
    )
    assert alone.low < 3.0 < alike.low


@given(sd=SPREADS, cases=COUNTS, level=LEVELS)
def test_more_cases_of_the_same_spread_narrow_the_limits(
    sd: float, cases: int, level: float
) -> None:
    def reach(count: int) -> float:
        found = moderated_limits(
            mean=0.0, sd=0.9, cases=count, level=level, squared_shares=0.5, prior=Prior()
        )
        return found.high

    assert reach(cases + 1) < reach(cases)


@given(sd=SPREADS, cases=st.integers(2, 60), level=st.floats(0.001, 0.1))
def test_more_spread_or_a_stricter_level_widens_the_limits(
    sd: float, cases: int, level: float
) -> None:
    def reach(sd: float, level: float) -> float:
        limits = moderated_limits(
            mean=3.0, sd=sd, cases=cases, level=level, squared_shares=0.5, prior=Prior()
        )
        return limits.high - 3.0

    assert reach(sd + 0.1, level) > reach(sd, level)
    assert reach(sd, level / 2) > reach(sd, level)


def test_two_readers_of_every_case_leave_a_width_that_no_number_of_cases_removes() -> None:
    many = moderated_limits(
        mean=4.0, sd=0.7, cases=10_000, level=0.05, squared_shares=0.5, prior=Prior()
    )
    assert many.high - many.low == pytest.approx(2 * 1.645 * 0.25 * sqrt(0.5), abs=0.02)


# --- Intervals ------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.floats(0, 1))
def test_a_widened_interval_has_width_and_contains_students(
    values: list[int], squared_shares: float
) -> None:
    mean = mean_over_cases(values)
    wide = widen(mean, squared_shares=squared_shares, prior=Prior())
    assert mean.low is not None
    assert mean.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low <= mean.low <= mean.high <= wide.high
    assert wide.low < wide.high
    assert (wide.value, wide.sd, wide.caution) == (mean.value, mean.sd, None)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30))
def test_a_widened_difference_keeps_its_mean_and_p_value(moved: list[int]) -> None:
    change = paired(moved)
    wide = widen(change, squared_shares=0.0, prior=Prior())
    assert (wide.mean, wide.p_value, wide.better) == (change.mean, change.p_value, change.better)
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < wide.high


def test_where_there_is_no_interval_none_is_made_up() -> None:
    for values in ([], [4]):
        mean = mean_over_cases(values)
        assert widen(mean, squared_shares=0.5, prior=Prior()) == mean


# --- The prior ------------------------------------------------------------------------------------


def test_releases_that_vary_little_never_narrow_the_prior() -> None:
    assert estimate_prior([[4, 4, 4, 5], [4, 5, 4, 4]]) == Prior(0.9, 6)


def test_releases_that_vary_much_widen_the_prior_and_count_for_eight_cases_at_most() -> None:
    groups = [[1, 5, 1, 5, 3], [0, 4, 2, 5, 3], [5, 1, 3, 5, 1]]
    degrees = 4 + 4 + 4
    squares = sum((len(group) - 1) * float(np.var(group, ddof=1)) for group in groups)
    found = estimate_prior(groups)
    assert found
    assert found.sd == pytest.approx(sqrt(squares / degrees))
    assert found.degrees == 8


def test_differences_between_releases_are_no_spread() -> None:
    assert estimate_prior([[1, 1, 1], [5, 5, 5]]) == Prior(0.9, 4)


@pytest.mark.parametrize("groups", [[], [[]], [[4], [2]]])
def test_without_two_cases_in_any_release_there_is_no_estimate(groups: list[list[float]]) -> None:
    assert estimate_prior(groups) is None


# --- Shares ---------------------------------------------------------------------------------------


@given(READERS)
def test_shares_sum_to_one_and_their_squares_lie_between_even_and_alone(
    cases: list[list[str]],
) -> None:
    shares = reviewer_shares(Counter(map(tuple, cases)))
    assert sum(shares.values()) == pytest.approx(1)
    assert 1 / len(shares) - 1e-9 <= square_shares(shares) <= 1 + 1e-9


@given(READERS)
def test_the_same_readers_before_and_after_cancel_out(cases: list[list[str]]) -> None:
    shares = reviewer_shares(Counter(map(tuple, cases)))
    assert square_shares(shares, shares) == 0


def test_other_readers_add_both_parts() -> None:
    after, before = reviewer_shares({("rita", "omar"): 1}), reviewer_shares({("wei", "ana"): 1})
    assert square_shares(after, before) == pytest.approx(1.0)


def test_without_cases_nobody_has_a_share() -> None:
    assert reviewer_shares({}) == {}
    assert square_shares({}) == 0


# --- Looks ----------------------------------------------------------------------------------------


def test_looks_at_5_8_and_12_have_the_published_levels() -> None:
    """2.08, 2.12 and 3.00 %, as in issue 19; by Bonferroni they would be 1.67 % each."""
    assert look_levels([5, 8, 12]) == pytest.approx([0.0208, 0.0212, 0.0300], abs=0.00006)


def test_a_single_look_spends_everything() -> None:
    assert look_levels([5]) == (0.05,)


@given(st.lists(st.integers(1, 200), min_size=1, max_size=6, unique=True).map(sorted))
def test_looks_spend_the_error_and_no_more(sizes: list[int]) -> None:
    levels = look_levels(sizes)
    assert all(0 < level <= 0.05 + 1e-9 for level in levels)
    # Bonferroni's bound from below, and the whole error as if all looks were one from above.
    assert sum(levels) >= 0.05 - 1e-6
    assert max(levels) <= 0.05 + 1e-9


def test_looks_keep_the_promised_error_in_a_million_walks() -> None:
    """Against the normal distribution itself: four looks, equal steps, known variance."""
    sizes = (5, 10, 15, 20)
    limits = [-scipy.special.ndtri(level) for level in look_levels(sizes)]
    means = [0.0] * len(sizes)
    covariance = [[sqrt(min(a, b) / max(a, b)) for a in sizes] for b in sizes]
    inside = scipy.stats.multivariate_normal(means, covariance, seed=12).cdf(limits)
    assert 1 - inside == pytest.approx(0.05, abs=0.0005)


@pytest.mark.parametrize("sizes", [[], [0], [5, 5], [8, 5], [-1, 3]])
def test_looks_that_do_not_rise_are_refused(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="rising"):
        look_levels(sizes)


# --- Simulated releases ---------------------------------------------------------------------------

RUNS = 600


def test_a_release_at_its_floor_rarely_earns_a_go_whatever_the_look() -> None:
    """At most 5 %, and 6 % with the error of a small run (docs/verdict.md has the large one)."""
    for case_sd in (0.7, 1.0):
        for looks in (PLAN, (5,)):
            world = World(mean=3.0, case_sd=case_sd)
            assert simulate(world, looks, runs=RUNS, seed=3)[0].go <= 0.06


def test_a_good_release_earns_its_go_with_looks_and_often_with_five_cases() -> None:
    world = World(mean=4.0)
    assert simulate(world, PLAN, runs=RUNS, seed=3)[0].go >= 0.85
    assert simulate(world, (5,), runs=RUNS, seed=3)[0].go >= 0.50


def test_a_third_reviewer_costs_no_go() -> None:
    two = simulate(World(mean=4.0, reviewers=2), (8,), runs=RUNS, seed=3)[0].go
    three = simulate(World(mean=4.0, reviewers=3), (8,), runs=RUNS, seed=3)[0].go
    assert three >= two - 0.03
