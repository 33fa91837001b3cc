"""The demo's cases: what somebody sees who starts the site for the first time.

They are written by hand. Each release must let the sampling rule of the shipped rubric be filled,
and show what really occurs: good and bad plans, missing ones, other languages and currencies.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cases import rubric
from cases.itinerary.reading import CheckedCase, read
from cases.tags import detectors

BASE_DIR = Path(__file__).resolve().parents[3]
DEMO = BASE_DIR / "reviews" / "demo"
VERSIONS = ["2026.09", "2026.10", "2026.11"]
KINDS = rubric.read((BASE_DIR / "cases/rubrics/en.md").read_text("utf-8")).document.sampling.kinds

HAN = re.compile("[\u4e00-\u9fff]")


def lines_of(version: str) -> list[bytes]:
    return (DEMO / f"wayfarer-{version}.jsonl").read_bytes().splitlines()


@cache
def rows_of(version: str) -> list[CheckedCase]:
    return [read(line) for line in lines_of(version)]


def all_rows() -> list[CheckedCase]:
    return [row for version in VERSIONS for row in rows_of(version)]


each_release = pytest.mark.parametrize("version", VERSIONS)


def eligible(version: str) -> list[CheckedCase]:
    """What the sampling rule may draw from."""
    return [
        row
        for row in rows_of(version)
        if row.case.automated_summary
        and row.case.automated_summary.status == "PASS"
        and row.case.plan
        and row.case.plan.is_done
    ]


def tags_of(row: CheckedCase) -> set[str]:
    strong = {found.tag for found in detectors.detect(row.case) if found.strength == "strong"}
    return strong.union(row.case.tags or ())


def kinds_of(row: CheckedCase) -> list[str]:
    return [kind.key for kind in KINDS if rubric.fits(tags_of(row), kind)]


def can_be_filled(kinds: list[str], fitting: dict[str, set[str]]) -> bool:
    """Whether each kind can have a case of its own; `fitting` is kind -> case keys."""
    if not kinds:
        return True
    rest = kinds[1:]
    return any(
        can_be_filled(rest, {kind: fitting[kind] - {key} for kind in rest})
        for key in fitting[kinds[0]]
    )


def items_of(row: CheckedCase) -> Iterator[dict[str, Any]]:
    for day in (row.data["plan"] or {}).get("days", []):
        yield from day["items"]


def named(key: str) -> list[CheckedCase]:
    return [row for row in all_rows() if row.case.case_key == key]


# --- Form -----------------------------------------------------------------------------------------


def test_only_the_three_releases_are_there() -> None:
    expected = [f"wayfarer-{version}.jsonl" for version in VERSIONS]
    assert sorted(path.name for path in DEMO.glob("*.jsonl")) == expected


@each_release
def test_all_rows_can_be_read(version: str) -> None:
    assert len(rows_of(version)) == len(lines_of(version)) >= 8


@each_release
def test_each_row_names_the_release_of_its_file(version: str) -> None:
    names = [row.data["release"] for row in rows_of(version)]
    assert names == [{"product": "wayfarer", "version": version, "commit": None}] * len(names)


@each_release
def test_no_key_stands_twice_in_a_file(version: str) -> None:
    keys = Counter(row.case.case_key for row in rows_of(version))
    assert [key for key, times in keys.items() if times > 1] == []


def test_ids_are_unique() -> None:
    assert len({row.case.id for row in all_rows()}) == len(all_rows())


@each_release
def test_rows_are_neither_stubs_nor_books(version: str) -> None:
    sizes = [len(line) for line in lines_of(version)]
    assert min(sizes) >= 2_000
    assert max(sizes) <= 9_000


@each_release
def test_characters_are_written_as_themselves(version: str) -> None:
    assert not any(b"\\u" in line for line in lines_of(version))


def test_each_row_has_four_to_eight_checks_with_evidence() -> None:
    for row in all_rows():
        checks = row.case.automated_checks or {}
        assert 4 <= len(checks) <= 8, row.case.id
        assert all(check.evidence for check in checks.values()), row.case.id
        assert row.case.automated_summary, row.case.id


def test_plans_run_through_the_days_of_their_request() -> None:
    for row in all_rows():
        request, plan = row.case.request, row.case.plan
        if plan and plan.is_done and request.start_date:
            days = plan.days or []
            assert len(days) == request.days, row.case.id
            assert (days[0].date, days[-1].date) == (request.start_date, request.end_date)


# --- Enough to draw from --------------------------------------------------------------------------


@each_release
def test_each_kind_of_the_rubric_can_have_a_case_of_its_own(version: str) -> None:
    rows = eligible(version)
    fitting = {
        kind.key: {row.case.case_key for row in rows if kind.key in kinds_of(row)} for kind in KINDS
    }
    assert len(KINDS) == 5
    assert can_be_filled([kind.key for kind in KINDS], fitting), fitting


def test_a_case_fills_only_one_kind() -> None:
    assert can_be_filled(["a", "b"], {"a": {"x"}, "b": {"x", "y"}})
    assert not can_be_filled(["a", "b"], {"a": {"x"}, "b": {"x"}})
    assert not can_be_filled(["a"], {"a": set()})


@each_release
def test_at_least_two_cases_fit_two_kinds(version: str) -> None:
    assert sum(len(kinds_of(row)) >= 2 for row in eligible(version)) >= 2


@each_release
def test_low_budget_cases_carry_the_warning_of_the_plan(version: str) -> None:
    for row in eligible(version):
        if "low-budget" in tags_of(row):
            budget, asked = row.data["plan"]["budget"], row.data["request"]["budget"]
            assert budget["minimum_feasible"] > asked["amount"], row.case.id
            assert budget["warning"], row.case.id


@each_release
def test_two_cases_did_not_pass(version: str) -> None:
    assert sum(row.data["automated_summary"]["status"] != "PASS" for row in rows_of(version)) == 2


def test_there_are_at_least_fifteen_itineraries() -> None:
    told = {
        json.dumps([row.data["request"], row.data["plan"]], sort_keys=True)
        for row in all_rows()
        if row.case.plan and row.case.plan.is_done
    }
    assert len(told) >= 15


def test_shared_keys_have_the_same_request_and_different_plans() -> None:
    shared = [
        key for key, times in Counter(row.case.case_key for row in all_rows()).items() if times > 1
    ]
    assert len(shared) >= 6
    for key in shared:
        rows = named(key)
        assert all(row.data["request"] == rows[0].data["request"] for row in rows), key
        assert len({json.dumps(row.data["plan"], sort_keys=True) for row in rows}) == len(rows), key


@each_release
def test_requests_are_in_chinese_and_in_english(version: str) -> None:
    in_chinese = [bool(HAN.search(row.case.request.text)) for row in rows_of(version)]
    assert in_chinese.count(True) >= 2
    assert in_chinese.count(False) >= 2


def test_locales_name_the_language_of_the_request() -> None:
    for row in all_rows():
        language = "zh" if HAN.search(row.case.request.text) else "en"
        assert (row.case.locale or "").startswith(language), row.case.id


# --- What really occurs ---------------------------------------------------------------------------


def test_one_case_has_no_plan_and_one_asks_back() -> None:
    assert sum(row.case.plan is None for row in all_rows()) == 1
    assert sum(
        row.case.plan is not None and row.case.plan.status == "clarifying" for row in all_rows()
    )


def test_one_plan_that_can_be_drawn_has_no_times() -> None:
    rows = [row for version in VERSIONS for row in eligible(version)]
    assert any(all(item["start"] is None for item in items_of(row)) for row in rows)


def test_one_leg_ends_on_the_next_day() -> None:
    assert any(
        item["start"] and item["end"] and item["end"] < item["start"]
        for row in all_rows()
        for item in items_of(row)
    )


def test_one_plan_is_twelve_days_long() -> None:
    assert any(len((row.data["plan"] or {}).get("days", [])) == 12 for row in all_rows())


def test_one_budget_is_in_another_currency_than_its_plan() -> None:
    pairs = [
        (row.data["request"]["budget"], row.data["plan"]["budget"])
        for row in all_rows()
        if row.data["plan"]
    ]
    assert any(asked and told and asked["currency"] != told["currency"] for asked, told in pairs)


def test_one_plan_answers_in_another_language_and_is_translated() -> None:
    (row,) = [row for row in all_rows() if row.case.translations]
    plan, translated = row.data["plan"], row.data["translations"]["en"]["plan"]
    assert not HAN.search(row.case.request.text)
    assert HAN.search(plan["title"])
    assert not HAN.search(json.dumps(translated, ensure_ascii=False))
    for day, its_translation in zip(plan["days"], translated["days"], strict=True):
        assert its_translation["summary"]
        for item, words in zip(day["items"], its_translation["items"], strict=True):
            assert words["title"]
            assert ("note" in words) == ("note" in item)
    assert len(translated["fallbacks"]) == len(plan["fallbacks"])


def test_one_case_was_made_by_omar_and_some_by_nobody() -> None:
    makers = [row.case.produced_by for row in all_rows()]
    assert makers.count(["omar"]) == 1
    assert makers.count([]) >= 2


def test_some_rows_declare_tags_and_some_have_fields_of_their_own() -> None:
    assert any(row.case.tags for row in all_rows())
    assert sum("experiment" in row.data for row in all_rows()) >= 2


def test_some_notes_are_for_machines() -> None:
    notes = [note for row in all_rows() for note in (row.data["plan"] or {}).get("notes", [])]
    assert any(re.fullmatch(r"routing_confidence=0\.\d+", note) for note in notes)
    assert any(
        item.get("note") == "reservation_required" for row in all_rows() for item in items_of(row)
    )
