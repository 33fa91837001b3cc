"""Error messages are in the language of Accept-Language."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import override_settings

from cases.models import Rubric
from evalsite.api import parsers
from evalsite.models import Scope
from tests.bed import reviewed as bed
from tests.bed.api import Script, code, token_of
from tests.people import PASSWORD

pytestmark = pytest.mark.sqlite

CHINESE = "zh-hans"
DRAFT, NOWHERE = "releases/wanderer-1/", "releases/no-such-release/"
NEW = {"name": "wanderer-2"}
PLAIN = {"content_type": "text/plain"}
LINES = {"content_type": "application/x-ndjson"}

# What is answered -> a call that gets it.
CALLS: dict[tuple[int, str], Callable[[Script], Any]] = {
    (400, "bad_request"): lambda ada: ada.get("rubrics/?cursor=%00"),
    (400, "bad_parameter"): lambda ada: ada.get("rubrics/?limit=0&nothing=1"),
    (400, "malformed"): lambda ada: ada.post("releases/", b"{"),
    (400, "bad_body"): lambda ada: ada.post("releases/", {**NEW, "status": "closed"}),
    (400, "invalid"): lambda ada: ada.post("releases/", {**NEW, "baseline": "nothing"}),
    (400, "bad_lines"): lambda ada: ada.post(f"{DRAFT}cases/", b'{"case_key": 5}', **LINES),
    (400, "bad_rubric"): lambda ada: ada.post("rubrics/", b"# x", content_type="text/markdown"),
    (400, "no_such_case"): lambda ada: ada.post(
        f"{DRAFT}sample/swap/", {"out": "a", "in": "b", "reason": "x"}
    ),
    (403, "forbidden"): lambda ada: ada.post(f"{DRAFT}close/", {}),
    (404, "not_found"): lambda ada: ada.get(NOWHERE),
    (405, "wrong_method"): lambda ada: ada.send("DELETE", "releases/", b""),
    (409, "release_exists"): lambda ada: ada.post("releases/", {"name": "wanderer-1"}),
    (409, "release_not_started"): lambda ada: ada.get(f"{DRAFT}export.csv"),
    (409, "cannot_start"): lambda ada: ada.post(f"{DRAFT}start/"),
    (415, "unsupported_media_type"): lambda ada: ada.post("releases/", NEW, **PLAIN),
}


def untranslated(answer: Any) -> list[str]:
    """Return the sentences without any Chinese character."""
    told = answer.json()
    sentences = [told["detail"], *(problem["message"] for problem in told["errors"])]
    assert answer["Content-Language"] == CHINESE
    assert told["errors"]
    return [sentence for sentence in sentences if not re.search("[一-鿿]", sentence)]


def test_every_refusal_comes_in_the_language_asked_for(ada: User, rubric: Rubric) -> None:
    bed.filled()
    script = Script(token_of(ada), language=CHINESE)
    for expected, call in CALLS.items():
        answer = call(script)
        assert code(answer) == expected
        assert untranslated(answer) == [], expected


def test_whoever_is_not_known_is_told_in_that_language_too(rita: User) -> None:
    nobody, known = Script(language=CHINESE), token_of(rita, Scope.PUSH)
    wrong = {"username": "rita", "password": "wrong"}
    answers = {
        (401, "not_signed_in"): nobody.get("releases/"),
        (401, "bad_token"): Script("0" * 64, language=CHINESE).get("rubrics/"),
        (401, "bad_credentials"): nobody.post("auth/token/", wrong),
        (400, "invalid"): nobody.post("auth/token/", {"username": "", "password": PASSWORD}),
        (403, "scope_missing"): Script(known, language=CHINESE).get("rubrics/"),
        (404, "not_found"): nobody.get("no/such/thing/"),
    }
    for expected, answer in answers.items():
        assert code(answer) == expected
        assert untranslated(answer) == [], expected


def test_a_limit_is_told_in_that_language(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(token_of(ada), language=CHINESE)
    monkeypatch.setattr(parsers, "LARGEST_JSON", 10)
    large = script.post("releases/", {"name": "x" * 100})
    assert code(large) == (413, "body_too_large")
    assert untranslated(large) == []
    with override_settings(API_CALLS=0):
        often = script.get("rubrics/")
    assert code(often) == (429, "too_many_calls")
    assert untranslated(often) == []
