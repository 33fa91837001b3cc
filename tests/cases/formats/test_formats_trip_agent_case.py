"""The planner's own test cases: read, and written so that they read as the same request."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.formats import recognise_shape
from cases.formats.trip_agent_case import NAME, convert, write
from cases.itinerary.extra_fields import other_fields
from cases.itinerary.format import CaseError
from cases.itinerary.reading import check
from tests.bed.cases import REQUEST
from tests.cases.formats.foreign_records import TRIP_AGENT_CASES

FULL = TRIP_AGENT_CASES[0]


def test_what_the_customer_asked_for_becomes_the_request() -> None:
    case = check(convert(FULL)).case
    assert (case.case_key, case.locale, case.plan) == ("t01_yunxi", "zh-CN", None)
    assert case.request.destination == "云溪"
    assert (case.request.days, case.request.people) == (2, 2)
    assert case.request.budget
    assert (case.request.budget.amount, case.request.budget.scope) == (400, "per_day")
    assert case.request.avoid == ["售票处"]


def test_what_is_for_its_evaluation_is_kept_beside() -> None:
    other = other_fields(convert(FULL))
    kept = json.dumps([list(row) for row in other], ensure_ascii=False, default=str)
    assert "基础校验。" in kept
    assert "has_budget_breakdown" in kept
    assert "mock" in kept


def test_a_choice_that_we_do_not_have_is_kept_and_not_used() -> None:
    record = {"id": "a", "user_request": "Go.", "constraints": {"pace": "frantic", "new": 1}}
    data = convert(record)
    assert "pace" not in data["request"]
    assert data["other"] == {"constraints": {"pace": "frantic", "new": 1}}


@pytest.mark.parametrize(
    ("record", "path"),
    [
        ({"user_request": "Go."}, "id"),
        ({"id": "a", "user_request": " "}, "user_request"),
        ({"id": "a", "user_request": "Go.", "constraints": []}, "constraints"),
        ({"id": "a", "user_request": "Go.", "constraints": {"days": 0}}, "constraints.days"),
        ({"id": "a", "user_request": "Go.", "constraints": {"avoid": [1]}}, "constraints.avoid[0]"),
    ],
)
def test_a_bad_record_is_refused_with_its_path(record: dict[str, Any], path: str) -> None:
    with pytest.raises(CaseError) as refused:
        convert(record)
    assert refused.value.problem.path == path


def test_a_written_case_has_what_their_evaluation_requires() -> None:
    row = write("yunxi-01", REQUEST, expected={"answers": {"a.1": "yes"}}, notes="Said.")
    assert list(row) == [
        *("id", "user_request", "constraints", "context", "expected_properties", "human_notes")
    ]
    assert row["constraints"] == {
        "city": "Yunxi",
        "days": 2,
        "travelers_count": 2,
        "travelers_type": "couple",
        "pace": "relaxed",
        "must_visit": ["Paper mill"],
        "total_budget": 1800,
        "budget_currency": "CNY",
    }
    assert row["expected_properties"] == {"status": "done", "days": 2, "answers": {"a.1": "yes"}}


def test_several_places_are_cities() -> None:
    row = write("a", {"text": "Go.", "destination": ["Yunxi", "Lakeport"]}, expected={}, notes="")
    assert row["constraints"] == {"cities": ["Yunxi", "Lakeport"]}
    assert convert(row)["request"]["destination"] == ["Yunxi", "Lakeport"]


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
listed = st.lists(words, min_size=1, max_size=3)
REQUESTS = st.fixed_dictionaries(
    {"text": words},
    optional={
        "destination": words | listed,
        "origin": words,
        "days": st.integers(1, 100),
        "people": st.integers(1, 100),
        "start_date": st.dates().map(str),
        "end_date": st.dates().map(str),
        "group_type": st.sampled_from(["solo", "couple", "family"]),
        "pace": st.sampled_from(["relaxed", "moderate", "intensive"]),
        "must_visit": listed,
        "avoid": listed,
        "dietary": listed,
        "mobility": listed,
        "goals": listed,
        "transport_preference": words | listed,
        "lodging": words | listed,
        "budget": st.fixed_dictionaries(
            {"amount": st.integers(1, 10_000), "currency": words | st.none()},
            optional={"scope": st.sampled_from(["total", "per_day", "per person"])},
        ),
    },
)


@given(REQUESTS)
def test_a_written_case_reads_as_the_same_request(request: dict[str, Any]) -> None:
    row = json.loads(json.dumps(write("a", request, expected={}, notes="")))
    shape = recognise_shape(row)
    assert shape
    assert shape.name == NAME
    read = check(convert(row)).data["request"]
    if budget := request.get("budget"):
        assert read.pop("budget") == {"scope": "total"} | budget
    assert read == {name: value for name, value in request.items() if name != "budget"}
