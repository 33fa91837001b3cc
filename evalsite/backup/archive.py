"""The file: a ZIP archive with a manifest and one file of rows for each table. No database.

A row is a JSON array on a line of its own, in the order of the table's columns. Bytes are base64,
moments are UTC with microseconds. A JSON column is the text of its value: so its keys stay in
order, its numbers stay as they were written, and null is not NULL.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from io import BufferedReader
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import msgspec

from reviews.export.archive import Archive, in_portions

FORMAT = "spotcheck-backup"
VERSION = 1
MANIFEST = "manifest.json"
PORTION = 256 * 1024
MOST_OF_A_MANIFEST = 16 * 1024 * 1024

TYPE_OF: dict[str, type] = {
    "binary": bytes,
    "boolean": bool,
    "date": date,
    "datetime": datetime,
    "integer": int,
    "json": str,
    "text": str,
}

Row = tuple[Any, ...]

_encode = msgspec.json.Encoder().encode


class Refused(Exception):
    """Why nothing was backed up or restored, in a sentence or two."""


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    kind: str


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`key` is the column that rows stand in the order of."""

    name: str
    key: str
    columns: list[Column]

    @property
    def file(self) -> str:
        return f"tables/{self.name}.jsonl"

    def places(self, kind: str) -> list[int]:
        return [place for place, column in enumerate(self.columns) if column.kind == kind]


