"""Whatever is in a record: it is converted with nothing lost, or refused with words."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from cases.formats import NAMES, SHAPES, find_shape, recognise_shape
from cases.formats.travelplanner_words import literal
from cases.itinerary.extra_fields import other_fields
from cases.itinerary.format import CaseError, CaseProblem
from cases.itinerary.reading import check
from tests.bed import soak
from tests.cases.formats.foreign_records import TRAVELPLANNER, TRIP_AGENT, TRIP_AGENT_CASES

pytestmark = pytest.mark.soak

FOREIGN = [
    *(("trip-agent", item) for item in TRIP_AGENT),
    *(("trip-agent-case", item) for item in TRIP_AGENT_CASES),
    *(("travelplanner", item) for item in TRAVELPLANNER),
]
many = settings(max_examples=soak.size(short=75, long=10_000), deadline=None)

tried: list[Any] = []


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    bad = request.session.testsfailed - failed_before
    soak.report(request.node.name, tried=len(tried), bad=bad)


def places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of every value inside."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, Any]] = []
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict | list):
        return [
            container[key]
            for container, key in places(value)
            if not isinstance(container[key], dict | list)
        ]
    return [value]


def words(value: Any) -> set[str]:
    """The words and numbers of a leaf; a number is the same with and without its .0."""
    text = re.sub(r"(?<=\d),(?=\d)", "", value if isinstance(value, str) else json.dumps(value))
    return {re.sub(r"\.0$", "", match) for match in re.findall(r"[\w.]*\w", text)}


LABELS = {"Cost"}  # what the name of the field says


@pytest.mark.parametrize(("name", "record"), FOREIGN)
def test_every_leaf_of_a_record_is_in_the_case(name: str, record: dict[str, Any]) -> None:
    data = find_shape(name).convert(record)
    record = {key: literal(value) for key, value in record.items()}
    kept = {word for leaf in leaves(data) for word in words(leaf)}
    kept |= {part for word in kept for part in word.split("_")}
    lost = {leaf for leaf in leaves(record) if not words(leaf) - LABELS <= kept}
    assert lost == set()


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 200_000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
    | st.sampled_from(["-", "09:30", "2026-02-30", "done", "user_text", "A, B; Cost: 3", "['x']"]),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(st.text("ab_ é", max_size=4), inside, max_size=3)
    ),
    max_leaves=6,
)


@many
@given(st.sampled_from(FOREIGN), st.data())
def test_a_field_that_nobody_knows_is_kept_wherever_it_stands(
    foreign: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    name, record = foreign[0], deepcopy(foreign[1])
    # the parts of a budget may have any name, so that none of them is unknown
    objects = [record] + [
        container[key]
        for container, key in places(record)
        if isinstance(container[key], dict) and key != "budget_breakdown"
    ]
    marks: list[str] = []
    for place in data.draw(st.lists(st.sampled_from(objects), min_size=1, max_size=3)):
        mark = f"mark-{len(marks)}"
        place[f"unknown {len(marks)}"] = data.draw(st.sampled_from([mark, [mark], {"a": mark}]))
        marks.append(mark)
    tried.append(marks)
    converted = find_shape(name).convert(record)
    assert set(marks) <= set(map(str, leaves(converted)))
    shown = {part for pointer, value in other_fields(converted) for part in leaves(value)}
    assert set(marks) <= set(map(str, shown))


@many
@given(st.sampled_from(FOREIGN), st.data())
def test_a_record_with_wrong_values_is_converted_or_refused_with_a_path(
    foreign: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    name, record = foreign[0], deepcopy(foreign[1])
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(record)))
        match data.draw(st.integers(0, 3)):
            case 0:
                del container[key]
            case 1 if isinstance(container, list):
                container.insert(key, data.draw(plain))
            case _:
                container[key] = data.draw(plain)
        if not places(record):
            break
    tried.append(record)
    problem, converted = outcome(name, record)
    if problem:
        event("refused")
        top = re.split(r"[.\[]", problem.path)[0]
        assert top in {*foreign[1], *record}
    else:
        event("converted")
        check(converted)
        other_fields(converted)


def outcome(name: str, record: dict[str, Any]) -> tuple[CaseProblem | None, dict[str, Any]]:
    """Nothing but CaseError may come of a record."""
    try:
        return None, find_shape(name).convert(record)
    except CaseError as refused:
        str(refused)  # has all that its sentence asks for
        return refused.problem, {}


@many
@given(st.dictionaries(st.sampled_from(["idx", "query", "plan", "key", "result"]), plain))
def test_any_object_is_converted_or_refused(record: dict[str, Any]) -> None:
    tried.append(record)
    for name in ("trip-agent", "trip-agent-case", "travelplanner"):
        problem, converted = outcome(name, record)
        if not problem:
            check(converted)


KEYS = ["case_key", "schema", "request", "result", "query", "plan", "key", "idx", "org"]
KEYS += ["id", "user_request"]


@many
@given(st.dictionaries(st.sampled_from(KEYS), plain | st.just("itinerary-case/1")))
def test_at_most_one_shape_recognises_a_record(record: dict[str, Any]) -> None:
    tried.append(record)
    found = [shape.name for shape in SHAPES if shape.recognises(record)]
    assert len(found) <= 1
    shape = recognise_shape(record)
    assert (shape.name if shape else None) == (found[0] if found else None)
    assert shape is None or shape.name in NAMES
