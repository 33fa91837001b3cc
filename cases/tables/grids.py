"""Open a CSV file or a workbook as numbered rows of cells. Memory does not grow with the rows."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, cast

from cases.itinerary.encodings import UTF_8, decode_head, guess_encoding, name_encoding
from cases.itinerary.format import CaseError, _
from cases.itinerary.reading import LONGEST_LINE, NOT_UTF_8

from .fields import knows
from .values import Cell, is_blank

# A cell that is longer makes its case too long anyway.
csv.field_size_limit(LONGEST_LINE)

# The header is looked for among so many rows.
MOST_HEAD = 20
LARGEST_WORKBOOK = 32 * 1024**2
LARGEST_UNPACKED = 256 * 1024**2
MOST_PARTS = 10_000
HEAD_SIZE = 64 * 1024
MOST_COLUMNS = 500
LONGEST_KIND = 100

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DELIMITERS = ",;\t"

Row = tuple[int, list[Cell]]
# First and last cell, each as row and column from 0.
Merged = tuple[tuple[int, int], tuple[int, int]]


class Unreadable(CaseError):
    """The file cannot be read from here on."""

    def __init__(self, message: str, line: int = 0, **params: str | int) -> None:
        self.line = line
        super().__init__("", message, **params)


DAMAGED = _("the workbook cannot be read: it is damaged, or too large when unpacked.")
PASSWORD = _("the workbook has a password. Save it without one and try again.")
TOO_LARGE = _("the workbook is larger than %(limit)d MB.")
TOO_LARGE_UNPACKED = _("the workbook is larger than %(limit)d MB when unpacked.")
TOO_LARGE_FILE = _("the file is larger than %(limit)d MB when unpacked.")
BUNDLE = _("this is the bundle of a release: `verify_export` checks it, nothing is imported.")
NO_WORKBOOK = _("this is a ZIP archive, but no workbook; unpack it and import what is in it.")
OPEN_QUOTE = _("a cell is longer than %(limit)d KB, or its quotation mark is never closed.")
NOT_AS_IT_BEGINS = _("is not %(encoding)s text, although its first characters say so.")
WORD = _("this is a Word document; cases come as lines of JSON, as CSV or as a workbook.")
SLIDES = _("this is a presentation; cases come as lines of JSON, as CSV or as a workbook.")
NUMBERS = _("this is a document of Numbers or Pages; export it as CSV or XLSX.")
OPEN_TEXT = _("this is a text document; cases come as lines of JSON, as CSV or as a workbook.")
TOO_WIDE = _("the row has more than %(most)d columns.")


@dataclass(frozen=True)
class Head:
    """The first rows of a sheet that are not empty; a CSV file is one sheet without a name."""

    name: str
    rows: list[Row]
    merged: list[Merged]


class Grid(Protocol):
    """`is_workbook`: cells are named, not lines."""

    is_workbook: bool

    def read_heads(self) -> list[Head]: ...

    def read_rows(self, sheet: str) -> Iterator[Row]: ...

    def close(self) -> None: ...


# --- Text -----------------------------------------------------------------------------------------


class TextGrid:
    is_workbook = False

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self._file = file
        self._encoding = guess_encoding(head)
        self._delimiter = guess_delimiter(decode_head(head))

    def close(self) -> None:
        self._file.close()

    def read_heads(self) -> list[Head]:
        rows: list[Row] = []
        try:
            for row in islice(self.read_rows(""), MOST_HEAD):
                rows.append(row)
        except Unreadable:
            # With a header, the mistake is named when the rows are read, among all others.
            if not rows:
                raise
        return [Head("", rows, [])]

    def read_rows(self, sheet: str) -> Iterator[Row]:
        """Yield the rows; the number is that of the line on which the row begins."""
        self._file.seek(0)
        text = io.TextIOWrapper(self._file, encoding=self._encoding, newline="")
        try:
            yield from self._read(csv.reader(text, delimiter=self._delimiter))
        finally:
            # Closing the wrapper would close the file, which may be read again.
            text.detach()

    def _read(self, rows: Any) -> Iterator[Row]:
        while True:
            number = rows.line_num + 1
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                raise Unreadable(OPEN_QUOTE, number, limit=LONGEST_LINE // 1024) from error
            except UnicodeError as error:
                # The text is decoded ahead of the rows, so no line can be named.
                if self._encoding == UTF_8:
                    raise Unreadable(NOT_UTF_8) from error
                encoding = name_encoding(self._encoding)
                raise Unreadable(NOT_AS_IT_BEGINS, encoding=encoding) from error
            if len(cells) > MOST_COLUMNS:
                raise Unreadable(TOO_WIDE, number, most=MOST_COLUMNS)
            if any(not is_blank(cell) for cell in cells):
                yield number, list(cells)


def guess_delimiter(head: str) -> str:
    """Choose the delimiter that gives known headers, then the one that gives most columns."""
    return max(DELIMITERS, key=lambda sign: rate(split_head(head, sign)))


def rate(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    most_known = max((sum(map(knows, row)) for row in rows), default=0)
    widths = sorted(len(row) for row in rows)
    return most_known, widths[len(widths) // 2] if widths else 0


def split_head(head: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):
        for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter):
            rows += [row] if any(cell.strip() for cell in row) else []
            if len(rows) == MOST_HEAD:
                break
    return rows


def looks_like_a_table(head: bytes) -> bool:
    """Whether a text is a table: known headers, or two rows of the same width with delimiters."""
    text = decode_head(head)
    if text.lstrip()[:1] in ("{", "[", ""):
        return False
    rows = split_head(text, guess_delimiter(text))
    if rate(rows)[0] >= 2:
        return True
    return len(rows) > 1 and len(rows[0]) > 1 and len(rows[0]) == len(rows[1])


# --- Workbooks ------------------------------------------------------------------------------------


class Workbook:
    """The rows come from a process of its own: see unpack.py."""

    is_workbook = True

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self._file = file
        if head.startswith(ZIP):
            check_archive(file)

    def close(self) -> None:
        self._file.close()

    def read_heads(self) -> list[Head]:
        heads: list[Head] = []
        for line in self._unpack("", MOST_HEAD):
            if isinstance(line, dict):
                merged = [(tuple(first), tuple(last)) for first, last in line["merged"]]
                heads.append(Head(line["sheet"], [], cast(list[Merged], merged)))
            else:
                heads[-1].rows.append((line[0], line[1]))
        return heads

    def read_rows(self, sheet: str) -> Iterator[Row]:
        for line in self._unpack(sheet, -1):
            if isinstance(line, list):
                yield line[0], line[1]

    def _unpack(self, sheet: str, most: int) -> Iterator[Any]:
        # The other process shares the place in the file, which Python's own `seek` may only note.
        self._file.flush()
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        # Isolated: no variable of the environment and no folder of ours changes what it imports.
        command = [sys.executable, "-I", str(_UNPACK), sheet, str(most)]
        with subprocess.Popen(  # noqa: S603
            command, stdin=self._file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            try:
                yield from _read_lines(cast(IO[bytes], process.stdout))
            finally:
                process.kill()


_UNPACK = Path(__file__).with_name("unpack.py")


def _read_lines(lines: IO[bytes]) -> Iterator[Any]:
    for raw in lines:
        line = json.loads(raw)
        if isinstance(line, dict) and "refused" in line:
            raise Unreadable(PASSWORD)
        if isinstance(line, dict) and "done" in line:
            return
        if isinstance(line, list) and len(line[1]) > MOST_COLUMNS:
            raise Unreadable(TOO_WIDE, line[0], most=MOST_COLUMNS)
        yield line
    raise Unreadable(DAMAGED)


def check_archive(file: BinaryIO) -> None:
    """Refuse what is no workbook, and one whose parts would be too large. Raises Unreadable."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            kind = read_kind(archive)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(DAMAGED) from error
    names = {part.filename for part in parts}
    if sentence := name_document(names, kind):
        raise Unreadable(sentence)
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > LARGEST_UNPACKED:
        raise Unreadable(TOO_LARGE_UNPACKED, limit=LARGEST_UNPACKED // 1024**2)


def read_kind(archive: zipfile.ZipFile) -> str:
    """Return the kind of an open document; nothing of any other archive."""
    with suppress(KeyError), archive.open("mimetype") as part:
        return part.read(LONGEST_KIND).decode("ascii", "replace")
    return ""


def name_document(names: Set[str], kind: str) -> str:
    """Say what an archive is if it is no workbook; nothing of a workbook."""
    if "content.xml" in names:
        return "" if "spreadsheet" in kind or not kind else OPEN_TEXT
    if names & {"xl/workbook.xml", "xl/workbook.bin"}:
        return ""
    if {"manifest.json", "summary.json"} <= names:
        return BUNDLE
    if "word/document.xml" in names:
        return WORD
    if "ppt/presentation.xml" in names:
        return SLIDES
    return NUMBERS if any(name.endswith(".iwa") for name in names) else NO_WORKBOOK


# --- Either ---------------------------------------------------------------------------------------


def open_grid(stream: BinaryIO, *, most_bytes: int | None, is_wanted: bool) -> Grid | None:
    """Copy a stream into a temporary file and open it; None if it is no table.

    `is_wanted`: the user says that it is a table, so any text is taken for one. Raises Unreadable.
    """
    head = stream.read(HEAD_SIZE)
    is_workbook = head.startswith((ZIP, OLE))
    if not is_workbook and not is_wanted and not looks_like_a_table(head):
        return None
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
    try:
        file.write(head)
        if is_workbook:
            copy(stream, file, LARGEST_WORKBOOK, TOO_LARGE)
            return Workbook(file, head)
        copy(stream, file, most_bytes, TOO_LARGE_FILE)
        return TextGrid(file, head)
    except BaseException:
        file.close()
        raise


def copy(stream: BinaryIO, file: BinaryIO, most: int | None, sentence: str) -> None:
    while part := stream.read(1024**2):
        file.write(part)
        if most is not None and file.tell() > most:
            raise Unreadable(sentence, limit=most // 1024**2)
    file.flush()
