"""Read format 1, which Spotcheck wrote before its migrations were squashed.

There a row is an array, and the manifest lists the columns of each table. Values have today's form.
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
    """Return the manifest in today's form, and the columns of each table.

    `content` was a digest of arrays, so it is dropped; the digest of each file is still checked.
    """
    found = msgspec.convert(manifest, Tables).tables
    tables = [
        {"name": table.name, "rows": table.rows, "sha256": table.sha256, "content": ""}
        for table in found
    ]
    columns = {table.name: [column.name for column in table.columns] for table in found}
    return {**manifest, "tables": tables}, columns


def name_values(columns: list[str], values: list[Any]) -> dict[str, Any]:
    """Return column -> value. Raise ValueError if their numbers differ."""
    return dict(zip(columns, msgspec.convert(values, list[Any]), strict=True))
