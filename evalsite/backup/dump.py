"""Takes a backup: every row as of one moment, while others go on writing."""

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from evalsite import migrated
from evalsite.backup.archive import BackupRefused, Manifest, new_archive
from evalsite.backup.tables import list_json_columns, read_rows, taken_models


def back_up(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Manifest:
    """Writes the archive. Raises BackupRefused; then there is no file."""
    if path.exists():
        raise BackupRefused(
            f"{path} is there already, and a backup replaces nothing. Name another file."
        )
    connection = connections[using]
    with whole_file(path) as file, snapshot(connection), new_archive(file) as writer:
        taken_at = timezone.now().astimezone(UTC)
        check_migrated(connection)
        for name, model in taken_models().items():
            writer.add(name, read_rows(model, using), list_json_columns(model))
        return writer.finish(
            product=read_version(),
            taken_at=taken_at,
            engine=connection.vendor,
            migrations=sorted(migrated.on_disk()),
        )


def read_version() -> str:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))
    return str(project["project"]["version"])


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Gets its name when it is whole. For its owner alone: it holds digests of passwords."""
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
        raise BackupRefused(f"{path}: {error.strerror or error}.") from error


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
        raise BackupRefused(
            "The database was migrated by a newer Spotcheck "
            f"({', '.join(migrated.format_names(newer))}). Update this one first."
        )
    if missing := migrated.missing(connection):
        raise BackupRefused(
            f"The database lacks {len(missing)} migrations of this Spotcheck. "
            "Run `manage.py migrate` first."
        )
