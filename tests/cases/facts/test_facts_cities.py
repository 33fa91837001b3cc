"""A journey that ends in one city while the next stop is in another."""

from cases.facts import Topic
from cases.itinerary.format import Case, Item
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


def in_city(city: str, *titles: str) -> list[Item]:
    return [visit(title, place=city) for title in titles]


def flight(start: str | None, end: str | None) -> Item:
    return transfer(mode="flight", from_=start, to=end)


def legs_missing(case: Case) -> list[str]:
    return [key for key in keys(case) if key.startswith("no-leg")]


def test_an_arrival_in_another_city_than_the_next_stop_is_told() -> None:
    case = trip(
        day(flight("Northport", "Millbrook"), *in_city("Saltford", "Copper Mill", "Willow Pier")),
        origin="Northport",
    )
    fact = by_key(case)["no-leg:/plan/days/0/items/0"]
    assert fact.sentence == (
        "Day 1 arrives in Millbrook; the next stop is in Saltford; no leg is given."
    )
    assert fact.refs == ("/plan/days/0/items/0", "/plan/days/0/items/1")
    assert fact.topic is Topic.BUFFERS


def test_an_arrival_in_the_city_of_a_stop_is_not_told() -> None:
    case = trip(
        day(flight("Northport", "Saltford"), *in_city("Saltford", "Copper Mill", "Willow Pier"))
    )
    assert legs_missing(case) == []


def test_the_next_stop_is_the_one_listed_after_the_journey() -> None:
    walks = [visit(f"Walk {number}", place="Oldtown") for number in range(10)]
    case = trip(
        day(*walks, flight("Far", "Millbrook"), *in_city("Saltford", "Copper Mill", "Willow Pier"))
    )
    assert by_key(case)["no-leg:/plan/days/0/items/10"].refs[1] == "/plan/days/0/items/11"


def test_the_flight_home_is_not_told_though_it_is_listed_first() -> None:
    case = trip(
        day(flight("Saltford", "Northport"), *in_city("Saltford", "Copper Mill", "Willow Pier")),
        origin="Northport",
    )
    assert legs_missing(case) == []


def test_an_evening_journey_from_the_city_of_the_day_is_not_told() -> None:
    case = trip(
        day(flight("Saltford", "Millbrook"), *in_city("Saltford", "Copper Mill", "Willow Pier"))
    )
    assert legs_missing(case) == []


def test_a_second_journey_is_the_leg() -> None:
    case = trip(
        day(
            flight("Northport", "Millbrook"),
            transfer(50, mode="bus", from_="Millbrook", to="Saltford"),
            *in_city("Saltford", "Copper Mill", "Willow Pier"),
        )
    )
    assert legs_missing(case) == []


def test_a_departure_from_a_city_nobody_is_in_is_told() -> None:
    case = trip(
        day(*in_city("Saltford", "Copper Mill", "Willow Pier"), hotel("Inn", place="Saltford")),
        day(flight("Millbrook", "Northport"), meal(title="Kettle House", place="Saltford")),
        origin="Northport",
    )
    assert told(case, Topic.BUFFERS)[-1] == (
        "Day 2 leaves from Millbrook; the stop before is in Saltford; no leg is given."
    )


def test_a_departure_from_where_yesterday_arrived_is_not_told() -> None:
    case = trip(
        day(*in_city("Saltford", "Copper Mill", "Willow Pier"), flight("Saltford", "Millbrook")),
        day(flight("Millbrook", "Northport"), meal(title="Kettle House", place="Saltford")),
        origin="Northport",
    )
    assert legs_missing(case) == []


def test_where_the_place_is_the_sight_itself_no_city_is_made_of_it() -> None:
    case = trip(
        day(
            flight("海城", "云州"), visit("竹影寺", place="竹影寺"), visit("白鹭湖", place="白鹭湖")
        )
    )
    assert legs_missing(case) == []


def test_a_station_is_in_its_city() -> None:
    english = trip(
        day(
            transfer(mode="train", from_="Far", to="New Saltford Central Station"),
            *in_city("New Saltford City", "Copper Mill", "Willow Pier"),
        )
    )
    chinese = trip(
        day(
            transfer(mode="train", from_="海城", to="云州南站"),
            *in_city("云州", "竹影寺", "白鹭湖"),
        )
    )
    assert legs_missing(english) == legs_missing(chinese) == []
