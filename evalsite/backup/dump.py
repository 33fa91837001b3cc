"""Take a backup: all rows as of one moment, while others keep writing."""

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
from evalsite.backup.tables import list_json_columns, list_models, read_rows


def back_up(path: Path, *, using: str = DEFAULT_DB_ALIAS) -> Manifest:
    """Write the archive. If this raises BackupRefused, there is no file."""
    if path.exists():
        raise BackupRefused(
            f"{path} exists already, and a backup never replaces a file. Choose another name."
        )
    connection = connections[using]
    with whole_file(path) as file, snapshot(connection), new_archive(file) as writer:
        taken_at = timezone.now().astimezone(UTC)
        check_migrated(connection)
        for name, model in list_models().items():
            writer.add(name, read_rows(model, using), list_json_columns(model))
        return writer.finish(
            product=read_version(),
            taken_at=taken_at,
            engine=connection.vendor,
            migrations=sorted(migrated.list_on_disk()),
        )


def read_version() -> str:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))
    return str(project["project"]["version"])


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write under a temporary name and rename at the end. Only the owner may read the file."""
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
    """Read everything as it was committed at the start, without blocking writers."""
    if connection.vendor == "postgresql":
        with transaction.atomic(using=connection.alias, durable=True):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            begin_reading(connection)
            yield
    else:
        # Django would start the transaction as IMMEDIATE (see settings) and block all writers.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                begin_reading(connection)
                yield
            finally:
                cursor.execute("ROLLBACK")


def begin_reading(connection: BaseDatabaseWrapper) -> None:
    """Read one row: both engines take their snapshot at the first read, not at BEGIN."""
    table = "pg_class" if connection.vendor == "postgresql" else "sqlite_master"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {table}")  # noqa: S608
        cursor.fetchone()


def check_migrated(connection: BaseDatabaseWrapper) -> None:
    if newer := migrated.find_unknown(connection):
        raise BackupRefused(
            "The database was migrated by a newer Spotcheck "
            f"({', '.join(migrated.format_names(newer))}). Update this one first."
        )
    if missing := migrated.find_missing(connection):
        raise BackupRefused(
            f"The database lacks {len(missing)} migrations of this Spotcheck. "
            "Run `manage.py migrate` first."
        )
