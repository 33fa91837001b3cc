"""How far a database was migrated, against the migrations of this code."""

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
def replacing() -> dict[Migration, frozenset[Migration]]:
    """Every migration of this code, with those that it replaces.

    Cached: the files do not change while the process runs.
    """
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {key: frozenset(migration.replaces) for key, migration in found.items()}


def on_disk() -> frozenset[Migration]:
    return frozenset(replacing())


def replaced() -> frozenset[Migration]:
    """The old migrations, which exist only in squashed form now."""
    return frozenset[Migration]().union(*replacing().values()) - on_disk()


def translate(known: Iterable[Migration]) -> set[Migration]:
    """Translates a state to the migrations of this code.

    A squashed one takes the place of those that it replaces, if they are all there.
    """
    found = set(known)
    for migration, older in replacing().items():
        if older and older <= found:
            found = found - (older & replaced()) | {migration}
    return found


def missing(connection: BaseDatabaseWrapper) -> set[Migration]:
    """What `migrate` would still apply or record."""
    return set(on_disk()) - applied(connection)


def unknown(connection: BaseDatabaseWrapper) -> set[Migration]:
    """What a newer code applied, in apps that this one has too."""
    apps = {app for app, _name in on_disk()}
    later = applied(connection) - on_disk() - replaced()
    return {migration for migration in later if migration[0] in apps}


def applied(connection: BaseDatabaseWrapper) -> set[Migration]:
    return set(MigrationRecorder(connection).applied_migrations())


def format_names(migrations: Iterable[Migration]) -> list[str]:
    return sorted(".".join(migration) for migration in migrations)


def check_not_part_way(
    *, databases: Sequence[str] | None = None, **_options: Any
) -> list[CheckMessage]:
    """System check: refuses a database that has only some of the old migrations.

    Django itself would skip the squashed one without a word, and columns would be missing.
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
        if (lacking := lacking_of_old(connections[alias]))
    ]


def lacking_of_old(connection: BaseDatabaseWrapper) -> set[Migration]:
    """What is missing where a database has some, but not all, of what one migration replaces."""
    there = applied(connection)
    return {
        migration
        for older in replacing().values()
        if older & there and not older <= there
        for migration in (older & replaced()) - there
    }
