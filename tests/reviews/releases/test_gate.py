"""The gate: an exit code for a pipeline, and why."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connections

from cases.models import Release
from reviews.management.commands import gate
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.reviewed import BAD, GOOD, judged

ROOT = Path(__file__).resolve().parents[3]
NAME = "wanderer-1"


@pytest.fixture(autouse=True)
def _stay_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command ends by closing the connection, which holds the test's own transaction."""
    monkeypatch.setattr(connections, "close_all", lambda: None)


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    def at_the_shell(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            gate.Command().run_from_argv(["manage.py", "gate", *arguments])
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out + said.err

    return at_the_shell


@pytest.mark.parametrize(
    ("scores", "code", "word"),
    [
        (GOOD, 0, "GO"),
        (BAD, 1, "NO-GO"),
        ([(4, 4), (5, 4), (4, 5), (5, 5), (3, 5)], 1, "HOLD"),
        ([(3, 4), (3, 3), (5, 5), (3, 3), (4, 4)], 2, "NOT ENOUGH EVIDENCE"),
    ],
)
def test_the_verdict_sets_the_code(
    ask: Any, rita: User, omar: User, scores: list[tuple[int, int]], code: int, word: str
) -> None:
    judged(rita, omar, *scores)
    found, text = ask(NAME)
    assert found == code
    assert text.startswith(f"{NAME}: {word}\n")


def test_a_release_that_is_not_closed_has_no_answer_yet(ask: Any, rita: User, omar: User) -> None:
    judged(rita, omar, *GOOD, close=False)
    code, text = ask(NAME)
    assert code == 2
    assert text.startswith(f"{NAME}: PROVISIONAL, not closed. So far: GO\n")
    told = json.loads(ask(NAME, "--json")[1])
    assert (told["verdict"], told["final"]) == ("GO", "NOT ENOUGH EVIDENCE")
    assert (told["provisional"], told["status"]) == (True, "reviewing")


def test_an_abandoned_release_earned_nothing(ask: Any, rita: User, omar: User) -> None:
    release = judged(rita, omar, *GOOD, close=False)
    releases_lifecycle.abandon(release=release, reason="Never mind.", user=None, now=NOW)
    code, text = ask(NAME)
    assert code == 2
    assert "abandoned, without a verdict: Never mind." in text
    assert "GO" not in text
    assert "Criteria" not in text
    told = json.loads(ask(NAME, "--json")[1])
    assert (told["verdict"], told["criteria"], told["is_abandoned"]) == (None, [], True)
    assert told["final"] == "NOT ENOUGH EVIDENCE"


@pytest.mark.parametrize(("decision", "code"), [("ship", 0), ("do-not-ship", 1)])
def test_a_signed_decision_sets_the_code_and_both_are_printed(
    ask: Any, rita: User, omar: User, mina: User, decision: str, code: int
) -> None:
    release = judged(rita, omar, (3, 4), (3, 3), (5, 5), (3, 3), (4, 4))
    digest = release.closings.get().digest
    sign(release=release, decision=decision, reason="Seen.", digest=digest, user=mina, now=NOW)
    found, text = ask(NAME)
    assert found == code
    assert text.startswith(f"{NAME}: NOT ENOUGH EVIDENCE\n")
    against = ", AGAINST THE VERDICT" if decision == "ship" else ""
    assert f"Decision: {decision}{against}, signed by mina: Seen." in text
    told = json.loads(ask(NAME, "--json")[1])
    assert (told["verdict"], told["decision"]) == ("NOT ENOUGH EVIDENCE", decision)
    assert told["final"] == ("GO" if decision == "ship" else "NO-GO")


def test_the_document_has_the_fields_of_the_contract(ask: Any, rita: User, omar: User) -> None:
    judged(rita, omar, *GOOD)
    code, text = ask(NAME, "--json")
    told = json.loads(text)
    assert code == 0
    wanted = "verdict decision final status provisional submitted expected due_date report_url"
    assert {*wanted.split(), "criteria"} <= told.keys()
    assert (told["submitted"], told["expected"], told["decision"]) == (10, 10, None)
    assert told["report_url"].endswith(f"/releases/{NAME}/report/")
    for one in told["criteria"]:
        assert {"name", "value", "limit", "passed", "reason", "cases"} <= one.keys()
    first = told["criteria"][0]
    assert (first["name"], first["limit"], first["passed"]) == ("floor:usability-value", 3.0, True)
    assert first["reason"] == (
        "Usability & Value is 4.4, clearly above its floor of 3.0: its lower limit is 3.6 "
        "(one-sided, 96.9 %)."
    )
    assert (told["rules"], told["look"], told["looks"]) == (2, 1, [5, 8])
    assert told["conditions"] == [
        {"code": "agreement-not-shown", "text": "agreement not shown beyond chance"},
        {"code": "no-baseline", "text": "comparison not assessed: no baseline"},
    ]


def test_the_ten_worst_findings_are_listed_on_a_line_each(ask: Any, rita: User, omar: User) -> None:
    release = bed.started(k=2)
    low = bed.judgement(1, answer="no")
    bed.put_judgements(release, {key: {rita: low, omar: low} for key in bed.sampled(release)})
    # What people write must not steer the terminal of whoever reads it.
    by_omar = release.reviews.get(reviewer=omar, case__case_key="feast")
    by_omar.scores.update(rationale="lunch\x1b[2J\nlies inside")
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    code, text = ask(NAME)
    lines = text.split("Worst findings (case, question, reason):\n")[1].splitlines()
    assert (code, len(lines)) == (1, 10)
    assert lines[0].split("  ")[1:3] == ["feast", "Usability & Value"]
    assert "\x1b" not in text
    assert "lunch [2J lies inside" in text


def test_markdown_is_what_the_step_summary_gets(ask: Any, rita: User, omar: User) -> None:
    judged(rita, omar, *BAD)
    code, text = ask(NAME, "--markdown")
    assert code == 1
    assert text.startswith(f"### {NAME}: NO-GO\n\n")
    assert ask(NAME, "--markdown", "--json")[0] == gate.NO_ANSWER


# --- Waiting --------------------------------------------------------------------------------------


class Clock:
    """Time passes only while the gate sleeps."""

    def __init__(self) -> None:
        self.now, self.naps = 100.0, list[float]()
        self.closes_after: Release | None = None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds
        if self.closes_after and len(self.naps) == 2:
            releases_lifecycle.close(release=self.closes_after, user=None, now=NOW)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(gate, "time", found)
    return found


def test_the_wait_runs_out(ask: Any, clock: Clock, rita: User, omar: User) -> None:
    judged(rita, omar, *GOOD, close=False)
    assert ask(NAME, "--wait", "5")[0] == 2
    assert clock.naps == [2.0, 2.0, 1.0]


def test_the_wait_ends_with_the_closing(ask: Any, clock: Clock, rita: User, omar: User) -> None:
    clock.closes_after = judged(rita, omar, *GOOD, close=False)
    assert ask(NAME, "--wait", "600")[0] == 0
    assert clock.naps == [2.0, 2.0]


# --- No answer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nothing",),
        (NAME, "--jsn"),
        (NAME, "--wait"),
        (NAME, "--wait", "soon"),
        (NAME, "--wait", "-1"),
        (NAME, "--wait", "nan"),
        (NAME, "twice"),
    ],
)
def test_whatever_keeps_the_gate_from_answering_ends_with_3(
    ask: Any, db: None, arguments: tuple[str, ...]
) -> None:
    code, text = ask(*arguments)
    assert code == 3
    assert text.strip()


@pytest.mark.parametrize("error", [OperationalError("away"), ZeroDivisionError("a crash")])
def test_a_crash_is_no_answer(
    ask: Any, monkeypatch: pytest.MonkeyPatch, rita: User, omar: User, error: Exception
) -> None:
    judged(rita, omar, *GOOD)

    def fail(release: Release) -> None:
        raise error

    monkeypatch.setattr(gate, "load_outcome", fail)
    code, text = ask(NAME)
    assert code == 3
    assert str(error) in text


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "environment",
    [
        {"DATABASE_URL": "sqlite:////nowhere/at/all.sqlite3"},
        {"DATABASE_URL": "nonsense"},
        {"SECRET_KEY": "short"},
    ],
    ids=["away", "no address", "no secret key"],
)
def test_a_site_that_cannot_start_is_no_answer_either(environment: dict[str, str]) -> None:
    own = {**os.environ, "SECRET_KEY": "a-long-key-" * 6, "DJANGO_SETTINGS_MODULE": ""}
    own.pop("DJANGO_SETTINGS_MODULE")
    done = subprocess.run(
        [sys.executable, "manage.py", "gate", NAME],
        cwd=ROOT,
        env=own | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 3
    assert done.stderr.strip()
