"""Must-visit, avoid, transport and lodging: what was asked, and where the plan has it."""

import pytest

from cases.facts import Topic, Words, find_facts
from cases.facts.names import Register, names
from cases.itinerary.format import Case, Fallback, Item, Request
from tests.cases.facts.invented_trips import by_key, day, hotel, keys, told, transfer, trip, visit

NOT_RECORDED = "Must-visit and avoid are not fully recorded; the request's own words may name some."


@pytest.mark.parametrize(
    ("must", "avoid", "expected"),
    [
        ([], [], ["The request names no must-visit place and nothing to avoid."]),
        (None, None, [NOT_RECORDED]),
        ([], None, [NOT_RECORDED]),
        (None, ["A"], [NOT_RECORDED]),
        (["A"], [], ["The request names nothing to avoid."]),
        ([], ["A"], ["The request names no must-visit place."]),
        (["A"], ["B"], []),
    ],
)
def test_what_the_request_does_not_name_is_told(
    must: list[str] | None, avoid: list[str] | None, expected: list[str]
) -> None:
    case = Case(case_key="k", request=Request(text="x", must_visit=must, avoid=avoid))
    found = [fact.sentence for fact in find_facts(case) if fact.topic is Topic.WISHES]
    assert found == expected


def test_must_visits_are_told_found_or_not_with_their_days() -> None:
    case = trip(
        day(visit("云台塔公园")),
        day(visit("A"), visit("The Copper Mill, Saltford")),
        must_visit=["云台塔", "copper mill", "Willow Pier", "白鹭湖"],
        fallbacks=[Fallback(title="白鹭湖")],
    )
    assert told(case, Topic.WISHES) == [
        "The request names nothing to avoid.",
        "Must-visit, in the plan: 云台塔, copper mill (days 1, 2).",
        "Must-visit, only among the fallbacks: 白鹭湖.",
        "Must-visit, no stop of that name: Willow Pier.",
    ]
    found = by_key(case)["must-visit-found"]
    assert found.refs == ("/plan/days/0/items/0", "/plan/days/1/items/1")
    assert found.params["places"] == (
        Words("云台塔", "/request/must_visit/0"),
        Words("copper mill", "/request/must_visit/1"),
    )


def test_a_place_that_is_only_passed_on_the_way_is_not_visited() -> None:
    case = trip(day(transfer(10, title="竹影寺 → 白鹭湖"), visit("白鹭湖")), must_visit=["竹影寺"])
    assert "Must-visit, no stop of that name: 竹影寺." in told(case)


@pytest.mark.parametrize(
    ("wanted", "title", "expected"),
    [
        ("云台塔", "云台塔公园", True),
        ("云州云台塔", "云台塔", True),  # the other way round
        ("云州云台塔", "云台塔/白鹭湖", True),
        ("云州云台塔", "云州", False),  # the destination is no stop
        ("湖", "白鹭湖", False),  # one letter
        ("湖心亭", "湖", False),
        ("Mill", "Copper Mill, Saltford", True),
        ("copper  mill", "Copper Mill", True),
        ("Mill", "Millbrook Abbey", False),
        ("Copper Mill Museum", "Copper Mill", False),  # not in English
        ("Café Noir", "café noir", True),
        ("Mill", "Mill云台", True),
        ("Mill (old)", "the Mill (old) tower", True),
        ("", "Copper Mill", False),
        (" ", "竹影寺", False),
    ],
)
def test_a_name_is_found_as_a_reader_would(wanted: str, title: str, expected: bool) -> None:
    found = Register([("it", title, None)], ["云州"]).first(wanted)
    assert found == ("it" if expected else None)


def test_a_name_never_acts_as_a_pattern() -> None:
    assert not names("aaa", "a.*")
    assert names("what (a.*", "(a.*")


@pytest.mark.parametrize(
    ("avoided", "mode", "found"),
    [
        ("flights", "flight", True),
        ("No flights please", "flight", True),
        ("self-driving", "self-driving", True),
        ("自驾", "self_driving", True),
        ("飞机", "flight", True),
        ("flights", "train", False),
        ("buses", "bus", True),
        ("metro", "public_transit", False),
    ],
)
def test_an_avoided_way_of_travelling_is_looked_for_in_the_modes(
    avoided: str, mode: str, found: bool
) -> None:
    case = trip(day(visit("A"), transfer(10, mode=mode), visit("B")), avoid=[avoided])
    assert (f"To avoid: {avoided}; found on day 1: {mode}." in told(case)) is found
    assert (f"To avoid, found in no stop: {avoided}." in told(case)) is not found


def test_an_avoided_place_is_told_with_its_stops() -> None:
    case = trip(
        day(visit("购物中心")), day(visit("竹影寺")), day(visit("老街购物")), avoid=["购物", "爬山"]
    )
    fact = by_key(case)["avoid-found:/request/avoid/0"]
    assert fact.sentence == "To avoid: 购物; found on days 1, 3: 购物中心, 老街购物."
    assert fact.refs == ("/plan/days/0/items/0", "/plan/days/2/items/0")
    assert "To avoid, found in no stop: 爬山." in told(case)


@pytest.mark.parametrize("avoided", ["收费门票", "paid sights", "entrance fees"])
def test_avoided_tickets_are_looked_for_in_the_prices(avoided: str) -> None:
    visits = [visit("A", cost=0.0), visit("B", cost=5.0), visit("C")]
    case = trip(day(*visits), avoid=[avoided])
    fact = by_key(case)["avoid-paid:/request/avoid/0"]
    assert (
        fact.sentence == f"To avoid: {avoided}; visits that cost more than 0: 1 of 2 with a price."
    )
    assert fact.refs == ("/plan/days/0/items/1",)


