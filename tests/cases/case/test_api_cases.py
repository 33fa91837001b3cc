"""Cases by script: listed, and pushed as lines or as an array."""

import gzip
import io
import json
import tracemalloc
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases.imports import api as calls
from cases.imports import arrays
from cases.itinerary.format import CaseError
from cases.itinerary.lines import Source, numbered_lines
from cases.itinerary.reading import decode
from cases.models import Release
from evalsite.models import Scope
from tests.bed import reviewed as bed
from tests.bed.api import NDJSON, Script, by, code, problems
from tests.bed.cases import database_digest, lines, make_case, make_release, many

PUSH = "releases/wanderer-1/cases/"


@pytest.fixture
def script(ada: User) -> Script:
    make_release()
    return Script(session=ada)


# --- Pushing --------------------------------------------------------------------------------------


def test_lines_are_pushed_once(ada: User) -> None:
    make_release()
    script = by(ada, Scope.PUSH)
    first = script.post(PUSH, many(3), content_type=NDJSON).json()
    assert first == {"batch": 1, "created": 3, "changed": 0, "unchanged": 0, "warnings": []}
    again = script.post(PUSH, many(3), content_type=NDJSON).json()
    assert again == {"batch": None, "created": 0, "changed": 0, "unchanged": 3, "warnings": []}
    batch = Release.objects.get().batches.get()
    assert (batch.source, batch.by) == ("CI", "ada")


def test_an_array_does_the_same(script: Script) -> None:
    rows = [make_case("a"), make_case("b")]
    first = script.post(PUSH, json.dumps(rows, indent=2, ensure_ascii=False).encode())
    assert first.json()["created"] == 2
    again = script.post(PUSH, lines(*rows), content_type=NDJSON)
    assert again.json()["unchanged"] == 2


def test_packed_lines_do_the_same(script: Script) -> None:
    answer = script.post(PUSH, gzip.compress(many(2)), content_type=NDJSON)
    assert answer.json()["created"] == 2


def test_a_dry_run_writes_nothing(script: Script) -> None:
    before = database_digest()
    answer = script.post(f"{PUSH}?dry_run=1", many(2), content_type=NDJSON)
    assert (answer.json()["batch"], answer.json()["created"]) == (None, 2)
    assert database_digest() == before


@pytest.mark.parametrize("as_array", [False, True])
def test_one_bad_line_and_nothing_is_stored(as_array: bool, script: Script) -> None:
    rows: list[Any] = [make_case("a"), make_case("b", request={"days": 0}), 5, make_case("a")]
    body = json.dumps(rows).encode() if as_array else lines(*rows)
    before = database_digest()
    answer = script.post(PUSH, body, content_type="application/json" if as_array else NDJSON)
    assert code(answer) == (400, "bad_lines")
    assert answer.json()["total"] == 3
    assert list(problems(answer)) == ["2.request.days", "3", "4.case_key"]
    assert [error["line"] for error in answer.json()["errors"]] == [2, 3, 4]
    assert database_digest() == before


def test_every_bad_line_is_listed(script: Script) -> None:
    answer = script.post(PUSH, b"{}\n" * 300, content_type=NDJSON)
    assert len(answer.json()["errors"]) == answer.json()["total"] == 300


def test_a_broken_array_is_told_with_what_else_is_wrong(script: Script) -> None:
    answer = script.post(PUSH, b'[{"case_key": "a"}, {"case_key": ')
    assert [error["line"] for error in answer.json()["errors"]] == [1, 2]
    for body in (b"{}", b"", b"null"):
        answer = script.post(PUSH, body or b" ")
        assert code(answer) == (400, "bad_body")


@pytest.mark.parametrize("body", [b"\n\n", b"[]"])
def test_what_is_wrong_with_the_whole_file_has_no_line(body: bytes, script: Script) -> None:
    kind = "application/json" if body == b"[]" else NDJSON
    answer = script.post(PUSH, body, content_type=kind)
    assert code(answer) == (400, "bad_lines")
    assert answer.json()["detail"] == "Nothing was written: 1 problem."
    assert answer.json()["errors"] == [{"path": "", "message": "contains no rows."}]


def test_a_release_that_is_no_draft_takes_nothing_new(ada: User) -> None:
    bed.started()
    script = Script(session=ada)
    for address in (PUSH, f"{PUSH}?dry_run=1"):
        answer = script.post(address, many(1), content_type=NDJSON)
        assert code(answer) == (409, "release_frozen")


def test_a_body_that_is_too_large_is_refused(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "LARGEST_UNPACKED", 1000)
    monkeypatch.setattr(calls.LinesParser, "largest", 1000)
    answer = script.post(PUSH, many(5), content_type=NDJSON)
    assert code(answer) == (413, "body_too_large")
    packed = script.post(PUSH, gzip.compress(many(5)), content_type=NDJSON)
    assert code(packed) == (400, "bad_lines")


