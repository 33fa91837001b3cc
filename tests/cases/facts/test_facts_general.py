"""Is there a plan, for which days, with times, and open on the day?"""

import datetime

import pytest

from cases.facts import Topic, build_trip, find_facts
from cases.itinerary.format import Case, Day, Plan, Request
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

MONDAY = "2026-03-02"


def general(case: Case) -> list[str]:
    return told(case, Topic.GENERAL)


# No plan


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (None, "There is no plan."),
        (Plan(), "There is no plan."),
        (
            Plan(status="clarifying"),
            "There is no plan: the product asked back (status “clarifying”).",
        ),
        (Plan(status="error"), "There is no plan: the product failed (status “error”)."),
        (
            Plan(status="empty", days=[]),
            "There is no plan: the product delivered nothing (status “empty”).",
        ),
        (
            Plan(status="done", days=[Day(), Day(items=[])]),
            "There is no plan, although its status is “done”.",
        ),
    ],
)
def test_a_missing_plan_comes_first_and_nothing_is_said_about_it(
    plan: Plan | None, expected: str
) -> None:
    case = Case(case_key="k", plan=plan, request=Request(text="x", destination="云州", days=2))
    assert told(case)[0] == expected
    about_the_plan = {Topic.BUFFERS, Topic.MEALS, Topic.FALLBACKS}
    assert not about_the_plan & {fact.topic for fact in find_facts(case)}


def test_without_a_plan_the_words_of_the_product_are_quoted_in_one_line() -> None:
    case = Case(
        case_key="k",
        request=Request(text="x"),
        plan=Plan(status="clarifying", summary="请补充：\n 1. 目的地"),
    )
    assert general(case)[1:] == [
        "In the product's words: 请补充： 1. 目的地",
        "The request states no destination and no number of days.",
    ]


@pytest.mark.parametrize(
    ("destination", "days", "expected"),
    [
        (None, 2, ["The request states no destination."]),
        ([], 2, ["The request states no destination."]),
        ("云州", None, ["The request states no number of days."]),
        ("云州", 2, []),
    ],
)
def test_without_a_plan_what_it_would_take_is_told(
    destination: str | list[str] | None, days: int | None, expected: list[str]
) -> None:
    case = Case(case_key="k", request=Request(text="x", destination=destination, days=days))
    assert general(case)[1:] == expected


def test_a_plan_that_is_not_done_is_read_and_its_status_told() -> None:
    case = trip(day(visit("A")), plan={"status": "error"})
    assert general(case)[0] == "The product failed (status “error”); the plan may not be final."
    assert "status" not in keys(trip(day(visit("A"))))


# Days, dates, times


@pytest.mark.parametrize(
    ("request_fields", "expected"),
    [
        ({"days": 3}, "Days asked: 3; planned: 2."),
        ({"start_date": "2026-05-01", "end_date": "2026-05-02"}, "Days asked: 2; planned: 2."),
        (
            {"start_date": "2026-05-02", "end_date": "2026-05-01"},
            "The request states no number of days; planned: 2.",
        ),
        ({}, "The request states no number of days; planned: 2."),
    ],
)
def test_days_asked_stand_beside_days_planned(
    request_fields: dict[str, object], expected: str
) -> None:
    case = trip(day(visit("A")), day(visit("B")), **request_fields)  # type: ignore[arg-type]
    assert general(case)[0] == expected


def dates(text: str, asked: str | None, planned: str | None) -> list[str]:
    case = trip(day(visit("A"), date=planned), text=text, start_date=asked)
    return [item.sentence for key, item in by_key(case).items() if key == "dates"]


def test_dates_are_told_with_their_weekday_when_they_were_not_asked_for() -> None:
    assert dates("x", None, MONDAY) == [
        "The request states no date; the plan starts on Mon 2026-03-02."
    ]
    assert dates("x", "2026-03-01", MONDAY) == [
        "The request starts on Sun 2026-03-01, the plan on Mon 2026-03-02."
    ]
    assert dates("x", MONDAY, MONDAY) == []
    assert dates("x", MONDAY, None) == ["The plan states no dates."]


@pytest.mark.parametrize("feast", ["春节", "Golden Week"])
def test_a_feast_in_the_request_stands_beside_the_date_of_the_plan(feast: str) -> None:
    assert dates(f"Two days, {feast}!", None, MONDAY) == [
        f"The request names {feast}; the plan starts on Mon 2026-03-02."
    ]


def test_few_times_mean_that_the_order_may_not_be_the_visiting_order() -> None:
    flight = transfer(start="07:00", end="09:00")
    case = trip(day(flight, visit("A"), meal(title="lunch"), visit("B", "10:00"), hotel("Inn")))
    assert general(case)[-1] == (
        "2 of 5 items have a time; order as delivered, it may not be the visiting order."
    )
    assert not build_trip(case).follows_the_clock


def test_half_of_the_stops_timed_are_enough_for_an_order() -> None:
    case = trip(day(transfer(5), visit("A", "09:00"), visit("B")))
    assert "1 of 2 stops have a time." in general(case)
    assert by_key(case)["times"].refs == ("/plan/days/0/items/2",)
    assert "times" not in keys(trip(day(transfer(5), visit("A", "09:00"))))


