"""The rows of one import by the shortest way there is: executemany on SQLite, COPY on PostgreSQL.

Reads back what our import wrote, untimed, and writes it in one transaction into a copy of the
database from before: the same columns, constraints and indexes. No Django, and nothing is checked.
"""

import json
import sqlite3
import sys
import tempfile
from contextlib import ExitStack, closing
from typing import BinaryIO
from urllib.parse import urlsplit

import psycopg

from tests.bench.cost import Cost, cost_of

# What the import wrote, by the number of the release; and what those rows point to.
CASES = "SELECT * FROM cases_case WHERE release_id = {} ORDER BY id"
TAGS = (
    "SELECT tag.* FROM cases_casetag AS tag JOIN cases_case ON cases_case.id = tag.case_id "
    "WHERE release_id = {} ORDER BY tag.id"
)
WRITTEN = {"cases_case": CASES, "cases_casetag": TAGS}
POINTED_TO = {
    "cases_release": "SELECT * FROM cases_release WHERE id = {}",
    "cases_batch": "SELECT * FROM cases_batch WHERE release_id = {}",
}
BLOCK = 256 * 1024


def on_sqlite(source: str, target: str, release: str) -> Cost:
    with (
        closing(sqlite3.connect(urlsplit(source).path)) as ours,
        closing(sqlite3.connect(urlsplit(target).path, isolation_level=None)) as copy,
    ):
        copy.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        found = ours.execute("SELECT id FROM cases_release WHERE name = ?", [release]).fetchone()
        rows = {
            table: ours.execute(question.format(found[0])).fetchall()
            for table, question in WRITTEN.items()
        }

        def write() -> int:
            copy.execute("BEGIN IMMEDIATE")
            for table, values in rows.items():
                marks = ", ".join("?" * len(values[0]))
                copy.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
            copy.execute("COMMIT")
            return len(rows["cases_case"])

        return cost_of(write, database_pids=[])


def on_postgres(source: str, target: str, release: str, database_pids: list[int]) -> Cost:
    with ExitStack() as stack:
        ours = stack.enter_context(psycopg.connect(source))
        copy = stack.enter_context(psycopg.connect(target))
        asked = "SELECT id FROM cases_release WHERE name = %s"
        found = ours.execute(asked, [release]).fetchone()
        assert found is not None
        files = {
            table: read_out(
                ours, question.format(found[0]), stack.enter_context(tempfile.TemporaryFile())
            )
            for table, question in (POINTED_TO | WRITTEN).items()
        }
        for table in POINTED_TO:
            read_in(copy, table, files[table])

        def write() -> int:
            counts = {table: read_in(copy, table, files[table]) for table in WRITTEN}
            copy.commit()
            return counts["cases_case"]

        return cost_of(write, database_pids=database_pids)


def read_out(server: psycopg.Connection, question: str, file: BinaryIO) -> BinaryIO:
    with server.cursor().copy(f"COPY ({question}) TO STDOUT".encode()) as blocks:
        file.writelines(blocks)
    file.seek(0)
    return file


def read_in(server: psycopg.Connection, table: str, file: BinaryIO) -> int:
    """How many rows came."""
    cursor = server.cursor()
    with cursor.copy(f"COPY {table} FROM STDIN".encode()) as blocks:
        while block := file.read(BLOCK):
            blocks.write(block)
    return cursor.rowcount


def main() -> None:
    job = json.loads(sys.argv[1])
    pids = job.pop("database_pids")
    cost = on_postgres(**job, database_pids=pids) if pids else on_sqlite(**job)
    sys.stdout.write(cost.printed() + "\n")


if __name__ == "__main__":
    main()
