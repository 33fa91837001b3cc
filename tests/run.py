"""`make test` and `make soak`: pytest on SQLite and on PostgreSQL side by side, one count of both.

`python -m tests.run tests/reviews -k closing` runs some tests on the engines that they need, which
tests/engines.py decides. `--soak` before it runs their long forms on both.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import servers
from tests.bed.databases import MIGRATED, migrate

BASE_DIR = Path(__file__).resolve().parents[1]
RESULTS = BASE_DIR / "var" / "tests"
# Two workers for each engine: while one waits for a browser or a server, another computes.
# A file stays with one worker, so that its tests share their servers.
IN_PARALLEL = ["--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"]
ONLY = {"sqlite": "not postgres", "postgres": "not sqlite"}
# A single process for each engine, so that the lines of JSON come out as they are printed.
SOAK = ["-m", "soak", "-s", "--timeout=1800"]


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    with servers.postgres() as server_url, ThreadPoolExecutor() as pool:
        urls = [make_sqlite_url(), servers.create_database(server_url, "migrated")]
        codes = list(pool.map(partial(run, arguments=arguments), ONLY, urls))
    counts = [count(engine) for engine in ONLY]
    passed, failed, skipped = (sum(column) for column in zip(*counts, strict=True))
    print(f"\nSQLite and PostgreSQL together, {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # Of a few tests that were asked for, one engine may have none.
    succeeded = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}.issuperset(codes)
    return 0 if passed and not failed and succeeded else 1


def make_sqlite_url() -> str:
    file = RESULTS / "migrated.sqlite3"
    for part in RESULTS.glob(f"{file.name}*"):
        part.unlink()
    return f"sqlite:///{file}"


def run(engine: str, url: str, arguments: list[str]) -> int:
    """Run pytest on copies of a database that is migrated once; the exit code of pytest."""
    environment = os.environ | {"DATABASE_URL": url, MIGRATED: migrate(url)}
    # The tests start a hundred processes, which should not compile every module again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if arguments[:1] == ["--soak"]:
        options = [*SOAK, *arguments[1:]]
        environment["SPOTCHECK_SOAK"] = "1"
    else:
        options = [*IN_PARALLEL, "-m", ONLY[engine], *arguments]
    result, log = RESULTS / f"{engine}.xml", RESULTS / f"{engine}.log"
    result.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={result}", *options]
    with log.open("wb") as out:
        done = subprocess.run(
            command, cwd=BASE_DIR, env=environment, stdout=out, stderr=out, check=False
        )
    print(f"\n===== {engine} =====\n{log.read_text('utf-8', 'replace')}", flush=True)
    return done.returncode


def count(engine: str) -> tuple[int, int, int]:
    """Passed, failed and skipped; a run that left no result counts as one failure."""
    result = RESULTS / f"{engine}.xml"
    if not result.exists():
        return (0, 1, 0)
    suite = ElementTree.parse(result).getroot().find("testsuite")
    assert suite is not None
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    return (total - failed - skipped, failed, skipped)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
