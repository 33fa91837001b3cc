"""What is pushed streams: a body of 200 MB does not need 200 MB, whatever its rows are like."""

import gc
import io
import json
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases import imports
from cases.imports import storing, tally
from cases.models import Case
from tests import servers
from tests.bed import soak
from tests.bed.api import JSON, NDJSON, Script
from tests.bed.cases import lines, make_case, make_release, many, source
from tests.bed.servers import OPEN_RELEASE, execute, invite, manage_in_turn
from tests.bench import cpu, itineraries
from tests.conftest import MakeDatabase

PUSH = "releases/wanderer-1/cases/"
MEGABYTE = 1024**2


def peak_of(act: Callable[[], Any]) -> tuple[Any, int]:
    """What came out, and how many bytes it took at once."""
    gc.collect()
    tracemalloc.start()
    try:
        result = act()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# --- Rows of every size ---------------------------------------------------------------------------


class Sent(io.RawIOBase):
    """A body that exists only while it is read."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self._held = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._held) < size and (part := next(self._parts, None)) is not None:
            self._held += part
        found, self._held = self._held[:size], self._held[size:]
        return found


def large_rows(opening: bytes, between: bytes, ending: bytes) -> Iterator[bytes]:
    text = json.dumps(bare("large", "x" * 240_000)).encode()
    for number in range(80):
        yield between if number else opening
        yield text.replace(b'"large"', b'"large-%d"' % number)
    yield ending


@pytest.mark.parametrize(
    ("content_type", "signs"), [(NDJSON, (b"", b"\n", b"")), (JSON, (b"[", b",", b"]"))]
)
def test_a_push_of_large_rows_takes_a_part_of_its_body(
    content_type: str, signs: tuple[bytes, bytes, bytes], ada: User
) -> None:
    make_release()
    script = Script(session=ada)
    script.post(PUSH, many(1), content_type=NDJSON)  # calendars and names of places are read
    size = sum(map(len, large_rows(*signs)))
    environ: dict[str, Any] = {
        "wsgi.input": Sent(large_rows(*signs)),
        "CONTENT_LENGTH": str(size),
        "CONTENT_TYPE": content_type,
    }
    answer, peak = peak_of(lambda: script.client.generic("POST", f"/api/v1/{PUSH}", **environ))
    assert answer.json()["created"] == 80
    assert peak < size / 2, peak / size


def test_rows_that_change_are_held_by_portions_too(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_release()
    script = Script(session=ada)
    sizes = []
    put = storing.replace

    def watched(rows: Any, **more: Any) -> None:
        sizes.append(len(rows))
        put(rows, **more)

    monkeypatch.setattr(storing, "replace", watched)
    monkeypatch.setattr(storing, "CHANGED_AT_ONCE", 2)
    monkeypatch.setattr(storing, "PORTION", 5)
    for words in ("before", "after"):
        rows = lines(*(make_case(f"case-{number}", other=words) for number in range(7)))
        answer = script.post(PUSH, rows, content_type=NDJSON).json()
    assert (answer["created"], answer["changed"]) == (0, 7)
    assert sizes == [2, 2, 1, 2]
    assert Case.objects.filter(data__contains="after").count() == 7


def test_a_portion_ends_where_it_is_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "PORTION_WEIGHT", 3_000)
    sizes = (1_000, 1_000, 5_000, 10, 10, 10)
    with imports.check(
        [source(lines(*(bare(f"a{size}-{at}", "x" * size) for at, size in enumerate(sizes))))],
        imports.Options(),
    ) as checked:
        rows = checked.rows()
        found = []
        while portion := list(storing.take_portion(rows)):
            found.append(len(portion))
    assert found == [3, 3]


def bare(key: str, text: str) -> dict[str, Any]:
    return {"case_key": key, "request": {"text": "x"}, "other": text}


# --- However many rows ----------------------------------------------------------------------------


def test_a_key_more_takes_eight_bytes() -> None:
    def meet() -> tally.Keys:
        keys = tally.Keys()
        for number in range(20_000):
            keys.note(f"case-{number}", source=0, line=number, version="1")
        return keys

    keys, peak = peak_of(meet)
    assert len(keys.find_repeated()) == 0
    assert peak < 20_000 * 16


def test_every_repeated_key_counts_and_so_many_are_told() -> None:
    body = lines(*(bare(f"c{number % 30}", "") for number in range(90)))
    with pytest.raises(imports.BadFile) as refused:
        imports.check([source(body)], imports.Options(), most_problems=10)
    assert refused.value.total == 60
    found = [(problem.line, problem.problem.params["line"]) for problem in refused.value.problems]
    assert found == [(31 + number, 1 + number) for number in range(10)]


def test_two_keys_that_look_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "hash", lambda key: len(key), raising=False)
    body = lines(bare("a", ""), bare("b", ""), bare("cc", ""))
    with imports.check([source(body)], imports.Options()) as checked:
        assert [row.case_key for row in checked.rows()] == ["a", "b", "cc"]
    with pytest.raises(imports.BadFile) as refused:
        imports.check([source(body + lines(bare("b", "")))], imports.Options())
    assert [problem.line for problem in refused.value.problems] == [4]


def test_beyond_so_many_different_versions_they_count_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tally, "MOST_DIFFERENT", 2)
    rows = (make_case(f"c{at}", release={"version": item}) for at, item in enumerate("aabcbd"))
    with imports.check([source(lines(*rows))], imports.Options()) as checked:
        assert checked.versions == {"a": 2, "b": 2, tally.OTHERS: 2}


# --- 200 MB, on a started site --------------------------------------------------------------------

BODY = 200 * MEGABYTE
MOST_MORE = 64 * MEGABYTE
SENT_AT_ONCE = 64 * 1024


def cases_of(size: int) -> Iterator[bytes]:
    """Until so many bytes are there; the same 300 over and over, under keys of their own."""
    known = list(itineraries.itineraries(count=300, seed=7))
    texts = [
        json.dumps(itinerary | {"case_key": "KEY"}, ensure_ascii=False).encode()
        for itinerary in known
    ]
    number = sent = 0
    while sent < size:
        line = texts[number % len(texts)].replace(b'"KEY"', b'"case-%08d"' % number, 1)
        number, sent = number + 1, sent + len(line) + 1
        yield line


def as_lines(cases: Iterable[bytes]) -> Iterator[bytes]:
    return (case + b"\n" for case in cases)


def with_a_bad_end(cases: Iterable[bytes]) -> Iterator[bytes]:
    yield from as_lines(cases)
    yield b'{"case_key": "last", "request": {"text": "x", "days": 0}}\n'


def as_array(cases: Iterable[bytes]) -> Iterator[bytes]:
    for place, case in enumerate(cases):
        yield (b"," if place else b"[") + case
    yield b"]"


def gathered(parts: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) > SENT_AT_ONCE:
            yield b"".join(held)
            held = []
    yield b"".join(held)


def push(port: int, token: str, parts: Iterable[bytes], content_type: str) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=1500)
    headers = {"Authorization": f"Token {token}", "Content-Type": content_type}
    connection.request("POST", f"/api/v1/{PUSH}", gathered(parts), headers, encode_chunked=True)
    answer = connection.getresponse()
    body = json.loads(answer.read())
    connection.close()
    return answer.status, body


def memory_of(pid: int, what: str) -> int:
    """Of a server and its workers: VmRSS is what they hold, VmHWM the most that they held."""
    found = 0
    for process in cpu.tree(pid):
        status = Path(f"/proc/{process}/status").read_text()
        found += int(status.partition(f"{what}:")[2].split()[0]) * 1024
    return found


def forget_peaks(pid: int) -> None:
    for process in cpu.tree(pid):
        Path(f"/proc/{process}/clear_refs").write_text("5")


TOKEN = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from evalsite.accounts import tokens
from evalsite.models import Scope
ada = User.objects.get(username="ada")
lasts, now = timedelta(days=1), timezone.now()
print(tokens.make(user=ada, name="CI", scopes=[Scope.PUSH], lasts=lasts, now=now)[1])
"""


