"""Write many rows into one table, as fast as each engine can.

Django's bulk_create spends most of an import on building SQL; docs/bench.md has the figures.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models


def lock_table(model: type[models.Model]) -> None:
    """Keep other writers out of this table until the transaction ends; reading goes on.

    SQLite has one writer anyway.
    """
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")


def analyze(*tables: type[models.Model]) -> None:
    """Update PostgreSQL's statistics; by itself it would plan for an empty table for a minute."""
    if connection.vendor == "postgresql":
        names = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in tables)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {names}")


def reserve_ids(model: type[models.Model], count: int) -> range | list[int]:
    """Reserve primary keys for rows that the current transaction is about to insert."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table, count],
            )
            return [row[0] for row in cursor.fetchall()]
        # SQLite has one writer, and this transaction is it.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
    first = (row[0] if row else 0) + 1
    return range(first, first + count)


def insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows. `columns` are names in the database; JSON values come as text."""
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(quote(name) for name in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
            cursor.executemany(sql, list(rows))


def update(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Update rows. The last value of each row is its primary key."""
    quote = connection.ops.quote_name
    values = ", ".join(f"{quote(name)} = %s" for name in columns)
    sql = f"UPDATE {quote(model._meta.db_table)} SET {values} WHERE id = %s"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.executemany(sql, list(rows))
