"""Meals and rests: when, where, and what they lie over."""

import pytest

from cases.facts import Topic
from cases.itinerary.format import Item
from tests.cases.facts.invented_trips import by_key, day, keys, meal, told, trip, visit


def test_meals_are_counted_with_their_days_and_the_hours_between() -> None:
    case = trip(
        day(meal("12:20", "13:08"), meal("12:50", "13:40")),
        day(visit("A")),
        day(meal("11:45", "12:30", "Kettle House")),
    )
    assert told(case, Topic.MEALS) == [
        "Meals: 3 on 2 of 3 days, between 11:45 and 13:40; 1 name a place to eat.",
        "No meal on day 2.",
        "Meals overlap each other on day 1.",
        "Rest stops: 0.",
    ]


def test_meals_without_times_say_so() -> None:
    case = trip(day(meal(title="lunch: Kettle House, Saltford"), meal(title="dinner")))
    assert "Meals: 2 on 1 of 1 days, without times; 1 name a place to eat." in told(case)


def test_no_meal_at_all_is_one_fact() -> None:
    assert told(trip(day(visit("A")), day(visit("B"))), Topic.MEALS) == [
        "The plan names no meal.",
        "Rest stops: 0.",
    ]


def test_rest_stops_are_counted_and_pointed_at() -> None:
    case = trip(day(visit("A"), Item(kind="rest", title="茶室")))
    assert by_key(case)["rests"].sentence == "Rest stops: 1."
    assert by_key(case)["rests"].refs == ("/plan/days/0/items/1",)


def test_a_case_without_a_plan_has_no_meal_facts() -> None:
    assert told(trip(), Topic.MEALS) == []


@pytest.mark.parametrize(
    ("lunch", "overlaps"),
    [
        (("12:00", "13:00"), False),  # begins when the visit ends
        (("11:59", "13:00"), True),
        (("09:00", "10:00"), False),  # ends when the visit begins
        (("09:00", "10:01"), True),
        (("10:30", "11:00"), True),
        (("09:00", "13:00"), True),
        (("11:00", "11:00"), False),  # takes no time
    ],
)
def test_a_meal_over_a_visit_is_told_when_they_share_a_minute(
    lunch: tuple[str, str], overlaps: bool
) -> None:
    case = trip(day(visit("竹影寺", "10:00", "12:00"), meal(*lunch)))
    assert ("A meal lies over a visit on day 1: 竹影寺." in told(case)) is overlaps


def test_the_second_of_two_meals_is_found_too() -> None:
    case = trip(
        day(meal("08:00", "08:30"), meal("12:00", "13:00"), visit("竹影寺", "11:00", "12:30"))
    )
    assert "meal-over-visit" in keys(case)


def test_days_with_a_meal_over_a_visit_are_one_fact() -> None:
    lunch_inside = (visit("竹影寺", "10:00", "14:00"), meal("12:00", "13:00"))
    case = trip(day(*lunch_inside), day(visit("A")), day(*lunch_inside), day(*lunch_inside))
    fact = by_key(case)["meal-over-visit"]
    assert fact.sentence == "A meal lies over a visit on days 1, 3, 4: 竹影寺."
    assert len(fact.refs) == 3


def test_a_night_meal_lies_over_a_night_visit() -> None:
    case = trip(day(visit("夜市", "22:00", "01:00"), meal("23:30", "00:30")))
    assert "meal-over-visit" in keys(case)


@pytest.mark.parametrize(
    ("second", "overlaps"),
    [(("13:00", "13:30"), False), (("12:59", "13:30"), True), (("12:10", "12:20"), True)],
)
def test_meals_over_each_other_are_told(second: tuple[str, str], overlaps: bool) -> None:
    case = trip(day(meal("12:00", "13:00"), meal(*second)))
    assert ("Meals overlap each other on day 1." in told(case)) is overlaps


@pytest.mark.parametrize(
    ("title", "place", "named"),
    [
        ("用餐", None, 0),
        ("午餐（12:00）", None, 0),
        ("Lunch break", " ", 0),
        ("Lunch", "Kettle House", 1),
        ("午餐：老井面馆", None, 1),
        ("Lunchbox", None, 1),
    ],
)
def test_the_name_of_a_meal_is_no_place_to_eat(title: str, place: str | None, named: int) -> None:
    case = trip(day(meal(title=title, place=place)))
    assert by_key(case)["meals"].params["named"] == named
