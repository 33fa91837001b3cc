"""What all API calls share: authentication, checks of the body, and errors."""

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from rest_framework.exceptions import ValidationError

from cases.models import Release, Rubric
from cases.rubrics import api as rubrics
from evalsite.api import owned, parsers
from evalsite.api.errors import BodyTooLarge, list_problems
from reviews.desk import api as desk_api
from tests.bed.api import Script, by, code, problems, token_of
from tests.bed.cases import make_release

NEW = {"name": "wanderer-2", "product": "wanderer"}


def test_nobody_is_told_how_to_sign_in(db: None) -> None:
    answer = Script().get("releases/")
    assert code(answer) == (401, "not_signed_in")
    assert answer["WWW-Authenticate"] == "Token"
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("header", ["Token", "Token nonsense", "Token a b", "Token \xff\xfe"])
def test_a_token_that_does_not_stand_is_refused(header: str, db: None) -> None:
    answer = Script().get("releases/", Authorization=header)
    assert answer.status_code == 401


def test_a_browser_needs_its_csrf_token_to_write(ada: User, rubric: Rubric) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    body = json.dumps(NEW)
    address = "/api/v1/releases/"
    refused = client.post(address, body, content_type="application/json")
    assert code(refused) == (403, "form_expired")
    token = client.get("/token/").json()["token"]
    answer = client.post(
        address, body, content_type="application/json", headers={"X-CSRFToken": token}
    )
    assert answer.status_code == 201


