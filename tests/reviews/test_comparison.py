"""Paired differences, rates, means and severity, beside published figures and brute force."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reviews.agreement import Result, icc1, pattern_table
from reviews.comparison import (
    detectable_in_sds,
    mcnemar_exact,
    mean_over_cases,
    paired,
    reliability_of_mean,
    severity,
    wilson,
)
from tests.bed import soak

many = settings(max_examples=soak.size(short=30, long=5000), deadline=None)

# --- Paired differences ---------------------------------------------------------------------------


def test_twelve_differences_with_ties() -> None:
    """exactRankTests for R and by hand: the sign-flip test of the mean."""
    result = paired([1, 1, 0, 2, -1, 1, 0, 1, 1, 3, -2, 1])
    assert result.p_value == pytest.approx(0.158203, abs=5e-7)
    assert (result.better, result.same, result.worse, result.n) == (8, 2, 2, 12)
    assert result.mean == pytest.approx(2 / 3)


def test_the_depression_scores_of_hollander_and_wolfe() -> None:
    """Hollander and Wolfe (1973), nine patients; beside SciPy and every choice of signs."""
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = paired([one - other for one, other in zip(before, after, strict=True)])
    t = stats.ttest_rel(before, after).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((t.low, t.high))
    differences = [Fraction(f"{a}") - Fraction(f"{b}") for a, b in zip(before, after, strict=True)]
    assert result.p_value == by_every_sign(differences)


def by_every_sign(differences: Sequence[Fraction]) -> float:
    """All 2^n choices of signs, one by one."""
    observed = abs(sum(differences, Fraction(0)))
    sums = [
        abs(sum((sign * one for sign, one in zip(signs, differences, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= observed for one in sums) / len(sums)


# Differences of means of up to three scores from 0 to 5.
DIFFERENCES = st.lists(
    st.builds(Fraction, st.integers(-15, 15), st.sampled_from([1, 2, 3, 6])), min_size=1, max_size=9
)


@pytest.mark.soak
@many
@given(differences=DIFFERENCES)
def test_the_p_value_is_that_of_every_choice_of_signs(differences: list[Fraction]) -> None:
    assert paired(differences).p_value == pytest.approx(by_every_sign(differences), abs=1e-12)


@pytest.mark.soak
@many
@given(differences=DIFFERENCES)
def test_floats_are_read_as_the_fractions_they_stand_for(differences: list[Fraction]) -> None:
    assert paired([float(one) for one in differences]) == paired(differences)


@pytest.mark.soak
@many
@given(differences=DIFFERENCES, chance=st.randoms(use_true_random=False))
def test_turning_signs_and_order_turns_the_result(
    differences: list[Fraction], chance: random.Random
) -> None:
    one = paired(differences)
    other = [-value for value in differences]
    chance.shuffle(other)
    turned = paired(other)
    assert turned.p_value == one.p_value
    assert (turned.better, turned.same, turned.worse) == (one.worse, one.same, one.better)
    assert turned.mean == -(one.mean or 0)
    assert turned.detectable == one.detectable
    if one.low is not None:
        assert turned.high == pytest.approx(-one.low)


def test_five_pairs_never_reach_five_percent() -> None:
    """2 / 32."""
    assert paired([1, 1, 2, 1, 3]).p_value == 0.0625
    assert paired([1, 1, 2, 1, 3]).smallest_p_value == 0.0625
    assert paired([1, 1, 2, 1, 3, 1]).p_value == 0.03125


@pytest.mark.parametrize(
    ("pairs", "sds"),
    [(5, 1.682), (8, 1.156), (10, 0.996), (15, 0.778), (20, 0.6604), (30, 0.5292), (50, 0.4042)],
)
def test_smallest_detectable_difference(pairs: int, sds: float) -> None:
    """statsmodels and R's power.t.test: two-sided 5 %, 80 % power."""
    digits = len(str(sds).split(".")[1])
    assert round(detectable_in_sds(pairs), digits) == sds


def test_half_a_standard_deviation_takes_34_pairs() -> None:
    """R's power.t.test: n = 33.3672."""
    assert detectable_in_sds(33) > 0.5 > detectable_in_sds(34)


