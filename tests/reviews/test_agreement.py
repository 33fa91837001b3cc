"""Agreement against figures that others published, and what is said where there is no figure.

The data sets and figures are facts of the literature; each test names its source. "Several
programs" are irrCAC, irr, psych, krippendorff and statsmodels, as far as they compute the figure.
"""

import re
from collections.abc import Callable, Sequence
from math import comb, sqrt
from typing import cast

import numpy as np
import pytest

from reviews.agreement import (
    BadRatings,
    Metric,
    PatternTable,
    Result,
    Weights,
    ac1,
    ac2,
    alpha,
    brennan_prediger,
    cases_within_one,
    exact_agreement,
    fleiss,
    icc1,
    mean_gap,
    pattern_table,
    pattern_table_from_counts,
    reading,
    weighted_kappa,
    within_one,
)
from reviews.agreement.reliability import midranks, one_way

Coefficient = Callable[..., Result]


def by_rater(rows: Sequence[Sequence[int | None]], levels: Sequence[int]) -> PatternTable:
    """One row for each rater."""
    return pattern_table(
        {unit: dict(enumerate(scores)) for unit, scores in enumerate(zip(*rows, strict=True))},
        levels,
    )


def by_unit(rows: Sequence[Sequence[int | None]], levels: Sequence[int]) -> PatternTable:
    return pattern_table({unit: dict(enumerate(row)) for unit, row in enumerate(rows)}, levels)


