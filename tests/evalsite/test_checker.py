"""`spotcheck_ci.py check`: with the wheel of `make checker`, in a place without Django."""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cases.facts import Topic
from cases.itinerary.reading import read
from cases.rule import (
    SCHEMA,
    Definition,
    Rule,
    RuleSet,
    Threshold,
    check_definition,
    encode_hits,
    find_hits,
    write_rules,
)
from tests.bed import soak
from tests.bench import itineraries
from tests.cases.rule.real_counts import COUNTS, VERSIONS
from tools import checker_wheel, spotcheck_ci

LUNCH = {"start": "12:00", "end": "13:00", "kind": "meal", "title": "Lunch"}
MUSEUM = {"start": "11:00", "end": "14:00", "kind": "sight", "title": "Copper Mill"}
PARK = {"start": "15:00", "end": "17:00", "kind": "sight", "title": "Heron Park"}
SENTENCE = "A meal lies over a visit on day 1: Copper Mill."


def make_line(key: str, *items: dict[str, Any], **more: Any) -> str:
    plan = {"status": "done", "days": [{"day": 1, "items": list(items)}]}
    case = {"case_key": key, "request": {"text": "A day."}, "plan": plan, **more}
    return json.dumps(case)


GOOD = make_line("good", LUNCH, PARK)
BAD = make_line("bad", LUNCH, MUSEUM, automated_summary={"status": "PASS", "score": 0.9})


def make_rule(fact: str, topic: Topic = Topic.MEALS, *limits: Threshold) -> Rule:
    return Rule(fact, 1, check_definition(Definition(topic, fact, "usability.1", limits)))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    path.write_bytes(
        write_rules(RuleSet(SCHEMA, "wayfarer", rules=(make_rule("meal-over-visit"),)))
    )
    return path


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def check(*arguments: object) -> int:
    return spotcheck_ci.main(["check", *map(str, arguments)])


def test_a_hit_is_named_with_its_line_and_fact(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "cases.jsonl", GOOD, BAD)
    assert check(file, "--rules", rules) == 1
    out, err = capsys.readouterr()
    assert out == f"{file}:2: meal-over-visit: {SENTENCE}\n"
    assert "Cases checked: 2. Rules: 1. Cases with a hit: 1." in err


def test_without_a_hit_it_exits_with_0(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(write(tmp_path / "cases.jsonl", GOOD), "--rules", rules) == 0
    assert capsys.readouterr().out == ""


def test_a_damaged_line_wins_and_the_others_are_checked(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "cases.jsonl", BAD, '{"case_key": ', BAD)
    assert check(file, "--rules", rules) == 3
    out, err = capsys.readouterr()
    assert [line.split(":")[1] for line in out.splitlines()] == ["1", "3"]
    assert f"{file}:2: the line ends in the middle of the JSON text." in err


def test_a_file_that_is_cut_off_or_missing_does_not_keep_the_next_from_being_checked(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress((BAD + "\n").encode() * 50)[:-20])
    missing, good = tmp_path / "missing.jsonl", write(tmp_path / "good.jsonl", BAD)
    assert check(cut, missing, good, "--rules", rules) == 3
    out, err = capsys.readouterr()
    assert f"{good}:1: meal-over-visit" in out
    assert "the gzip file is damaged or cut off." in err
    assert f"{missing}:1: cannot be read: No such file or directory." in err


def test_out_holds_the_cases_with_a_check_for_each_rule(tmp_path: Path, rules: Path) -> None:
    out = tmp_path / "checked.jsonl"
    assert check(write(tmp_path / "c.jsonl", GOOD, BAD), "--rules", rules, "--out", out) == 1
    good, bad = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert good["automated_checks"] == {"rule:meal-over-visit": {"status": "pass"}}
    assert "automated_summary" not in good
    assert bad["automated_summary"] == {"status": "FAIL", "score": 0.9}
    (hit,) = bad["automated_checks"]["rule:meal-over-visit"]["evidence"]
    assert hit["sentence"] == SENTENCE
    assert hit["refs"] == ["/plan/days/0/items/1"]
    for line in out.read_bytes().splitlines():
        read(line)


def test_out_keeps_the_checks_that_a_case_had(tmp_path: Path, rules: Path) -> None:
    out = tmp_path / "checked.jsonl"
    line = make_line("had", LUNCH, PARK, automated_checks={"dates": {"status": "pass"}})
    assert check(write(tmp_path / "c.jsonl", line), "--rules", rules, "--out", out) == 0
    checks = json.loads(out.read_text("utf-8"))["automated_checks"]
    assert set(checks) == {"dates", "rule:meal-over-visit"}


def test_a_document_that_is_no_rules_json_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "cases.jsonl", GOOD)
    for text in ("{}", "[", '{"schema": "spotcheck-rules/9", "product": "p"}'):
        assert check(file, "--rules", write(tmp_path / "rules.json", text)) == 3
        assert "this is no rules.json" in capsys.readouterr().err
    assert check(file, "--rules", tmp_path / "none.json") == 3


