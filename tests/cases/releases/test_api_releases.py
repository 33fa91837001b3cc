"""Rubrics and releases by script."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User

from cases.models import Release, Rubric
from cases.releases import workflow as releases_workflow
from cases.rubrics.workflow import SHIPPED
from tests.bed import reviewed as bed
from tests.bed.api import Script, code, problems
from tests.bed.cases import NOW, make_release

MARKDOWN = "text/markdown"


# --- Rubrics --------------------------------------------------------------------------------------


def test_everybody_with_a_role_reads_rubrics(rita: User, rubric: Rubric) -> None:
    script = Script(session=rita)
    [one] = script.get("rubrics/").json()["results"]
    assert one["number"] == 1
    assert one["metrics"] == list(bed.METRICS)
    assert one["languages"] == ["en", "zh-hans"]
    whole = script.get("rubrics/1/").json()
    assert whole["text"] == rubric.text
    assert whole["document"]["metrics"][0]["key"] == bed.METRICS[0]
    assert script.get("rubrics/2/").status_code == 404


def test_a_rubric_is_read_in_the_language_asked_for(rita: User, rubric: Rubric) -> None:
    whole = Script(session=rita, language="zh-hans").get("rubrics/1/").json()
    assert whole["language"] == "zh-hans"
    assert whole["text"] == (SHIPPED / "zh-hans.md").read_text("utf-8")


def test_a_rubric_is_published_once(ada: User, rubric: Rubric) -> None:
    script = Script(session=ada)
    text = rubric.text.replace("Usability", "Usefulness").encode()
    first = script.post("rubrics/", text, content_type=MARKDOWN)
    again = script.post("rubrics/", text, content_type=MARKDOWN)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert Rubric.objects.get(number=2).published_by == ada


def test_a_bad_rubric_is_refused_with_its_lines(ada: User) -> None:
    answer = Script(session=ada).post("rubrics/", b"# Nothing\n", content_type=MARKDOWN)
    assert code(answer) == (400, "bad_rubric")
    assert all(error["line"] >= 1 for error in answer.json()["errors"])
    for bad in (b"\xff", b"# a\0b"):
        answer = Script(session=ada).post("rubrics/", bad, content_type=MARKDOWN)
        assert answer.status_code == 400
    assert not Rubric.objects.exists()


# --- Releases -------------------------------------------------------------------------------------

BODY = {
    "name": "wanderer-2",
    "product": "wanderer",
    "rubric": 1,
    "reviews_per_case": 3,
    "baseline": "wanderer-1",
    "due_date": "2035-12-01",
    "policy": {"margin": 0.3, "floors": {"personalization": 2.5}},
}


@pytest.fixture
def script(ada: User) -> Script:
    make_release("wanderer-1")
    return Script(session=ada)


def test_a_release_is_opened_as_a_draft(script: Script) -> None:
    answer = script.post("releases/", BODY)
    assert answer.status_code == 201
    shown = answer.json()
    assert {name: shown[name] for name in BODY} == BODY
    assert shown["status"] == "draft"
    assert script.get("releases/wanderer-2/").json() == shown


def test_the_same_body_again_opens_nothing(script: Script) -> None:
    script.post("releases/", BODY)
    again = script.post("releases/", BODY)
    assert again.status_code == 200
    assert Release.objects.get(name="wanderer-2").events.count() == 1


def test_the_same_body_is_the_same_whatever_became_of_the_release(script: Script) -> None:
    """A job that is run again must not fail because somebody moved the due date meanwhile."""
    script.post("releases/", BODY)
    script.patch("releases/wanderer-2/", {"due_date": "2035-01-01"})
    again = script.post("releases/", BODY)
    assert again.status_code == 200
    assert again.json()["due_date"] == "2035-01-01"


@pytest.mark.parametrize("name", sorted(set(BODY) - {"name"}))
def test_another_body_under_the_same_name_is_a_conflict(name: str, script: Script) -> None:
    script.post("releases/", BODY)
    other = {key: value for key, value in BODY.items() if key != name}
    if name == "rubric":  # left out it means whichever is the newest
        assert script.post("releases/", other).status_code == 200
        return
    answer = script.post("releases/", other)
    assert code(answer) == (409, "release_exists")
    assert list(problems(answer)) == ["name"]


def test_a_draft_changes_only_what_is_named(script: Script) -> None:
    before = script.get("releases/wanderer-1/").json()
    answer = script.patch("releases/wanderer-1/", {"reviews_per_case": 1})
    assert answer.json() == before | {"reviews_per_case": 1}


def test_what_is_null_is_taken_away(script: Script) -> None:
    script.post("releases/", BODY)
    answer = script.patch("releases/wanderer-2/", {"due_date": None, "baseline": None})
    assert (answer.json()["due_date"], answer.json()["baseline"]) == (None, None)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("name", "other", "invalid"),
        ("status", "closed", "invalid"),
        ("created_at", "2026-11-17T00:00:00Z", "invalid"),
        ("is_archived", True, "invalid"),
        ("name", 5, "bad_body"),
        ("ledger_length", 1, "bad_body"),
        ("id", 1, "bad_body"),
    ],
)
def test_nothing_else_of_a_release_can_be_written(
    name: str, value: Any, expected: str, script: Script
) -> None:
    before = script.get("releases/wanderer-1/").json()
    answer = script.patch("releases/wanderer-1/", {"product": "x", name: value})
    assert code(answer) == (400, expected)
    assert list(problems(answer)) == [name]
    assert ("part of the ledger" in answer.json()["detail"]) is (value == "other")
    assert script.get("releases/wanderer-1/").json() == before


def test_what_a_call_gave_can_be_sent_back(script: Script, ada: User) -> None:
    before = script.get("releases/wanderer-1/").json()
    answer = script.patch("releases/wanderer-1/", before | {"product": "x"})
    assert answer.json() == before | {"product": "x"}
    assert script.patch("releases/wanderer-1/", answer.json()).json() == answer.json()
    bed.started("wanderer-9")
    begun = script.get("releases/wanderer-9/").json()
    answer = script.patch("releases/wanderer-9/", begun | {"due_date": "2035-12-01"})
    assert answer.json() == begun | {"due_date": "2035-12-01"}


def test_what_only_the_start_sets_is_refused_unless_it_is_the_same(script: Script) -> None:
    for policy in ({"rules": 2}, {"prior": {"sd": 0.5, "degrees": 4, "releases": []}}):
        answer = script.patch("releases/wanderer-1/", {"policy": policy})
        assert code(answer) == (400, "invalid")
        assert "is set by the start" in answer.content.decode()
    release = bed.started("wanderer-9")
    changed = release.policy | {"prior": release.policy["prior"] | {"sd": 0.1}}
    answer = script.patch("releases/wanderer-9/", {"policy": changed})
    assert code(answer) == (400, "invalid")
    fewer = {name: value for name, value in release.policy.items() if name != "prior"}
    assert script.patch("releases/wanderer-9/", {"policy": fewer}).status_code == 200
    answer = script.patch("releases/wanderer-9/", {"policy": fewer | {"looks": [5]}})
    assert code(answer) == (409, "release_frozen")


@pytest.mark.parametrize("looks", [[1], [5, 8, 12], [10_000], list(range(1, 9))])
def test_looks_are_rising_whole_numbers(script: Script, looks: list[int]) -> None:
    policy = {"looks": looks, "regression": "required"}
    answer = script.patch("releases/wanderer-1/", {"policy": policy})
    assert answer.status_code == 200
    stored = answer.json()["policy"]
    assert stored.get("looks", [5, 8, 12]) == looks
    assert stored["regression"] == "required"


@pytest.mark.parametrize(
    "policy",
    [
        *({"looks": looks} for looks in ([], [0], [5, 5], [8, 5], [10_001], [5, "8"], [5.5])),
        *({"looks": looks} for looks in ("5, 8", None, [True], list(range(1, 10)))),
        *({"regression": word} for word in ("", "Required", None, ["report"])),
    ],
)
def test_other_looks_and_words_are_refused(script: Script, policy: Any) -> None:
    answer = script.patch("releases/wanderer-1/", {"policy": policy})
    assert code(answer) == (400, "bad_body")


def test_after_the_start_only_the_due_date_changes(ada: User) -> None:
    bed.started()
    script = Script(session=ada)
    answer = script.patch("releases/wanderer-1/", {"product": "other"})
    assert code(answer) == (409, "release_frozen")
    assert "only its due date" in answer.json()["detail"]
    assert script.patch("releases/wanderer-1/", {"due_date": "2035-12-01"}).status_code == 200


def test_a_floor_is_of_a_metric_and_on_its_scale(script: Script) -> None:
    for floors in ({"nothing": 3}, {"personalization": 5.1}, {"personalization": -1}):
        answer = script.patch("releases/wanderer-1/", {"policy": {"floors": floors}})
        assert code(answer) == (400, "invalid")
        assert list(problems(answer)) == ["policy"]


def test_releases_are_listed_page_by_page(ada: User, rubric: Rubric) -> None:
    for number in range(5):
        with time_machine.travel(NOW + timedelta(minutes=number // 2), tick=False):
            releases_workflow.create_once(
                name=f"r{number}",
                product="a" if number else "b",
                rubric=None,
                reviews_per_case=2,
                baseline=None,
                due_date=None,
                user=None,
                now=NOW + timedelta(minutes=number // 2),
            )
    script = Script(session=ada)
    names, address = [], "releases/?limit=2&product=a"
    while address:
        page = script.get(address).json()
        assert len(page["results"]) <= 2
        names += [row["name"] for row in page["results"]]
        address = (page["next"] or "").partition("/api/v1/")[2]
    assert names == ["r4", "r3", "r2", "r1"]
    assert script.get("releases/?status=closed").json() == {"results": [], "next": None}