def listed(cells: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Two raters, out of the table of how often they gave which pair of levels."""
    pairs = [
        (one, other)
        for one, row in enumerate(cells)
        for other, times in enumerate(row)
        for _ in range(times)
    ]
    return [one for one, _ in pairs], [other for _, other in pairs]


def value(result: Result) -> float:
    assert result.value is not None
    assert result.reason is None
    return result.value


def interval(result: Result) -> tuple[float, float]:
    assert result.low is not None
    assert result.high is not None
    return result.low, result.high


# --- Published figures ----------------------------------------------------------------------------

N = None
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; used again by Gwet (2014).
FOUR_RATERS = by_rater(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ],
    [1, 2, 3, 4, 5],
)


@pytest.mark.parametrize(
    ("metric", "published", "jackknife_se"),
    [
        ("nominal", 0.743421, 0.146327),
        ("ordinal", 0.815388, 0.148031),
        ("interval", 0.849107, 0.140840),
    ],
)
def test_alpha_of_four_raters_with_missing_scores(
    metric: Metric, published: float, jackknife_se: float
) -> None:
    """Krippendorff (2011), several programs; the errors by leaving out 11 cases one by one."""
    result = alpha(FOUR_RATERS, metric)
    assert value(result) == pytest.approx(published, abs=5e-7)
    assert result.se == pytest.approx(jackknife_se, abs=5e-7)
    assert (result.n_units, result.n_pairs) == (11, 55)


def test_nominal_alpha_is_the_published_fraction() -> None:
    """Krippendorff (2011): 1 - 312/1216."""
    assert value(alpha(FOUR_RATERS, "nominal")) == pytest.approx(904 / 1216, abs=1e-15)


# Gwet's own "ordinal" weights, which are not Krippendorff's ordinal distance.
GWET_ORDINAL = [
    [1 - (comb(abs(one - other) + 1, 2) / comb(5, 2)) for other in range(5)] for one in range(5)
]


@pytest.mark.parametrize(
    ("weights", "of_ac2", "of_fleiss", "of_brennan_prediger"),
    [
        ("identity", 0.77544, 0.76117, 0.77273),
        ("linear", 0.85874, 0.81794, 0.84848),
        ("quadratic", 0.91400, 0.86494, 0.90152),
        (GWET_ORDINAL, 0.89894, 0.85021, 0.88636),
    ],
)
def test_gwet_s_coefficients_of_four_raters(
    weights: Weights, of_ac2: float, of_fleiss: float, of_brennan_prediger: float
) -> None:
    """Gwet (2014), irrCAC for R and Python: a case with one score counts for the levels' use."""
    assert value(ac2(FOUR_RATERS, weights)) == pytest.approx(of_ac2, abs=5e-6)
    assert value(fleiss(FOUR_RATERS, weights)) == pytest.approx(of_fleiss, abs=5e-6)
    assert value(brennan_prediger(FOUR_RATERS, weights)) == pytest.approx(
        of_brennan_prediger, abs=5e-6
    )


def test_standard_errors_of_gwet_s_coefficients() -> None:
    """irrCAC for R and Python."""
    assert ac1(FOUR_RATERS).se == pytest.approx(0.14295, abs=5e-6)
    assert fleiss(FOUR_RATERS).se == pytest.approx(0.15302, abs=5e-6)
    assert brennan_prediger(FOUR_RATERS).se == pytest.approx(0.14472, abs=5e-6)
    assert ac2(FOUR_RATERS, "quadratic").se == pytest.approx(0.10396, abs=5e-6)


def test_exact_agreement_of_four_raters_is_the_mean_over_cases() -> None:
    """Gwet (2014): pa = 0.81818. Of all 55 pairs 43 agree, which is another figure."""
    assert value(exact_agreement(FOUR_RATERS)) == pytest.approx(0.81818, abs=5e-6)


def test_intraclass_correlation_of_four_raters_counts_a_case_with_one_score() -> None:
    """irrNA for R, 12 cases."""
    assert value(icc1(FOUR_RATERS)) == pytest.approx(0.84968, abs=5e-6)


def test_nominal_alpha_of_two_observers() -> None:
    """Krippendorff (2011), ten cases, 0 or 1; krippendorff and irr."""
    table = by_rater([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], [0, 1])
    assert value(alpha(table, "nominal")) == pytest.approx(0.095238, abs=5e-7)


# Fleiss (1971): 30 patients, 6 psychiatrists, 5 diagnoses.
DIAGNOSES = [
    [int(count) for count in row]
    for row in re.findall(
        r"\d{5}",
        "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
        "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006",
    )
]


def test_kappa_of_fleiss_s_diagnoses() -> None:
    """Fleiss (1971); statsmodels and irr."""
    table = pattern_table_from_counts(DIAGNOSES, range(5))
    assert value(fleiss(table)) == pytest.approx(0.430245, abs=5e-7)


def test_coefficients_of_the_first_half_of_the_diagnoses() -> None:
    """irrCAC, distrib.6raters."""
    table = pattern_table_from_counts(DIAGNOSES[:15], range(5))
    assert value(ac1(table)) == pytest.approx(0.444801, abs=5e-7)
    assert ac1(table).se == pytest.approx(0.084188, abs=5e-7)
    # Printed as 0.413927: rounded twice, of 0.41392650 and that of 0.4139264990.
    assert value(fleiss(table)) == pytest.approx(0.413927, abs=6e-7)
    assert value(fleiss(table)) == pytest.approx(0.4139264990, abs=5e-11)
    assert value(brennan_prediger(table)) == pytest.approx(0.438889, abs=5e-7)
    assert value(alpha(table, "nominal")) == pytest.approx(0.420438, abs=5e-7)


def test_coefficients_of_fourteen_raters() -> None:
    """The example of Wikipedia's Fleiss' kappa; statsmodels, irr and irrCAC."""
    table = pattern_table_from_counts(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ],
        range(5),
    )
    assert value(fleiss(table)) == pytest.approx(0.209931, abs=5e-7)
    assert value(brennan_prediger(table)) == pytest.approx(0.222527, abs=5e-7)
    assert value(alpha(table, "nominal")) == pytest.approx(0.215574, abs=5e-7)


