"""Steps between two plans read side by side: by case, with position and recognition."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.comparison import Paired, steps
from reviews.comparison.steps import Reading


def read(case: str, *taken: int) -> list[Reading]:
    return [
        Reading(case, f"reader {place}", step, is_new_left=place % 2 == 0)
        for place, step in enumerate(taken)
    ]


def compare(*readings: list[Reading]) -> Paired:
    return steps.compare_steps(
        steps.average_by_case([reading for case in readings for reading in case])
    )


def test_a_case_counts_once_however_many_read_it() -> None:
    found = compare(read("a", -1, -1, -1, -1), read("b", 1))
    assert (found.mean, found.n, found.better, found.worse) == (0.0, 2, 1, 1)


def test_the_steps_of_a_case_are_averaged_first() -> None:
    assert steps.average_by_case(read("a", -3, 0, 1)) == {"a": Fraction(-2, 3)}


def test_nothing_read_has_no_mean_and_says_why() -> None:
    found = compare()
    assert found.mean is None
    assert found.why is not None
    assert not steps.is_claimed(found)
    assert not steps.is_drop_excluded(found)


def test_a_step_beyond_the_scale_is_refused() -> None:
    assert steps.average_by_case(read("a", 3, -3)) == {"a": Fraction(0)}
    with pytest.raises(ValueError, match="4 is not a step"):
        steps.average_by_case(read("a", 4))


@pytest.mark.parametrize(("cases", "claims"), [(0, False), (5, False), (6, True)])
def test_five_cases_can_claim_nothing_and_six_can(cases: int, claims: bool) -> None:
    worse = [read(f"case {number}", -1, -2) for number in range(cases)]
    assert steps.can_claim(cases) is claims
    assert steps.is_proven_drop(compare(*worse)) is claims


def test_the_smallest_p_value_of_five_cases_is_one_in_sixteen() -> None:
    found = compare(*[read(f"case {number}", -2) for number in range(5)])
    assert found.p_value == found.smallest_p_value == 0.0625


def test_a_rise_is_claimed_but_is_no_drop() -> None:
    found = compare(*[read(f"case {number}", 1, 2) for number in range(8)])
    assert steps.is_claimed(found)
    assert not steps.is_proven_drop(found)
    assert steps.is_drop_excluded(found)


def test_no_difference_in_every_case_claims_nothing() -> None:
    found = compare(*[read(f"case {number}", 0, 0) for number in range(8)])
    assert found.mean == 0
    assert not steps.is_claimed(found)


def test_the_left_plan_is_counted_where_one_was_chosen() -> None:
    readings = [
        Reading("a", "rita", 2, is_new_left=True),
        Reading("a", "omar", -1, is_new_left=False),
        Reading("b", "rita", 1, is_new_left=False),
        Reading("b", "omar", 0, is_new_left=True),
    ]
    left = steps.count_left(readings)
    assert (left.count, left.of) == (2, 3)
    assert left.interval.low < 2 / 3 < left.interval.high


def test_recognition_counts_right_guesses_of_all_guesses() -> None:
    assert steps.count_recognised([True, False, True]) == steps.Share(2, 3)
    assert steps.count_recognised([]).interval == (0.0, 1.0)


cases_with_steps = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3),
    st.lists(st.integers(-3, 3), min_size=1, max_size=4),
    max_size=9,
)


@given(cases_with_steps)
def test_changing_old_and_new_turns_the_sign_and_nothing_else(taken: dict[str, list[int]]) -> None:
    there = compare(*[read(case, *own) for case, own in taken.items()])
    back = compare(*[read(case, *[-step for step in own]) for case, own in taken.items()])
    assert (there.p_value, there.n, there.same) == (back.p_value, back.n, back.same)
    assert (there.better, there.worse) == (back.worse, back.better)
    assert there.mean == (None if back.mean is None else pytest.approx(-back.mean))


@given(cases_with_steps)
def test_the_p_value_is_the_share_of_signs_that_reach_as_far(taken: dict[str, list[int]]) -> None:
    means = list(
        steps.average_by_case(
            [reading for case, own in taken.items() for reading in read(case, *own)]
        ).values()
    )
    observed = abs(sum(means, Fraction(0)))
    sums = [
        abs(sum((sign * mean for sign, mean in zip(signs, means, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(means))
    ]
    expected = sum(total >= observed for total in sums) / len(sums) if means else None
    found = compare(*[read(case, *own) for case, own in taken.items()])
    assert found.p_value == (None if expected is None else pytest.approx(expected))
