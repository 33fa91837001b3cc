"""A table as CSV that a spreadsheet may open: every text stays a text, and can be read back.

UTF-8 with a mark for spreadsheets, every text in quotes.

A spreadsheet takes a cell that begins with = + - @ (or their wide forms, which an East Asian
keyboard gives), or with a tab or a line break before one, for a formula. Such a text gets an
apostrophe in front. So that nothing is lost, a text that begins with apostrophes and goes on like
that gets one more: reading back takes exactly one away.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from .archive import in_portions
from .tables import Cell, Table

# Without it a spreadsheet shows Chinese text as something else.
MARK = "\ufeff".encode()
_BEGINNINGS = frozenset("=+-@＝＋－＠\t\r\n'")
_RISKY = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


def to_cell(text: str) -> str:
    # Nearly every text is seen to be harmless by its first character.
    return "'" + text if text[:1] in _BEGINNINGS and _RISKY.match(text) else text


def from_cell(cell: str) -> str:
    """The text that `to_cell` was given."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell


def csv_of(table: Table) -> Iterator[bytes]:
    return in_portions(lines(table))


def lines(table: Table) -> Iterator[bytes]:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(map(to_cell, table.columns))
    yield MARK
    for row in table.rows:
        yield taken(out)
        writer.writerow(map(cell, row))
    yield taken(out)


def taken(out: io.StringIO) -> bytes:
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text.encode()


def cell(value: Cell) -> Cell:
    if isinstance(value, str):
        return to_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def rows_in(data: bytes) -> Iterator[dict[str, str]]:
    """A file of ours read back, each text as it was: what docs/exports.md tells others to do."""
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    columns = list(map(from_cell, next(reader)))
    for row in reader:
        yield dict(zip(columns, map(from_cell, row), strict=True))
