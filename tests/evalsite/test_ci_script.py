"""tools/spotcheck_ci.py with a site that is down, cuts off, redirects or sends nonsense."""

import ast
import hashlib
import io
import json
import socket
import struct
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools import spotcheck_ci

TOKEN = "spotcheck_" + "0123456789abcdef" * 4
VERDICT: dict[str, Any] = {
    "release": "planner-1",
    "verdict": "GO",
    "sentence": "Every metric is clearly above its floor, and nothing is open.",
    "decision": None,
    "is_against_the_verdict": False,
    "final": "GO",
    "status": "closed",
    "is_abandoned": False,
    "provisional": False,
    "submitted": 10,
    "expected": 10,
    "due_date": "2035-12-01",
    "report_url": "/releases/planner-1/report/",
    "digest": "0" * 64,
    "criteria": [],
    "findings": [],
}
OPEN = VERDICT | {"provisional": True, "final": "NOT ENOUGH EVIDENCE", "status": "reviewing"}
IMPORTED = {"batch": 1, "created": 2, "changed": 0, "unchanged": 0, "warnings": []}


class Handler(BaseHTTPRequestHandler):
    """Sends the answers of its server in order, and repeats the last one."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.server.asked.append(self)
        self.close_connection = True
        if callable(answer):
            answer(self)
        else:
            self.read_body()
            self.answer(*answer)

    do_POST = do_GET  # noqa: N815

    def read_body(self) -> None:
        left, digest = int(self.headers.get("Content-Length", 0)), hashlib.sha256()
        while left:
            portion = self.rfile.read(min(left, 65536))
            digest.update(portion)
            left -= len(portion)
        self.digest = digest.hexdigest()

    def answer(self, status: int, body: Any = b"", **headers: str) -> None:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(sent))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the output of the tests clean."""


