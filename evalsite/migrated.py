"""Compare the migrations of a database with those of this code."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Migration = tuple[str, str]


@lru_cache(maxsize=1)
def load_replacements() -> dict[Migration, frozenset[Migration]]:
    """Return every migration of this code with the migrations that it replaces.

    Cached: the files do not change while the process runs.
    """
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {key: frozenset(migration.replaces) for key, migration in found.items()}


def list_on_disk() -> frozenset[Migration]:
    return frozenset(load_replacements())


def list_replaced() -> frozenset[Migration]:
    """Return the old migrations that exist only in squashed form now."""
    return frozenset[Migration]().union(*load_replacements().values()) - list_on_disk()


def translate(known: Iterable[Migration]) -> set[Migration]:
    """Replace old migrations by the squashed ones of this code, where none of them is missing."""
    found = set(known)
    for migration, older in load_replacements().items():
        if older and older <= found:
            found = found - (older & list_replaced()) | {migration}
    return found


def find_missing(connection: BaseDatabaseWrapper) -> set[Migration]:
    """Return the migrations that `migrate` would still apply or record."""
    return set(list_on_disk()) - find_applied(connection)


def find_unknown(connection: BaseDatabaseWrapper) -> set[Migration]:
    """Return migrations of our apps that a newer version of the code applied."""
    apps = {app for app, _name in list_on_disk()}
    later = find_applied(connection) - list_on_disk() - list_replaced()
    return {migration for migration in later if migration[0] in apps}


def find_applied(connection: BaseDatabaseWrapper) -> set[Migration]:
    return set(MigrationRecorder(connection).applied_migrations())


def format_names(migrations: Iterable[Migration]) -> list[str]:
    return sorted(".".join(migration) for migration in migrations)


def check_not_part_way(
    *, databases: Sequence[str] | None = None, **_options: Any
) -> list[CheckMessage]:
    """System check: refuse a database that has only some of the old migrations.

    Django itself would silently skip the squashed one, and columns would be missing.
    """
    return [
        Error(
            f"The database “{alias}” lacks migrations whose files are gone "
            f"({', '.join(format_names(lacking))}).",
            hint="Migrate it with the older Spotcheck first: docs/operations.md, "
            "“Upgrading from before the squash”.",
            id="evalsite.E001",
        )
        for alias in databases or ()
        if (lacking := find_partly_missing(connections[alias]))
    ]


def find_partly_missing(connection: BaseDatabaseWrapper) -> set[Migration]:
    """Return what is missing where a database has only some of the migrations that one replaces."""
    known = find_applied(connection)
    return {
        migration
        for older in load_replacements().values()
        if older & known and not older <= known
        for migration in (older & list_replaced()) - known
    }