class TableRecord(Table, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`sha256` is over the file, `content` over what the rows say: the same on either engine."""

    rows: int
    bytes: int
    sha256: str
    content: str


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Where an archive comes from."""

    format: str = FORMAT
    version: int = VERSION
    product: str
    taken_at: datetime
    engine: str
    migrations: list[tuple[str, str]]


class Manifest(About, frozen=True, forbid_unknown_fields=True, kw_only=True):
    tables: list[TableRecord]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


# --- Rows -----------------------------------------------------------------------------------------


class Tally:
    """Counts the rows of a table and takes the digest of what they say.

    PostgreSQL keeps the value of a JSON column, not its text: keys come back in another order, and
    1e22 with all of its zeros. So the digest is over the values in one form.
    """

    def __init__(self, table: Table) -> None:
        self.rows = 0
        self._json = table.places("json")
        self._digest = hashlib.sha256()

    def add(self, row: Row) -> bytes:
        """The line of the row, as it stands in the archive."""
        line = _encode(row) + b"\n"
        self.rows += 1
        self._digest.update(_encode(self._in_one_form(row)) + b"\n" if self._json else line)
        return line

    def content(self) -> str:
        return self._digest.hexdigest()

    def _in_one_form(self, row: Row) -> list[Any]:
        values = list(row)
        for place in self._json:
            if values[place] is not None:
                values[place] = in_one_form(values[place])
        return values


def in_one_form(text: str) -> str:
    return json.dumps(json.loads(text, parse_float=number), sort_keys=True, separators=(",", ":"))


def number(text: str) -> int | float:
    """A whole number is an integer, however it was written; there is no minus zero."""
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else float(text)


def decoder(table: Table) -> Callable[[bytes], Row]:
    """Reads a line, and refuses one that is not a row of this table."""
    types = tuple(TYPE_OF[column.kind] | None for column in table.columns)
    read: Callable[[bytes], Row] = msgspec.json.Decoder(tuple[types]).decode  # type: ignore[valid-type]
    return read


# --- Writing --------------------------------------------------------------------------------------


class Writing:
    """Rows go through, so memory holds a few of them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._archive = Archive(is_large=True)
        self._tables: list[TableRecord] = []

    def add(self, table: Table, rows: Iterable[Row]) -> None:
        tally = Tally(table)
        self._put(table.file, in_portions(tally.add(row) for row in rows))
        written = self._archive.files[-1]
        record = TableRecord(
            name=table.name,
            key=table.key,
            columns=table.columns,
            rows=tally.rows,
            bytes=written.bytes,
            sha256=written.sha256,
            content=tally.content(),
        )
        self._tables.append(record)

    def end(self, about: About) -> Manifest:
        manifest = Manifest(**msgspec.structs.asdict(about), tables=self._tables)
        self._put(MANIFEST, [msgspec.json.format(_encode(manifest), indent=1) + b"\n"])
        self._file.write(self._archive.end())
        return manifest

    def _put(self, name: str, parts: Iterable[bytes]) -> None:
        for part in self._archive.add(name, parts):
            self._file.write(part)


# --- Reading --------------------------------------------------------------------------------------


class Backup:
    """An archive that is open, with a manifest that this code can read."""

    def __init__(self, path: Path, zipped: ZipFile) -> None:
        self.path = path
        self._zip = zipped
        self.manifest = self._manifest()
        self._check_names()

    def check(self) -> None:
        """Every row, count and digest. Raises Refused."""
        for table in self.manifest.tables:
            for _row in self.rows(table):
                pass

    def rows(self, table: TableRecord) -> Iterator[Row]:
        """Raises Refused behind the last row if the file is not the one that the manifest names."""
        read, count = decoder(table), 0
        digest = hashlib.sha256()
        with readable(self.path), self._zip.open(table.file) as packed:
            # Typed as a mere IO, it is the raw stream that a reader needs.
            lines = BufferedReader(packed, PORTION)  # type: ignore[type-var]
            for count, line in enumerate(lines, 1):
                digest.update(line)
                try:
                    row = read(line)
                except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                    raise self._damaged(f"line {count} of {table.file}: {error}") from error
                yield row
        if count != table.rows:
            raise self._damaged(f"{table.file} has {count} rows, the manifest says {table.rows}")
        if digest.hexdigest() != table.sha256:
            raise self._damaged(f"{table.file} does not have the SHA-256 of the manifest")

    def _manifest(self) -> Manifest:
        if MANIFEST not in self._zip.namelist():
            raise self._foreign(f"it has no {MANIFEST}")
        with readable(self.path), self._zip.open(MANIFEST) as file:
            text = file.read(MOST_OF_A_MANIFEST + 1)
        if len(text) > MOST_OF_A_MANIFEST:
            raise self._foreign("its manifest is too large")
        try:
            head = msgspec.json.decode(text)
            told = (head["format"], head["version"], head["product"])
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, KeyError) as error:
            raise self._foreign("its manifest is of another kind") from error
        if told[0] != FORMAT or not isinstance(told[1], int):
            raise self._foreign("its manifest is of another kind")
        if told[1] > VERSION:
            raise Refused(
                f"{self.path}: written by a newer Spotcheck ({told[2]}), in format {told[1]}. "
                f"This one reads formats up to {VERSION}; update it first."
            )
        try:
            return msgspec.convert(head, Manifest)
        except msgspec.ValidationError as error:
            raise self._damaged(f"{MANIFEST}: {error}") from error

    def _check_names(self) -> None:
        names = [one.filename for one in self._zip.infolist()]
        if double := sorted({name for name in names if names.count(name) > 1}):
            raise self._damaged(f"{double[0]} is there twice")
        told = [table.file for table in self.manifest.tables]
        if len(set(told)) < len(told):
            raise self._damaged(f"{MANIFEST} names a table twice")
        if lacking := sorted({*told} - {*names}):
            raise self._damaged(f"{lacking[0]} is missing")
        if more := sorted({*names} - {*told, MANIFEST}):
            raise self._damaged(f"{more[0]} is not in the manifest")
        for table in self.manifest.tables:
            for column in table.columns:
                if column.kind not in TYPE_OF:
                    raise self._damaged(f"{table.name}.{column.name} is of no known kind")

    def _foreign(self, why: str) -> Refused:
        return Refused(f"{self.path}: not a backup of Spotcheck: {why}.")

    def _damaged(self, what: str) -> Refused:
        return Refused(f"{self.path}: the backup is damaged: {what}.")


@contextmanager
def opened(path: Path) -> Iterator[Backup]:
    with readable(path):
        zipped = ZipFile(path)
    with zipped:
        yield Backup(path, zipped)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}.") from error
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise Refused(
            f"{path}: not a backup of Spotcheck, or a damaged one: it cannot be read as a ZIP "
            f"archive ({error})."
        ) from error