def test_nights_without_lodging_are_told_but_for_the_last() -> None:
    case = trip(day(hotel("Inn")), day(visit("A")), day(visit("B")))
    assert "No lodging on day 2; the last day is not counted." in general(case)
    assert "nights" not in keys(trip(day(hotel("Inn")), day(visit("A"))))


def test_a_visit_that_is_planned_twice_is_told() -> None:
    case = trip(
        day(visit("Willow Pier"), visit("A")),
        day(visit("B"), meal(title="B")),
        day(visit("willow  pier"), visit(None), visit(None)),
    )
    assert by_key(case)["more-than-once"].refs == ("/plan/days/0/items/0", "/plan/days/2/items/0")
    assert "Planned more than once: Willow Pier, willow pier (days 1, 3)." in general(case)


# Closing days


@pytest.mark.parametrize(
    ("note", "rule"),
    [
        ("closed_rules=周一闭馆（节假日除外） | buffer=20m", "周一闭馆（节假日除外）"),
        ("Closed on Mondays.", "Closed on Mondays."),
        ("周二闭馆", None),
        (None, None),
    ],
)
def test_a_visit_on_its_closing_day_is_told_with_the_rule(
    note: str | None, rule: str | None
) -> None:
    case = trip(day(visit("旧书巷", note=note), date=MONDAY))
    found = by_key(case).get("closed:/plan/days/0/items/0")
    if rule is None:
        assert found is None
    else:
        assert found is not None
        assert found.sentence == f"Day 1 is Mon 2026-03-02; the note on 旧书巷 says: {rule}."
        assert found.params["date"] == datetime.date(2026, 3, 2)


def test_without_a_date_no_day_is_a_closing_day() -> None:
    assert "closed:/plan/days/0/items/0" not in keys(trip(day(visit("A", note="周一闭馆"))))


def test_more_than_five_closing_days_are_counted() -> None:
    closed = visit("A", note="周一闭馆")
    case = trip(day(*[closed] * 7, date=MONDAY))
    assert "More visits on a weekday that their notes call closed: 2 (day 1)." in general(case)


# Languages


def test_a_plan_in_another_language_than_the_request_is_told() -> None:
    case = trip(day(visit("竹影寺")), text="Two days in Yunzhou", locale="en-US")
    assert "The request is written in en-US, the plan in zh-Hans." in general(case)
    same = trip(day(visit("竹影寺")), text="云州两天", locale="zh-CN")
    assert "languages" not in keys(same)


# How days are numbered


@pytest.mark.parametrize(
    ("given", "expected"),
    [([3, 4], [3, 4]), ([0, 1], [0, 1]), ([1, 1], [1, 2]), ([None, 5], [1, 2])],
)
def test_numbers_that_name_no_day_are_replaced_by_its_place(
    given: list[int | None], expected: list[int]
) -> None:
    case = Case(
        case_key="k", request=Request(text="x"), plan=Plan(days=[Day(day=n) for n in given])
    )
    assert [found_day.number for found_day in build_trip(case).days] == expected


def test_an_item_without_a_kind_is_a_visit_unless_it_has_a_transport() -> None:
    from_there = transfer(5)
    case = trip(day(visit("A"), from_there))
    plain = Case(
        case_key="k",
        request=Request(text="x"),
        plan=Plan(
            days=[
                Day(
                    items=[
                        type(found_day)(title=found_day.title, transport=found_day.transport)
                        for found_day in days
                    ]
                )
                for days in [[visit("A"), from_there]]
            ]
        ),
    )
    assert [stop.kind for stop in build_trip(plain).stops] == [
        s.kind for s in build_trip(case).stops
    ]


# A whole case


def test_facts_come_grouped_by_topic_with_what_everything_hangs_on_first() -> None:
    case = trip(day(visit("A", "09:00", "10:00"), meal("12:00", "13:00")))
    topics = [fact.topic for fact in find_facts(case)]
    assert list(dict.fromkeys(topics)) == [
        Topic.GENERAL,
        Topic.BUFFERS,
        Topic.MEALS,
        Topic.FALLBACKS,
        Topic.MONEY,
        Topic.WISHES,
        Topic.PACE,
        Topic.CONSTRAINTS,
        Topic.STYLE,
    ]
    assert topics == sorted(topics, key=list(dict.fromkeys(topics)).index)


def test_a_long_plan_has_no_more_facts_than_people_read() -> None:
    def full(number: int) -> Day:
        return day(
            visit(f"A{number}", "08:00", "11:00", note="Closed daily except never. 周一闭馆"),
            transfer(90),
            visit(f"B{number}", "11:10", "13:00", buffer_minutes=30.0, cost=10),
            meal("12:00", "13:00"),
            meal("12:30", "13:30"),
            transfer(20),
            visit(f"C{number}", "16:00", "18:00"),
            date=f"2026-03-{number + 1:02}",
            summary="crowds",
        )

    case = trip(
        *[full(number) for number in range(1, 29)],
        must_visit=["A1", "X"],
        avoid=["A2", "flights", "paid"],
        dietary=["vegan"],
        mobility=["slow"],
        goals=list("abcdefgh"),
        lodging="x",
        transport_preference="metro",
    )
    assert 25 <= len(find_facts(case)) <= 40
