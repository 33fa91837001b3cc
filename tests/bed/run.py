"""`make test` and `make soak`: SQLite and PostgreSQL side by side, one count.

Every test that may meet a database runs on both; tests/bed/sides.py says which ones run once.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evalsite import scratch
from tests.bed import sides
from tests.bed.databases import MIGRATED, migrate

BASE_DIR = Path(__file__).resolve().parents[2]
TESTS = BASE_DIR / "tests"
RESULTS = BASE_DIR / "var" / "tests"


# Two cores stay busy: a browser waits for its server, a test for the processes that it started.
AT_ONCE = 4
# Their tests start processes, and wait for them more than they compute.
WITH_PROCESSES = ["concurrency", "evalsite"]
SECURITY = "security"
# These run on their own.
APART = {*WITH_PROCESSES, SECURITY}


@dataclass(frozen=True)
class Run:
    """One pytest: where it looks for tests, and the side whose share of them it takes."""

    name: str
    side: str
    arguments: list[str]


def main(arguments: list[str]) -> int:
    RESULTS.mkdir(parents=True, exist_ok=True)
    environment = os.environ.copy()
    environment.pop("DATABASE_URL", None)
    # A hundred processes load the same modules: compiled once, not by each of them.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if "--soak" in arguments:
        arguments = [one for one in arguments if one != "--soak"] or [
            "-m",
            "soak",
            "-s",
            "--timeout=1800",
        ]
        environment["SPOTCHECK_SOAK"] = "1"
    shares = "SPOTCHECK_SOAK" not in environment  # a soak is the longer the better
    runs = runs_for(arguments) if shares else [Run(one, one, arguments) for one in sides.SIDES]
    started = time.monotonic()
    with scratch.postgres() as server_url, ThreadPoolExecutor(AT_ONCE) as pool:
        migrated = dict(zip(sides.SIDES, pool.map(migrate, fresh(server_url)), strict=True))

        def drive(run: Run) -> int:
            return pytest_for(run, environment, migrated, shares=shares)

        codes = list(pool.map(drive, runs))
    counts = [count(run.name) for run in runs]
    passed, failed, skipped = (sum(column) for column in zip(*counts, strict=True))
    print(f"\nSQLite and PostgreSQL together, {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # Of a few tests that were asked for, one side may have none.
    well = all(code in (0, pytest.ExitCode.NO_TESTS_COLLECTED) for code in codes)
    return 0 if passed and not failed and well else 1


def fresh(server_url: str) -> list[str]:
    """An empty database for each of the sides, whose copies the tests get when it is migrated."""
    file = RESULTS / "migrated.sqlite3"
    for part in RESULTS.glob(f"{file.name}*"):
        part.unlink()
    return [f"sqlite:///{file}", scratch.create_database(server_url, "migrated")]


def runs_for(arguments: list[str]) -> list[Run]:
    """In the order in which they begin: the long ones first, so that all end at about one time."""
    sqlite, postgres = sides.SIDES
    if arguments:
        return [Run(one, one, arguments) for one in (sqlite, postgres, sides.BROWSER)]
    found = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
    others = [f"tests/{one}" for one in sorted(found - {*APART, "browser"})]
    apart = [f"tests/{one}" for one in WITH_PROCESSES]
    return [
        # Begun at the other end, one finds half of the modules as the other has compiled them.
        Run(postgres, postgres, others[::-1]),
        Run(sqlite, sqlite, others),
        Run(sides.BROWSER, sides.BROWSER, ["tests/browser"]),
        Run(f"{sqlite}-processes", sqlite, apart),
        Run(f"{postgres}-security", postgres, [f"tests/{SECURITY}"]),
        Run(f"{postgres}-processes", postgres, apart),
        Run(f"{sqlite}-security", sqlite, [f"tests/{SECURITY}"]),
    ]


def pytest_for(
    run: Run, environment: dict[str, str], migrated: dict[str, str], *, shares: bool
) -> int:
    """Its exit code, when it is through; what it said is printed then."""
    own = dict(environment)
    sqlite, postgres = sides.SIDES
    if run.side == postgres:
        own["DATABASE_URL"] = migrated[postgres]
    own[MIGRATED] = migrated[postgres if run.side == postgres else sqlite]
    if shares:
        own[sides.VARIABLE] = run.side
    result, log = RESULTS / f"{run.name}.xml", RESULTS / f"{run.name}.log"
    result.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "tests.bed.roomy",
        "-q",
        f"--junitxml={result}",
        *run.arguments,
    ]
    with log.open("wb") as out:
        done = subprocess.run(command, cwd=BASE_DIR, env=own, stdout=out, stderr=out, check=False)
    said = log.read_text("utf-8", "replace")
    print(f"\n===== {run.name} =====\n{said}", flush=True)
    return done.returncode


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