def test_the_detectable_difference_is_in_points() -> None:
    result = paired([0, 1, -1, 0, 1])
    assert result.sd == pytest.approx(0.83666, abs=1e-5)
    assert result.detectable == pytest.approx(1.682 * 0.83666, abs=1e-3)


def test_no_shared_case_is_no_comparison() -> None:
    result = paired([])
    assert result.reason == "no comparison possible: no case is shared"
    assert result.mean is result.low is result.high is result.p_value is result.detectable is None
    assert (result.n, result.smallest_p_value) == (0, 1.0)


def test_one_pair_has_a_mean_and_no_interval() -> None:
    result = paired([1])
    assert (result.mean, result.low, result.high, result.p_value) == (1.0, None, None, 1.0)
    assert str(result.caution) == "no interval: there is only one case"
    assert result.reason is None


def test_equal_differences_give_an_interval_without_width_and_say_so() -> None:
    result = paired([Fraction(1, 3)] * 6)
    assert result.low == result.mean == result.high == pytest.approx(1 / 3)
    assert result.caution is not None
    assert result.caution.code == "no-spread"
    assert result.p_value == 2 / 2**6
    assert result.detectable is None


def test_nothing_changed_is_a_p_value_of_one() -> None:
    assert paired([0, 0, 0, 0, 0]).p_value == 1.0
    assert paired([1, -1]).p_value == 1.0


def test_differences_without_a_common_step_have_no_exact_p_value() -> None:
    chance = random.Random(3)
    result = paired([chance.random() for _ in range(12)])
    assert result.p_value is None
    assert result.p_caution is not None
    assert result.p_caution.code == "too-fine"
    assert result.low is not None


def test_many_pairs_agree_with_the_normal_distribution() -> None:
    chance = random.Random(5)
    differences = [Fraction(chance.randint(-10, 11), chance.choice([1, 2, 3])) for _ in range(800)]
    result = paired(differences)
    z = float(sum(differences)) / float(sum(one**2 for one in differences)) ** 0.5
    assert result.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=0.02)


# --- Rates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.255289, 0.366210),
        (15, 148, 0.062386, 0.160487),
        (0, 20, 0.0, 0.161125),
        (1, 29, 0.006113, 0.171755),
    ],
)
def test_wilson_s_interval(k: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), table I; statsmodels and R."""
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-7)
    assert wilson(n - k, n) == pytest.approx((1 - high, 1 - low), abs=5e-7)


def test_of_no_answers_nothing_is_known_and_other_rates_are_refused() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    for k, n in ((-1, 4), (5, 4), (1, 0)):
        with pytest.raises(ValueError, match="is not a rate"):
            wilson(k, n)


@pytest.mark.soak
@many
@given(b=st.integers(0, 400), c=st.integers(0, 400))
def test_mcnemar_s_p_value_is_that_of_the_binomial_test(b: int, c: int) -> None:
    expected = stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_refuses_negative_changes() -> None:
    with pytest.raises(ValueError, match="fewer than 0"):
        mcnemar_exact(-1, 3)


# --- Means ----------------------------------------------------------------------------------------


def test_mean_over_cases_with_student_s_interval() -> None:
    cases = [Fraction(7, 2), Fraction(4), Fraction(10, 3), Fraction(5), Fraction(9, 2)]
    result = mean_over_cases(cases)
    t = stats.ttest_1samp([float(one) for one in cases], 0).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((t.low, t.high))
    assert result.value == pytest.approx(4.0666666667)
    assert result.n == 5


def test_mean_of_none_one_and_equal_cases() -> None:
    assert mean_over_cases([]).reason == "not defined: there is no case"
    assert mean_over_cases([4]).value == 4.0
    assert mean_over_cases([4]).low is None
    flat = mean_over_cases([4, 4, 4])
    assert (flat.low, flat.high) == (4.0, 4.0)
    assert flat.caution is not None


def test_reliability_of_a_mean_of_four() -> None:
    """Shrout and Fleiss (1979): ICC(1,1) = .165742, ICC(1,4) = .442797."""
    rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    one = icc1(pattern_table({n: dict(enumerate(row)) for n, row in enumerate(rows)}, range(1, 11)))
    four = reliability_of_mean(one, 4)
    assert four.value == pytest.approx(0.442797, abs=5e-7)
    assert one.low is not None
    assert four.low == pytest.approx(4 * one.low / (1 + 3 * one.low))
    assert reliability_of_mean(one, 1).value == one.value


def test_reliability_of_a_mean_is_undefined_where_the_formula_turns_round() -> None:
    at_the_limit = Result(-0.5, -0.5, 0.5, "one-way-f", 9, 27)
    result = reliability_of_mean(at_the_limit, 3)
    assert result.value is None
    assert result.reason == ("not defined: reviews of a case differ too much for a mean of 3")
    limit_only = Result(0.2, -0.5, 0.5, "one-way-f", 9, 27)
    assert reliability_of_mean(limit_only, 3).low is None
    assert reliability_of_mean(limit_only, 3).high == 0.75
    nothing = reliability_of_mean(Result(None, None, None, "", 0, 0), 3)
    assert nothing.value is None


# --- Severity -------------------------------------------------------------------------------------

N = None


def test_severity_of_four_raters_with_missing_scores() -> None:
    """Krippendorff's (2011) ratings; R's lm with contrasts that sum to 0."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
    result = severity({case: {who: rows[who][case] for who in range(4)} for case in range(12)})
    [component] = result.components
    assert component.is_comparable
    assert component.n_ratings == 41
    assert [result.reviewers[who] for who in range(4)] == pytest.approx(
        [-0.230526, -0.099789, 0.2242, 0.106115], abs=5e-7
    )
    assert list(result.adjusted.values()) == pytest.approx(
        [1.074733, 2.25, 3, 3, 2, 2.5, 4, 1.25, 2, 4.923158, 0.834842, 3.099789], abs=5e-7
    )
    assert result.raw[1] == 2.25
    assert result.raw[11] == 3.0


