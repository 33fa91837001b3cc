"""The product's report of its automated checks, joined to the cases."""

import json
from typing import Any

import pytest

from cases.formats import check_report
from cases.itinerary.format import CaseError
from cases.itinerary.reading import check

ONE: dict[str, Any] = {
    "id": "y01",
    "user_request": "云州两日游",
    "score": 0.5,
    "status": "WARN",
    "schema_errors": [],
    "checks": [
        {"name": "status_match", "passed": True, "evidence": "ok"},
        {"name": "travel_feasibility", "passed": False, "evidence": "day1: too tight"},
    ],
}
TWO: dict[str, Any] = {"id": "y02", "status": "PASS", "checks": []}
CASE: dict[str, Any] = {"case_key": "y01", "request": {"text": "云州两日游"}}


def report(*cases: Any) -> bytes:
    return json.dumps({"summary": {"total_cases": len(cases)}, "cases": cases}).encode()


def refusal(content: bytes) -> str:
    with pytest.raises(CaseError) as refused:
        check_report.read(content)
    return str(refused.value)


def test_a_report_gives_the_checks_of_each_case() -> None:
    assert check_report.read(report(ONE, TWO)) == {
        "y01": {
            "automated_checks": {
                "status_match": {"status": "pass", "evidence": "ok"},
                "travel_feasibility": {"status": "fail", "evidence": "day1: too tight"},
            },
            "automated_summary": {"status": "WARN", "score": 0.5},
        },
        "y02": {
            "automated_checks": {},
            "automated_summary": {"status": "PASS", "score": None},
        },
    }


def test_an_empty_report_names_no_case() -> None:
    assert check_report.read(report()) == {}


def test_the_checks_are_joined_by_the_key_of_the_case() -> None:
    joined = check_report.apply(CASE, check_report.read(report(ONE)))
    assert joined["automated_summary"] == {"status": "WARN", "score": 0.5}
    assert joined["automated_checks"]["travel_feasibility"]["status"] == "fail"
    assert joined["source"] == {"checks": {"how": check_report.HOW}}
    assert "automated_checks" not in CASE
    check(joined)


def test_a_case_that_the_report_does_not_name_stays_as_it_is() -> None:
    assert check_report.apply(CASE, check_report.read(report(TWO))) is CASE
    assert check_report.apply({"case_key": []}, {}) == {"case_key": []}


def test_the_checks_of_one_run_take_the_place_of_those_of_another() -> None:
    old = CASE | {
        "automated_checks": {"old": {"status": "pass"}},
        "source": {"plan": {"how": "run here"}, "checks": {"how": "by hand"}},
    }
    joined = check_report.apply(old, check_report.read(report(ONE)))
    assert "old" not in joined["automated_checks"]
    assert joined["source"] == {"plan": {"how": "run here"}, "checks": {"how": check_report.HOW}}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (None, {}),
        ({"result": {"trace": "t"}}, {"result": {"trace": "t"}}),
        ("a field of theirs", {"other": "a field of theirs"}),
    ],
)
def test_what_else_the_report_says_is_left_over(other: Any, expected: dict[str, Any]) -> None:
    content = report(ONE | {"schema_errors": ["days missing"], "took": 3})
    joined = check_report.apply(CASE | {"other": other}, check_report.read(content))
    assert joined["other"] == expected | {
        "check_report": {"schema_errors": ["days missing"], "took": 3}
    }


NO_LIST = "is not a report of automated checks: it has no list “cases”."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the report is not JSON."),
        (b"{", "the report is not JSON."),
        (b"\xff{}", "the report is not JSON."),
        (b"[" * 100_000, "the report is not JSON."),
        (b'{"cases": [], "note": NaN}', "the report is not JSON."),
        (b'{"cases": [], "note": "\\ud800"}', "the report is not JSON."),
        (b"[]", NO_LIST),
        (b"{}", NO_LIST),
        (b'{"cases": null}', NO_LIST),
        (b'{"cases": {}}', "cases: must be a list, got {}."),
        (b'{"cases": [], "note": "\\u0000"}', "contains a NUL character."),
        (report(3), "cases[0]: must be an object, got 3."),
        (report(TWO, TWO), "cases[1].id: “y02” appears twice in the report."),
        (report({}), "cases[0].id: is required."),
        (report({"id": 5}), "cases[0].id: must be a text, got 5."),
        (report({"id": "a"}), "cases[0].status: is required."),
        (
            report(TWO | {"status": "OK"}),
            "cases[0].status: must be one of PASS, WARN, FAIL; got 'OK'.",
        ),
        (
            report(TWO | {"score": 1.01}),
            "cases[0].score: must be a number from 0 to 1, got 1.01.",
        ),
        (report({"id": "a", "status": "PASS"}), "cases[0].checks: is required."),
        (
            report(TWO | {"checks": [{"name": "a"}]}),
            "cases[0].checks[0].passed: must be true or false, got null.",
        ),
        (
            report(TWO | {"checks": [{"name": "a", "passed": True}] * 2}),
            "cases[0].checks[1].name: “a” appears twice in one case.",
        ),
    ],
)
def test_a_mistake_in_the_report_is_named(content: bytes, sentence: str) -> None:
    assert refusal(content) == sentence
