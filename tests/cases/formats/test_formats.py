"""The shapes an import understands, and the planner's own response turned into a case."""

from typing import Any

import pytest

from cases.formats import NAMES, SHAPES, Shape, find_shape, recognise_shape
from cases.formats.shape import guess_language
from cases.itinerary.format import CaseError
from cases.itinerary.reading import check
from tests.cases.formats.foreign_records import CLARIFYING, EARLY, LATE, PLANNED, TABLED, changed

OURS: dict[str, Any] = {"case_key": "k1", "request": {"text": "Two days by the lake"}}


def converted(record: dict[str, Any]) -> dict[str, Any]:
    data = find_shape("trip-agent").convert(record)
    check(data)
    return data


def refusal(record: dict[str, Any]) -> str:
    with pytest.raises(CaseError) as refused:
        find_shape("trip-agent").convert(record)
    return str(refused.value)


# Which shape


def test_the_shapes_are_found_by_name() -> None:
    assert set(NAMES) == {"itinerary-case", "trip-agent", "trip-agent-case", "travelplanner"}
    assert [find_shape(name).name for name in NAMES] == list(NAMES)
    with pytest.raises(KeyError):
        find_shape("csv")


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (OURS, "itinerary-case"),
        ({"schema": "itinerary-case/1"}, "itinerary-case"),
        ({"id": "a", "request": {"text": "no key yet"}}, "itinerary-case"),
        (OURS | {"result": {}, "query": "x"}, "itinerary-case"),
        (EARLY, "trip-agent"),
        (LATE, "trip-agent"),
        (CLARIFYING, "trip-agent"),
        ({"result": []}, "trip-agent"),
        (PLANNED, "travelplanner"),
        (TABLED, "travelplanner"),
        ({"query": "only a request"}, "travelplanner"),
    ],
)
def test_a_record_is_recognised_by_its_content(record: dict[str, Any], name: str) -> None:
    shape = recognise_shape(record)
    assert shape is not None
    assert shape.name == name
    assert [item.name for item in SHAPES if item.recognises(record)] == [name]


def test_an_unknown_record_has_no_shape() -> None:
    assert recognise_shape({}) is None
    assert recognise_shape({"key": "a", "request": "b"}) is None


def test_a_record_that_two_shapes_claim_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = Shape("greedy", lambda record: True, lambda record: record)
    monkeypatch.setattr("cases.formats.SHAPES", (*SHAPES, greedy))
    assert recognise_shape({}) is greedy
    assert recognise_shape(OURS) is None


def test_our_own_format_is_passed_on_as_it_is() -> None:
    assert find_shape("itinerary-case").convert(OURS) is OURS


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("云州 2 days", "zh-CN"),
        ("Two days", "en"),
        ("雲州へ行きたい", "ja"),
        ("이틀", "ko"),
        ("2026", None),
    ],
)
def test_the_language_is_told_by_the_letters(text: str, language: str | None) -> None:
    assert guess_language(text) == language


# The planner's response


def test_the_plan_of_an_early_release() -> None:
    data = converted(EARLY)
    assert data["case_key"] == "y01_yunzhou"
    assert data["id"] == "trip-agent@2026-01-01:y01_yunzhou"
    assert data["release"] == {"product": "trip-agent", "version": "2026-01-01", "commit": None}
    assert data["locale"] == "zh-CN"
    assert data["request"] == {"text": "云州两日游，坐地铁。", "destination": "云州", "days": 2}
    plan = data["plan"]
    assert (plan["status"], plan["summary"]) == ("done", "云州两日")
    assert plan["budget"] == {
        "currency": "CNY",
        "total": 45.0,
        "breakdown": {},
        "minimum_feasible": None,
        "warning": None,
    }
    assert plan["notes"] == ["第1天游客many"]
    first, second = plan["days"]
    assert (first["day"], first["date"], first["summary"]) == (1, "2026-01-05", "天气：小雨")
    temple, leg, tower = first["items"]
    assert (temple["start"], temple["end"], temple["kind"]) == ("09:00", "10:30", "sight")
    assert (temple["title"], temple["place"], temple["cost"]) == ("青石寺", "青石寺", 20.0)
    assert (temple["note"], temple["buffer_minutes"]) == ("上午去青石寺。", None)
    assert leg["title"] == "青石寺 → 望江楼"
    assert leg["transport"] == {
        "mode": "public_transit",
        "from": "青石寺",
        "to": "望江楼",
        "minutes": 12.5,
    }
    assert tower["note"] is None
    assert second["items"] == []


