"""Write a table as CSV that is safe to open in a spreadsheet and can be read back exactly.

UTF-8 with a byte order mark, every text in quotes.

A spreadsheet treats a cell as a formula if it begins with = + - @ (or their full-width forms), or
with a tab or line break before one. Such a text gets an apostrophe in front. So that reading back
is exact, a text that already begins with apostrophes followed by such a character gets one more.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from .archive import join_parts
from .tables import Cell, Table

# Without it a spreadsheet garbles Chinese text.
MARK = "\ufeff".encode()
_BEGINNINGS = frozenset("=+-@＝＋－＠\t\r\n'")
_RISKY = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


def to_cell(text: str) -> str:
    # The first character rules out nearly every text.
    return "'" + text if text[:1] in _BEGINNINGS and _RISKY.match(text) else text


def from_cell(cell: str) -> str:
    """Undo `to_cell`."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell


def write_csv(table: Table) -> Iterator[bytes]:
    return join_parts(write_lines(table))


def write_lines(table: Table) -> Iterator[bytes]:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(map(to_cell, table.columns))
    yield MARK
    for row in table.rows:
        yield take(out)
        writer.writerow(map(format_cell, row))
    yield take(out)


def take(out: io.StringIO) -> bytes:
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text.encode()


def format_cell(value: Cell) -> Cell:
    if isinstance(value, str):
        return to_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def read_rows(data: bytes) -> Iterator[dict[str, str]]:
    """Read a CSV file of ours back, as docs/exports.md describes it for others."""
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    columns = list(map(from_cell, next(reader)))
    for row in reader:
        yield dict(zip(columns, map(from_cell, row), strict=True))
