"""Fallbacks: is there one, is it anything new, and does it say why?"""

import pytest

from cases.facts import Repeat, Topic, find_repeats
from cases.itinerary.format import Fallback
from tests.cases.facts.invented_trips import by_key, day, keys, told, trip, visit


def test_no_fallback_is_one_fact() -> None:
    assert told(trip(day(visit("A"))), Topic.FALLBACKS) == ["The plan gives no fallback."]


def test_fallbacks_that_stand_in_the_plan_are_told_with_their_days() -> None:
    case = trip(
        day(visit("竹影寺"), visit("白鹭湖")),
        day(visit("旧书巷")),
        fallbacks=[
            Fallback(day=1, title="旧书巷"),
            Fallback(day=2, title=" 白鹭湖 "),
            Fallback(day=2, title="云台塔"),
        ],
    )
    assert told(case, Topic.FALLBACKS) == [
        "Fallbacks that repeat a visit of this plan: "
        "2 of 3 (旧书巷, 白鹭湖, planned for days 1, 2).",
        "Fallbacks that give a reason: 0 of 3.",
    ]
    assert by_key(case)["fallbacks"].refs == (
        "/plan/fallbacks/0",
        "/plan/days/1/items/0",
        "/plan/fallbacks/1",
        "/plan/days/0/items/1",
    )
    assert find_repeats(case) == (
        Repeat("/plan/fallbacks/0", "/plan/days/1/items/0", 2),
        Repeat("/plan/fallbacks/1", "/plan/days/0/items/1", 1),
    )


def test_a_repeat_is_found_by_place_and_in_any_case() -> None:
    case = trip(
        day(visit("Morning walk", place="Willow  Pier")), fallbacks=[Fallback(title="willow pier")]
    )
    assert len(find_repeats(case)) == 1


def test_a_part_of_a_name_is_no_repeat() -> None:
    case = trip(
        day(visit("云台塔公园")), fallbacks=[Fallback(title="云台塔"), Fallback(title=None)]
    )
    assert find_repeats(case) == ()
    assert "Fallbacks that repeat a visit of this plan: 0 of 2." in told(case)


def test_a_fallback_on_the_day_it_is_meant_for_is_told() -> None:
    case = trip(
        day(visit("竹影寺")),
        day(visit("白鹭湖"), visit("竹影寺")),
        fallbacks=[Fallback(day=2, title="竹影寺"), Fallback(day=1, title="白鹭湖")],
    )
    assert "On day 2 the fallback is itself a visit of the day: 竹影寺." in told(case)


@pytest.mark.parametrize(
    ("reason", "note", "reasons"),
    [
        (None, None, 0),
        (" ", "backup_option", 0),
        ("if it rains", None, 1),
        (None, "下雨时去", 1),
    ],
)
def test_reasons_are_counted_and_a_note_in_words_is_one(
    reason: str | None, note: str | None, reasons: int
) -> None:
    case = trip(day(visit("A")), fallbacks=[Fallback(title="B", reason=reason, note=note)])
    assert f"Fallbacks that give a reason: {reasons} of 1." in told(case)


def test_days_without_a_fallback_are_told_when_fallbacks_are_given_by_day() -> None:
    days = day(visit("A")), day(visit("B")), day(visit("C"))
    by_day = trip(*days, fallbacks=[Fallback(day=2, title="D")])
    assert "No fallback for days 1, 3." in told(by_day)
    for_any = trip(*days, fallbacks=[Fallback(day=2, title="D"), Fallback(title="E")])
    assert "days-without-fallback" not in keys(for_any)


def test_crowds_that_the_plan_expects_stand_beside_its_fallbacks() -> None:
    case = trip(
        day(visit("A"), summary="人流量较高"),
        day(visit("B"), summary="sunny"),
        day(visit("C"), summary="Crowds expected"),
    )
    fact = by_key(case)["crowds"]
    assert fact.sentence == "The plan itself expects crowds or a holiday on days 1, 3."
    assert fact.topic is Topic.FALLBACKS