def test_the_plan_of_a_later_release_has_buffers_meals_and_a_warning() -> None:
    plan = converted(LATE)["plan"]
    assert [(item["kind"], item["start"], item["title"]) for item in plan["days"][0]["items"]] == [
        ("sight", "09:00", "青石寺"),
        ("meal", "11:30", "用餐"),
        ("transport", None, "青石寺 → 望江楼"),
        ("sight", "12:20", "望江楼"),
        ("transport", None, "望江楼 → 白塔"),
        ("sight", "14:30", "白塔"),
    ]
    assert plan["days"][0]["items"][0]["buffer_minutes"] == 20.0
    assert plan["budget"]["breakdown"] == {"tickets": 65.0, "food_min": 120.0}
    assert plan["budget"]["warning"] == "预算偏低。"


def test_how_one_travels_is_known_only_where_the_record_says_so() -> None:
    modes = {
        item["transport"]["mode"]
        for day in converted(LATE)["plan"]["days"]
        for item in day["items"]
        if item["transport"]
    }
    assert modes == {None}


def test_a_meal_at_the_end_of_the_day_comes_last() -> None:
    late = changed(LATE, "result.itinerary.days[0].meal_windows", ["18:00-19:00", "9:05-9:30"])
    items = converted(late)["plan"]["days"][0]["items"]
    meals = [(place, item["start"]) for place, item in enumerate(items) if item["kind"] == "meal"]
    assert meals == [(1, "09:05"), (6, "18:00")]


def test_a_way_to_the_first_stop_has_no_beginning() -> None:
    record = changed(LATE, "result.itinerary.days[0].schedule[0].travel_minutes", 25)
    leg = converted(record)["plan"]["days"][0]["items"][0]
    assert (leg["title"], leg["transport"]["from"], leg["transport"]["to"]) == (
        "→ 青石寺",
        None,
        "青石寺",
    )


def test_a_backup_is_a_fallback_of_its_day_without_a_reason() -> None:
    assert converted(LATE)["plan"]["fallbacks"] == [
        {"day": 1, "title": "云州书院", "reason": None, "note": "backup_option"}
    ]


def test_only_what_the_customer_stated_becomes_the_request() -> None:
    data = converted(LATE)
    assert data["request"] == {"text": "云州两日游，坐地铁。", "destination": "云州", "days": 2}
    derived = data["source"]["derived"]
    assert "request.destination (as the product read the text)" in derived
    assert not [item for item in derived if item.startswith("request.start_date")]
    evidence = data["other"]["result"]["field_evidence"]
    assert evidence["date_start"]["value"] == "2026-03-02"


def test_questions_and_message_of_a_clarifying_answer_are_words_for_the_customer() -> None:
    data = converted(CLARIFYING)
    plan = data["plan"]
    assert (plan["status"], plan["title"], plan["days"]) == ("clarifying", None, [])
    assert plan["summary"] == "还有两个问题"
    assert plan["notes"] == ["去哪个城市？", "去几天？"]
    assert plan["budget"] is None
    assert data["locale"] == "en"


def test_a_message_that_is_not_the_summary_is_a_note() -> None:
    plan = converted(changed(LATE, "result.message", "祝您旅途愉快"))["plan"]
    assert plan["summary"] == "云州2天行程一览"
    assert plan["notes"][0] == "祝您旅途愉快"


def test_what_has_no_field_is_left_over_in_its_place() -> None:
    other = converted(LATE)["other"]
    assert other["result"]["session_id"] == "5e55"
    assert other["result"]["issues"] == []
    day = other["result"]["itinerary"]["days"][0]
    assert day["schedule"][2]["poi"] == {"id": "p-白塔", "city": "云州"}
    assert "name" not in day["schedule"][2]["poi"]