@soak.ONLY
@pytest.mark.soak
@pytest.mark.django_db  # or, asked for alone, nothing is migrated
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("what", "made", "content_type", "status"),
    [
        ("lines", as_lines, NDJSON, 200),
        ("lines, the last one bad", with_a_bad_end, NDJSON, 400),
        ("an array", as_array, JSON, 200),
    ],
)
def test_200_megabytes_need_less_than_64(
    what: str,
    made: Callable[[Iterable[bytes]], Iterator[bytes]],
    content_type: str,
    status: int,
    migrated_database: MakeDatabase,
    tmp_path: Path,
) -> None:
    url = migrated_database("streamed", tmp_path)
    manage_in_turn(url, *OPEN_RELEASE)
    invite(url, ada="admin")
    token = servers.manage(url, "shell", "--verbosity=0", "-c", TOKEN).split()[-1]
    with servers.site(database_url=url) as site:
        # All that a worker keeps is there after a first portion.
        warm, _answer = push(site.port, token, made(cases_of(2 * MEGABYTE)), content_type)
        assert warm == status
        before = execute(url, "SELECT count(*) FROM cases_case")
        forget_peaks(site.pid)
        held, started = memory_of(site.pid, "VmRSS"), time.monotonic()
        found, answer = push(site.port, token, made(cases_of(BODY)), content_type)
        seconds = time.monotonic() - started
        more = memory_of(site.pid, "VmHWM") - held
    is_well = found == status and more < MOST_MORE
    soak.report(
        f"pushed on {url.partition(':')[0]}: {what}",
        tried=1,
        bad=int(not is_well),
        megabytes=BODY // MEGABYTE,
        more_megabytes=round(more / MEGABYTE, 1),
        seconds=round(seconds),
    )
    assert found == status, answer
    assert more < MOST_MORE
    [[now]] = execute(url, "SELECT count(*) FROM cases_case")
    count = sum(1 for _case in cases_of(BODY))
    if status == 200:
        assert answer["created"] + answer["unchanged"] == now == count
    else:
        assert [(error["line"], error["path"]) for error in answer["errors"]] == [
            (count + 1, f"{count + 1}.request.days")
        ]
        assert now == before[0][0] == 0
