"""Sights that the summary names or the notes remove, against what the days hold."""

import pytest

from cases.facts import Topic, Words
from cases.facts.consistency import MOST_NAMED, find_listed, find_removed
from cases.itinerary.format import Case, Fallback
from tests.cases.facts.invented_trips import by_key, day, keys, meal, told, transfer, trip, visit


def stated(case: Case) -> list[str]:
    return told(case, Topic.CONSISTENCY)


def listed(text: str, *cities: str) -> dict[str, tuple[int, ...]]:
    return {entry.sight: entry.days for entry in find_listed(text, cities)}


# Lists of sights


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "第1天：竹影寺、白鹭湖；第2天：云台塔",
            {"竹影寺": (1,), "白鹭湖": (1,), "云台塔": (2,)},
        ),
        (
            "第一天：抵达、入住酒店、游览竹影寺；第二天：云台塔（夜景）、晚餐",
            {"竹影寺": (1,), "云台塔": (2,)},
        ),
        ("D1：竹影寺→白鹭湖，D2：竹影寺", {"竹影寺": (1, 2), "白鹭湖": (1,)}),
        (
            "Day 1: Willow Pier, Copper Mill; Day 2: then the Abbey. We hope you enjoy it.",
            {"Willow Pier": (1,), "Copper Mill": (1,), "Abbey": (2,)},
        ),
        (
            "Day 1 - Arrive by train, visit Willow Pier, dinner at Lou's. Day 2: walk along St. Jo",
            {"Willow Pier": (1,), "St. Jo": (2,)},
        ),
        ("Highlights: Copper Mill, and Saltford Abbey.", {"Copper Mill": (), "Saltford Abbey": ()}),
        ("Three quiet days with good food.", {}),
        ("云州3日行程：天气：阴 | 节假日：春节", {}),
        ("Day 1: free time, shopping", {}),
        ("第1天：", {}),
        ("", {}),
    ],
)
def test_the_sights_of_a_list_are_read_with_their_days(
    text: str, expected: dict[str, tuple[int, ...]]
) -> None:
    assert listed(text) == expected


def test_a_city_in_a_list_is_no_sight() -> None:
    assert listed("第1天：云州；第2天：竹影寺", "云州") == {"竹影寺": (2,)}


def test_a_list_without_end_is_cut() -> None:
    text = "第1天：" + "、".join(f"塔{number}号" for number in range(2 * MOST_NAMED))
    assert len(listed(text)) == MOST_NAMED


# The summary


def test_sights_of_the_summary_that_no_day_has_are_counted() -> None:
    case = trip(
        day(visit("竹影寺")),
        day(meal()),
        plan={"summary": "第1天：竹影寺、白鹭湖；第2天：云台塔"},
    )
    assert stated(case) == ["Of 3 sights that the summary names, no day has 2: 白鹭湖, 云台塔."]
    fact = by_key(case)["summary-not-in-days"]
    assert fact.refs == ("/plan/summary",)
    assert fact.params["sights"] == (
        Words("白鹭湖", "/plan/summary"),
        Words("云台塔", "/plan/summary"),
    )
    assert (fact.params["named"], fact.params["missing"]) == (3, 2)


def test_the_sentence_about_one_sight_is_singular() -> None:
    case = trip(day(visit("A")), plan={"summary": "Day 1: Willow Pier"})
    assert stated(case) == ["The summary names 1 sight; no day has it: Willow Pier."]


@pytest.mark.parametrize(
    "held",
    [
        visit("白鹭湖"),
        visit("白鹭湖公园（东门）"),
        visit("湖区", place="白鹭湖"),
        visit("云州", note="途经白鹭湖，不入园。"),
        transfer(10, title="竹影寺 → 白鹭湖"),
        transfer(10, to="白鹭湖"),
        meal(title="午餐：白鹭湖鱼馆"),
    ],
)
def test_a_sight_that_a_day_names_anywhere_is_held(held: object) -> None:
    case = trip(day(held), plan={"summary": "第1天：白鹭湖"})  # type: ignore[arg-type]
    assert stated(case) == []


@pytest.mark.parametrize(
    ("title", "missing"),
    [
        ("The Copper Mill", "Willow Pier"),
        ("Willow Pier and the Copper Mill", None),
        ("Abbey", "Willow Pier and the Copper Mill"),
    ],
)
def test_two_sights_in_one_entry_are_looked_for_one_by_one(title: str, missing: str | None) -> None:
    case = trip(day(visit(title)), plan={"summary": "Day 1: Willow Pier and the Copper Mill"})
    found = by_key(case).get("summary-not-in-days")
    shown = found and [words.text for words in found.params["sights"]]  # type: ignore[union-attr]
    assert shown == ([missing] if missing else None)


