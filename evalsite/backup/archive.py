"""Read and write the archive: a ZIP file with a manifest and one file of rows per table.

Each line is a row: a JSON object with a value for each column. Bytes are base64, times are UTC with
microseconds. A JSON column is stored as the text of its value, which keeps the order of keys and
the spelling of numbers, and distinguishes null from NULL.
"""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import msgspec

from evalsite.backup import version_1

FORMAT = "spotcheck-backup"
VERSION = 2
MANIFEST = "manifest.json"
BUFFER_SIZE = 256 * 1024
MAX_MANIFEST_SIZE = 16 * 1024 * 1024
# The earliest time in a ZIP file, so that the same rows give the same bytes.
NO_TIME = (1980, 1, 1, 0, 0, 0)

Row = dict[str, Any]  # column -> value

_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="sorted").encode


class BackupRefused(Exception):
    """Nothing was backed up or restored; the message explains why."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`sha256` digests the file, `content` the values, which are equal on both engines."""

    name: str
    rows: int
    sha256: str
    content: str

    @property
    def file(self) -> str:
        return file_for(self.name)


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: str = FORMAT
    version: int = VERSION
    product: str
    taken_at: datetime
    engine: str
    migrations: list[tuple[str, str]]
    tables: list[Table]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def file_for(table: str) -> str:
    return f"tables/{table}.jsonl"


# --- Values ---------------------------------------------------------------------------------------


class Content:
    """Counts rows and digests their values.

    PostgreSQL stores the value of a JSON column, not its text: keys come back in another order, and
    1e22 with all its zeros. So the digest is taken over a normal form.
    """

    def __init__(self, json_columns: Collection[str]) -> None:
        self.rows = 0
        self._json_columns = json_columns
        self._digest = hashlib.sha256()

    def add(self, row: Row) -> None:
        self.rows += 1
        if self._json_columns:
            row = dict(row)
            for column in self._json_columns:
                if row[column] is not None:
                    row[column] = normalize_json(row[column])
        self._digest.update(_encode_sorted(row) + b"\n")

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def normalize_json(text: str) -> str:
    value = json.loads(text, parse_float=parse_number)
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def parse_number(text: str) -> int | float:
    """Read a whole number as an integer, however it is written; minus zero becomes zero."""
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else float(text)


# --- Writing --------------------------------------------------------------------------------------


class ArchiveWriter:
    """Writes rows one at a time, so that few are in memory."""

    def __init__(self, zipped: ZipFile) -> None:
        self._zip = zipped
        self._tables: list[Table] = []

    def add(self, name: str, rows: Iterable[Row], json_columns: Collection[str]) -> None:
        content, digest = Content(json_columns), hashlib.sha256()
        with self._open(file_for(name)) as file:
            for row in rows:
                line = _encode(row) + b"\n"
                digest.update(line)
                content.add(row)
                file.write(line)
        table = Table(
            name=name, rows=content.rows, sha256=digest.hexdigest(), content=content.hexdigest()
        )
        self._tables.append(table)

    def finish(self, **origin: Any) -> Manifest:
        """Write the manifest. `origin` has its fields other than the tables."""
        manifest = Manifest(**origin, tables=self._tables)
        with self._open(MANIFEST) as file:
            file.write(msgspec.json.format(_encode(manifest), indent=1) + b"\n")
        return manifest

    @contextmanager
    def _open(self, name: str) -> Iterator[BufferedWriter]:
        info = ZipInfo(name, NO_TIME)
        info.compress_type = ZIP_DEFLATED
        # Typed as IO, but it is the raw stream that BufferedWriter needs.
        packed: Any = self._zip.open(info, "w", force_zip64=True)
        with BufferedWriter(packed, BUFFER_SIZE) as lines:
            yield lines


@contextmanager
def new_archive(file: IO[bytes]) -> Iterator[ArchiveWriter]:
    with ZipFile(file, "w", ZIP_DEFLATED) as zipped:
        yield ArchiveWriter(zipped)


