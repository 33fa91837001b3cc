"""How full the days are, and when they begin and end."""

import pytest

from cases.facts import Topic
from cases.itinerary.format import Case, Request
from tests.cases.facts.invented_trips import by_key, day, keys, meal, told, transfer, trip, visit


def test_visits_per_day_stand_beside_what_was_asked() -> None:
    days = day(visit("A")), day(visit("B"), visit("C"), visit("D")), day(meal())
    case = trip(*days, pace="relaxed", group_type="elderly")
    assert "Visits per day: 0–3. Asked: relaxed, elderly." in told(case, Topic.PACE)
    assert "No visit on day 3." in told(case, Topic.PACE)
    only_group = trip(days[0], group_type="family")
    assert "Visits per day: 1. Asked: family." in told(only_group, Topic.PACE)
    nothing = trip(days[0])
    assert told(nothing, Topic.PACE) == [
        "Visits per day: 1. The request states no pace and no kind of group."
    ]


def test_without_a_plan_only_what_was_not_asked_is_told() -> None:
    case = Case(case_key="k", request=Request(text="x"))
    assert told(case, Topic.PACE) == ["The request states no pace and no kind of group."]
    paced = Case(case_key="k", request=Request(text="x", pace="relaxed"))
    assert told(paced, Topic.PACE) == []


def test_the_earliest_start_and_the_latest_end_are_told() -> None:
    case = trip(
        day(visit("A", "09:10", "11:00")), day(visit("B", "08:45", "16:00"), meal("18:00", "19:30"))
    )
    fact = by_key(case)["first-and-last"]
    assert fact.sentence == "Earliest start 08:45 (day 2), latest end 19:30 (day 2)."
    assert fact.refs == ("/plan/days/1/items/0", "/plan/days/1/items/1")


def test_an_end_after_midnight_is_told_as_such() -> None:
    case = trip(day(visit("A", "22:00", "00:40")))
    assert "Earliest start 22:00 (day 1), latest end 00:40 after midnight (day 1)." in told(case)
    midnight = trip(day(visit("A", "22:00", "24:00")))
    assert "Earliest start 22:00 (day 1), latest end 24:00 (day 1)." in told(midnight)


def test_two_flights_are_no_hours_of_a_trip() -> None:
    case = trip(day(transfer(start="07:00", end="09:00"), visit("A"), visit("B")))
    assert "first-and-last" not in keys(case)


@pytest.mark.parametrize(("end", "early"), [("14:59", True), ("15:00", False), ("00:30", False)])
def test_a_day_is_over_early_when_its_last_visit_ends_before_three(end: str, early: bool) -> None:
    case = trip(day(visit("A", "13:00", end), meal("18:00", "19:00")))
    expected = "Days whose last visit ends before 15:00: 1 of 1 (day 1)."
    assert (expected in told(case)) is early


def test_days_without_a_timed_visit_are_left_out_of_both_numbers() -> None:
    early = visit("A", "09:00", "10:00")
    case = trip(
        day(early),
        day(meal("12:00", "13:00")),
        day(visit("B")),
        day(early),
        day(early, visit("C", "16:00", "17:00")),
    )
    fact = by_key(case)["over-before-15"]
    assert fact.sentence == "Days whose last visit ends before 15:00: 2 of 3 (days 1, 4)."
    assert fact.refs == ("/plan/days/0", "/plan/days/3")


@pytest.mark.parametrize(("start", "free"), [("12:00", True), ("11:59", False)])
def test_two_free_hours_between_timed_stops_are_told(start: str, free: bool) -> None:
    case = trip(day(visit("A", "09:00", "10:00"), visit("B", start, "13:00")))
    expected = "Two hours or more are free on day 1; the longest gap is 120 min."
    assert (expected in told(case)) is free


def test_transfers_and_buffers_are_not_free_time() -> None:
    case = trip(
        day(
            visit("A", "09:00", "10:00"),
            transfer(20),
            visit("B", "12:29", "13:00", buffer_minutes=10.0),
        )
    )
    assert "free" not in keys(case)


def test_a_meal_ends_free_time() -> None:
    case = trip(
        day(visit("A", "09:00", "10:00"), meal("11:30", "12:00"), visit("B", "13:30", "14:00"))
    )
    assert "free" not in keys(case)


def test_a_long_visit_is_not_free_though_a_short_one_lies_inside() -> None:
    case = trip(
        day(
            visit("A", "09:00", "15:00"),
            visit("B", "10:00", "11:00"),
            visit("C", "15:30", "16:00"),
        )
    )
    assert "free" not in keys(case)