def test_coefficients_of_two_raters_from_their_table() -> None:
    """Gwet (2014); irrCAC."""
    a, b = listed([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    kappa = weighted_kappa(a, b, [0, 1, 2], weights="identity")
    table = by_rater([a, b], [0, 1, 2])
    assert value(kappa) == pytest.approx(0.796409, abs=5e-7)
    # Scott's pi is what Fleiss' kappa is for two.
    assert value(fleiss(table)) == pytest.approx(0.796240, abs=5e-7)
    assert value(ac1(table)) == pytest.approx(0.849331, abs=5e-7)
    assert value(brennan_prediger(table)) == pytest.approx(0.835, abs=5e-7)
    # Printed as 0.797259: rounded twice. By hand 1 - 199 * 22 / (200^2 - 26^2 - 51^2 - 123^2).
    assert value(alpha(table, "nominal")) == pytest.approx(0.797259, abs=6e-7)
    assert value(alpha(table, "nominal")) == pytest.approx(1 - 4378 / 21594, abs=1e-15)
    assert value(exact_agreement(table)) == pytest.approx(0.89, abs=1e-12)
    # From a table of two raters irrCAC divides by n; from ratings, as we do, by n - 1.
    by_n = sqrt(99 / 100)
    assert kappa.se is not None
    assert kappa.se * by_n == pytest.approx(0.058911, abs=5e-7)
    assert (ac1(table).se or 0) * by_n == pytest.approx(0.043217, abs=5e-7)


def test_weighted_kappa_with_weights_of_one_s_own() -> None:
    """Cohen (1968), 200 cases; psych."""
    a, b = listed([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    disagreement = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    assert value(weighted_kappa(a, b, [0, 1, 2], "identity")) == pytest.approx(0.491525, abs=5e-7)
    assert value(weighted_kappa(a, b, [0, 1, 2], disagreement)) == pytest.approx(0.347826, abs=5e-7)


# Shrout and Fleiss (1979): six targets, four judges.
TARGETS = by_unit(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    range(1, 11),
)


def test_intraclass_correlation_of_six_targets_with_its_interval() -> None:
    """Shrout and Fleiss (1979); pingouin, psych and irr."""
    result = icc1(TARGETS)
    assert value(result) == pytest.approx(0.165742, abs=5e-7)
    assert interval(result) == pytest.approx((-0.132932, 0.72256), abs=1e-6)
    assert result.method == "one-way-f"


@pytest.mark.parametrize(
    ("metric", "known"), [("nominal", -0.064815), ("ordinal", 0.109059), ("interval", 0.147308)]
)
def test_alpha_of_six_targets(metric: Metric, known: float) -> None:
    """Krippendorff's package, and by hand."""
    assert value(alpha(TARGETS, metric)) == pytest.approx(known, abs=5e-7)


# --- Edges ----------------------------------------------------------------------------------------

SCALE = range(6)
# The paradox: nearly everybody gives a 4.
PARADOX = by_unit([[4, 4]] * 18 + [[4, 3], [3, 4]], SCALE)
FIVE_BY_TWO = by_unit([[3, 4], [4, 4], [2, 3], [5, 5], [3, 3]], SCALE)


def test_scores_that_barely_vary_agree_without_showing_it() -> None:
    """Figures by Krippendorff's package and by hand."""
    assert value(exact_agreement(PARADOX)) == pytest.approx(0.9)
    assert value(within_one(PARADOX)) == 1.0
    assert value(alpha(PARADOX)) == pytest.approx(-0.026316, abs=5e-7)
    assert value(ac1(PARADOX)) == pytest.approx(0.898063, abs=5e-7)
    assert value(ac2(PARADOX, "linear")) == pytest.approx(0.978502, abs=5e-7)
    assert value(ac2(PARADOX, "quadratic")) == pytest.approx(0.995617, abs=5e-7)
    said = reading(alpha(PARADOX), within_one=within_one(PARADOX), levels_used=PARADOX.levels_used)
    assert said == "barely-varies"


def test_five_cases_with_two_reviews_have_a_wide_interval() -> None:
    """Figures by irrCAC and by hand."""
    result = alpha(FIVE_BY_TWO)
    assert value(result) == pytest.approx(0.778, abs=5e-7)
    assert value(alpha(FIVE_BY_TWO, "interval")) == pytest.approx(0.785714, abs=5e-7)
    assert value(ac1(FIVE_BY_TWO)) == pytest.approx(0.534884, abs=5e-7)
    low, high = interval(result)
    assert low < 0.1
    assert high > 0.95


def test_the_f_interval_of_five_cases_step_by_step() -> None:
    """Midranks of 2, 3, 4, 5: 0.5, 3, 6.5, 9. F quantiles from printed tables: 7.3879, 9.3645."""
    means = [4.75, 6.5, 1.75, 9.0, 3.0]
    between = 2 * sum((mean - 5) ** 2 for mean in means) / 4
    within = (2 * 1.75**2 + 2 * 1.25**2) / 5
    low, high = between / within / 7.3879, between / within * 9.3645
    assert one_way(FIVE_BY_TWO, midranks(FIVE_BY_TWO.totals)).interval() == pytest.approx(
        ((low - 1) / (low + 1), (high - 1) / (high + 1)), abs=1e-5
    )
    # The jackknife is a little wider at both ends, and alpha takes the wider.
    found = alpha(FIVE_BY_TWO)
    assert found.se is not None
    assert interval(found) == pytest.approx((value(found) - 2.776445 * found.se, 1.0), abs=1e-5)
    assert found.low is not None
    assert found.low < (low - 1) / (low + 1)


COEFFICIENTS: list[Coefficient] = [alpha, ac1, ac2, fleiss, brennan_prediger, icc1]


def test_all_scores_equal_leave_alpha_undefined_and_the_sentence_says_so() -> None:
    table = by_unit([[4, 4, 4]] * 5, SCALE)
    for result in (alpha(table), alpha(table, "nominal"), alpha(table, "interval")):
        assert (result.value, result.low, result.high) == (None, None, None)
        assert result.reason == "not defined: every score is 4 (100 % exact agreement, 15 pairs)"
        assert result.why is not None
        assert result.why.code == "all-equal"
        assert result.why.params == {"level": "4", "count": 15}
    assert fleiss(table).why == icc1(table).why == alpha(table).why
    assert weighted_kappa([4] * 5, [4] * 5, SCALE).reason == (
        "not defined: every score is 4 (100 % exact agreement, 5 pairs)"
    )
    assert value(exact_agreement(table)) == 1.0


def test_where_chance_is_known_without_variation_full_agreement_is_one_with_a_width() -> None:
    table = by_unit([[4, 4, 4]] * 5, SCALE)
    # Five of five: by Clopper and Pearson at least .025 ** (1 / 5) agree.
    share = 0.025 ** (1 / 5)
    for result, expected in ((ac1(table), 0), (ac2(table), 0), (brennan_prediger(table), 1 / 6)):
        assert value(result) == 1.0
        assert interval(result) == pytest.approx(((share - expected) / (1 - expected), 1.0))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[4], [3], [5], [2], [1]], id="one reviewer"),
        pytest.param([[4, None], [None, 3], [5, None], [None, 2], [1, None]], id="no overlap"),
        pytest.param([[None, None]] * 6, id="all not applicable"),
        pytest.param([], id="no case"),
    ],
)
def test_without_two_reviews_of_a_case_nothing_is_defined(
    coefficient: Coefficient, rows: list[list[int | None]]
) -> None:
    table = by_unit(rows, SCALE)
    for result in (
        coefficient(table),
        exact_agreement(table),
        within_one(table),
        cases_within_one(table),
        mean_gap(table),
    ):
        assert (result.value, result.low, result.high) == (None, None, None)
        assert result.reason == "not defined: no case has two reviews"
        assert (result.n_units, result.n_pairs) == (0, 0)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_four_cases_have_plain_agreement_and_no_coefficient(coefficient: Coefficient) -> None:
    rows: list[list[int | None]] = [[3, 4], [4, 4], [2, 3], [5, 5], [3, None]]
    four, five = by_unit(rows, SCALE), by_unit([*rows[:4], [3, 3]], SCALE)
    result = coefficient(four)
    assert result.reason == "not defined: 4 cases with two reviews, at least 5 are needed"
    assert coefficient(five).reason is None
    plain = exact_agreement(four)
    assert value(plain) == 0.5
    assert (plain.low, plain.high) == (None, None)
    assert str(plain.caution) == "no interval: 4 cases with two reviews, at least 5 are needed"
    assert mean_gap(four).caution == plain.caution


