"""Bringing a backup back: into an empty database, all of it or nothing."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from evalsite import migrated, triggers
from evalsite.backup.archive import (
    Backup,
    Manifest,
    Refused,
    Row,
    Table,
    TableRecord,
    Tally,
    opened,
)
from evalsite.backup.reading import AT_A_TIME, check_migrated, rows_of
from evalsite.backup.tables import tables
from evalsite.permissions import GROUP_OF

# What `migrate` itself writes. The rows of the archive take their place, so that their keys fit.
BY_MIGRATE = ("auth_permission", "django_content_type", "auth_group")


def restore(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Manifest:
    """Raises Refused. The archive is read to its end before anything is written."""
    with opened(path) as backup:
        check_known(backup)
        backup.check()
        connection = connections[using]
        is_bare = not connection.introspection.table_names()
        if is_bare:
            migrate_to(connection, backup.manifest)
        else:
            check_same_state(connection, backup)
        try:
            with transaction.atomic(using=using, durable=True):
                put_all(connection, backup)
        except DatabaseError as error:
            raise Refused(
                f"{path}: the database does not take these rows: {first_line(error)}. "
                "Nothing was restored."
            ) from error
        ContentType.objects.clear_cache()
        if is_bare:
            call_command("migrate", database=using, verbosity=0)
        return backup.manifest


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


# --- Whether it fits ------------------------------------------------------------------------------


def check_known(backup: Backup) -> None:
    manifest = backup.manifest
    if strange := set(manifest.migrations) - migrated.on_disk():
        names = ", ".join(migrated.format_names(strange))
        raise Refused(
            f"{backup.path}: written by another Spotcheck, {manifest.product}, that has migrations "
            f"which this one lacks ({names}). Restore it with that."
        )
    names = {table.name for table in manifest.tables}
    if is_current(manifest) and names != {table.name for table in tables()}:
        raise Refused(f"{backup.path}: the backup is damaged: it has not the tables of a site.")


def is_current(manifest: Manifest) -> bool:
    return set(manifest.migrations) == migrated.on_disk()


def check_same_state(connection: BaseDatabaseWrapper, backup: Backup) -> None:
    check_migrated(connection)
    if not is_current(backup.manifest):
        raise Refused(
            f"{backup.path}: taken before the last migrations of this Spotcheck. Restore it into a "
            "database without any table: it is then migrated as its rows need it."
        )


def migrate_to(connection: BaseDatabaseWrapper, manifest: Manifest) -> None:
    """As far as the site was when the backup was taken; later migrations come behind the rows."""
    executor = MigrationExecutor(connection)
    wanted = set(manifest.migrations)
    # Of each app the last one: Django would take an earlier one for a wish to go back to it.
    nodes = executor.loader.graph.node_map
    later = {
        one: {child.key for child in nodes[one].children if child.key[0] == one[0]}
        for one in wanted
    }
    executor.migrate([one for one in sorted(wanted) if not later[one] & wanted])


# --- Rows -----------------------------------------------------------------------------------------


def put_all(connection: BaseDatabaseWrapper, backup: Backup) -> None:
    """The triggers go first and come back last: they let nobody write into a closed release."""
    held = backup.manifest.tables
    check_columns(connection, backup)
    lock(connection, held)
    check_empty(connection, held)
    triggers.drop(connection)
    for name in BY_MIGRATE:
        empty(connection, name)
    for table in held:
        put(connection, table, backup.rows(table))
    connection.check_constraints()
    count_on(connection, held)
    for table in held:
        check_same(connection, table)
    triggers.install(connection)


def check_columns(connection: BaseDatabaseWrapper, backup: Backup) -> None:
    there = triggers.list_columns(connection)
    for table in backup.manifest.tables:
        if there.get(table.name) != {column.name for column in table.columns}:
            raise Refused(
                f"{backup.path}: the backup is damaged: the columns of {table.name} are not those "
                "of its migrations."
            )


def lock(connection: BaseDatabaseWrapper, held: Iterable[Table]) -> None:
    """Nobody writes between the look for rows and the end. On SQLite a transaction has that."""
    if connection.vendor == "postgresql":
        names = ", ".join(connection.ops.quote_name(table.name) for table in held)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def check_empty(connection: BaseDatabaseWrapper, held: Iterable[Table]) -> None:
    """Refuses whatever somebody wrote; what `migrate` writes does not count."""
    with connection.cursor() as cursor:
        for table in held:
            if table.name == "auth_group":
                cursor.execute("SELECT name FROM auth_group")
                is_empty = {name for (name,) in cursor.fetchall()} <= set(GROUP_OF.values())
            elif table.name in BY_MIGRATE:
                continue
            else:
                name = connection.ops.quote_name(table.name)
                cursor.execute(f"SELECT 1 FROM {name} LIMIT 1")  # noqa: S608
                is_empty = cursor.fetchone() is None
            if not is_empty:
                raise Refused(
                    f"The database is not empty: there are rows in {table.name}. A backup is "
                    "restored into a new database, migrated or without any table."
                )


def empty(connection: BaseDatabaseWrapper, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")  # noqa: S608


def put(connection: BaseDatabaseWrapper, table: Table, rows: Iterator[Row]) -> None:
    name = connection.ops.quote_name(table.name)
    columns = ", ".join(connection.ops.quote_name(column.name) for column in table.columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copying = f"COPY {name} ({columns}) FROM STDIN"
            with connection.wrap_database_errors, cursor.copy(copying) as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(table.columns))
        insert = f"INSERT INTO {name} ({columns}) VALUES ({marks})"  # noqa: S608
        adapted = (as_sqlite_keeps_it(connection, table, row) for row in rows)
        # In portions: Django remembers all that it is given at once.
        while some := list(islice(adapted, AT_A_TIME)):
            cursor.executemany(insert, some)


def as_sqlite_keeps_it(connection: BaseDatabaseWrapper, table: Table, row: Row) -> Row:
    adapt = {
        "datetime": connection.ops.adapt_datetimefield_value,
        "date": connection.ops.adapt_datefield_value,
    }
    return tuple(
        adapt[column.kind](value) if column.kind in adapt else value
        for column, value in zip(table.columns, row, strict=True)
    )


def count_on(connection: BaseDatabaseWrapper, held: Iterable[Table]) -> None:
    """The next row gets a key that is free; no count goes back. SQLite does that by itself."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for table in held:
            name, key = (connection.ops.quote_name(one) for one in (table.name, table.key))
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, table.key])
            [sequence] = cursor.fetchone()
            if sequence:
                cursor.execute(
                    f"SELECT setval(%s, GREATEST(MAX({key}), (SELECT last_value FROM {sequence}))) "  # noqa: S608
                    f"FROM {name} HAVING COUNT(*) > 0",
                    [sequence],
                )


def check_same(connection: BaseDatabaseWrapper, table: TableRecord) -> None:
    """What was written is read again: an engine may keep another value than it was given."""
    tally = Tally(table)
    for row in rows_of(connection, table):
        tally.add(row)
    if tally.content() != table.content:
        raise Refused(
            f"This database keeps other values in {table.name} than the backup holds. "
            "Nothing was restored."
        )
