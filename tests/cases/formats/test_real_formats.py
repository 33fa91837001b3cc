"""The real records, converted, against the same cases converted by others. Read from beside us."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from cases.formats import check_report, recognise_shape
from cases.itinerary.extra_fields import other_fields
from cases.itinerary.notes import sort_note
from cases.itinerary.reading import check, read

CONVERTED = ("dev_trip_agent_zh", "dev_travelplanner_en", "dev_requests_only")


@pytest.fixture
def folder() -> Path:
    named = os.environ.get("SPOTCHECK_REAL_DATA")
    if not named:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real records are not at hand")
    return Path(named)


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    lines = (folder / "itineraries" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def responses(folder: Path) -> list[dict[str, Any]]:
    path = folder / "raw" / "trip_agent_tripresult_sample.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def converted(record: dict[str, Any], name: str) -> dict[str, Any]:
    shape = recognise_shape(record)
    assert shape is not None
    assert shape.name == name
    data = shape.convert(record)
    check(data)
    return data


def differences(ours: Any, theirs: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """(path, ours, theirs) where a field is absent or another; list places are not told."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [
            left
            for name in sorted(ours.keys() | theirs.keys())
            for left in differences(
                ours.get(name), theirs.get(name), f"{path}.{name}" if path else name
            )
        ]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        return [found for pair in pairs for found in differences(*pair, f"{path}[]")]
    return [] if ours == theirs else [(path, ours, theirs)]


def test_the_rows_of_the_format_have_no_other_fields(folder: Path) -> None:
    for name in CONVERTED:
        for row in rows(folder, name):
            assert converted(row, "itinerary-case") is row
            assert other_fields(row) == []


def test_the_responses_become_the_cases_that_others_made_of_them(folder: Path) -> None:
    theirs = {row["id"]: row for row in rows(folder, "dev_trip_agent_zh")}
    records = responses(folder)
    assert len(records) == 9
    for record in records:
        ours = converted(record, "trip-agent")
        for path, left, other in differences(ours, theirs[ours["id"]]):
            if path.startswith("request."):
                # they read the text by hand: what the record does not state is unknown to us
                assert left is None
                continue
            if path == "plan.days[].items[].transport.mode":
                # the first release says how one travels, if asked for; the later ones never do
                assert (left, other) == (None, "public_transit")
                continue
            if path == "plan.notes":
                # the questions of a clarifying answer, which they left out
                assert (left, other) == (record["result"]["next_questions"], [])
                continue
            # what only they know: where the files came from, the checks, tags by hand
            assert path.split(".")[0] in (
                "automated_checks",
                "automated_summary",
                "other",
                "slots",
                "slots_weak",
                "source",
                "tags",
            ) or (path == "release.commit")


def test_the_same_request_is_the_same_in_every_release(folder: Path) -> None:
    requests: dict[str, list[Any]] = {}
    for record in responses(folder):
        data = converted(record, "trip-agent")
        requests.setdefault(data["case_key"], []).append(data["request"])
    assert len(requests) == 3
    for of_releases in requests.values():
        assert of_releases == [of_releases[0]] * 3


def published(row: dict[str, Any]) -> dict[str, Any]:
    """A converted row as TravelPlanner publishes it: its texts are still in the titles."""

    def texts(day: dict[str, Any], kind: str, prefix: str = "") -> str:
        return ";".join(
            item["title"].removeprefix(prefix)
            + (f"; Cost: {item['cost']:g}" if item["cost"] and kind != "transport" else "")
            for item in day["items"]
            if item["kind"] == kind and item["title"].startswith(prefix)
        )

    plan = [
        {
            "days": day["day"],
            "current_city": day["summary"],
            "transportation": texts(day, "transport") or "-",
            "attraction": texts(day, "sight") or "-",
            "accommodation": texts(day, "hotel") or "-",
            **{
                meal: texts(day, "meal", f"{meal}: ") or "-"
                for meal in ("breakfast", "lunch", "dinner")
            },
        }
        for day in row["plan"]["days"]
    ]
    return {"idx": row["case_key"], "query": row["request"]["text"], "plan": plan}