def test_the_title_counts_where_there_is_no_summary() -> None:
    days = day(visit("A"))
    assert by_key(trip(days, plan={"title": "第1天：白鹭湖"}))["summary-not-in-days"].refs == (
        "/plan/title",
    )
    with_both = trip(days, plan={"title": "第1天：白鹭湖", "summary": "云州一日"})
    assert stated(with_both) == []


def test_a_sight_on_another_day_than_the_summary_says_is_told() -> None:
    summary = "第1天：竹影寺；第2天：白鹭湖、竹影寺；第7天：云台塔"
    case = trip(
        day(visit("白鹭湖"), visit("竹影寺")), day(visit("云台塔")), plan={"summary": summary}
    )
    assert stated(case) == ["Not on the day that the summary says: 白鹭湖 (in the plan on day 1)."]
    assert by_key(case)["summary-other-day"].refs == ("/plan/days/0/items/0",)


def test_a_sight_on_one_of_the_days_that_the_summary_says_is_not_told() -> None:
    days = day(visit("白鹭湖"), visit("竹影寺")), day(visit("云台塔"))
    summary = "第1天：竹影寺；第2天：{}、竹影寺"
    assert stated(trip(*days, plan={"summary": summary.format("云台塔")})) == []
    assert len(stated(trip(*days, plan={"summary": summary.format("白鹭湖")}))) == 1


def test_machine_text_of_a_summary_is_not_read() -> None:
    case = trip(day(visit("A")), plan={"summary": '{"第1天": "第1天：白鹭湖"}'})
    assert stated(case) == []


# What notes say was removed


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("预算优化：第1天移除了「故园」，以尽量满足预算上限。", ["故园"]),
        ("「故园」已被取消，「石桥」已从行程中移除", ["故园", "石桥"]),
        ("已将白鹭湖从行程中移除", ["白鹭湖"]),
        ("删除：白鹭湖", ["白鹭湖"]),
        ("取消了预约限制", []),  # no sight of the case
        ("可免费取消「故园」门票", []),
        ("没有移除「故园」", []),
        ("Removed Willow Pier to save money.", ["Willow Pier"]),
        ('We dropped the visit to "Old Mill" because of rain', ["Old Mill"]),
        ("Willow Pier was removed: too far", ["Willow Pier"]),
        (
            "Willow Pier has been cut, and “Old Mill” had to be dropped.",
            ["Willow Pier", "Old Mill"],
        ),
        ("Removed all paid stops", []),
        ("Removed Day 2 lunch", []),
        ("If Willow Pier is removed, the day is calmer", []),
        ("", []),
    ],
)
def test_a_note_names_what_was_removed(note: str, expected: list[str]) -> None:
    found = find_removed([Words(note, "/plan/notes/0")], ["白鹭湖", "Willow Pier"])
    assert sorted(removed.name for removed in found) == sorted(expected)


def test_a_removed_sight_is_told_once_with_its_note() -> None:
    case = trip(
        day(visit("竹影寺")),
        plan={"notes": ["a_b=c", "移除了「白鹭湖」。", "再次移除「白鹭湖」"]},
    )
    assert stated(case) == ["The notes say that these were removed, and no day has them: 白鹭湖."]
    assert by_key(case)["removed"].refs == ("/plan/notes/1",)


def test_a_removed_sight_that_a_day_still_has_is_told_apart() -> None:
    case = trip(
        day(visit("竹影寺")),
        day(visit("白鹭湖")),
        plan={"notes": ["移除了「白鹭湖」"]},
    )
    assert stated(case) == ["The notes say that these were removed; day 2 has them: 白鹭湖."]
    assert by_key(case)["removed-but-planned"].refs == ("/plan/days/1/items/0",)


def test_a_name_without_quotation_marks_is_known_from_anywhere_in_the_case() -> None:
    note = {"notes": ["已将白鹭湖移除"]}
    days = day(visit("竹影寺"))
    assert "removed" not in keys(trip(days, plan=note))
    assert "removed" in keys(trip(days, plan=note, fallbacks=[Fallback(title="白鹭湖")]))
    assert "removed" in keys(trip(days, plan=note, must_visit=["白鹭湖"]))
    summary = {**note, "summary": "第1天：白鹭湖"}
    assert "removed" in keys(trip(days, plan=summary))


def test_a_log_line_for_machines_is_not_told_to_reviewers() -> None:
    notes = ["repair:day1:remove_poi:白鹭湖:budget_trim", "Removed 白鹭湖 to reduce cost (cost=2)"]
    assert stated(trip(day(visit("竹影寺")), plan={"notes": notes}, must_visit=["白鹭湖"])) == []


def test_without_a_stop_nothing_is_compared() -> None:
    plan = {"summary": "第1天：白鹭湖", "notes": ["移除了「白鹭湖」"]}
    assert stated(trip(day(), plan=plan)) == []
