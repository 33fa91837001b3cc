"""Restore a backup into an empty database, completely or not at all."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from evalsite import migrated, triggers
from evalsite.backup.archive import (
    Archive,
    BackupRefused,
    Content,
    Manifest,
    Row,
    Table,
    open_archive,
)
from evalsite.backup.dump import check_migrated
from evalsite.backup.tables import (
    list_fields,
    list_json_columns,
    list_models,
    parse_row,
    read_rows,
    write_rows,
)
from evalsite.migrated import Migration
from evalsite.permissions import GROUP_OF

# Tables that `migrate` itself fills. The archive's rows replace them, so that keys match.
FILLED_BY_MIGRATE = ("auth_permission", "django_content_type", "auth_group")

Models = Mapping[str, type[Model]]  # table -> model


def restore(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Manifest:
    """Restore the archive, which is checked to its end before anything is written.

    Raise BackupRefused.
    """
    with open_archive(path) as archive:
        wanted = find_state(archive)
        models = find_models(wanted)
        contents = check_rows(archive, models)
        connection = connections[using]
        has_no_tables = not connection.introspection.table_names()
        if has_no_tables:
            MigrationExecutor(connection).migrate(find_last(wanted))
        else:
            check_same_state(connection, archive, wanted)
        try:
            with transaction.atomic(using=using, durable=True):
                load_all(connection, archive, models, contents)
        except (DatabaseError, OverflowError) as error:
            raise BackupRefused(
                f"{path}: the database refused these rows: {first_line(error)}. "
                "Nothing was restored."
            ) from error
        ContentType.objects.clear_cache()
        if has_no_tables:
            call_command("migrate", database=using, verbosity=0)
        return archive.manifest


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


# --- Checks ------------------------------------------------------------------------------


def find_state(archive: Archive) -> set[Migration]:
    """Return the migrations of the backed-up site, in terms of the migrations of this code."""
    manifest = archive.manifest
    found = migrated.translate(manifest.migrations)
    if older := found & migrated.list_replaced():
        raise BackupRefused(
            f"{archive.path}: the backup lacks some migrations that were squashed since (it has "
            f"{', '.join(migrated.format_names(older))}). Restore it with the Spotcheck that wrote "
            "it, and upgrade from there: docs/operations.md."
        )
    if strange := found - migrated.list_on_disk():
        raise BackupRefused(
            f"{archive.path}: written by another Spotcheck, {manifest.product}, with migrations "
            f"that this one lacks ({', '.join(migrated.format_names(strange))}). Restore it with "
            "that version."
        )
    return found


def find_models(wanted: set[Migration]) -> dict[str, type[Model]]:
    """Return the models of that state: an older site may have other columns."""
    if wanted == migrated.list_on_disk():
        return list_models()
    state = MigrationLoader(None, ignore_no_migrations=True).project_state(find_last(wanted))
    return list_models(state.apps)


def find_last(wanted: set[Migration]) -> list[Migration]:
    """Return the last migration of each app: Django would migrate back to an earlier one."""
    nodes = MigrationLoader(None, ignore_no_migrations=True).graph.node_map
    later = {
        migration: {
            child.key for child in nodes[migration].children if child.key[0] == migration[0]
        }
        for migration in wanted
    }
    return [migration for migration in sorted(wanted) if not later[migration] & wanted]


def check_same_state(
    connection: BaseDatabaseWrapper, archive: Archive, wanted: set[Migration]
) -> None:
    check_migrated(connection)
    if wanted != migrated.list_on_disk():
        raise BackupRefused(
            f"{archive.path}: the backup is older than the migrations of this Spotcheck. Restore "
            "it into a database without tables; it is then migrated step by step."
        )


def check_rows(archive: Archive, models: Models) -> dict[str, str]:
    """Read every row and check counts and digests. Return table -> digest of its values."""
    if {table.name for table in archive.manifest.tables} != models.keys():
        raise archive.damaged("it does not have the tables of a site")
    contents = {}
    for table in archive.manifest.tables:
        model = models[table.name]
        content = Content(list_json_columns(model))
        for row in parse_rows(archive, table, model):
            content.add(row)
        contents[table.name] = content.hexdigest()
        if table.content not in ("", contents[table.name]):
            raise archive.damaged(
                f"{table.file} does not have the values that the manifest records"
            )
    return contents


def parse_rows(archive: Archive, table: Table, model: type[Model]) -> Iterator[Row]:
    fields = list_fields(model)
    for number, row in enumerate(archive.rows(table), 1):
        try:
            yield parse_row(fields, row)
        except (ValidationError, ValueError, TypeError) as error:
            why = "; ".join(error.messages) if isinstance(error, ValidationError) else error
            raise archive.damaged(f"line {number} of {table.file}: {why}") from error


# --- Rows -----------------------------------------------------------------------------------------


def load_all(
    connection: BaseDatabaseWrapper, archive: Archive, models: Models, contents: Mapping[str, str]
) -> None:
    """Load all tables without the triggers, which would refuse the rows of closed releases."""
    lock(connection, models)
    check_empty(connection, models)
    triggers.drop(connection)
    for name in FILLED_BY_MIGRATE:
        delete_rows(connection, name)
    for table in archive.manifest.tables:
        model = models[table.name]
        write_rows(model, parse_rows(archive, table, model), connection)
    connection.check_constraints()
    advance_sequences(connection, models)
    for name, model in models.items():
        check_same(model, contents[name], connection)
    triggers.install(connection)


def lock(connection: BaseDatabaseWrapper, names: Iterable[str]) -> None:
    """Keep others from writing until the end. On SQLite the transaction itself does that."""
    if connection.vendor == "postgresql":
        tables = ", ".join(connection.ops.quote_name(name) for name in names)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")


def check_empty(connection: BaseDatabaseWrapper, names: Iterable[str]) -> None:
    """Refuse a database with rows, except those that `migrate` itself writes."""
    with connection.cursor() as cursor:
        for name in names:
            if name == "auth_group":
                cursor.execute("SELECT name FROM auth_group")
                is_empty = {group for (group,) in cursor.fetchall()} <= set(GROUP_OF.values())
            elif name in FILLED_BY_MIGRATE:
                continue
            else:
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(name)} LIMIT 1")  # noqa: S608
                is_empty = cursor.fetchone() is None
            if not is_empty:
                raise BackupRefused(
                    f"The database is not empty: {name} has rows. Restore the backup into a new "
                    "database, migrated or without tables."
                )


def delete_rows(connection: BaseDatabaseWrapper, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")  # noqa: S608


def advance_sequences(connection: BaseDatabaseWrapper, models: Models) -> None:
    """Make the next row get a free key, and never lower a sequence. SQLite does this itself."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for name, model in models.items():
            table, key = connection.ops.quote_name(name), str(model._meta.pk.column)
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table, key])
            [sequence] = cursor.fetchone()
            if sequence:
                cursor.execute(
                    f"SELECT setval(%s, GREATEST(MAX({connection.ops.quote_name(key)}), "  # noqa: S608
                    f"(SELECT last_value FROM {sequence}))) FROM {table} HAVING COUNT(*) > 0",
                    [sequence],
                )


def check_same(model: type[Model], expected: str, connection: BaseDatabaseWrapper) -> None:
    """Compare what the database stored with what it was given."""
    content = Content(list_json_columns(model))
    for row in read_rows(model, connection.alias):
        content.add(row)
    if content.hexdigest() != expected:
        raise BackupRefused(
            f"The database stored other values in {model._meta.db_table} than the backup has. "
            "Nothing was restored."
        )