def test_one_case_is_said_in_the_singular() -> None:
    table = by_unit([[3, 4]], SCALE)
    assert alpha(table).reason == "not defined: 1 case with two reviews, at least 5 are needed"


def test_the_interval_of_alpha_is_the_wider_of_f_and_jackknife() -> None:
    rows = [[one % 6, (one + one % 2) % 6, one % 6] for one in range(20)]
    table = by_unit(rows, SCALE)
    twenty = alpha(table)
    assert twenty.method == "one-way-f-or-jackknife-t"
    assert twenty.se is not None
    low, high = one_way(table, midranks(table.totals)).interval()
    # 2.093: the t quantile of 19 degrees of freedom.
    reach = 2.093024 * twenty.se
    expected = min(low, value(twenty) - reach), min(1.0, max(high, value(twenty) + reach))
    assert interval(twenty) == pytest.approx(expected, abs=1e-6)


def test_perfect_agreement_is_one_and_its_interval_has_a_width() -> None:
    table = by_unit([[level, level, level] for level in range(6)], SCALE)
    result = alpha(table)
    # Six of six agree, so at least .5407 of all; chance is 18 * 2 of 18 * 17 pairs.
    assert (result.value, result.method) == (1.0, "share")
    low = 1 - (1 - 0.025 ** (1 / 6)) / (1 - 36 / 306)
    assert interval(result) == pytest.approx((low, 1.0))
    assert value(icc1(table)) == 1.0
    assert interval(icc1(table)) == interval(result)
    assert value(mean_gap(table)) == 0.0


