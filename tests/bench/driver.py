"""Statements past Django, by the driver of the database, every row fetched."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from django.db import connection

Statement = tuple[str, Sequence[Any]]


class Captured:
    """The statements that pass a cursor of Django: an execute wrapper."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.statements.append((sql, tuple(params or ())))
        return execute(sql, params, many, context)


def fetch(statements: Sequence[Statement]) -> int:
    """How many rows there are. Nothing is made of them."""
    connection.ensure_connection()
    count = 0
    with closing(connection.connection.cursor()) as cursor:
        for sql, params in statements:
            if connection.vendor == "sqlite":
                sql = sql.replace("%s", "?").replace("%%", "%")
            cursor.execute(sql, params)
            count += len(cursor.fetchall())
    return count
