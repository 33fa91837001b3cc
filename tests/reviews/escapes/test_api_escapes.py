"""What got through, for scripts: the list with its filters, and moving."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from evalsite.models import Scope
from reviews.models import Escape
from reviews.releases import lifecycle
from tests.bed.api import Script, by, code, problems
from tests.bed.cases import NOW
from tests.bed.escapes import LUNCH, closed, says
from tests.bed.reviewed import METRICS

LATER = NOW + timedelta(days=2)

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    both = [says(no=[LUNCH], usability_value=1)] * 2
    return closed([rita, omar], {"feast": both, "kids": [says(no=[LUNCH])] * 2})


def listed(script: Script, query: str = "") -> list[Any]:
    answer = script.get(f"escapes/?{query}")
    assert answer.status_code == 200, answer.content
    found: list[Any] = answer.json()["results"]
    return found


def body(**values: Any) -> dict[str, Any]:
    keys = list(Escape.objects.order_by("pk").values_list("pk", flat=True))
    return {
        "product": "wanderer",
        "escapes": keys,
        "state": "fixed",
        "reason": "Commit 4711.",
        **values,
    }


def test_a_script_lists_them_and_filters(release: Release, mina: User) -> None:
    script = by(mina)
    found = listed(script)
    assert [(row["about"], row["key"], row["case_key"]) for row in found] == [
        ("metric", METRICS[0], "feast"),
        ("question", LUNCH, "feast"),
        ("question", LUNCH, "kids"),
    ]
    first = found[0]
    case = release.cases.get(case_key="feast")
    assert first.pop("seen") == [
        {
            "release": "wanderer-1",
            "code": case.code,
            "closed_at": "2026-11-17T09:30:00Z",
            "is_counted": True,
        }
    ]
    assert first == {
        "id": Escape.objects.get(about="metric").pk,
        "product": "wanderer",
        "about": "metric",
        "key": METRICS[0],
        "case_key": "feast",
        "state": "open",
        "rule": "",
        "reason": "",
        "by": "",
        "moved_at": None,
        "came_back": False,
    }
    for query, count in {
        "product=wanderer": 3,
        "product=other": 0,
        "about=question": 2,
        f"key={LUNCH}&case_key=kids": 1,
        "state=fixed": 0,
        "limit=2": 2,
    }.items():
        assert len(listed(script, query)) == count, query
    assert code(script.get("escapes/?state=odd"))[0] == 400
    assert code(script.get("escapes/?release=x"))[0] == 400


def test_a_script_moves_them(release: Release, ada: User) -> None:
    script = by(ada)
    answer = script.post("escapes/move/", body(state="rule", rule="short-gap"))
    assert (answer.status_code, answer.json()) == (200, {"moved": 3})
    assert {(row["state"], row["rule"], row["reason"], row["by"]) for row in listed(script)} == {
        ("rule", "short-gap", "Commit 4711.", "ada")
    }
    assert len(listed(script, "state=rule")) == 3


@pytest.mark.parametrize(
    ("values", "refusal", "path"),
    [
        ({"reason": " "}, "reason_required", "reason"),
        ({"state": "fixed", "rule": "x"}, "bad_state", "rule"),
        ({"escapes": []}, "no_such_escape", "escapes"),
        ({"product": "other"}, "no_such_escape", "escapes"),
        ({"state": "odd"}, "bad_body", "state"),
        ({"escapes": [0]}, "bad_body", "escapes[0]"),
        ({"escapes": [2**63]}, "bad_body", "escapes[0]"),
        ({"what": 1}, "bad_body", "what"),
    ],
)
def test_a_bad_move_says_what_is_wrong(
    release: Release, ada: User, values: dict[str, Any], refusal: str, path: str
) -> None:
    answer = by(ada).post("escapes/move/", body(**values))
    assert answer.status_code == 400
    assert answer.json()["code"] == refusal
    assert path in problems(answer)
    assert set(Escape.objects.values_list("state", flat=True)) == {"open"}


def test_people_who_only_review_learn_nothing(release: Release, rita: User, sam: User) -> None:
    for person, status in ((rita, 403), (sam, 404)):
        script = by(person)
        assert script.get("escapes/").status_code == status
        assert script.post("escapes/move/", body()).status_code == status
    assert Script().get("escapes/").status_code == 401


def test_a_token_that_may_only_read_moves_nothing(release: Release, ada: User) -> None:
    assert by(ada, Scope.READ).post("escapes/move/", body()).status_code == 403
    assert len(listed(by(ada, Scope.READ))) == 3


def test_a_reopened_release_has_none(release: Release, mina: User) -> None:
    lifecycle.reopen(release=release, reason="A mistake.", user=None, now=LATER)
    assert listed(by(mina)) == []


def test_many_take_as_many_queries_as_one(release: Release, ada: User) -> None:
    script = Script(session=ada)
    counts = []
    for query in ("limit=1", ""):
        with CaptureQueriesContext(connection) as queries:
            listed(script, query)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 5
