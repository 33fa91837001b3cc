"""Runs the commands of docs/ci.md against a real site."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from cases.facts import Topic
from cases.rule import SCHEMA, Definition, Rule, RuleSet, write_rules
from tests import servers
from tests.bed import pipeline
from tests.bed.cases import lines
from tests.bed.pipeline import GO, NO_GO, OPEN, Stage
from tests.conftest import MakeDatabase

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "ci.md").read_text("utf-8")
# No engine changes what a shell does; the calls themselves are tested on both. And pytest-django
# migrates nothing, so that there is nothing to copy, if no test of a run asks for a database.
pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

PASSED = {"automated_summary": {"status": "PASS", "score": 1}}
CASES = lines(
    {"case_key": "lake-01", "request": {"text": "Two days by the lake, by train."}, **PASSED},
    {"case_key": "lake-02", "request": {"text": "A long weekend with two children."}, **PASSED},
)
BAD_CASES = (
    lines(
        {"case_key": "lake-01", "request": {"text": "Two days by the lake.", "days": "three"}},
        {"request": {"text": "A long weekend with two children."}},
    )
    + b"{nope\n"
)


def blocks(heading: str, language: str) -> list[str]:
    """Return the fenced blocks between a heading of the guide and the next one."""
    found: list[str] = []
    here, fence = "", None
    for line in GUIDE.splitlines(keepends=True):
        if line.startswith("```"):
            fence = line.strip().removeprefix("```") if fence is None else None
            if (here, fence) == (heading, language):
                found.append("")
        elif fence is None and line.startswith("#"):
            here = line.strip("# \n")
        elif (here, fence) == (heading, language):
            found[-1] += line
    return found


def runs_in(workflow: str) -> list[str]:
    [job] = yaml.safe_load(workflow)["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


[PUSH], [PUSH_BY_CURL] = blocks("Push with the script", "sh"), blocks("Push with curl", "sh")
[GATE], [GATE_BY_CURL] = blocks("Gate with the script", "sh"), blocks("Gate with curl", "sh")
[SUMMARY] = blocks("In a pull request", "sh")
PUSHES = {"script": PUSH, "curl": PUSH_BY_CURL}
GATES = {"script": GATE, "curl": GATE_BY_CURL}


@pytest.fixture(scope="module")
def stage(
    migrated_database: MakeDatabase,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    url = migrated_database("pipeline", tmp_path_factory.mktemp("site"))
    with django_db_blocker.unblock(), pipeline.started(url) as found:
        yield found


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(stage: Stage, tmp_path: Path) -> Run:
    """Run commands in a shell like a CI job, in a folder with the cases and the script."""
    (tmp_path / "cases.jsonl").write_bytes(CASES)
    shutil.copy(ROOT / "tools" / "spotcheck_ci.py", tmp_path)

    def in_a_shell(commands: str, **variables: str) -> tuple[int, str]:
        own = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SPOTCHECK_URL": stage.url,
            "SPOTCHECK_RETRY_SECONDS": "1",  # to curl, 0 is for ever
        }
        done = subprocess.run(
            ["sh", "-e", "-c", commands],
            cwd=tmp_path,
            env=own | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        said = done.stdout.replace(stage.url, "https://spotcheck.example")
        token = variables["SPOTCHECK_TOKEN"]
        assert not token or token not in said
        assert "Traceback" not in said
        return done.returncode, said

    return in_a_shell


both_ways = pytest.mark.parametrize("way", ["script", "curl"])


# --- Check ----------------------------------------------------------------------------------------


def test_a_check_prints_what_the_guide_says(tmp_path: Path) -> None:
    """Without a site: what is installed here stands for the wheel, which test_checker.py tests."""
    lunch = {"start": "12:00", "end": "13:00", "kind": "meal", "title": "Lunch"}
    mill = {"start": "11:00", "end": "14:00", "kind": "sight", "title": "Copper Mill"}
    (tmp_path / "cases.jsonl").write_bytes(
        lines(
            {"case_key": "lake-01", "request": {"text": "Two days by the lake."}},
            {
                "case_key": "lake-02",
                "request": {"text": "A day in town."},
                "plan": {"status": "done", "days": [{"day": 1, "items": [lunch, mill]}]},
            },
        )
    )
    definition = Definition(Topic.MEALS, "meal-over-visit", "usability-value.1")
    rules = RuleSet(SCHEMA, "planner", rules=(Rule("meal-over-visit", 1, definition),))
    (tmp_path / "rules.json").write_bytes(write_rules(rules))
    shutil.copy(ROOT / "tools" / "spotcheck_ci.py", tmp_path)
    [command] = blocks("Check with the script", "sh")
    [printed] = blocks("Check with the script", "text")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", command],
        cwd=tmp_path,
        env={"PATH": path, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, printed)
    assert len((tmp_path / "checked.jsonl").read_bytes().splitlines()) == 2


# --- Job one --------------------------------------------------------------------------------------


@both_ways
def test_a_push_does_what_the_guide_says(way: str, run: Run, stage: Stage) -> None:
    build = {"script": "1044", "curl": "1045"}[way]
    code, said = run(PUSHES[way], BUILD=build, SPOTCHECK_TOKEN=stage.push)
    heading = {"script": "Push with the script", "curl": "Push with curl"}[way]
    [printed] = blocks(heading, "text")
    assert (code, said) == (0, printed.replace("1044", build))
    code, said = run(PUSHES[way], BUILD=build, SPOTCHECK_TOKEN=stage.push)
    assert code == 0
    assert "2 unchanged" in said or '"unchanged":2' in said


@both_ways
def test_bad_lines_fail_the_build_and_are_all_named(
    way: str, run: Run, stage: Stage, tmp_path: Path
) -> None:
    (tmp_path / "cases.jsonl").write_bytes(BAD_CASES)
    code, said = run(PUSHES[way], BUILD="1046", SPOTCHECK_TOKEN=stage.push)
    assert code == 1
    [printed] = blocks("Wrong lines", "text")
    if way == "script":
        assert said == f"planner-1046: created.\n{printed.replace('1044', '1046')}"
    else:
        named = [line for line in said.splitlines() if '"line":' in line]
        sentences = [re.split(r": (?!\S+: )", line)[-1] for line in printed.splitlines()[:-1]]
        assert len(named) == 3
        assert all(sentence in line for sentence, line in zip(sentences, named, strict=True))


@both_ways
def test_a_push_that_the_release_does_not_take_is_refused(way: str, run: Run, stage: Stage) -> None:
    """The name belongs to a release of another product that is already reviewed."""
    code, said = run(PUSHES[way], BUILD=GO, SPOTCHECK_TOKEN=stage.push)
    assert code == 1
    assert "There is a release of this name already." in said


# --- Job two --------------------------------------------------------------------------------------


@both_ways
def test_a_release_that_passes(way: str, run: Run, stage: Stage, tmp_path: Path) -> None:
    code, said = run(GATES[way], BUILD=GO, SPOTCHECK_TOKEN=stage.read)
    assert code == 0, said
    assert "FAIL" not in said
    assert '"passed":false' not in said
    call_command("verify_export", tmp_path / f"planner-{GO}.zip")


@both_ways
def test_a_release_that_does_not(
    way: str, run: Run, stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(GATES[way], BUILD=NO_GO, SPOTCHECK_TOKEN=stage.read)
    assert code == 1
    call_command("verify_export", tmp_path / f"planner-{NO_GO}.zip")
    assert capsys.readouterr().out.startswith(f"planner-{NO_GO} (final): everything fits.")
    if way == "script":
        [printed] = blocks("What the gate prints", "text")
        told = iter(without_codes(said).splitlines())
        assert [line for line in without_codes(printed).splitlines() if line not in told] == []
    else:
        verdict, *rest = said.splitlines()
        assert '"verdict":"NO-GO"' in verdict
        assert sum('"passed":false' in line for line in rest) == 4
        assert sum("The trams are named" in line for line in rest) == 10


def without_codes(text: str) -> str:
    return re.sub(r"/cases/\w+/", "/cases/CODE/", text)


def test_a_verdict_for_a_pull_request(run: Run, stage: Stage, tmp_path: Path) -> None:
    code, said = run(SUMMARY, BUILD=NO_GO, SPOTCHECK_TOKEN=stage.read)
    assert (code, said) == (1, "")
    written = (tmp_path / "summary.md").read_text("utf-8")
    assert written.startswith(f"### planner-{NO_GO}: NO-GO\n")
    assert f"[Report]({stage.url}/releases/planner-{NO_GO}/report/)" in written


@both_ways
def test_a_release_that_is_not_closed(way: str, run: Run, stage: Stage, tmp_path: Path) -> None:
    code, said = run(GATES[way], BUILD=OPEN, SPOTCHECK_TOKEN=stage.read)
    assert code == 2
    assert "not closed. So far: GO" in said or '"provisional":true' in said
    assert not list(tmp_path.glob("*.zip*"))


@both_ways
def test_a_wait_that_runs_out(way: str, run: Run, stage: Stage) -> None:
    """With curl the second answer is 304."""
    longer = {
        "script": GATE.replace(" --bundle", " --wait 1 --bundle"),
        "curl": GATE_BY_CURL.replace("sleep 30", "sleep 1.1"),
    }
    code, said = run(longer[way], BUILD=OPEN, SPOTCHECK_TOKEN=stage.read, WAIT="1")
    assert code == 2
    assert "10 of 10 reviews" in said or '"submitted":10' in said


@both_ways
@pytest.mark.parametrize("trouble", ["release", "token", "scope", "site", "other", "nothing"])
def test_what_keeps_the_gate_from_answering(
    trouble: str, way: str, run: Run, stage: Stage, tmp_path: Path
) -> None:
    given = {"BUILD": GO, "SPOTCHECK_TOKEN": stage.read} | {
        "release": {"BUILD": "9999"},
        "token": {"SPOTCHECK_TOKEN": "spotcheck_of_nobody"},
        "scope": {"SPOTCHECK_TOKEN": stage.push},
        "site": {"SPOTCHECK_URL": f"http://127.0.0.1:{servers.free_port()}"},
        "other": {"SPOTCHECK_URL": f"{stage.url}/healthz?"},
        "nothing": {"SPOTCHECK_TOKEN": ""},
    }[trouble]
    code, said = run(GATES[way], **given)
    assert code == 3
    sentence = {
        "release": "There is no such thing here.",
        "token": "This token is unknown, expired or revoked.",
        "scope": "This token does not allow that.",
        "site": "127.0.0.1",
        "other": "",
        "nothing": "SPOTCHECK_TOKEN",
    }[trouble]
    assert sentence in said
    assert not list(tmp_path.glob("*.zip*"))


@both_ways
def test_a_push_with_the_wrong_token(way: str, run: Run, stage: Stage) -> None:
    for token in ("spotcheck_of_nobody", stage.read):
        code, said = run(PUSHES[way], BUILD="1047", SPOTCHECK_TOKEN=token)
        assert code == 3, said


# --- In a workflow --------------------------------------------------------------------------------


def test_the_workflows_run_the_same_commands() -> None:
    pushing, asking = blocks("GitHub Actions", "yaml")
    assert runs_in(pushing) == [PUSH.splitlines()[-1]]
    assert runs_in(asking) == [GATE.strip(), SUMMARY.strip()]
    for workflow in (pushing, asking):
        [job] = yaml.safe_load(workflow)["jobs"].values()
        assert {"BUILD", "SPOTCHECK_URL", "SPOTCHECK_TOKEN"} == job["env"].keys()
