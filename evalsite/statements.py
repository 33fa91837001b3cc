"""Queries that are worded once in each process, and asked with other keys each time."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)

LAST_KEY = 2**63 - 1


class Statement(Generic[M]):
    """A query about the keys of some rows. Django takes ten times as long to word it as to ask it.

    `make` gives the query for keys, which may stand in it anywhere, and nowhere else. A key is a
    number, or the text in a column of texts.
    """

    def __init__(self, make: Callable[..., QuerySet[M, Any]]) -> None:
        self.make = make
        self._worded: tuple[SQLCompiler, str, tuple[Any, ...]] | None = None

    def rows(self, *keys: int | str) -> list[tuple[Any, ...]]:
        if not all(isinstance(key, str) or 0 <= key <= LAST_KEY for key in keys):
            return []
        compiler, sql, parameters = self._worded or self.word(len(keys))
        given: dict[Any, int | str] = dict(zip(stand_ins(len(keys)), keys, strict=True))
        # What is compared with a text has become one.
        given |= {str(place): key for place, key in given.items() if isinstance(key, str)}
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(one, one) for one in parameters])
            return [tuple(row) for row in compiler.results_iter([cursor.fetchall()])]

    def objects(self, *keys: int | str) -> list[M]:
        """As rows of the model, with those that are joined: as Django does it after it asked."""
        rows = self.rows(*keys)
        if not rows or self._worded is None:
            return []
        compiler, *_rest = self._worded
        columns, places = compiler.select, compiler.klass_info["select_fields"]
        own = slice(places[0], places[-1] + 1)
        names = [column.target.attname for column, *_ in columns[own]]
        joined = get_related_populators(  # type: ignore[call-arg]  # the stubs are of Django 6.1
            compiler.klass_info, columns, connection.alias
        )
        found: list[M] = []
        for row in rows:
            one = compiler.klass_info["model"].from_db(connection.alias, names, row[own])
            for other in joined:
                other.populate(row, one)
            found.append(one)
        return found

    def word(self, count: int) -> tuple[SQLCompiler, str, tuple[Any, ...]]:
        compiler = self.make(*stand_ins(count)).query.get_compiler(connection.alias)
        self._worded = (compiler, *compiler.as_sql())
        return self._worded


def stand_ins(count: int) -> list[int]:
    """No row has a key below nought."""
    return [-1 - place for place in range(count)]