def test_the_transport_asked_stands_beside_the_modes_of_the_plan() -> None:
    items: list[Item] = [visit("A"), transfer(1), transfer(2), transfer(3, mode="taxi")]
    case = trip(day(*items), transport_preference="public_transit")
    assert "Transport asked: public_transit; in the plan: metro, taxi." in told(case)
    without = trip(day(visit("A")), transport_preference=["metro", " "])
    assert "Transport asked: metro; the plan names no way of travelling." in told(without)
    assert "transport" not in keys(trip(day(visit("A")), transport_preference=" "))


def test_the_lodging_asked_stands_beside_the_lodging_of_the_plan() -> None:
    case = trip(day(hotel("Inn")), day(hotel("Inn"), hotel("Lake House")), lodging=["quiet"])
    assert "Lodging asked: quiet; in the plan: Inn, Lake House." in told(case, Topic.WISHES)


def test_a_list_of_wishes_without_end_is_cut() -> None:
    case = trip(day(visit("A")), must_visit=[f"Place {n}" for n in range(5000)])
    places = by_key(case)["must-visit-missing"].params["places"]
    assert isinstance(places, tuple)
    assert len(places) == 8


def test_more_than_five_avoided_things_in_the_plan_are_not_told_one_by_one() -> None:
    case = trip(day(visit("a b c d e f g")), avoid=list("abcdefg"))
    assert sum(key.startswith("avoid-found:") for key in keys(case)) == 5
    assert "To avoid, found in the plan as well: f, g." in told(case)


# Near matches


def test_a_must_visit_near_the_name_of_a_stop_is_not_called_missing() -> None:
    case = trip(
        day(visit("竹影寺")),
        day(visit("云州大熊猫繁育研究基地"), visit("Willow Pier")),
        destination="云州",
        must_visit=["大熊猫基地", "白鹭湖"],
    )
    assert told(case, Topic.WISHES)[1:] == [
        "Must-visit 大熊猫基地: no stop of that name; near: 云州大熊猫繁育研究基地 (day 2).",
        "Must-visit, no stop of that name: 白鹭湖.",
    ]
    fact = by_key(case)["must-visit-near:/request/must_visit/0"]
    assert fact.refs == ("/plan/days/1/items/0",)
    assert fact.params["wish"] == Words("大熊猫基地", "/request/must_visit/0")


def test_a_stop_that_another_wish_names_is_near_none() -> None:
    wishes = ["Copper Mill", "Copper Mill Observatory"]
    one = trip(day(visit("Copper Mill")), must_visit=wishes[1:])
    assert "must-visit-near:/request/must_visit/0" in keys(one)
    both = trip(day(visit("Copper Mill")), must_visit=wishes)
    assert "Must-visit, no stop of that name: Copper Mill Observatory." in told(both)


def test_a_must_visit_is_near_no_hotel_and_no_transfer() -> None:
    case = trip(
        day(hotel("Copper Mill"), transfer(5, title="Copper Mill")),
        must_visit=["Copper Mill Observatory"],
    )
    assert "must-visit-missing" in keys(case)


def test_something_avoided_that_a_stop_is_nearly_called_is_told_with_its_note() -> None:
    case = trip(
        day(visit("网红打卡店", note="提前两小时取号")),
        avoid=["网红店排队", "爬山"],
    )
    assert told(case, Topic.WISHES)[1:] == [
        "To avoid: 网红店排队; found in no stop; near: 网红打卡店, 提前两小时取号 (day 1).",
        "To avoid, found in no stop: 爬山.",
    ]
    assert by_key(case)["avoid-near:/request/avoid/0"].refs == ("/plan/days/0/items/0",)


def test_something_avoided_that_only_a_note_names_is_told_with_the_note() -> None:
    case = trip(
        day(visit("A"), visit("B", note="Steep stairs to the top. | a_b=c")), avoid=["steep stairs"]
    )
    assert (
        "To avoid: steep stairs; found in no stop; near: B, Steep stairs to the top. (day 1)."
        in told(case)
    )


def test_a_way_of_travelling_is_near_no_name() -> None:
    case = trip(day(visit("Flight Hall"), transfer(5)), avoid=["flight delays"])
    assert "To avoid, found in no stop: flight delays." in told(case)


def test_a_pedestrian_street_is_no_way_of_travelling() -> None:
    case = trip(day(visit("竹影寺"), transfer(5, mode="walk")), avoid=["步行街"])
    assert "To avoid, found in no stop: 步行街." in told(case)
    on_foot = trip(day(visit("竹影寺"), transfer(5, mode="walk")), avoid=["步行"])
    assert "To avoid: 步行; found on day 1: walk." in told(on_foot)


def test_more_than_five_near_wishes_are_not_told_one_by_one() -> None:
    case = trip(
        day(*(visit(f"Kestrel{n} Hollow") for n in range(7))),
        must_visit=[f"Hollow Kestrel{n}" for n in range(7)],
        avoid=[f"Hollow Kestrel{n}" for n in range(7)],
    )
    assert sum(key.startswith("must-visit-near:") for key in keys(case)) == 5
    assert sum(key.startswith("avoid-near:") for key in keys(case)) == 5
    assert "Must-visit, near the name of a stop as well: Hollow Kestrel5, Hollow Kestrel6." in told(
        case
    )
    assert "To avoid, near a stop as well: Hollow Kestrel5, Hollow Kestrel6." in told(case)