def test_a_rule_about_a_fact_that_does_not_exist_is_refused(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.write_bytes(rules.read_bytes().replace(b"meal-over-visit", b"meal-over-moon"))
    assert check(write(tmp_path / "cases.jsonl", GOOD), "--rules", rules) == 3
    assert "there is no fact meal-over-moon" in capsys.readouterr().err


def test_it_says_which_package_is_missing(
    tmp_path: Path, rules: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cases.rule", None)
    assert check(write(tmp_path / "cases.jsonl", GOOD), "--rules", rules) == 3
    assert "spotcheck-checker, which is not installed here" in capsys.readouterr().err


# --- The wheel ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what installing the wheel puts there: the wheel's files and msgspec."""
    place = tmp_path_factory.mktemp("installed")
    wheel = checker_wheel.build(tmp_path_factory.mktemp("wheel"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    found = Path(str(distribution("msgspec").locate_file("msgspec")))
    (place / "msgspec").symlink_to(found, target_is_directory=True)
    return place


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python with the standard library and this folder only."""
    program = [sys.executable, "-S", *map(str, arguments)]
    environment = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    return subprocess.run(program, env=environment, cwd=folder, capture_output=True, text=True)


def test_the_wheel_needs_no_django(folder: Path, tmp_path: Path, rules: Path) -> None:
    assert run(folder, "-c", "import django").returncode == 1
    file = write(tmp_path / "cases.jsonl", GOOD, BAD)
    done = run(folder, spotcheck_ci.__file__, "check", file, "--rules", rules)
    assert done.stdout == f"{file}:2: meal-over-visit: {SENTENCE}\n"
    assert done.returncode == 1


def test_every_module_of_the_wheel_can_be_imported_alone(folder: Path) -> None:
    names = [
        ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((folder / "cases").rglob("*.py"))
    ]
    assert "cases.rule.checking" in names
    program = f"import importlib\nfor name in {names!r}: importlib.import_module(name)"
    done = run(folder, "-c", program)
    assert done.returncode == 0, done.stderr


def test_the_same_source_makes_the_same_wheel_and_its_record_is_right(tmp_path: Path) -> None:
    first, second = (checker_wheel.build(tmp_path / name) for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
        lines = archive.read(record).decode().splitlines()
        assert {line.partition(",")[0] for line in lines} == set(archive.namelist())
        for line in lines:
            name, digest, size = line.split(",")
            if digest:
                content = archive.read(name)
                assert digest == f"sha256={checker_wheel.digest(content)}"
                assert int(size) == len(content)


def test_the_wheel_finds_what_we_find_byte_for_byte_in_real_plans(
    folder: Path, tmp_path: Path
) -> None:
    data = os.environ.get("SPOTCHECK_REAL_DATA")
    if not data:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    source = Path(data) / "itineraries" / "dev_trip_agent_zh.jsonl"
    chosen = tuple(make_rule(fact, topic) for topic, fact in COUNTS)
    path, out = tmp_path / "rules.json", tmp_path / "out.jsonl"
    path.write_bytes(write_rules(RuleSet(SCHEMA, "planner", rules=chosen)))
    done = run(folder, spotcheck_ci.__file__, "check", source, "--rules", path, "--out", out)
    assert done.returncode == 1
    hit = dict.fromkeys(COUNTS, 0)
    for before, after in zip(
        source.read_bytes().splitlines(), out.read_bytes().splitlines(), strict=True
    ):
        case = read(before).case
        checks = msgspec.json.decode(after)["automated_checks"]
        for (topic, fact), rule in zip(COUNTS, chosen, strict=True):
            found = find_hits(case, [rule])
            evidence = f'"rule:{fact}":{{"status":"fail","evidence":{encode_hits(found)}}}'
            assert (evidence.encode() in after) is bool(found)
            assert checks[f"rule:{fact}"]["status"] == ("fail" if found else "pass")
            is_counted = case.release and case.release.version in VERSIONS
            hit[topic, fact] += bool(found and is_counted and case.plan and case.plan.is_done)
    assert hit == COUNTS


# --- Ten thousand plans ---------------------------------------------------------------------------

MEASURED = """
import json, sys, time
{program}
hwm = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
figures = {{"code": code, "seconds": time.process_time(), "megabytes": int(hwm.split()[1]) / 1024}}
print(json.dumps(figures))
"""
CHECK = """
sys.path.append(sys.argv[1])
import spotcheck_ci
code = spotcheck_ci.main(sys.argv[2:])
"""
FACTS_ALONE = """
from cases.facts import find_facts
from cases.itinerary.lines import Source, numbered_lines
from cases.itinerary.reading import read
code = 0
for _number, line in numbered_lines(Source("", lambda: open(sys.argv[1], "rb"))):
    find_facts(read(line).case)
"""


def measure(folder: Path, program: str, *arguments: object) -> dict[str, float]:
    """Return the code of a program, its CPU seconds and the most memory it took, in MB."""
    done = run(folder, "-c", MEASURED.format(program=program), *arguments)
    assert done.returncode == 0, done.stderr
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


@pytest.mark.soak
def test_a_check_takes_at_most_twice_the_cpu_of_the_facts_and_no_more_memory_for_more_cases(
    folder: Path, tmp_path: Path
) -> None:
    count = soak.size(short=400, long=10_000)
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    itineraries.write(few, itineraries.itineraries(count=count // 10, seed=7))
    itineraries.write(many, itineraries.itineraries(count=count, seed=7))
    chosen = tuple(make_rule(fact, topic) for topic, fact in COUNTS)
    path = tmp_path / "rules.json"
    path.write_bytes(write_rules(RuleSet(SCHEMA, "planner", rules=chosen)))
    script = Path(spotcheck_ci.__file__).parent, "check", "--rules", path
    small = measure(folder, CHECK, *script, "--out", tmp_path / "out.jsonl", few)
    large = measure(folder, CHECK, *script, "--out", tmp_path / "out.jsonl", many)
    alone = measure(folder, FACTS_ALONE, many)
    soak.report(
        "check against five rules",
        tried=count,
        bad=0,
        check=large,
        check_a_tenth=small,
        facts_alone=alone,
        cases_per_cpu_second=count / large["seconds"],
    )
    assert (large["code"], alone["code"]) == (1, 0)
    assert large["seconds"] <= 2 * alone["seconds"]
    assert large["megabytes"] <= small["megabytes"] + 8
