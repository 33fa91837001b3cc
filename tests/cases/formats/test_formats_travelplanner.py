"""TravelPlanner's published plans, turned into cases."""

from typing import Any

import pytest

from cases.formats import find_shape
from cases.formats.travelplanner_words import legs, literal, sights, stop
from cases.itinerary.format import CaseError
from cases.itinerary.reading import check
from tests.cases.formats.foreign_records import PLANNED, TABLED, changed


def converted(record: dict[str, Any]) -> dict[str, Any]:
    data = find_shape("travelplanner").convert(record)
    check(data)
    return data


def items(record: dict[str, Any], day: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = converted(record)["plan"]["days"][day]["items"]
    return found


def test_a_published_plan_becomes_a_case() -> None:
    data = converted(PLANNED)
    assert (data["case_key"], data["id"]) == ("tp_12", "travelplanner:12")
    assert data["release"] is None
    assert data["locale"] == "en-US"
    assert data["request"] == {"text": PLANNED["query"]}
    assert data["plan"]["status"] == "done"
    first, second = data["plan"]["days"]
    assert (first["day"], first["summary"]) == (1, "from Fairview to Lakeport")
    assert [
        (item["kind"], item["title"], item["place"], item["cost"]) for item in first["items"]
    ] == [
        ("transport", PLANNED["plan"][0]["transportation"], None, 1248.0),
        ("sight", "Old Pier, Lakeport", "Lakeport", None),
        ("sight", "Museum of Ropes, Lakeport", "Lakeport", None),
        ("meal", "dinner: The Blue Oar, Lakeport", "Lakeport", 31.0),
        ("hotel", "Quiet Loft, near the lake, Lakeport", "Lakeport", 240.0),
    ]
    assert first["items"][-1]["note"] == "Cost: 240 for 2 nights"
    assert [(item["kind"], item["title"], item["cost"]) for item in second["items"][1:]] == [
        ("meal", "breakfast: Toast & Co, Lakeport", 9.0),
        ("meal", "lunch: Included with the room", None),
    ]
    assert "other" not in data


def test_a_flight_over_midnight_keeps_its_times_and_has_no_minutes() -> None:
    flight = items(PLANNED)[0]
    assert (flight["start"], flight["end"]) == ("22:10", "00:35")
    assert flight["transport"] == {
        "mode": "flight",
        "from": "Fairview",
        "to": "Lakeport",
        "minutes": None,
    }


def test_the_duration_of_a_drive_is_read_in_minutes() -> None:
    drive = items(PLANNED, 1)[0]
    assert drive["transport"] == {
        "mode": "self-driving",
        "from": "Lakeport",
        "to": "Fairview",
        "minutes": 161,
    }
    assert drive["cost"] == 14


def test_the_fields_of_the_benchmark_become_the_request() -> None:
    data = converted(TABLED)
    assert data["request"] == {
        "text": TABLED["query"],
        "origin": "Fairview",
        "destination": "Lakeport",
        "start_date": "2022-03-16",
        "end_date": "2022-03-17",
        "days": 2,
        "people": 3,
        "budget": {"amount": 900, "currency": "USD", "scope": "total"},
        "goals": ["cuisine:Greek", "cuisine:Thai"],
        "transport_preference": "no flight",
        "lodging": ["pets", "not shared room"],
    }
    assert data["plan"]["days"][0]["date"] == "2022-03-16"
    assert data["other"] == {"visiting_city_number": 1, "level": "hard"}


def test_lists_and_objects_may_also_stand_as_themselves() -> None:
    record = TABLED | {
        "date": ["2022-03-16"],
        "local_constraint": {"house rule": None, "cuisine": "Thai", "view": "sea"},
    }
    data = converted(record)
    assert data["request"]["goals"] == ["cuisine:Thai"]
    assert "lodging" not in data["request"]
    assert data["other"]["local_constraint"] == {"view": "sea"}


def test_dates_that_do_not_follow_each_other_are_kept_as_they_are() -> None:
    data = converted(TABLED | {"date": ["2022-03-16", "2022-03-18"]})
    assert data["request"]["end_date"] == "2022-03-18"
    assert data["other"]["date"] == ["2022-03-16", "2022-03-18"]


@pytest.mark.parametrize("empty", [None, [], {}])
def test_a_plan_that_was_not_delivered_is_empty(empty: Any) -> None:
    plan = converted(PLANNED | {"plan": empty})["plan"]
    assert (plan["status"], plan["days"]) == ("empty", [])


def test_days_without_anything_are_an_empty_plan_too() -> None:
    plan = converted(PLANNED | {"plan": [{}, {"day": 2, "lunch": "-"}]})["plan"]
    assert plan["status"] == "empty"
    assert [day["day"] for day in plan["days"]] == [1, 2]


def test_a_request_without_a_plan_has_none() -> None:
    record = {name: value for name, value in PLANNED.items() if name != "plan"}
    assert converted(record)["plan"] is None


def test_both_names_of_the_day_are_read() -> None:
    both = {"day": 3, "days": 5, "weather": "mild"}
    data = converted(PLANNED | {"plan": [{"days": 4}, both]})
    assert [day["day"] for day in data["plan"]["days"]] == [4, 3]
    assert data["other"] == {"plan": [{}, {"days": 5, "weather": "mild"}]}


def test_a_day_beyond_the_dates_has_no_date() -> None:
    days = converted(TABLED | {"plan": [{"day": 2}, {"day": 3}, {"day": 0}]})["plan"]["days"]
    assert [day["date"] for day in days] == ["2022-03-17", None, None]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("idx", None, "idx: is required."),
        ("idx", -1, "idx: must be a whole number from 0, got -1."),
        ("idx", "", "idx: must not be empty."),
        ("query", None, "query: is required."),
        ("days", "three", "days: must be a whole number of at least 1, got 'three'."),
        ("people_number", 0, "people_number: must be a whole number of at least 1, got 0."),
        ("date", "tomorrow", "date: must be a list, got 'tomorrow'."),
        ("date", "['tomorrow']", "date[0]: must be a date such as 2026-02-14, got 'tomorrow'."),
        ("local_constraint", "pets", "local_constraint: must be an object, got 'pets'."),
        (
            "local_constraint",
            {"cuisine": [3]},
            "local_constraint.cuisine[0]: must be a text, got 3.",
        ),
        ("budget", "900", "budget: must be a number, got '900'."),
        ("plan", "by bus", "plan: must be a list, got 'by bus'."),
        ("plan[0]", None, "plan[0]: must be an object, got null."),
        ("plan[0].day", 1.5, "plan[0].day: must be a whole number from 0, got 1.5."),
        ("plan[0].lunch", ["Inn"], 'plan[0].lunch: must be a text, got ["Inn"].'),
    ],
)
def test_a_mistake_is_named_with_its_path_in_the_record(
    path: str, value: Any, sentence: str
) -> None:
    with pytest.raises(CaseError) as refused:
        find_shape("travelplanner").convert(changed(TABLED, path, value))
    assert str(refused.value) == sentence


