"""Importing cases, against the least that each database can do with the finished rows."""

import json
import math
import sqlite3
import statistics
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests import servers
from tests.bench import itineraries
from tests.bench.cost import Cost
from tests.bench.measuring import NOISY
from tests.bench.report import Row
from tests.bench.seeding import release_name
from tests.bench.target import rows_in

OPERATION = "import, checked"
# Of what the database takes when nothing is checked.
SHARE_AT_LEAST = {"sqlite": 1 / 10, "postgres": 1 / 4}
MEGABYTES_AT_MOST = 64
# The share may not fall with the size. Over less than two powers of ten all of it is noise.
EXPONENT_AT_LEAST = -0.1
WIDE_ENOUGH = 100


@dataclass
class Size:
    """All rounds with one number of cases."""

    cases: int
    ours: list[Cost] = field(default_factory=list)
    raw: list[Cost] = field(default_factory=list)

    @property
    def shares(self) -> list[float]:
        return [
            a.cases_per_cpu_second / b.cases_per_cpu_second
            for a, b in zip(self.ours, self.raw, strict=True)
        ]

    @property
    def share(self) -> float:
        return statistics.median(self.shares)

    @property
    def peak_megabytes(self) -> float:
        return statistics.median(cost.peak_bytes for cost in self.ours) / 2**20


@dataclass(frozen=True)
class Imports:
    """Our database and a copy of it side by side: both get the same rows in the same order."""

    database: str
    ours: str
    raw: str
    pids: list[int]

    def measure(
        self, files: dict[int, Path], rounds: dict[int, int], say: Callable[[str], object]
    ) -> Iterator[Row]:
        copy_database(self.ours, self.raw)
        sizes = [Size(cases) for cases in sorted(files)]
        for size in sizes:
            say(f"{self.database}: {OPERATION}, {size.cases:,} cases")
            for number in range(1, rounds[size.cases] + 1):
                name = release_name(size.cases, number)
                size.ours.append(self.checked(files[size.cases], name))
                size.raw.append(self.unchecked(name))
            yield share_row(self.database, size)
        if len(sizes) > 1:
            yield exponent_row(self.database, sizes)
            yield memory_row(self.database, sizes)
        for table in ("cases_case", "cases_casetag"):
            yield self.kept_row(table)

    def checked(self, file: Path, name: str) -> Cost:
        pids = [f"--database-pid={pid}" for pid in self.pids]
        return Cost.read(servers.manage(self.ours, "bench", "import", str(file), name, *pids))

    def unchecked(self, name: str) -> Cost:
        job = {
            "source": self.ours,
            "target": self.raw,
            "release": name,
            "database_pids": self.pids,
        }
        return Cost.read(
            servers.run_python(self.raw, "-m", "tests.bench.import_raw", json.dumps(job))
        )

    def kept_row(self, table: str) -> Row:
        """Nothing lost, nothing twice."""
        ours, raw = rows_in(self.ours, table), rows_in(self.raw, table)
        return Row(
            self.database,
            OPERATION,
            f"rows of {table}",
            ours,
            raw,
            goal="equal",
            passed=ours == raw,
        )


def copy_database(source: str, target: str) -> None:
    if source.startswith("sqlite:"):
        with (
            closing(sqlite3.connect(urlsplit(source).path)) as ours,
            closing(sqlite3.connect(urlsplit(target).path)) as copy,
        ):
            ours.backup(copy)
        return
    names = [sql.Identifier(urlsplit(url).path.lstrip("/")) for url in (target, source)]
    with psycopg.connect(server_of(source), autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(names[0]))
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))


def server_of(url: str) -> str:
    """A database that is always there."""
    return urlsplit(url)._replace(path="/postgres").geturl()


def write_files(folder: Path, sizes: list[int], seed: int) -> dict[int, Path]:
    """All of them can be drawn, so that the pool of a draw is as large as the file."""
    files = {size: folder / f"{size}.jsonl" for size in sizes}
    for size, path in files.items():
        itineraries.write(path, itineraries.drawable(count=size, seed=seed))
    return files


def share_row(database: str, size: Size) -> Row:
    goal = SHARE_AT_LEAST[database]
    has_all = all(cost.cases == size.cases for cost in [*size.ours, *size.raw])
    return Row(
        database,
        OPERATION,
        f"cases per CPU s, {size.cases:,} cases",
        ours=statistics.median(cost.cases_per_cpu_second for cost in size.ours),
        floor=statistics.median(cost.cases_per_cpu_second for cost in size.raw),
        ratio=size.share,
        goal=f">= {goal:g}x",
        passed=size.share >= goal and has_all,
        noisy=max(size.shares) / min(size.shares) > NOISY,
        more={
            "shares": size.shares,
            "ours": [asdict(cost) for cost in size.ours],
            "raw": [asdict(cost) for cost in size.raw],
        },
    )


def exponent_row(database: str, sizes: list[Size]) -> Row:
    """Of the share over the number of cases: 0 if both grow alike."""
    found = statistics.linear_regression(
        [math.log(size.cases) for size in sizes], [math.log(size.share) for size in sizes]
    ).slope
    is_wide = sizes[-1].cases >= WIDE_ENOUGH * sizes[0].cases
    return Row(
        database,
        OPERATION,
        "exponent of the ratio over cases",
        ours=found,
        goal=f">= {EXPONENT_AT_LEAST:g}" if is_wide else "",
        passed=found >= EXPONENT_AT_LEAST if is_wide else None,
    )


def memory_row(database: str, sizes: list[Size]) -> Row:
    small, large = sizes[0], sizes[-1]
    more = large.peak_megabytes - small.peak_megabytes
    return Row(
        database,
        OPERATION,
        f"MB at peak, {large.cases:,} cases over {small.cases:,}",
        ours=more,
        goal=f"<= {MEGABYTES_AT_MOST}",
        passed=more <= MEGABYTES_AT_MOST,
        more={"peak_mb": {size.cases: size.peak_megabytes for size in sizes}},
    )