def test_agreement_that_hangs_on_one_case_shows_nothing() -> None:
    """Without the case of two fives every score would be 4."""
    result = alpha(by_unit([[4, 4]] * 4 + [[5, 5]], SCALE))
    assert value(result) == 1.0
    assert result.low is not None
    assert result.low < 0
    # With a difference inside of it there is a variance to go by, however many cases there are.
    assert alpha(by_unit([[4, 4]] * 30 + [[4, 5]], SCALE)).method == "one-way-f"


def test_names_of_more_than_two_levels_have_no_midranks_and_take_the_jackknife() -> None:
    three = by_unit([[0, 1], [1, 1], [2, 2], [0, 0], [2, 1]], [0, 1, 2])
    two = by_unit([[0, 1], [1, 1], [1, 1], [0, 0], [0, 1]], [0, 1, 2])
    assert alpha(three, "nominal").method == "jackknife-t"
    assert alpha(two, "nominal").method == "one-way-f-or-jackknife-t"


def test_mean_gap_and_rates_by_hand() -> None:
    table = by_unit([[3, 4, 5], [4, 4, 4], [1, 3, None], [2, 2, 3], [5, 5, 5]], SCALE)
    assert value(exact_agreement(table)) == pytest.approx((0 + 1 + 0 + 1 / 3 + 1) / 5)
    assert value(within_one(table)) == pytest.approx((2 / 3 + 1 + 0 + 1 + 1) / 5)
    assert value(cases_within_one(table)) == pytest.approx(3 / 5)
    assert value(mean_gap(table)) == pytest.approx((4 / 3 + 0 + 2 + 2 / 3 + 0) / 5)
    assert exact_agreement(table).n_pairs == 13
    assert table.levels_used == (1, 2, 3, 4, 5)


def test_levels_that_are_words_have_places_for_numbers() -> None:
    answers = pattern_table(
        {n: {"rita": one, "omar": other} for n, (one, other) in enumerate(WORDS)}, ["yes", "no"]
    )
    numbers = by_unit([[int(a == "no"), int(b == "no")] for a, b in WORDS], [0, 1])
    assert alpha(answers, "nominal") == alpha(numbers, "nominal")
    assert ac1(answers) == ac1(numbers)
    same = pattern_table({n: {"rita": "yes", "omar": "yes"} for n in range(6)}, ["yes", "no"])
    assert alpha(same, "nominal").reason == (
        "not defined: every score is yes (100 % exact agreement, 6 pairs)"
    )


WORDS = [("yes", "yes"), ("no", "no"), ("yes", "no"), ("yes", "yes"), ("no", "no"), ("no", "yes")]


def test_distances_go_by_the_value_of_a_level_not_by_its_place() -> None:
    """The trap of scikit-learn without `labels`: 0, 1, 5 are not 0, 1, 2."""
    a, b = [0, 1, 0, 1, 5, 5], [1, 0, 1, 0, 5, 5]
    by_value = value(weighted_kappa(a, b, range(6)))
    assert value(weighted_kappa(a, b, [0, 1, 5])) == pytest.approx(by_value)
    places = {0: 0, 1: 1, 5: 2}
    by_place = weighted_kappa([places[x] for x in a], [places[x] for x in b], [0, 1, 2])
    assert value(by_place) < by_value - 0.2


def test_weights_that_see_no_difference_are_said_to() -> None:
    near = (np.abs(np.subtract.outer(range(6), range(6))) <= 1).astype(float)
    table = by_unit([[3, 4], [4, 4], [3, 3], [4, 3], [4, 4]], SCALE)
    result = fleiss(table, near)
    assert result.reason == "not defined: by these weights no two of the scores differ"
    kappa = weighted_kappa([3, 4, 3, 4, 4], [4, 4, 3, 3, 4], SCALE, near)
    assert kappa.reason == result.reason