# What the texts say


@pytest.mark.parametrize(
    ("text", "words", "city", "cost", "note"),
    [
        ("Inn, Lakeport", "Inn, Lakeport", "Lakeport", None, None),
        ("Inn, Lakeport; Cost: 14", "Inn, Lakeport", "Lakeport", 14, None),
        ("Inn, Lakeport, Cost: $14.50", "Inn, Lakeport", "Lakeport", 14.5, None),
        ("Inn, Lakeport, (Cost: 14)", "Inn, Lakeport", "Lakeport", 14, None),
        ("Inn; Estimated Cost: 14", "Inn", None, 14, "Estimated Cost: 14"),
        ("Inn; cost: about 14", "Inn", None, 14, "cost: about 14"),
        ("Inn; Cost: 1,204 a night", "Inn", None, 1204, "Cost: 1,204 a night"),
        ("Inn; Cost: free", "Inn; Cost: free", None, None, None),
        ("Inn; Cost: 12345678901", "Inn; Cost: 12345678901", None, None, None),
        ("Low-cost Inn, Lakeport", "Low-cost Inn, Lakeport", "Lakeport", None, None),
        ("Cost: 14", "Cost: 14", None, 14, None),
        (", Lakeport", "Lakeport", None, None, None),
    ],
)
def test_a_stop_is_read(
    text: str, words: str, city: str | None, cost: float | None, note: str | None
) -> None:
    assert stop(text) == (words, city, cost, note)