# --- Reading --------------------------------------------------------------------------------------


class Archive:
    """An open archive with a manifest that this version can read."""

    def __init__(self, path: Path, zipped: ZipFile) -> None:
        self.path = path
        self._zip = zipped
        # Format 1 only: table -> columns, because there a row is an array.
        self._columns: dict[str, list[str]] = {}
        self.manifest = self._read_manifest()
        self._check_names()

    def rows(self, table: Table) -> Iterator[Row]:
        """Yield every row. Raise BackupRefused, at the end if the count or digest is wrong."""
        columns, digest, count = self._columns.get(table.name), hashlib.sha256(), 0
        with readable(self.path), self._zip.open(table.file) as packed:
            # Typed as IO, but it is the raw stream that BufferedReader needs.
            lines = BufferedReader(packed, BUFFER_SIZE)  # type: ignore[type-var]
            for count, line in enumerate(lines, 1):
                digest.update(line)
                try:
                    row = msgspec.json.decode(line)
                    if columns:
                        row = version_1.name_values(columns, row)
                    if not isinstance(row, dict):
                        raise ValueError("it is not an object")
                except (msgspec.MsgspecError, ValueError) as error:
                    raise self.damaged(f"line {count} of {table.file}: {error}") from error
                yield row
        if count != table.rows:
            raise self.damaged(f"{table.file} has {count} rows, the manifest says {table.rows}")
        if digest.hexdigest() != table.sha256:
            raise self.damaged(f"{table.file} does not have the SHA-256 of the manifest")

    def damaged(self, what: str) -> BackupRefused:
        return BackupRefused(f"{self.path}: the backup is damaged: {what}.")

    def _read_manifest(self) -> Manifest:
        if MANIFEST not in self._zip.namelist():
            raise self._foreign(f"it has no {MANIFEST}")
        with readable(self.path), self._zip.open(MANIFEST) as file:
            text = file.read(MAX_MANIFEST_SIZE + 1)
        if len(text) > MAX_MANIFEST_SIZE:
            raise self._foreign("its manifest is too large")
        try:
            found = msgspec.json.decode(text)
            kind, version, product = found["format"], found["version"], found["product"]
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, KeyError) as error:
            raise self._foreign("its manifest has another format") from error
        if kind != FORMAT or not isinstance(version, int):
            raise self._foreign("its manifest has another format")
        if version > VERSION:
            raise BackupRefused(
                f"{self.path}: written by a newer Spotcheck ({product}), in format {version}. "
                f"This version reads formats up to {VERSION}; update it first."
            )
        try:
            if version == version_1.VERSION:
                found, self._columns = version_1.upgrade(found)
            return msgspec.convert(found, Manifest)
        except msgspec.ValidationError as error:
            raise self.damaged(f"{MANIFEST}: {error}") from error

    def _check_names(self) -> None:
        names = [info.filename for info in self._zip.infolist()]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise self.damaged(f"{repeated[0]} appears twice")
        expected = [table.file for table in self.manifest.tables]
        if len(set(expected)) < len(expected):
            raise self.damaged(f"{MANIFEST} names a table twice")
        if missing := sorted({*expected} - {*names}):
            raise self.damaged(f"{missing[0]} is missing")
        if more := sorted({*names} - {*expected, MANIFEST}):
            raise self.damaged(f"{more[0]} is not in the manifest")

    def _foreign(self, why: str) -> BackupRefused:
        return BackupRefused(f"{self.path}: not a Spotcheck backup: {why}.")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    with readable(path):
        zipped = ZipFile(path)
    with zipped:
        yield Archive(path, zipped)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BackupRefused(f"{path}: {error.strerror or error}.") from error
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BackupRefused(
            f"{path}: not a Spotcheck backup, or damaged: it cannot be read as a ZIP archive "
            f"({error})."
        ) from error