def test_reviewers_are_compared_only_where_cases_connect_them() -> None:
    ratings: dict[str, dict[str, int | None]] = {
        "a": {"rita": 4, "omar": 2},
        "b": {"rita": 5, "omar": 3},
        "c": {"wei": 5, "ada": 4},
        "d": {"sam": 1},
        "e": {"rita": None},
        "f": {},
    }
    result = severity(ratings)
    assert [set(one.reviewers) for one in result.components] == [
        {"rita", "omar"},
        {"wei", "ada"},
        {"sam"},
    ]
    assert result.reviewers == pytest.approx(
        {"rita": 1, "omar": -1, "wei": 0.5, "ada": -0.5, "sam": 0}
    )
    assert result.adjusted == pytest.approx({"a": 3, "b": 4, "c": 4.5, "d": 1})
    assert not result.components[2].is_comparable
    assert severity(dict[str, dict[str, int]]()).components == ()


@pytest.mark.soak
@many
@given(
    rows=st.lists(
        st.dictionaries(st.integers(0, 5), st.integers(0, 5), max_size=3), min_size=1, max_size=12
    )
)
def test_severity_is_the_least_squares_solution(rows: list[dict[int, int]]) -> None:
    result = severity(dict(enumerate(rows)))
    given_scores = [
        (case, who, score) for case, row in enumerate(rows) for who, score in row.items()
    ]
    assert sum(one.n_ratings for one in result.components) == len(given_scores)
    for one in result.components:
        assert isclose(sum(one.reviewers.values()), 0, abs_tol=1e-9)
    if not given_scores:
        return
    # Any solution of the whole fits the scores alike; which one is settled by the sums of 0.
    design = np.zeros((len(given_scores), len(rows) + 6))
    for row, (case, who, _) in enumerate(given_scores):
        design[row, case] = design[row, len(rows) + who] = 1
    scores = np.array([score for _, _, score in given_scores], dtype=float)
    fitted = design @ np.linalg.lstsq(design, scores, rcond=None)[0]
    ours = [result.adjusted[case] + result.reviewers[who] for case, who, _ in given_scores]
    assert ours == pytest.approx(fitted.tolist(), abs=1e-9)
