"""`make test` and `make soak`: SQLite and PostgreSQL side by side, one count.

Every test that may meet a database runs on both; tests/bed/sides.py says which ones run once.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evalsite import scratch
from tests.bed import sides

BASE_DIR = Path(__file__).resolve().parents[2]
RESULTS = BASE_DIR / "var" / "tests"


def main(arguments: list[str]) -> int:
    RESULTS.mkdir(parents=True, exist_ok=True)
    environment = os.environ.copy()
    environment.pop("DATABASE_URL", None)
    if "--soak" in arguments:
        arguments = [one for one in arguments if one != "--soak"] or [
            "-m",
            "soak",
            "-s",
            "--timeout=1800",
        ]
        environment["SPOTCHECK_SOAK"] = "1"
    shares = "SPOTCHECK_SOAK" not in environment  # a soak is the longer the better
    started = time.monotonic()
    with scratch.postgres() as server_url:
        variables = {
            "sqlite": environment,
            "postgres": environment | {"DATABASE_URL": server_url},
        }
        if shares:
            variables[sides.BROWSER] = environment
            variables = {name: own | {sides.VARIABLE: name} for name, own in variables.items()}
        runs = {
            name: start(name, arguments or places_of(name), own) for name, own in variables.items()
        }
        codes = {name: finish(name, run) for name, run in runs.items()}
    counts = [count(name) for name in runs]
    passed, failed, skipped = (sum(column) for column in zip(*counts, strict=True))
    print(f"\nSQLite and PostgreSQL together, {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # Of a few tests that were asked for, one side may have none.
    well = all(code in (0, pytest.ExitCode.NO_TESTS_COLLECTED) for code in codes.values())
    return 0 if passed and not failed and well else 1


def places_of(name: str) -> list[str]:
    """Of all tests: where this run has any, so that no other is loaded."""
    return ["tests/browser"] if name == sides.BROWSER else []


def start(name: str, arguments: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    (RESULTS / f"{name}.xml").unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={RESULTS / f'{name}.xml'}"]
    with (RESULTS / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [*command, *arguments], cwd=BASE_DIR, env=environment, stdout=log, stderr=log
        )


def finish(name: str, run: subprocess.Popen[bytes]) -> int:
    code = run.wait()
    print(f"\n===== {name} =====", flush=True)
    print((RESULTS / f"{name}.log").read_text("utf-8", "replace"), flush=True)
    return code


def count(name: str) -> tuple[int, int, int]:
    """Passed, failed and skipped; a run that left no result counts as one failure."""
    result = RESULTS / f"{name}.xml"
    if not result.exists():
        return (0, 1, 0)
    suite = ElementTree.parse(result).getroot().find("testsuite")
    assert suite is not None
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    return (total - failed - skipped, failed, skipped)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
