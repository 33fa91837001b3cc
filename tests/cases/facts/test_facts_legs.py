"""Legs: transfer, buffer and meal against the gap they have to fit into."""

import pytest

from cases.facts import Leg, Topic, list_legs
from tests.cases.facts.invented_trips import (
    by_key,
    day,
    hotel,
    keys,
    meal,
    told,
    transfer,
    trip,
    visit,
)


def only_leg(*items: object) -> Leg:
    ((leg,),) = list_legs(trip(day(*items)))  # type: ignore[arg-type]
    return leg


def test_a_leg_adds_transfer_and_buffer_and_finds_what_is_missing() -> None:
    leg = only_leg(
        visit("竹影寺", "11:22", "13:52", buffer_minutes=30.0),
        transfer(28.3),
        visit("旧书巷", "14:00", "15:00", buffer_minutes=30.0),
    )
    assert (leg.transfer, leg.buffer, leg.lunch, leg.gap, leg.short_by) == (28, 30, 0, 8, 50)
    assert leg.before_pointer == "/plan/days/0/items/0"
    assert leg.after_pointer == "/plan/days/0/items/2"
    assert leg.mode == "metro"


@pytest.mark.parametrize(("start", "short"), [("10:30", 0), ("10:29", 1), ("10:31", 0)])
def test_a_gap_fits_to_the_minute(start: str, short: int) -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"), transfer(10), visit("B", start, "12:00", buffer_minutes=20.0)
    )
    assert leg.short_by == short


def test_parts_of_a_minute_are_cut_off_as_plans_cut_their_times() -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"),
        transfer(15.9),
        visit("B", "10:44", "12:00", buffer_minutes=29.6),
    )
    assert (leg.transfer, leg.buffer, leg.short_by) == (15, 29, 0)


def test_the_parts_of_several_transfers_are_added_before_they_are_cut() -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"), transfer(5.5), transfer(5.5), visit("B", "11:00", "12:00")
    )
    assert leg.transfer == 11


def test_a_buffer_counts_once_though_visit_and_transfer_state_it() -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"),
        transfer(10, buffer_minutes=20.0),
        visit("B", "10:30", "12:00", buffer_minutes=20.0),
    )
    assert (leg.buffer, leg.short_by) == (20, 0)


def test_the_buffer_of_a_transfer_counts_when_the_visit_states_none() -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"),
        transfer(10, buffer_minutes=20.0),
        visit("B", "10:30", "12:00"),
    )
    assert leg.buffer == 20


def test_what_is_not_stated_is_none_and_not_zero() -> None:
    leg = only_leg(visit("A", "09:00", "10:00"), visit("B", "10:00", "12:00"))
    assert (leg.transfer, leg.buffer, leg.short_by, leg.mode) == (None, None, 0, None)
    assert not leg.states_something


@pytest.mark.parametrize(
    ("lunch", "minutes"),
    [
        (("12:00", "13:00"), 60),
        (("11:40", "12:20"), 0),  # half of it
        (("11:41", "12:21"), 21),  # more than half of it
        (("13:40", "14:20"), 0),
        (("11:00", "11:40"), 0),
    ],
)
def test_a_meal_counts_when_it_lies_mostly_in_the_gap(lunch: tuple[str, str], minutes: int) -> None:
    leg = only_leg(visit("A", "09:00", "12:00"), meal(*lunch), visit("B", "14:00", "15:00"))
    assert leg.lunch == minutes


def test_meals_that_overlap_count_once() -> None:
    leg = only_leg(
        visit("A", "09:00", "12:00"),
        meal("12:30", "13:10"),
        meal("12:50", "13:30"),
        meal("12:30", "13:10"),
        visit("B", "14:00", "15:00"),
    )
    assert leg.lunch == 60


def test_a_meal_is_no_end_of_a_leg() -> None:
    assert list_legs(trip(day(visit("A", "09:00", "12:00"), meal("12:30", "13:10")))) == ((),)


def test_a_visit_that_starts_too_early_makes_a_negative_gap() -> None:
    leg = only_leg(visit("A", "09:00", "12:00"), visit("B", "11:30", "13:00"))
    assert (leg.gap, leg.short_by) == (-30, 30)


@pytest.mark.parametrize(
    ("before", "after"),
    [(("09:00", None), ("11:00", "12:00")), (("09:00", "10:00"), (None, "12:00"))],
)
def test_a_missing_time_leaves_the_gap_unknown(
    before: tuple[str, str | None], after: tuple[str | None, str]
) -> None:
    leg = only_leg(visit("A", *before), transfer(10), visit("B", *after))
    assert (leg.transfer, leg.gap, leg.short_by) == (10, None, 0)


def test_times_that_run_backwards_leave_the_gap_unknown() -> None:
    case = trip(day(visit("A", "14:00", "15:00"), transfer(10), visit("B", "09:00", "10:00")))
    assert list_legs(case)[0][0].gap is None
    assert "On day 1 the times do not follow the order given." in told(case)
    assert by_key(case)["times-run-backwards"].refs == ("/plan/days/0/items/2",)


def test_two_visits_at_the_same_time_overlap_and_do_not_run_backwards() -> None:
    case = trip(day(visit("A", "09:00", "10:00"), visit("B", "09:00", "11:00")))
    assert list_legs(case)[0][0].gap == -60
    assert "times-run-backwards" not in keys(case)


def test_a_visit_past_midnight_ends_on_the_next_day() -> None:
    leg = only_leg(visit("A", "22:00", "01:00"), visit("B", "23:30", "23:50"))
    assert leg.gap == -90


