"""Whatever the reader of lines lets in: facts, legs and lanes come of it, and fast."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases.facts import Words, find_facts, find_repeats, list_legs
from cases.facts.topics import topics_for
from cases.itinerary.cards import build_cards
from cases.itinerary.format import Case, CaseError
from cases.itinerary.lanes import build_lanes
from cases.itinerary.language import Texts, detect_language
from cases.itinerary.reading import LONGEST_LINE, check
from tests.bed import growth, soak
from tests.cases.facts.invented_rows import rows, words

pytestmark = pytest.mark.soak

many = settings(
    max_examples=soak.size(short=30, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def at(data: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        data = data[int(step)] if isinstance(data, list) else data[step]
    return data


tried: list[object] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    if tried:
        bad = request.session.testsfailed - failed_before
        soak.report(request.node.name, tried=len(tried), bad=bad)


def read(row: dict[str, Any]) -> tuple[Case, dict[str, Any]] | None:
    tried.append(None)
    try:
        found = check(row)
    except CaseError:
        return None
    return found.case, found.data


@many
@given(rows)
def test_every_case_has_facts_with_sound_sentences_and_pointers(row: dict[str, Any]) -> None:
    if not (found := read(row)):
        return
    case, data = found
    facts = find_facts(case)
    assert facts == find_facts(case)
    assert facts
    assert len({fact.key for fact in facts}) == len(facts)
    assert len(facts) <= 60
    for fact in facts:
        assert fact.sentence.strip()
        assert "None" not in fact.message
        assert bool(fact.plural) == ("count" in fact.params) or not fact.plural
        for pointer in fact.refs:
            at(data, pointer)
        for value in fact.params.values():
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Words):
                    at(data, part.pointer)
                    assert part.text
                    assert detect_language(part.text, case.locale)


@many
@given(rows)
def test_every_leg_adds_up(row: dict[str, Any]) -> None:
    if not (found := read(row)):
        return
    case, data = found
    legs = list_legs(case)
    assert len(legs) == len((data.get("plan") or {}).get("days") or [])
    for leg in (item for day in legs for item in day):
        at(data, leg.before_pointer)
        at(data, leg.after_pointer)
        needed = (leg.transfer or 0) + (leg.buffer or 0) + leg.lunch
        assert leg.lunch >= 0
        assert leg.gap is None or leg.lunch <= max(leg.gap, 0)
        assert leg.short_by == (0 if leg.gap is None else max(0, needed - leg.gap))
    for repeat in find_repeats(case):
        at(data, repeat.fallback_pointer)
        at(data, repeat.visit_pointer)


@many
@given(rows)
def test_every_bar_lies_on_the_scale_and_over_nothing_in_its_row(row: dict[str, Any]) -> None:
    if not (found := read(row)):
        return
    case, data = found
    lanes = build_lanes(case)
    assert 0 <= lanes.first_hour <= 8
    assert 22 <= lanes.last_hour <= 24
    for lane in lanes.lanes:
        assert lanes.timed or not lane.bars
        reached = dict.fromkeys(range(lane.rows), 0)
        for bar in lane.bars:
            at(data, bar.pointer)
            assert 60 * lanes.first_hour <= bar.start_minute <= bar.end_minute
            assert bar.end_minute <= 60 * lanes.last_hour
            if lane.rows < 4:
                assert reached[bar.row] <= bar.start_minute
            reached[bar.row] = bar.end_minute
        for pointer in (item for bead in lane.beads for item in bead.pointers):
            at(data, pointer)


@many
@given(st.lists(st.tuples(words, words), max_size=5))
def test_topics_are_given_only_to_questions_that_exist(questions: list[tuple[str, str]]) -> None:
    tried.append(None)
    assert set(topics_for(questions).values()) <= {key for key, _text in questions}


# The cost


def long_case(count: int) -> Case:
    """Everything that meets everything else, `count` times."""
    item = {"start": "09:00", "end": "10:00"}
    stops = [
        entry
        for n in range(count)
        for entry in (
            {**item, "kind": "sight", "title": f"竹{n}", "place": "云州", "buffer_minutes": 5},
            {**item, "kind": "meal", "title": "午餐"},
            {"kind": "transport", "transport": {"from": f"a{n}", "to": f"b{n}", "minutes": 5}},
        )
    ]
    wishes = [f"塔{n}" for n in range(count)]
    lists = ("must_visit", "avoid", "dietary", "mobility", "goals")
    row = {
        "case_key": "k",
        "request": {"text": "x", **dict.fromkeys(lists, wishes)},
        "plan": {
            "summary": "第1天：" + "、".join(f"塔{n}" for n in range(count)),
            "notes": [f"移除了「竹{n}」" for n in range(count)],
            "days": [{"items": stops}],
            "fallbacks": [{"title": f"竹{n}"} for n in range(count)],
        },
    }
    return msgspec.convert(row, Case)


def everything_about(case: Case) -> object:
    return find_facts(case), build_lanes(case), build_cards(case, Texts(case, "en"))


def test_the_cost_grows_as_the_case_does() -> None:
    small, large = long_case(100), long_case(400)
    assert growth.grows_at_most(8, lambda: everything_about(small), lambda: everything_about(large))


def test_a_normal_case_takes_no_time_that_anybody_notices() -> None:
    """Goal: 2 ms. Ten times that would be another order of growth, not a slow machine."""
    case = long_case(8)
    assert growth.takes_at_most(0.02, lambda: everything_about(case))


def test_notes_of_15_kilobytes_are_no_trouble() -> None:
    note = "closed_rules=周一闭馆 | 步行 3 km。a_b=c " * 600
    row = {
        "case_key": "k",
        "request": {"text": "x", "mobility": ["轮椅"], "goals": ["history"]},
        "plan": {
            "days": [
                {"date": "2026-03-02", "items": [{"kind": "sight", "title": "A", "note": note}]}
            ],
            "notes": [note],
        },
    }
    case = msgspec.convert(row, Case)
    assert growth.takes_at_most(0.5, lambda: everything_about(case))


ZH_TITLES = [f"竹{n}影寺湖心亭{n}" for n in range(4400)]
EN_TITLES = [f"Copper Mill {n} Lost" for n in range(4400)]
FULL = {
    "must-visit": {"must_visit": [f"湖心亭{n}号" for n in range(40)]},
    "avoid": {"avoid": [f"湖心亭{n}排队" for n in range(40)]},
    "cities": {"destination": [f"云{n}" for n in range(3000)], "must_visit": ["湖心亭"]},
    "in English": {"must_visit": [f"Mill {n} Ox" for n in range(40)], "avoid": ["Mill Ox"] * 40},
}
NOTES_OF_15_KB = (
    "移除",
    "「竹影",
    "将竹影",
    "第1天：",
    "A b ",
    "removed A ",
    "A" + " " * 60,
    "第" + " " * 500,
)


def stops_of(titles: list[str]) -> list[dict[str, Any]]:
    return [{"kind": "sight", "title": title} for title in titles]


@pytest.mark.parametrize("asked_for", FULL)
def test_a_line_at_the_limit_full_of_names_does_not_stall(asked_for: str) -> None:
    titles = EN_TITLES if asked_for == "in English" else ZH_TITLES
    items = stops_of(titles[:2800])
    summary = "第1天：" + "、".join(f"湖{n}心" for n in range(2000))
    row = {
        "case_key": "k",
        "request": {"text": "x", **FULL[asked_for]},
        "plan": {"status": "done", "summary": summary, "days": [{"items": items}]},
    }
    assert 0.6 * LONGEST_LINE < len(msgspec.json.encode(row)) < LONGEST_LINE
    case = msgspec.convert(row, Case)
    assert growth.takes_at_most(1, lambda: everything_about(case))


@pytest.mark.parametrize("piece", NOTES_OF_15_KB)
def test_a_line_at_the_limit_full_of_notes_does_not_stall(piece: str) -> None:
    note = piece * (15_000 // len(piece.encode()))
    row = {
        "case_key": "k",
        "request": {"text": "x"},
        "plan": {
            "summary": note,
            "title": note,
            "days": [{"items": stops_of(ZH_TITLES[:20])}],
            "notes": [note] * 14,
        },
    }
    assert 0.85 * LONGEST_LINE < len(msgspec.json.encode(row)) < LONGEST_LINE
    case = msgspec.convert(row, Case)
    assert growth.takes_at_most(1, lambda: everything_about(case))