def test_no_body_is_read_before_it_is_known_who_may_call(rita: User) -> None:
    """Not for the CSRF check either, which would look for a token in a form."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(rita)
    headers = {"X-CSRFToken": client.get("/token/").json()["token"]}
    for content_type in ("application/json", "application/x-www-form-urlencoded"):
        answer = client.post("/api/v1/releases/", b"{", content_type=content_type, headers=headers)
        assert code(answer) == (403, "forbidden")


def test_another_site_cannot_send_a_browser_here(ada: User) -> None:
    script = Script(session=ada)
    assert script.get("releases/").status_code == 200
    assert script.get("releases/", Sec_Fetch_Site="cross-site").status_code == 401


def test_names_do_not_leak_to_a_role_that_the_address_is_closed_to(rita: User) -> None:
    make_release("wanderer-1")
    script = by(rita)
    answers = [script.get(f"releases/{name}/") for name in ("wanderer-1", "no-such-release")]
    assert [code(answer) for answer in answers] == [(403, "forbidden")] * 2


def test_somebody_without_a_role_finds_nothing(sam: User) -> None:
    assert code(by(sam).get("rubrics/")) == (404, "not_found")


def test_a_wrong_method_is_told_the_right_ones(ada: User) -> None:
    answer = by(ada).send("DELETE", "releases/", b"")
    assert code(answer) == (405, "wrong_method")
    assert answer["Allow"] == "GET, HEAD, POST"


BAD_BODIES: list[tuple[bytes, str, str]] = [
    (b"{", "malformed", ""),
    (b"\xff", "malformed", ""),
    (b'{"name": "\\ud800"}', "malformed", ""),
    (b'{"name": NaN}', "malformed", ""),
    (b'{"name": "x", "policy": ' + b'{"floors":' * 5000 + b"}", "malformed", ""),
    (b'{"name": "x", "policy": {"floors": {"a": 1, "b": "c"}}}', "bad_body", "policy.floors.b"),
    (b"[]", "bad_body", ""),
    (b"{}", "bad_body", "name"),
    (b'{"name": 5}', "bad_body", "name"),
    (b'{"name": "a\\u0000b"}', "bad_body", "name"),
    (b'{"name": "x", "reviews_per_case": "2"}', "bad_body", "reviews_per_case"),
    (b'{"name": "x", "reviews_per_case": 21}', "bad_body", "reviews_per_case"),
    (b'{"name": "x", "reviews_per_case": ' + b"9" * 5000 + b"}", "bad_body", ""),
    (b'{"name": "x", "reviews_per_case": ' + b"9" * 400 + b"}", "bad_body", "reviews_per_case"),
    (b'{"name": "x", "policy": {"margin": ' + b"9" * 400 + b"}}", "bad_body", "policy.margin"),
    (b'{"name": "x", "rubric": ' + b"9" * 30 + b"}", "invalid", "rubric"),
    (b'{"name": "x", "due_date": "2026-02-30"}', "bad_body", "due_date"),
    (b'{"name": "x", "status": "closed"}', "bad_body", "status"),
    (b'{"name": "x", "ledger_head": ""}', "bad_body", "ledger_head"),
    (b'{"name": "no/such name"}', "invalid", "name"),
    (b'{"name": "x", "baseline": "nothing"}', "invalid", "baseline"),
]


@pytest.mark.sqlite
@pytest.mark.parametrize(("body", "expected", "path"), BAD_BODIES, ids=lambda one: str(one)[:40])
def test_what_cannot_be_used_is_named(
    body: bytes, expected: str, path: str, ada: User, rubric: Rubric
) -> None:
    answer = Script(session=ada).post("releases/", body)
    assert code(answer) == (400, expected)
    assert list(problems(answer)) == [path]
    assert answer.json()["detail"]
    assert not Release.objects.exists()


def test_a_body_of_another_type_is_refused(ada: User) -> None:
    script = Script(session=ada)
    for content_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = script.post("releases/", NEW, content_type=content_type)
        assert code(answer) == (415, "unsupported_media_type")


def test_a_body_that_is_too_large_is_refused(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "LARGEST_JSON", 100)
    answer = Script(session=ada).post("releases/", {"name": "x" * 100})
    assert code(answer) == (413, "body_too_large")
    assert str(BodyTooLarge(200 * 1024)) == "The body is larger than 200 KB."
    assert str(BodyTooLarge(1024**2)) == "The body is larger than 1 MB."


def test_one_bad_entry_among_thousands_is_found() -> None:
    scores: dict[str, Any] = {f"m{number}": {"value": 1} for number in range(2000)}
    scores["zz"] = {"value": 1, "evidence": [{"kind": "stop", "ref": 5}]}
    body = {"version": 0, "comment": "x" * 100_000, "scores": scores}
    with pytest.raises(ValidationError) as refused:
        owned.decode(json.dumps(body).encode(), desk_api.DraftBody, desk_api.DraftSerializer)
    problems = list(list_problems(refused.value.detail))
    assert [problem.path for problem in problems] == ["scores.zz.evidence[0].ref"]


def test_everything_that_is_wrong_with_a_body_is_named(ada: User) -> None:
    body = {"product": 5, "reviews_per_case": "2", "policy": {"margin": -1, "x": 1}, "y": 1}
    answer = Script(session=ada).post("releases/", body)
    assert code(answer) == (400, "bad_body")
    assert problems(answer) == {
        "name": "is required.",
        "product": "must be a text.",
        "reviews_per_case": "must be a whole number.",
        "policy.margin": "must be at least 0.",
        "policy.x": "is not known here.",
        "y": "is not known here.",
    }


def cursor(position: str, **more: str) -> str:
    text = urlencode({"p": position, **more})
    return base64.b64encode(text.encode()).decode()


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("nothing=1", "nothing"),
        ("limit=0", "limit"),
        ("limit=²", "limit"),
        ("limit=201", "limit"),
        ("limit=5&limit=6", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=WyJhIl0=", "cursor"),
        (f"cursor={cursor('5')}", "cursor"),
        (f"cursor={cursor('0001-01-01T00:00:00+14:00')}", "cursor"),
        (f"cursor={cursor('9999-12-31T23:59:59-14:00')}", "cursor"),
        (f"cursor={cursor('2026-11-17T00:00:00')}", "cursor"),
        (f"cursor={cursor('2026-11-17T00:00:00Z', r='1')}", "cursor"),
        (f"cursor={cursor('2026-11-17T00:00:00Z', o='-1')}", "cursor"),
        ("status=open", "status"),
        ("status=", "status"),
        (f"product={'x' * 201}", "product"),
    ],
)
def test_a_parameter_that_means_nothing_is_refused(query: str, path: str, ada: User) -> None:
    answer = Script(session=ada).get(f"releases/?{query}")
    assert code(answer) == (400, "bad_parameter")
    assert list(problems(answer)) == [path]


def test_a_filter_says_what_it_takes(ada: User) -> None:
    script = Script(session=ada)
    known = {"status": "must be one of draft, reviewing, closed."}
    assert problems(script.get("releases/?status=open")) == known
    assert problems(script.get("releases/?status=")) == known
    long = {"product": "must have at most 200 characters."}
    assert problems(script.get(f"releases/?product={'x' * 201}")) == long


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_cursor_at_the_end_of_time_is_a_place(day: str, ada: User) -> None:
    answer = Script(session=ada).get(f"releases/?cursor={cursor(day)}")
    assert answer.json() == {"results": [], "next": None}


@pytest.mark.parametrize("number", ["0", str(-(2**63)), str(2**63 - 1), str(10**30)])
def test_a_cursor_beyond_every_number_is_a_place(number: str, ada: User, rubric: Rubric) -> None:
    answer = Script(session=ada).get(f"rubrics/?cursor={cursor(number)}")
    assert answer.status_code == 200
    assert answer.json()["next"] is None


def test_an_empty_filter_filters(ada: User) -> None:
    make_release("wanderer-1")
    script = Script(session=ada)
    assert script.get("releases/?product=").json()["results"] == []
    assert len(script.get("releases/?product=wanderer").json()["results"]) == 1


def test_refusals_come_in_the_language_asked_for(ada: User, rubric: Rubric) -> None:
    script = Script(token_of(ada), language="zh-hans")
    answer = script.post("releases/", {})
    assert problems(answer) == {"name": "必填。"}
    assert answer["Content-Language"] == "zh-hans"


def test_an_address_that_nothing_is_at_answers_a_script(db: None) -> None:
    assert code(Script().get("no/such/thing/")) == (404, "not_found")
    assert code(Script().get("releases/%00/")) == (404, "not_found")
    assert code(Script().get("rubrics/?q=%00")) == (400, "bad_request")


@pytest.mark.parametrize(
    ("error", "status"), [(OperationalError("away"), 503), (ZeroDivisionError(), 500)]
)
def test_what_goes_wrong_on_our_side_is_told_as_json(
    error: Exception, status: int, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any) -> None:
        raise error

    monkeypatch.setattr(rubrics, "find_version", broken)
    answer = Script(session=ada).get("rubrics/1/")
    assert answer.status_code == status
    assert set(answer.json()) == {"detail", "code", "errors"}
    assert ("Retry-After" in answer) is (status == 503)
