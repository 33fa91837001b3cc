"""How far a database was migrated, against the migrations of this code."""

from functools import lru_cache

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Migration = tuple[str, str]


@lru_cache(maxsize=1)
def on_disk() -> frozenset[Migration]:
    """The files do not change while the process runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def missing(connection: BaseDatabaseWrapper) -> set[Migration]:
    """What `migrate` would still apply."""
    return set(on_disk()) - applied(connection)


def unknown(connection: BaseDatabaseWrapper) -> set[Migration]:
    """What a newer code applied, in apps that this one has too."""
    apps = {app for app, _name in on_disk()}
    return {one for one in applied(connection) - on_disk() if one[0] in apps}


def applied(connection: BaseDatabaseWrapper) -> set[Migration]:
    return set(MigrationRecorder(connection).applied_migrations())


def format_names(migrations: set[Migration]) -> list[str]:
    return sorted(".".join(one) for one in migrations)