def test_sights_are_separated_and_a_cost_stays_with_its_sight() -> None:
    found = sights(" Pier, Lakeport; Cost: 5 ;Tower, Lakeport;; -;")
    assert [(item.words, item.cost) for item in found] == [
        ("Pier, Lakeport", 5),
        ("Tower, Lakeport", None),
    ]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Taxi, Duration: 51 mins", 51),
        ("Taxi, duration: 1 hour", 60),
        ("Taxi, Duration: 1 day 2 hours, Cost: 3", 26 * 60),
        ("Taxi, Duration: Approx. 1 hour, Distance: 3 km", 60),
        ("Taxi, Duration: 2 hours 30 mins (approx.), Cost: 4", 150),
        ("Taxi, Duration: 2-3 hours", None),
        ("Taxi, Duration: 1,5 hours", None),
        ("Taxi, Duration: long", None),
        ("Taxi, 51 mins", None),
    ],
)
def test_minutes_are_read_or_left(text: str, minutes: float | None) -> None:
    assert legs(text)[0].minutes == minutes


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Bus, Departure Time: 09:00, Arrival Time: 11:30", "09:00", "11:30"),
        ("Bus, Departure at 9:05 AM", "09:05", None),
        ("Bus, Departure Time: 12:10 AM, Arrival Time: 12:50 pm", "00:10", "12:50"),
        ("Bus, Departure Time: 7:00 PM", "19:00", None),
        ("Bus, Departure Time: 24:00, Arrival Time: 10:60", None, None),
        ("Bus, Departure Time: 13:00 PM", None, None),
        ("Rental Car, Pickup Time: 08:00", None, None),
    ],
)
def test_times_are_read_or_left(text: str, start: str | None, end: str | None) -> None:
    leg = legs(text)[0]
    assert (leg.start, leg.end) == (start, end)


@pytest.mark.parametrize(
    ("text", "mode", "origin", "destination"),
    [
        ("Flight Number: F1, from A B to C, Departure Time: 07:00", "flight", "A B", "C"),
        ("self-driving, from A to C", "self-driving", "A", "C"),
        ("Transportation: Taxi, from A to C, Cost: 3", "taxi", "A", "C"),
        ("Taxi to C, Cost: 3", "taxi", None, "C"),
        ("Northern Bus, from A to C", "bus", "A", "C"),
        ("Train Number: T1, from A to C", "train", "A", "C"),
        ("Rental Van: Wheels & Co", "rental-car", None, None),
        ("Assumption: no flight details provided", "other", None, None),
        ("Cost: 35, self-driving", "self-driving", None, None),
        ("Taxi, Duration: 2 to 3 hours", "taxi", None, None),
    ],
)
def test_the_way_is_read_or_left(
    text: str, mode: str, origin: str | None, destination: str | None
) -> None:
    leg = legs(text)[0]
    assert (leg.words, leg.mode, leg.origin, leg.destination) == (text, mode, origin, destination)


def test_one_text_may_hold_two_legs() -> None:
    found = legs("Taxi, from A to B, Cost: 5; Flight Number: F1, from B to C, Cost: 90;")
    assert [(leg.mode, leg.destination, leg.cost) for leg in found] == [
        ("taxi", "B", 5),
        ("flight", "C", 90),
    ]
    by_sea = legs("Northern Bus, from A to B; Ferry, from B to C")
    assert [(leg.mode, leg.destination) for leg in by_sea] == [("bus", "B"), ("other", "C")]
    assert [leg.words for leg in legs("Taxi; Cost: 55; tip included")] == [
        "Taxi; Cost: 55; tip included"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "[",
        "f()",
        "'\\x00'",
        "'\\ud800'",
        "1j",
        "1e999",
        "{1}",
        "((" * 300,
        "9" * 5000,
    ],
)
def test_a_text_that_is_no_value_stays_a_text(text: str) -> None:
    assert literal(text) == text


def test_a_text_that_is_too_long_to_be_a_value_stays_a_text() -> None:
    assert literal("[" + "1," * 4000 + "]") == [1] * 4000
    long = "[" + "1," * 6000 + "]"
    assert literal(long) == long