def test_a_place_with_nothing_left_over_is_kept_by_an_empty_object() -> None:
    early = changed(EARLY, "result.itinerary.days[1]", {"day_number": 2})
    days = converted(early)["other"]["result"]["itinerary"]["days"]
    assert days[0]["total_travel_minutes"] == 12.5
    assert days[1] == {}


def test_a_record_without_leftovers_has_no_other() -> None:
    record = {"key": "k", "request": "Two days", "result": {"status": "error"}}
    data = converted(record)
    assert "other" not in data
    assert (data["id"], data["release"]["version"]) == ("trip-agent:k", None)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("key", None, "key: is required."),
        ("key", " ", "key: must not be empty."),
        ("key", "a\nb", 'key: must be one line without control characters, got "a\\nb".'),
        ("key", "k" * 201, "key: must have at most 200 characters, got 201."),
        ("key", 7, "key: must be a text, got 7."),
        ("request", "", "request: must not be empty."),
        ("release", 3, "release: must be a text, got 3."),
        ("result", None, "result: is required."),
        ("result", [], "result: must be an object, got []."),
        ("result.status", None, "result.status: is required."),
        (
            "result.status",
            "finished",
            "result.status: must be one of done, clarifying, error, empty; got 'finished'.",
        ),
        (
            "result.field_evidence.days.value",
            "three",
            "result.field_evidence.days.value: must be a whole number of at least 1, got 'three'.",
        ),
        (
            "result.field_evidence.days.value",
            100_001,
            "result.field_evidence.days.value: must be at most 100000, got 100001.",
        ),
        (
            "result.itinerary.days",
            {},
            "result.itinerary.days: must be a list, got {}.",
        ),
        (
            "result.itinerary.days[0].date",
            "2026-02-30",
            "result.itinerary.days[0].date: there is no such day as 2026-02-30.",
        ),
        (
            "result.itinerary.days[0].date",
            "5 March",
            "result.itinerary.days[0].date: must be a date such as 2026-02-14, got '5 March'.",
        ),
        (
            "result.itinerary.days[0].day_number",
            -1,
            "result.itinerary.days[0].day_number: must be a whole number from 0, got -1.",
        ),
        (
            "result.itinerary.days[0].schedule[1].start_time",
            "25:00",
            "result.itinerary.days[0].schedule[1].start_time: "
            "must be a time such as 09:30, got '25:00'.",
        ),
        (
            "result.itinerary.days[0].schedule[1].travel_minutes",
            -0.5,
            "result.itinerary.days[0].schedule[1].travel_minutes: "
            "must be a number of at least 0, got -0.5.",
        ),
        (
            "result.itinerary.days[0].schedule[1].travel_minutes",
            1_000_001,
            "result.itinerary.days[0].schedule[1].travel_minutes: "
            "must be at most 1000000, got 1000001.",
        ),
        (
            "result.itinerary.days[0].schedule[1].poi.cost",
            True,
            "result.itinerary.days[0].schedule[1].poi.cost: must be a number, got true.",
        ),
        (
            "result.itinerary.days[0].meal_windows[0]",
            "noon",
            "result.itinerary.days[0].meal_windows[0]: "
            "must be a span of time such as 12:00-13:00, got 'noon'.",
        ),
        (
            "result.itinerary.days[0].meal_windows[0]",
            "12:00-25:00",
            "result.itinerary.days[0].meal_windows[0]: must be a time such as 09:30, got '25:00'.",
        ),
        (
            "result.itinerary.assumptions[1]",
            {},
            "result.itinerary.assumptions[1]: must be a text, got {}.",
        ),
        (
            "result.itinerary.budget_breakdown.tickets",
            "65",
            "result.itinerary.budget_breakdown.tickets: must be a number, got '65'.",
        ),
    ],
)
def test_a_mistake_is_named_with_its_path_in_the_record(
    path: str, value: Any, sentence: str
) -> None:
    assert refusal(changed(LATE, path, value)) == sentence
