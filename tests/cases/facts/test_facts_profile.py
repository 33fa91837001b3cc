"""Diet, mobility and goals: whether the plan's words speak of what was asked."""

import pytest

from cases.facts import Topic, find_facts
from cases.itinerary.format import Case, Fallback, Request
from tests.cases.facts.invented_trips import by_key, day, keys, meal, told, transfer, trip, visit

NOT_RECORDED = (
    "Dietary and mobility needs are not fully recorded; the request's own words may name some."
)


@pytest.mark.parametrize(
    ("dietary", "mobility", "expected"),
    [
        ([], [], ["The request names no dietary and no mobility need."]),
        (None, None, [NOT_RECORDED]),
        (["素食"], None, [NOT_RECORDED]),
        (["素食"], [], ["The request names no mobility need."]),
        ([], ["少走路"], ["The request names no dietary need."]),
        (["素食"], ["少走路"], []),
    ],
)
def test_needs_that_the_request_does_not_name_are_told(
    dietary: list[str] | None, mobility: list[str] | None, expected: list[str]
) -> None:
    case = Case(case_key="k", request=Request(text="x", dietary=dietary, mobility=mobility))
    found = [fact.sentence for fact in find_facts(case) if fact.topic is Topic.CONSTRAINTS]
    assert found == expected


def test_needs_are_told_with_where_the_plan_names_them_or_as_named_nowhere() -> None:
    case = trip(
        day(visit("A"), meal(title="Kettle House", note="Vegetarian menu")),
        dietary=["vegetarian", "no nuts"],
    )
    assert told(case, Topic.CONSTRAINTS) == [
        "The request names no mobility need.",
        "Dietary need vegetarian: the plan's words name it (Vegetarian menu).",
        "Dietary need, nowhere in the plan's words: no nuts.",
    ]
    assert by_key(case)["dietary-found:/request/dietary/0"].refs == ("/plan/days/0/items/1/note",)


def test_more_than_three_needs_that_are_named_are_not_told_one_by_one() -> None:
    case = trip(day(visit("a b c d e")), dietary=list("abcde"), mobility=list("abcde"))
    assert sum(key.startswith("dietary-found:") for key in keys(case)) == 3
    assert "Dietary needs that the plan's words name as well: d, e." in told(case)
    assert "Mobility needs that the plan's words name as well: d, e." in told(case)


@pytest.mark.parametrize(
    "plan",
    [
        {"plan": {"title": "轮椅可达"}},
        {"plan": {"summary": "轮椅可达"}},
        {"plan": {"notes": ["x", "全程轮椅可达"]}},
        {"fallbacks": [Fallback(title="x", reason="轮椅")]},
    ],
)
def test_every_text_of_the_plan_is_read(plan: dict[str, object]) -> None:
    case = trip(day(visit("A")), mobility=["轮椅"], **plan)  # type: ignore[arg-type]
    assert "mobility-nowhere" not in keys(case)


def test_what_only_a_machine_reads_names_nothing() -> None:
    case = trip(
        day(visit("A", note="persona=wheelchair | buffer=20m")),
        plan={"notes": ["persona_profile=wheelchair"]},
        mobility=["wheelchair"],
        goals=["persona"],
    )
    assert "Mobility need, nowhere in the plan's words: wheelchair." in told(case)
    assert "Goals that no words of the plan name: persona." in told(case)


@pytest.mark.parametrize(
    ("note", "stated"),
    [
        ("步行约800米", True),
        ("a walk of 20 minutes", True),
        ("全程2.5公里", True),
        ("少走路", False),
    ],
)
def test_walking_that_is_stated_is_not_told_as_missing(note: str, stated: bool) -> None:
    case = trip(day(visit("A", note=note)), mobility=["slow"])
    assert ("The plan states no walking distance and no time on foot." in told(case)) is not stated


def test_transfers_on_foot_are_added_up_when_mobility_was_asked() -> None:
    items = (
        visit("A"),
        transfer(7.6, mode="walking"),
        visit("B"),
        transfer(5, mode="walk"),
        visit("C"),
    )
    case = trip(day(*items), mobility=["slow"])
    assert "2 transfers on foot, 12 min in all." in told(case, Topic.CONSTRAINTS)
    assert "walking" not in keys(trip(day(*items)))


# Goals


@pytest.mark.parametrize(
    ("goals", "expected"),
    [
        ([], ["The request names no goals."]),
        ([" "], ["The request names no goals."]),
        (None, ["Goals are not recorded; the request's own words may name some."]),
        (["food"], []),
    ],
)
def test_goals_that_the_request_does_not_name_are_told(
    goals: list[str] | None, expected: list[str]
) -> None:
    case = Case(case_key="k", request=Request(text="x", goals=goals))
    assert told(case, Topic.STYLE) == expected


def test_goals_are_told_with_the_visits_that_name_them() -> None:
    case = trip(
        day(visit("云州博物馆"), visit("Museum of Kettles"), visit("白鹭湖", note="夜景很好")),
        plan={"summary": "美食之旅"},
        goals=["museum", "night_view", "food", "history", "cuisine:Indian"],
    )
    assert told(case, Topic.STYLE) == [
        "Goal museum, named by 2 of 3 visits: 云州博物馆, Museum of Kettles.",
        "Goal night_view, named by 1 of 3 visits: 白鹭湖.",
        "Goals named in the plan's words, but by no visit: food.",
        "Goals that no words of the plan name: history, cuisine:Indian.",
    ]
    assert by_key(case)["goal:/request/goals/0"].refs == (
        "/plan/days/0/items/0",
        "/plan/days/0/items/1",
    )


@pytest.mark.parametrize(
    ("goal", "title", "named"),
    [
        ("cuisine:Indian", "Old Indian Kitchen", True),
        ("road_trip", "The great Road Trip", True),
        ("steam trains", "Steam Trains Hall", True),
        ("art", "Party Hall", False),
        ("art", "Art Hall", True),
        ("theme_park", "欢乐园", True),
        ("古镇", "青石古镇", True),
        (":", "a: b", False),
    ],
)
def test_a_goal_is_a_known_token_or_free_words(goal: str, title: str, named: bool) -> None:
    case = trip(day(visit(title)), goals=[goal])
    assert any(key.startswith("goal:") for key in keys(case)) is named


def test_a_meal_names_no_goal_of_a_visit() -> None:
    case = trip(day(visit("A"), meal(title="美食广场")), goals=["food"])
    assert "Goals named in the plan's words, but by no visit: food." in told(case)


def test_more_than_five_goals_are_not_told_one_by_one() -> None:
    case = trip(day(visit("a b c d e f g h")), goals=list("abcdefgh"))
    assert sum(key.startswith("goal:") for key in keys(case)) == 5
