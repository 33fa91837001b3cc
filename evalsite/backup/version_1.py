"""Reads the first format, which the Spotcheck before the squashed migrations wrote.

There a row is an array, and the manifest names the columns of each table. The values themselves are
written as they are today.
"""

from typing import Any

import msgspec

VERSION = 1


class Column(msgspec.Struct):
    name: str


class Table(msgspec.Struct):
    name: str
    columns: list[Column]
    rows: int
    sha256: str
    content: str


class Tables(msgspec.Struct):
    tables: list[Table]


def upgrade(manifest: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The same manifest in today's form, and the columns of each table.

    `content` was taken over arrays, so it is left out; the digest of each file is what is checked.
    """
    found = msgspec.convert(manifest, Tables).tables
    tables = [
        {"name": table.name, "rows": table.rows, "sha256": table.sha256, "content": ""}
        for table in found
    ]
    columns = {table.name: [column.name for column in table.columns] for table in found}
    return {**manifest, "tables": tables}, columns


def name_values(columns: list[str], values: list[Any]) -> dict[str, Any]:
    """Raises ValueError where a row has not as many values as its table has columns."""
    return dict(zip(columns, msgspec.convert(values, list[Any]), strict=True))