# --- Arrays ---------------------------------------------------------------------------------------


def elements(text: bytes) -> list[Any]:
    with arrays.as_lines(io.BytesIO(text)) as file:
        source = Source("array", lambda: file)  # type: ignore[arg-type, return-value]
        return [json.loads(line) for _number, line in numbered_lines(source)]


VALUES: list[list[Any]] = [
    [],
    [1],
    [{"a": "]},[", "云": [{"b": None}, '\\"']}, -12.5, "", "溪"],
    [[], {}, [[{}]]],
]


@pytest.mark.parametrize("values", VALUES, ids=len)
@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_is_read_whatever_the_portions(
    values: list[Any], indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=False).encode()
    for portion in range(1, 10):
        monkeypatch.setattr(arrays, "PORTION", portion)
        assert elements(text) == values
        assert elements(b"\xef\xbb\xbf \n" + text + b"\r\n") == values


BROKEN = {
    b'[{"a": 1}, {"b": three}]': [None, "is not JSON (character 11)."],
    b'[{"a": NaN}, {"b": Infinity}]': [
        "NaN is not JSON; write null for “not known”.",
        "Infinity is not JSON; write null for “not known”.",
    ],
    b'[{"a": "\\ud800"}, {}]': ["contains half a character (a lone surrogate).", None],
    b'[{"a": "\xff"}, {}]': ["is not UTF-8 text. Save the file as UTF-8 and try again.", None],
    b'[{"a": 1, "a": 2}, {}]': ["the key “a” appears twice in one object.", None],
    b'[{"a": 1} {"b": 2}]': [None, "is not JSON (character 10)."],
    b'[{"a": [1,': ["the line ends in the middle of the JSON text."],
    b'[{"a": ' + b"9" * 5000 + b"}]": ["contains a number that is too large."],
    b'[{"a": "' + b"x" * 300_000 + b'"}, {}]': ["the line is longer than 256 KB (293 KB).", None],
    b'[{"a": "' + b"x" * 3_000_000 + b'"}, {}]': ["the line is longer than 256 KB (257 KB)."],
    b'[{"a": ' + b"[" * 20 + b"]" * 20 + b"}, {}]": ["is nested more than 20 levels deep.", None],
    b"[{}] x": [None, "is not JSON (character 1)."],
}


def refusal(line: bytes) -> str | None:
    try:
        decode(line)
    except CaseError as error:
        return str(error)
    return None


@pytest.mark.parametrize("body", BROKEN, ids=lambda body: body[:20])
def test_a_broken_array_is_refused_at_the_element_that_is_wrong(body: bytes) -> None:
    with arrays.as_lines(io.BytesIO(body)) as file:
        assert [refusal(line.strip()) for line in file] == BROKEN[body]


def test_a_large_array_takes_little_memory() -> None:
    """Forty megabytes in elements of a tenth."""

    class Sent(io.RawIOBase):
        left = 400

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            one = b'{"a": "' + b"x" * 100_000 + b'"}'
            return (
                b""
                if self.left < 0
                else one + b"]"
                if not self.left
                else (b"[" if self.left == 399 else b"") + one + b","
            )

    tracemalloc.start()
    with arrays.as_lines(Sent()) as file:  # type: ignore[arg-type]
        assert sum(1 for _line in file) == 400
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 1024**2


# --- Listing --------------------------------------------------------------------------------------


def test_cases_are_listed_by_filters(mina: User) -> None:
    bed.filled()
    script = Script(session=mina)

    def keys(query: str) -> list[str]:
        return [row["case_key"] for row in script.get(f"{PUSH}?{query}").json()["results"]]

    assert keys("tag=family") == ["kids"]
    assert keys(f"kind={bed.KIND_OF['ramp']}") == ["ramp"]
    assert keys("check_status=FAIL") == []
    assert len(keys("check_status=PASS")) == 8
    assert keys("q=spare-2") == ["spare-2"]
    first = script.get(f"{PUSH}?limit=5").json()
    assert [row["case_key"] for row in first["results"]] == [
        "feast",
        "kids",
        "ramp",
        "rush",
        "spare-1",
    ]
    assert first["results"][1]["kinds"] == [bed.KIND_OF["kids"]]
    rest = script.get(first["next"].partition("/api/v1/")[2]).json()
    assert ([row["case_key"] for row in rest["results"]], rest["next"]) == (
        ["spare-2", "spare-3", "thrift"],
        None,
    )
    assert code(script.get(f"{PUSH}?kind=nothing")) == (400, "bad_parameter")
