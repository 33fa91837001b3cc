"""What holds for agreement whatever the ratings are, and other ways to the same figures."""

import random
from collections.abc import Iterator
from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from reviews.agreement import (
    Metric,
    PatternTable,
    Result,
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
    weighted_kappa,
    within_one,
)
from reviews.agreement.table import MOST_COUNTED
from tests.bed import soak

pytestmark = pytest.mark.soak

LEVELS = range(6)
METRICS: tuple[Metric, ...] = ("ordinal", "nominal", "interval")
many = settings(max_examples=soak.size(short=25, long=5000), deadline=None)

Rows = list[list[int | None]]
# Cases x four reviewers, with gaps; now and then on two levels only.
ROWS: st.SearchStrategy[Rows] = st.sampled_from([(3, 4), tuple(LEVELS)]).flatmap(
    lambda used: st.lists(
        st.lists(st.none() | st.sampled_from(used), min_size=4, max_size=4), min_size=5, max_size=24
    )
)

tried: list[Any] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    bad = request.session.testsfailed - failed_before
    soak.report(request.node.name, tried=len(tried), bad=bad)


def table_of(rows: Rows) -> PatternTable:
    tried.append(None)
    return pattern_table({unit: dict(enumerate(row)) for unit, row in enumerate(rows)}, LEVELS)


def counts_of(rows: Rows) -> list[list[int]]:
    return [[row.count(level) for level in LEVELS] for row in rows]


def figures(table: PatternTable) -> list[Result]:
    return [
        *(alpha(table, metric) for metric in METRICS),
        exact_agreement(table),
        within_one(table),
        cases_within_one(table),
        mean_gap(table),
        ac1(table),
        ac2(table),
        ac2(table, "quadratic"),
        fleiss(table),
        brennan_prediger(table),
        icc1(table),
    ]


def same_numbers(one: Result, other: Result) -> bool:
    ours, theirs = ((r.value, r.low, r.high, r.se) for r in (one, other))
    return all(
        a is b or (a is not None and b is not None and isclose(a, b, abs_tol=1e-9))
        for a, b in zip(ours, theirs, strict=True)
    )


@many
@given(rows=ROWS, chance=st.randoms(use_true_random=False))
def test_the_order_of_cases_and_reviewers_changes_nothing(
    rows: Rows, chance: random.Random
) -> None:
    places = list(range(4))
    chance.shuffle(places)
    other = [[row[place] for place in places] for row in rows]
    chance.shuffle(other)
    assert figures(table_of(rows)) == figures(table_of(other))


@many
@given(rows=ROWS)
def test_counts_and_ratings_give_the_same_table(rows: Rows) -> None:
    table, counted = table_of(rows), pattern_table_from_counts(counts_of(rows), LEVELS)
    assert np.array_equal(table.counts, counted.counts)
    assert np.array_equal(table.times, counted.times)
    grouped = pattern_table_from_counts(table.counts, LEVELS, times=table.times)
    assert figures(table) == figures(counted) == figures(grouped)


@many
@given(rows=ROWS, top=st.integers(0, 40))
def test_patterns_are_grouped_the_same_by_counting_and_by_sorting(rows: Rows, top: int) -> None:
    """High counts lead past what is counted, and past what fits one number."""
    counts = [*counts_of(rows), [2**top, 1, 0, 0, 0, 1]]
    table = pattern_table_from_counts(counts, LEVELS)
    tried.append((2**top + 1) ** 6 > MOST_COUNTED)
    expected = sorted({tuple(row): counts.count(row) for row in counts if any(row)}.items())
    found = zip(map(tuple, table.counts.tolist()), table.times.tolist(), strict=True)
    assert list(found) == expected


@many
@given(rows=ROWS)
def test_a_level_declared_and_never_used_changes_no_alpha(rows: Rows) -> None:
    table = table_of(rows)
    wider = pattern_table_from_counts([[0, *row, 0, 0] for row in counts_of(rows)], range(-1, 8))
    for metric in METRICS:
        assert same_numbers(alpha(table, metric), alpha(wider, metric))
    assert same_numbers(icc1(table), icc1(wider))
    assert same_numbers(fleiss(table), fleiss(wider))
    # By these views of chance the declared scale is what matters.
    if (value := brennan_prediger(table).value) is not None and value < 1:
        assert brennan_prediger(wider).value != value


@many
@given(rows=ROWS)
def test_every_case_twice_keeps_agreement_and_narrows_its_interval(rows: Rows) -> None:
    once, twice = table_of(rows), table_of(rows * 2)
    for statistic in (exact_agreement, within_one, mean_gap, ac1, ac2, fleiss, brennan_prediger):
        one, two = statistic(once), statistic(twice)
        if one.value is None or two.value is None or one.low is None or two.low is None:
            continue
        assert one.high is not None
        assert two.high is not None
        assert isclose(one.value, two.value, abs_tol=1e-12)
        assert two.high - two.low <= one.high - one.low + 1e-12
    # Alpha corrects for few ratings, by (n - 1) / n.
    one, two = alpha(once), alpha(twice)
    if one.value is not None and two.value is not None:
        ratings = int(once.pairable().totals.sum())
        factor = (2 * ratings - 1) / (2 * (ratings - 1))
        assert isclose(1 - two.value, (1 - one.value) * factor, abs_tol=1e-9)