def test_kappa_skips_cases_that_one_of_the_two_has_not_scored() -> None:
    both = weighted_kappa([1, 2, 3, 4, 5], [1, 2, 4, 4, 5], SCALE)
    gaps = weighted_kappa([1, None, 2, 3, 4, 5, 0], [1, 3, 2, 4, 4, 5, None], SCALE)
    assert both == gaps
    assert gaps.n_units == gaps.n_pairs == 5


def test_the_interval_holds_alpha_even_where_numbers_of_reviews_are_very_unequal() -> None:
    """Alpha is 0; the F interval alone would be 0.033 to 0.716."""
    result = alpha(by_unit([[4, 4, 4, 4]] * 9 + [[4, 3]], SCALE))
    assert value(result) == pytest.approx(0, abs=1e-12)
    assert interval(result) == pytest.approx((0, 0.7156958648), abs=1e-9)
    assert result.method == "one-way-f"


# --- What is refused ------------------------------------------------------------------------------


def test_a_level_that_was_not_declared_is_refused_by_name() -> None:
    with pytest.raises(BadRatings, match=r"c1, rita: 7 is not one of the declared levels\."):
        pattern_table({"c1": {"rita": 7}}, SCALE)
    with pytest.raises(BadRatings, match="7"):
        weighted_kappa([7], [1], SCALE)


@pytest.mark.parametrize("levels", [[], [4], [1, 2, 2]])
def test_a_scale_has_at_least_two_different_levels(levels: list[int]) -> None:
    with pytest.raises(BadRatings, match="whole scale"):
        pattern_table({}, levels)
    with pytest.raises(BadRatings, match="whole scale"):
        pattern_table_from_counts(np.zeros((0, len(levels))), levels)
    with pytest.raises(BadRatings, match="whole scale"):
        weighted_kappa([], [], levels)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([[1, 2]], "one column"),
        ([1, 2, 3], "one column"),
        ([[1, -1, 0]], "whole numbers"),
        ([[1, 0.5, 0]], "whole numbers"),
        ([[1, float("nan"), 0]], "whole numbers"),
    ],
)
def test_counts_that_are_none_are_refused(counts: list[list[float]], words: str) -> None:
    with pytest.raises(BadRatings, match=words):
        pattern_table_from_counts(counts, [1, 2, 3])


def test_times_must_fit_the_rows_and_kappa_needs_as_many_of_both() -> None:
    with pytest.raises(BadRatings, match="one number of times"):
        pattern_table_from_counts([[1, 1]], [0, 1], times=[1, 2])
    with pytest.raises(BadRatings, match="one entry for each case"):
        weighted_kappa([1], [1, 2], SCALE)


def test_unknown_metrics_and_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="Unknown metric 'ratio'"):
        alpha(PARADOX, cast(Metric, "ratio"))
    with pytest.raises(ValueError, match="Unknown weights 'cubic'"):
        ac2(PARADOX, "cubic")
    with pytest.raises(ValueError, match="symmetric"):
        ac2(PARADOX, [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="diagonal"):
        ac2(PARADOX, np.full((6, 6), 0.5))


# --- Words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (0.95, "reliable"),
        (0.8, "reliable"),
        (0.7999, "tentative"),
        (0.667, "tentative"),
        (0.6669, "unreliable"),
        (-0.2, "unreliable"),
    ],
)
def test_words_are_chosen_by_the_lower_limit(low: float, said: str) -> None:
    result = Result(0.97, low, 1.0, "one-way-f", 9, 9)
    assert reading(result, within_one=within_one(PARADOX), levels_used=[1, 2, 3]) == said


def test_scores_barely_vary_only_with_two_levels_and_nine_of_ten_within_one_point() -> None:
    low = Result(0.1, -0.1, 0.3, "one-way-f", 9, 9)

    def said(share: float | None, levels: list[int]) -> str:
        close = Result(share, None, None, "wilson", 9, 9)
        return reading(low, within_one=close, levels_used=levels)

    assert said(0.9, [3, 4]) == said(1.0, [4]) == "barely-varies"
    assert said(0.899, [3, 4]) == said(0.9, [2, 3, 4]) == said(None, [3, 4]) == "unreliable"


def test_no_words_without_a_value_or_an_interval() -> None:
    equal = by_unit([[4, 4]] * 5, SCALE)
    one_differs = by_unit([[4, 4]] * 4 + [[5, 5]], SCALE)
    for table, expected in ((equal, "undefined"), (one_differs, "barely-varies")):
        said = reading(alpha(table), within_one=within_one(table), levels_used=table.levels_used)
        assert said == expected