def reset(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[Handler] = []
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error, because the reset is intended."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


class Clock:
    """Replace the clock by one that advances only while the script sleeps."""

    def __init__(self) -> None:
        self.now, self.naps = 100.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(spotcheck_ci, "time", found)
    return found


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(
    server: Server,
    clock: Clock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Call:
    """Run the script against these answers; return its exit code and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SPOTCHECK_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("SPOTCHECK_TOKEN", TOKEN)
    monkeypatch.delenv("SPOTCHECK_RETRY_SECONDS", raising=False)
    Path("cases.jsonl").write_bytes(b'{"case_key": "a"}\n')

    def run(arguments: str, *answers: Any) -> tuple[int, str]:
        server.answers = list(answers)
        code = spotcheck_ci.main(arguments.split())
        said = capsys.readouterr()
        assert TOKEN not in said.out + said.err
        assert "Traceback" not in said.err
        return code, said.out + said.err

    return run


GATE = "gate planner-1"
PUSH = "push planner-1 cases.jsonl --product planner"


# --- Trying again ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "naps"),
    [
        ((429, {}, ("Retry-After", "37")), [37.0, 37.0]),
        ((503, {}, ("Retry-After", "3")), [3.0, 3.0]),
        ((502, b"<html>"), [1.0, 2.0]),
        (reset, [1.0, 2.0]),
    ],
    ids=["too often", "database away", "proxy", "reset"],
)
def test_what_passes_is_waited_for(call: Call, clock: Clock, trouble: Any, naps: Any) -> None:
    answer = trouble
    if isinstance(trouble, tuple):
        status, body, *headers = trouble
        answer = lambda handler: handler.answer(status, body, **dict(headers))  # noqa: E731
    code, said = call(GATE, answer, answer, (200, VERDICT))
    assert (code, clock.naps) == (0, naps)
    assert "Trying again in" in said


def test_patience_ends(call: Call, clock: Clock, server: Server) -> None:
    code, said = call(GATE, (503, {}))
    assert code == 3
    assert said.splitlines()[-1].endswith("answered 503.")
    assert sum(clock.naps) <= 120 < sum(clock.naps) + 30
    code, said = call(GATE, lambda handler: handler.answer(429, {}, Retry_After="100000"))
    assert code == 3


def test_a_push_that_was_cut_off_is_sent_again_whole(call: Call, server: Server) -> None:
    code, _said = call(PUSH, (201, {}), reset, (200, IMPORTED))
    assert code == 0
    assert server.asked[-1].digest == hashlib.sha256(b'{"case_key": "a"}\n').hexdigest()


def test_a_large_file_is_sent_while_it_is_read(call: Call, server: Server) -> None:
    size = 40 * 1024**2
    with Path("cases.jsonl").open("wb") as file:
        file.truncate(size)
    tracemalloc.start()
    code, _said = call(PUSH, (201, {}), (200, IMPORTED))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert code == 0
    assert server.asked[-1].headers["Content-Length"] == str(size)
    assert most < size / 10


def test_an_answer_that_comes_before_all_is_sent_is_heard(call: Call) -> None:
    with Path("cases.jsonl").open("wb") as file:
        file.truncate(40 * 1024**2)
    early = (413, {"detail": "The body is larger than 256 MB.", "code": "x", "errors": []})
    code, said = call(PUSH, (201, {}), lambda handler: handler.answer(*early))
    assert code == 1
    assert said.endswith("planner-1: The body is larger than 256 MB.\n")


def test_a_problem_of_the_whole_file_is_told(call: Call) -> None:
    refused = {
        "detail": "Nothing was written: 2 problems.",
        "code": "bad_lines",
        "errors": [
            {"path": "", "message": "contains no rows."},
            {"path": "3.case_key", "message": "is required.", "line": 3},
        ],
    }
    code, said = call(PUSH, (201, {}), (400, refused))
    assert code == 1
    assert said.splitlines()[-3:] == [
        "cases.jsonl: contains no rows.",
        "cases.jsonl:3: case_key: is required.",
        "planner-1: Nothing was written: 2 problems.",
    ]


def test_what_the_last_sentence_says_is_said_once(call: Call) -> None:
    sentence = "There is a release of this name already."
    taken = {"detail": sentence, "code": "x", "errors": [{"path": "name", "message": sentence}]}
    code, said = call(PUSH, (409, taken))
    assert (code, said.splitlines()) == (1, [f"planner-1: {sentence}"])


# --- Waiting --------------------------------------------------------------------------------------


def test_waiting_asks_only_for_what_has_changed(call: Call, clock: Clock, server: Server) -> None:
    first = lambda handler: handler.answer(200, OPEN, ETag='"a"')  # noqa: E731
    code, said = call(f"{GATE} --wait 600", first, (304,), (304,), (200, VERDICT))
    assert (code, clock.naps) == (0, [30.0, 30.0, 30.0])
    asked = [request.headers["If-None-Match"] for request in server.asked]
    assert asked == [None, '"a"', '"a"', '"a"']
    assert said.count("Waiting: 10 of 10 reviews are in.") == 1


def test_the_wait_runs_out(call: Call, clock: Clock) -> None:
    code, said = call(f"{GATE} --wait 70", (200, OPEN), (200, OPEN))
    assert (code, clock.naps) == (2, [30.0, 30.0, 10.0])
    assert "planner-1: not closed. So far: GO" in said


# --- What it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"final": "HOLD", "verdict": "HOLD"}, 1),
        ({"final": "NOT ENOUGH EVIDENCE", "verdict": "NOT ENOUGH EVIDENCE"}, 2),
        ({"final": "NOT ENOUGH EVIDENCE", "is_abandoned": True}, 2),
        ({"final": "NO-GO", "decision": "do-not-ship", "is_against_the_verdict": True}, 1),
        ({"final": "MAYBE"}, 3),
    ],
)
def test_the_final_word_sets_the_code(call: Call, changes: dict[str, Any], code: int) -> None:
    found, said = call(GATE, (200, VERDICT | changes))
    assert found == code
    assert ("Signed: do-not-ship, AGAINST THE VERDICT" in said) == ("decision" in changes)


def test_what_people_wrote_does_not_steer_the_terminal(call: Call) -> None:
    finding = {
        "case_key": "feast",
        "subject": "usability-value",
        "text": "Usability & Value",
        "standing": None,
        "reason": "lunch\x1b[2J\n::error::lies inside " + "x " * 200,
        "case_url": "/cases/T8PWB/",
    }
    _code, said = call(GATE, (200, VERDICT | {"findings": [finding]}))
    assert "\x1b" not in said
    line = next(text for text in said.splitlines() if "lunch" in text)
    assert line.startswith("        “lunch [2J ::error::lies inside x")
    assert len(line) < 200


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((200, b"<html>"), spotcheck_ci.NOT_OURS),
        ((404, b"[]"), spotcheck_ci.NOT_OURS),
        ((200, {}), spotcheck_ci.NOT_OURS),
        (
            (409, {"detail": "You have 1 review to submit in this release first."}),
            "planner-1: You have 1 review to submit in this release first.",
        ),
        ((400, {"detail": "No."}), "planner-1: No."),
        ((500, {"detail": "Something broke."}), "planner-1: Something broke."),
    ],
)
def test_no_other_answer_is_taken_for_a_verdict(call: Call, answer: Any, sentence: str) -> None:
    assert call(GATE, answer) == (3, f"{sentence}\n")


def test_the_token_is_sent_to_no_other_site(call: Call, server: Server) -> None:
    there = f"http://127.0.0.1:{server.server_port}/elsewhere/"
    code, said = call(GATE, lambda handler: handler.answer(302, b"", Location=there))
    assert code == 3
    assert said.endswith(f"redirects to {there}: set SPOTCHECK_URL to it.\n")
    assert len(server.asked) == 1


def bundle() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("summary.json", "{}" * 10_000)
    return packed.getvalue()


BUNDLE = bundle()


def cut_off(handler: Handler) -> None:
    handler.answer(200, BUNDLE[:-500], Content_Length=str(len(BUNDLE)))


def test_a_bundle_comes_whole_or_not_at_all(call: Call, tmp_path: Path) -> None:
    code, _said = call(f"{GATE} --bundle b.zip", (200, VERDICT), cut_off, (200, BUNDLE))
    assert (code, (tmp_path / "b.zip").read_bytes()) == (0, BUNDLE)
    (tmp_path / "b.zip").unlink()
    for answer in (cut_off, (200, b"<html>"), (409, {"detail": "No."})):
        assert call(f"{GATE} --bundle b.zip", (200, VERDICT), answer)[0] == 3
        assert [path.name for path in tmp_path.iterdir()] == ["cases.jsonl"]
    assert call(f"{GATE} --bundle nowhere/b.zip", (200, VERDICT))[0] == 3


@pytest.mark.parametrize(
    "arguments",
    ["", "gate", "gate a b", f"{GATE} --wait soon", f"{GATE} --wait -1", "push planner-1", "judge"],
)
def test_a_bad_option_is_no_verdict(call: Call, arguments: str) -> None:
    code, said = call(arguments, (200, VERDICT))
    assert code == 3
    assert "usage:" in said


def test_help_is_no_failure(call: Call) -> None:
    assert call("--help", (200, VERDICT))[0] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPOTCHECK_URL", ""),
        ("SPOTCHECK_URL", "spotcheck.example"),
        ("SPOTCHECK_URL", "file:///etc/passwd"),
        ("SPOTCHECK_TOKEN", ""),
        ("SPOTCHECK_TOKEN", f"{TOKEN}\nX-Other: 1"),
        ("SPOTCHECK_RETRY_SECONDS", "soon"),
    ],
)
def test_the_environment_is_looked_at_first(
    call: Call, server: Server, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    code, said = call(GATE, (200, VERDICT))
    assert code == 3
    assert said.startswith(name)
    assert server.asked == []


def test_a_crash_is_no_verdict_and_tells_no_token(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError(f"with Token {TOKEN}")

    monkeypatch.setattr(spotcheck_ci, "format_verdict", crash)
    assert call(GATE, (200, VERDICT)) == (3, "ZeroDivisionError: with Token …\n")


def test_a_file_that_is_not_there_opens_no_release(call: Call, server: Server) -> None:
    code, said = call("push planner-1 other.jsonl --product planner", (201, {}))
    assert (code, said) == (3, "other.jsonl: No such file or directory.\n")
    assert server.asked == []


def test_the_script_needs_nothing_but_python() -> None:
    tree = ast.parse(Path(spotcheck_ci.__file__).read_text("utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).split(".")[0])
    assert found - set(sys.stdlib_module_names) == set()


MARKDOWN = (200, b"### planner-1: GO\n\n**Criteria**\n")


def test_markdown_is_printed_as_the_site_wrote_it(call: Call) -> None:
    told = (*MARKDOWN, {"Content_Type": "text/markdown; charset=utf-8"})
    code, said = call(f"{GATE} --markdown", (200, VERDICT), hand_out(told), (200, VERDICT))
    assert (code, said) == (0, "### planner-1: GO\n\n**Criteria**\n")


def test_markdown_of_another_moment_is_asked_for_again(call: Call) -> None:
    told = (*MARKDOWN, {"Content_Type": "text/markdown; charset=utf-8"})
    old = VERDICT | {"verdict": "NO-GO", "final": "NO-GO"}
    answers = [(200, old), hand_out(told), (200, VERDICT)]
    code, said = call(
        f"{GATE} --markdown", *answers, (200, VERDICT), hand_out(told), (200, VERDICT)
    )
    assert (code, said.count("###")) == (0, 1)


def test_markdown_that_keeps_changing_is_no_answer(call: Call) -> None:
    told = (*MARKDOWN, {"Content_Type": "text/markdown; charset=utf-8"})
    old = VERDICT | {"submitted": 9}
    code, said = call(f"{GATE} --markdown", *[(200, old), hand_out(told), (200, VERDICT)] * 5)
    assert (code, said) == (3, "The verdict changed while it was read. Ask again.\n")


def test_a_page_instead_of_markdown_is_no_answer(call: Call) -> None:
    code, said = call(f"{GATE} --markdown", (200, VERDICT), (200, b"<h1>Proxy</h1>"))
    assert (code, said) == (3, f"{spotcheck_ci.NOT_OURS}\n")


def hand_out(told: tuple[int, bytes, dict[str, str]]) -> Callable[[Handler], None]:
    """Answer with headers of its own."""

    def answer(handler: Handler) -> None:
        status, body, headers = told
        handler.read_body()
        handler.answer(status, body, **headers)

    return answer