@many
@given(levels=st.lists(st.sampled_from(LEVELS), min_size=5, max_size=12), size=st.integers(2, 5))
def test_perfect_agreement_is_one_or_says_why_not(levels: list[int], size: int) -> None:
    table = table_of([[level] * size for level in levels])
    assert exact_agreement(table).value == within_one(table).value == 1.0
    assert mean_gap(table).value == 0.0
    varies = len(set(levels)) > 1
    for result in (*(alpha(table, metric) for metric in METRICS), fleiss(table), icc1(table)):
        assert result.value == (pytest.approx(1.0, abs=1e-12) if varies else None)
        assert (result.why is None) == varies
        assert varies or result.why is not None
        assert varies or (result.reason or "").startswith(
            f"not defined: every score is {levels[0]}"
        )
    assert not varies or alpha(table).value == 1.0


@many
@given(rows=ROWS)
@example(rows=[[None, None, 0, last] for last in (1, 3, 5, 5, 5)])
def test_a_figure_lies_in_its_interval_or_there_is_a_reason(rows: Rows) -> None:
    for result in figures(table_of(rows)):
        assert (result.value is None) == (result.reason is not None)
        assert (result.low is None) == (result.high is None) == (result.method == "")
        if result.value is None:
            assert result.low is None
        elif result.low is None:
            assert result.caution is not None
        else:
            assert result.high is not None
            assert result.low - 1e-9 <= result.value <= result.high + 1e-9
            assert (result.low == result.high) == (result.caution is not None)


@many
@given(rows=ROWS)
def test_leaving_out_patterns_equals_leaving_out_cases(rows: Rows) -> None:
    whole = [row for row in rows if sum(score is not None for score in row) > 1]
    # One more, so that the rest is never too few.
    assume(len(whole) > 5)
    for metric in METRICS:
        result = alpha(table_of(whole), metric)
        if result.value is None:
            continue
        left = [
            alpha(table_of(whole[:place] + whole[place + 1 :]), metric).value
            for place in range(len(whole))
        ]
        known = [value for value in left if value is not None]
        if len(known) < len(left):
            assert result.se is None
            continue
        mean = sum(known) / len(known)
        spread = sum((value - mean) ** 2 for value in known)
        assert result.se == pytest.approx(
            ((len(known) - 1) / len(known) * spread) ** 0.5, rel=1e-9, abs=1e-9
        )


@many
@given(rows=ROWS)
def test_ordinal_alpha_is_that_of_krippendorff_s_formula(rows: Rows) -> None:
    """His ordinal distance, sum by sum, instead of midranks."""
    result = alpha(table_of(rows))
    assume(result.value is not None)
    cases = [row for row in counts_of(rows) if sum(row) > 1]
    use = [sum(row[level] for row in cases) for level in LEVELS]

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        return float((sum(use[low : high + 1]) - (use[low] + use[high]) / 2) ** 2)

    pairs = [(one, other) for one in LEVELS for other in LEVELS if one != other]
    observed = sum(
        row[one] * row[other] / (sum(row) - 1) * distance(one, other)
        for row in cases
        for one, other in pairs
    )
    expected = sum(use[one] * use[other] * distance(one, other) for one, other in pairs)
    assert result.value == pytest.approx(1 - (sum(use) - 1) * observed / expected, abs=1e-12)


@many
@given(pairs=st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=5))
def test_quadratic_kappa_equals_its_formula_from_moments(pairs: list[tuple[int, int]]) -> None:
    """Fleiss and Cohen (1973): 2 cov / (var + var + (difference of means)^2)."""
    tried.append(None)
    a, b = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    below = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    result = weighted_kappa(a.tolist(), b.tolist(), LEVELS, weights="quadratic")
    if below == 0:
        assert result.value is None
        return
    assert result.value == pytest.approx(2 * np.mean((a - a.mean()) * (b - b.mean())) / below)
    swapped = weighted_kappa(b.tolist(), a.tolist(), LEVELS, weights="quadratic")
    assert same_numbers(result, swapped)


def test_alpha_equals_that_of_krippendorff_s_package() -> None:
    """On random sparse tables."""
    package = pytest.importorskip(
        "krippendorff", reason="krippendorff is not installed (requirements-dev.in)"
    )
    chance = np.random.default_rng(20260301)
    compared = 0
    worst = 0.0
    wanted = soak.size(short=150, long=5000)
    while compared < wanted:
        raters, units = int(chance.integers(2, 6)), int(chance.integers(5, 40))
        scores = chance.integers(0, 6, (raters, units)).astype(float)
        agreeing = chance.random((raters, units)) < chance.random()
        scores = np.where(agreeing, scores[0], scores)
        scores[chance.random((raters, units)) < chance.random() * 0.7] = np.nan
        counts = np.stack([(scores == level).sum(axis=0) for level in LEVELS], axis=1)
        table = pattern_table_from_counts(counts, LEVELS)
        if alpha(table).value is None:
            continue
        compared += 1
        for metric in METRICS:
            theirs = package.alpha(
                value_counts=counts, value_domain=list(LEVELS), level_of_measurement=metric
            )
            worst = max(worst, abs(float(theirs) - (alpha(table, metric).value or 0.0)))
    tried.extend([None] * compared)
    assert worst < 1e-12