def test_a_timed_transfer_between_visits_takes_its_own_time() -> None:
    leg = only_leg(
        visit("A", "09:00", "10:00"),
        transfer(start="10:00", end="10:25"),
        visit("B", "10:30", "12:00", buffer_minutes=10.0),
    )
    assert (leg.transfer, leg.gap, leg.short_by) == (25, 30, 5)


def test_a_flight_that_begins_the_day_is_an_end_of_a_leg() -> None:
    leg = only_leg(
        transfer(mode="flight", start="07:00", end="09:26"),
        transfer(40, mode="taxi"),
        visit("A", "10:00", "11:00"),
    )
    assert (leg.transfer, leg.gap, leg.short_by, leg.mode) == (40, 34, 6, "taxi")


def test_legs_come_day_by_day_even_from_empty_days() -> None:
    case = trip(day(), day(visit("A", "09:00", "10:00"), hotel("Inn", start="20:00", end="21:00")))
    assert [len(legs) for legs in list_legs(case)] == [0, 1]


# The facts made of them


def test_a_short_gap_is_told_with_its_sum() -> None:
    case = trip(
        day(
            visit("竹影寺", "11:22", "13:52"),
            transfer(28.3),
            visit("旧书巷", "14:00", "15:00", buffer_minutes=30.0),
        )
    )
    fact = by_key(case)["short-gap:/plan/days/0/items/2"]
    assert fact.sentence == (
        "Day 1, 竹影寺 → 旧书巷: 28 min transfer + 30 min buffer, gap 8 min: short by 50 min."
    )
    assert fact.refs == ("/plan/days/0/items/0", "/plan/days/0/items/2")
    assert fact.topic is Topic.BUFFERS


@pytest.mark.parametrize(
    ("lunch", "minutes", "buffer", "told_sum"),
    [
        (True, 50, 20.0, "50 min transfer + 20 min buffer + 30 min meal, gap 60 min: short by 40"),
        (True, 50, None, "50 min transfer + 30 min meal, gap 60 min: short by 20"),
        (True, None, 50.0, "50 min buffer + 30 min meal, gap 60 min: short by 20"),
        (False, 70, None, "70 min transfer, gap 60 min: short by 10"),
        (False, None, 70.0, "70 min buffer, gap 60 min: short by 10"),
    ],
)
def test_only_what_is_stated_is_added_up(
    lunch: bool, minutes: float | None, buffer: float | None, told_sum: str
) -> None:
    case = trip(
        day(
            visit("A", "09:00", "12:00"),
            *([meal("12:10", "12:40")] if lunch else []),
            *([transfer(minutes)] if minutes else []),
            visit("B", "13:00", "14:00", buffer_minutes=buffer),
        )
    )
    assert f"Day 1, A → B: {told_sum} min." in told(case, Topic.BUFFERS)


def test_visits_that_overlap_are_told_as_such() -> None:
    case = trip(day(visit("A", "09:00", "12:00"), transfer(9), visit("B", "11:30", "13:00")))
    assert "Day 1: B starts 30 min before A ends." in told(case, Topic.BUFFERS)


def test_the_count_leaves_out_gaps_that_state_nothing() -> None:
    case = trip(
        day(
            visit("A", "09:00", "10:00"),
            visit("B", "10:00", "11:00"),
            transfer(10),
            visit("C", "11:05", "12:00"),
            transfer(10),
            visit("D", "12:10", "13:00"),
        )
    )
    assert "Gaps between stops that hold their own transfer, buffer and meal: 1 of 2." in told(case)


def test_without_a_gap_nothing_is_counted() -> None:
    assert "gaps" not in keys(trip(day(visit("A", "09:00", "10:00"))))


def tight_days(count: int) -> list[object]:
    return [
        day(
            visit(f"A{number}", "09:00", "10:00"),
            transfer(10 + number),
            visit(f"B{number}", "10:00", "11:00"),
        )
        for number in range(count)
    ]


def test_five_short_gaps_are_told_one_by_one() -> None:
    case = trip(*tight_days(5))  # type: ignore[arg-type]
    assert sum(key.startswith("short-gap:") for key in keys(case)) == 5
    assert "more-short-gaps" not in keys(case)


def test_more_short_gaps_are_counted_and_the_shortest_ones_told_in_order() -> None:
    case = trip(*tight_days(12))  # type: ignore[arg-type]
    found = [key for key in keys(case) if key.startswith("short-gap:")]
    assert found == [f"short-gap:/plan/days/{place}/items/2" for place in range(7, 12)]
    more = by_key(case)["more-short-gaps"]
    assert more.sentence == "More short gaps: 7, by 10–16 min (days 1–7)."
    assert len(more.refs) == 7


def test_buffers_are_counted_over_visits() -> None:
    case = trip(day(visit("A", buffer_minutes=10.0), visit("B"), visit("C", buffer_minutes=25.9)))
    assert "Visits with a stated buffer: 2 of 3 (10–25 min)." in told(case)
    assert "Moves between visits without stated minutes: 2 of 2." in told(case)


def test_no_buffer_at_all_is_told_and_moves_with_minutes_are_not() -> None:
    case = trip(day(visit("A"), transfer(0), visit("B")))
    assert "No visit states a buffer." in told(case)
    assert "transfers" not in keys(case)


@pytest.mark.parametrize(("minutes", "is_told"), [(59.9, False), (60, True)])
def test_a_long_transfer_is_told(minutes: float, is_told: bool) -> None:
    case = trip(day(visit("A"), transfer(minutes, title="A → B"), visit("B"), transfer(5)))
    assert ("Longest transfer: 60 min, A → B, day 1." in told(case)) is is_told
    assert ("longest-transfer" in keys(case)) is is_told
