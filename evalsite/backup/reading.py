"""Taking a backup: every row as it stands at one moment, while others go on writing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from evalsite import migrated
from evalsite.backup.archive import About, Column, Manifest, Refused, Row, Table, Writing
from evalsite.backup.tables import tables
from reviews.export.code import code

# A case may have 256 KB, so a few hundred of them are held at a time.
AT_A_TIME = 200


def back_up(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Manifest:
    """Writes the archive. Raises Refused; then there is no file."""
    if path.exists():
        raise Refused(f"{path} is there already, and a backup replaces nothing. Name another file.")
    connection = connections[using]
    with whole_or_not_at_all(path) as file, snapshot(connection):
        check_migrated(connection)
        writing = Writing(file)
        about = About(
            product=code().version,
            taken_at=timezone.now().astimezone(UTC),
            engine=connection.vendor,
            migrations=sorted(migrated.on_disk()),
        )
        for table in tables():
            writing.add(table, rows_of(connection, table))
        return writing.end(about)


@contextmanager
def whole_or_not_at_all(path: Path) -> Iterator[IO[bytes]]:
    """A file for its owner alone, since it holds digests of passwords."""
    try:
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file:
            part = Path(file.name)
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}.") from error


@contextmanager
def snapshot(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """What is read inside is what was committed when it began; nobody waits for it."""
    if connection.vendor == "postgresql":
        with transaction.atomic(using=connection.alias, durable=True):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            begin_reading(connection)
            yield
    else:
        # Django would begin as the settings say, IMMEDIATE, and hold up everybody who writes.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                begin_reading(connection)
                yield
            finally:
                cursor.execute("ROLLBACK")


def begin_reading(connection: BaseDatabaseWrapper) -> None:
    """Both engines take their snapshot not at BEGIN but at the first row that is asked for."""
    catalogue = "pg_class" if connection.vendor == "postgresql" else "sqlite_master"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {catalogue}")  # noqa: S608
        cursor.fetchone()


def check_migrated(connection: BaseDatabaseWrapper) -> None:
    if newer := migrated.unknown(connection):
        raise Refused(
            "The database was migrated by a newer Spotcheck "
            f"({', '.join(migrated.format_names(newer))}). Update this one first."
        )
    if missing := migrated.missing(connection):
        raise Refused(
            f"The database lacks {len(missing)} migrations of this Spotcheck. "
            "Run `manage.py migrate` first."
        )


def rows_of(connection: BaseDatabaseWrapper, table: Table) -> Iterator[Row]:
    """In the order of their keys, a few at a time."""
    columns = ", ".join(selected(connection, column) for column in table.columns)
    moments = table.places("datetime")
    query = (
        f"SELECT {columns} FROM {connection.ops.quote_name(table.name)} "  # noqa: S608
        f"ORDER BY {ordered(connection, table)}"
    )
    with connection.chunked_cursor() as cursor:
        cursor.execute(query)
        while some := cursor.fetchmany(AT_A_TIME):
            for row in some:
                yield in_utc(row, moments) if moments else row


def selected(connection: BaseDatabaseWrapper, column: Column) -> str:
    name = connection.ops.quote_name(column.name)
    return f"CAST({name} AS text)" if column.kind == "json" else name


def ordered(connection: BaseDatabaseWrapper, table: Table) -> str:
    """Texts by their code points, whatever the language of the database."""
    name = connection.ops.quote_name(table.key)
    is_text = any(one.name == table.key and one.kind == "text" for one in table.columns)
    return f'{name} COLLATE "C"' if is_text and connection.vendor == "postgresql" else name


def in_utc(row: Row, moments: list[int]) -> Row:
    values: list[Any] = list(row)
    for place in moments:
        moment: datetime | None = values[place]
        if moment is not None:
            # SQLite keeps them in UTC without saying so.
            is_told = moment.tzinfo is not None
            values[place] = moment.astimezone(UTC) if is_told else moment.replace(tzinfo=UTC)
    return tuple(values)
