"""What a reviewer sees of a case says nothing about where it came from or how it was checked."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases.case import display as case_display
from cases.itinerary import reading
from cases.rubric import read as read_rubric
from cases.rubrics.workflow import SHIPPED
from tests.bed import soak
from tests.cases.itinerary.filled_cases import filled, texts_in

pytestmark = pytest.mark.soak

RUBRIC = read_rubric((SHIPPED / "en.md").read_text("utf-8")).document
# All that a reviewer is shown. Everything else of a case is not for them, known field or not.
SHOWN = ("/request/", "/plan/", "/translations/")
# Where a product writes sentences, some for machines. Titles, places and reasons are names.
NOTES = (
    "/plan/summary",
    "/plan/notes/0",
    "/plan/notes/1",
    "/plan/days/0/summary",
    "/plan/days/1/summary",
    "/plan/days/0/items/0/note",
    "/plan/days/0/items/1/note",
    "/plan/days/1/items/0/note",
    "/plan/days/1/items/1/note",
    "/plan/fallbacks/0/note",
    "/plan/fallbacks/1/note",
    "/plan/budget/warning",
)
MACHINE = (
    "routing_confidence={}",
    "persona={}",
    "persona:{}",
    "constraints_unresolved:{}",
    "poi={} cluster=3",
    '{{"score": "{}"}}',
    '["{}"]',
    "Bring water. | persona={}",
    "带好身份证。\nrouting_confidence={}",
    "Queue early (routing_confidence={}). Bring water.",
)
FIELDS = [
    *["", "request", "request/budget", "plan", "plan/days/0", "plan/days/1/items/0"],
    *["plan/days/0/items/1/transport", "plan/budget", "plan/fallbacks/0", "release", "source"],
]


def shown(case: dict[str, Any], *, language: str = "en") -> str:
    """The block and the facts, with all at hand that a page around them could hold."""
    row = reading.read(json.dumps(case).encode())
    page = case_display.read(row.case, RUBRIC, language=language)
    context = {
        "page": page,
        "groups": page.groups,
        "language": language,
        "case": row.case,
        "release": row.case.release,
        "tags": row.case.tags,
    }
    templates = ("cases/case/_itinerary.html", "cases/case/_facts.html")
    return "".join(render_to_string(template, context) for template in templates)


def words() -> Iterator[str]:
    """Words that stand nowhere else."""
    return (f"qz{number}zq" for number in count(100))


def marked() -> tuple[dict[str, Any], dict[str, str]]:
    """A full case with a word of its own in each text, and the words by pointer."""
    new, found = words(), {}

    def write(pointer: str) -> str:
        found[pointer] = next(new)
        return found[pointer]

    return filled(write), found


def is_shown(pointer: str) -> bool:
    return pointer.startswith(SHOWN)


def test_the_words_of_request_and_plan_are_shown() -> None:
    """Else the tests below would hold for an empty page."""
    case, found = marked()
    page = shown(case)
    missing = [
        pointer
        for pointer, word in found.items()
        if pointer.startswith(("/request/", "/plan/")) and word not in page
    ]
    assert missing == []


def test_nothing_else_of_a_case_is_shown() -> None:
    case, found = marked()
    page = shown(case)
    hidden = {pointer: word for pointer, word in found.items() if not is_shown(pointer)}
    assert {"/case_key", "/id", "/release/product", "/tags/0", "/source/derived/0"} <= set(hidden)
    assert {"/automated_checks/a~key", "/slots/any", "/produced_by/1"} <= set(hidden)
    assert [pointer for pointer, word in hidden.items() if word in page] == []


def test_a_status_score_or_check_is_not_told() -> None:
    passed, failed = (
        filled(
            lambda pointer: "word",
            automated_summary={"status": status, "score": score},
            automated_checks={"x": {"status": check, "evidence": None}},
        )
        for status, score, check in [("PASS", 1, "pass"), ("FAIL", 0.125, "fail")]
    )
    assert shown(passed) == shown(failed)


def test_two_releases_of_the_same_plan_read_the_same() -> None:
    """All but the content may differ, and nothing on the page does."""
    case, _found = marked()
    other = {
        name: value
        for name, value in case.items()
        if name in ("request", "plan", "locale", "translations")
    } | {"case_key": "another-key", "id": "another-id"}
    assert shown(case) == shown(other)


def test_only_dotted_chips_come_from_the_source() -> None:
    case, _found = marked()
    derived = case | {"source": {"derived": ["request.days"]}}
    before, after = shown(case), shown(derived)
    assert before != after
    mark = ' read" title="Read from the text by others"'
    assert after.count(mark) == 1
    assert after.replace(mark, '"') == before


@settings(
    max_examples=soak.size(short=40, long=1000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_wherever_they_stand_machine_text_and_other_fields_stay_out(data: st.DataObject) -> None:
    """Machine text in any note, unknown fields anywhere, and every field outside the plan."""
    case, found = marked()
    hidden = {word for pointer, word in found.items() if not is_shown(pointer)}
    for pointer in data.draw(st.sets(st.sampled_from(NOTES))):
        word = f"hidden{len(hidden)}word"
        put(case, pointer, data.draw(st.sampled_from(MACHINE)).format(word))
        hidden.add(word)
    for path in data.draw(st.sets(st.sampled_from(FIELDS))):
        word = f"hidden{len(hidden)}word"
        name = data.draw(st.sampled_from(["other", "debug", "评分", "<b>", "text_en", "score"]))
        put(case, f"/{path}/{name}" if path else f"/{name}", data.draw(wrapped(word)))
        hidden.add(word)
    page = shown(case, language=data.draw(st.sampled_from(["en", "zh-hans"])))
    assert sorted(word for word in hidden if word in page) == []


def wrapped(word: str) -> st.SearchStrategy[Any]:
    return st.sampled_from([word, [word], {"a": {word: 1}}, {word: [word]}, f"persona={word}"])


def put(case: dict[str, Any], pointer: str, value: Any) -> None:
    *way, last = pointer.split("/")[1:]
    target: Any = case
    for step in way:
        target = target[int(step)] if isinstance(target, list) else target[step]
    target[int(last) if isinstance(target, list) else last] = value


@pytest.mark.parametrize("status", ["clarifying", "error", "empty", "done", None])
def test_machine_text_of_a_plan_without_days_stays_out(status: str | None) -> None:
    plan = {"status": status, "summary": "Sorry.", "notes": ["cost=hiddenword"]}
    assert "hiddenword" not in shown({"case_key": "k", "request": {"text": "x"}, "plan": plan})


def test_machine_text_as_summary_of_a_plan_without_days_stays_out() -> None:
    plan = {"status": "error", "summary": "persona=hiddenword"}
    assert "hiddenword" not in shown({"case_key": "k", "request": {"text": "x"}, "plan": plan})


def test_machine_text_as_warning_about_money_stays_out() -> None:
    case, _found = marked()
    put(case, "/plan/budget/warning", "constraints_unresolved:hiddenword")
    assert "hiddenword" not in shown(case)


def test_every_text_of_the_format_is_among_the_marked() -> None:
    """A field that the format gains later is filled too."""
    case, found = marked()
    fixed = {"itinerary-case/1", "2026-05-12", "en-GB"}
    words_found = [text for _pointer, text in texts_in(case) if text.startswith("qz")]
    assert set(words_found) <= set(found.values())
    assert fixed <= {text for _pointer, text in texts_in(case)}
    assert len(words_found) > 100