def test_published_plans_become_the_cases_that_others_made_of_them(folder: Path) -> None:
    compared = 0
    for theirs in rows(folder, "dev_travelplanner_en"):
        ours = converted(published(theirs), "travelplanner")
        assert other_fields(ours) == []
        assert ours["plan"]["status"] == theirs["plan"]["status"]
        assert ours["locale"] == theirs["locale"]
        for day, their_day in zip(ours["plan"]["days"], theirs["plan"]["days"], strict=True):
            # a meal without a name is none; two legs in one text are two
            their_items = [
                their_item
                for their_item in their_day["items"]
                if their_item["title"] != "breakfast: "
            ]
            if any(
                ";" in their_item["title"].removesuffix("; Cost: 50") for their_item in their_items
            ):
                continue
            for item, their in zip(day["items"], their_items, strict=True):
                compared += 1
                check_item(item, their)
    assert compared > 1000


def check_item(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    cut = len(theirs["title"]) == 120  # they cut a title there, and what it said is gone
    for path, left, other in differences(ours, theirs):
        match path:
            case "title":  # "Inn, City," keeps a comma that belongs to the cost
                assert left == other.rstrip(",")
            case "place":
                assert theirs["title"].endswith(f", {left},")
            case "transport.minutes":
                assert other is None
                assert re.search("[Dd]uration", ours["title"])
            case "transport.mode":
                assert other == "other"
            case "transport.to":
                assert ours["title"].startswith(f"Taxi to {left},")
            case "start":  # on the 12-hour clock
                assert other is None
                assert "AM" in ours["title"]
            case "cost":
                assert other is None
                assert "Cost: estimated" in ours["title"]
            case _:
                assert cut, path


def test_the_reports_of_the_product_are_read_and_joined(folder: Path) -> None:
    cases = {row["case_key"]: row for row in rows(folder, "dev_trip_agent_zh")}
    for path in sorted((folder / "raw").glob("trip_agent_eval_*report.json")):
        report = check_report.read(path.read_bytes())
        assert len(report) == 15
        assert not [value for value in report.values() if "other" in value]
        for key in report:
            joined = check_report.apply(cases[key], report)
            check(joined)
            assert joined["automated_summary"] == report[key]["automated_summary"]


def test_most_notes_of_the_last_release_are_of_the_machine(folder: Path) -> None:
    """screens.md counts 215: it takes the 14 lines "dayN reduced to ... clusters" for words."""
    notes = [
        note
        for row in rows(folder, "dev_trip_agent_zh")
        if row["release"]["version"] == "2026-02-28" and row["plan"]["status"] == "done"
        for note in row["plan"]["notes"]
    ]
    machine = [note for note in notes if not sort_note(note).words]
    reduced = [note for note in machine if "geographic clusters" in note]
    assert (len(notes), len(machine), len(reduced)) == (333, 229, 14)
    assert not [text for note in notes for text in sort_note(note).words if "=" in text]


def test_no_item_note_of_the_planner_is_lost_or_shows_a_code(folder: Path) -> None:
    for row in rows(folder, "dev_trip_agent_zh"):
        for day in row["plan"]["days"]:
            assert sort_note(day["summary"]).machine == ()
            for item in day["items"]:
                notes = sort_note(item["note"])
                parts = (item["note"] or "").split(" | ") if item["note"] else []
                assert len(notes.words) + len(notes.badges) + len(notes.machine) == len(parts)
                assert not [text for text in notes.words if re.search(r"[a-z]_|=", text)]


def test_a_real_line_is_read_after_conversion_as_before(folder: Path) -> None:
    for record in responses(folder):
        row = check(converted(record, "trip-agent"))
        assert read(row.text.encode()).digest == row.digest
