"""A table as CSV: UTF-8 with a mark for spreadsheets, every text in quotes and none a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from .archive import in_portions
from .cells import from_cell, to_cell
from .tables import Cell, Table

# Without it a spreadsheet shows Chinese text as something else.
MARK = "\ufeff".encode()


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
