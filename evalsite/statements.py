"""Compile a query once in each process and run it with other keys each time."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)
Compiled = tuple[SQLCompiler, str, tuple[Any, ...]]

LAST_KEY = 2**63 - 1
# Fits into every integer column, and no query compares with it.
FIRST_PLACEHOLDER = -2_000_000_000


class Statement(Generic[M]):
    """A queryset whose SQL is compiled once: compiling takes Django far longer than running it.

    `make` returns the queryset for keys. A key is a number, or text for a text column. The SQL must
    depend on nothing else. Use it only where a goal of docs/bench.md needs it.
    """

    def __init__(self, make: Callable[..., QuerySet[M, Any]]) -> None:
        self.make = make
        # By engine: a bundle is verified on SQLite, whatever the site uses.
        self._compiled: dict[str, Compiled] = {}

    def rows(self, *keys: int | str) -> list[tuple[Any, ...]]:
        if not all(isinstance(key, str) or 0 <= key <= LAST_KEY for key in keys):
            return []
        compiler, sql, parameters = self.compile(len(keys))
        given: dict[Any, int | str] = dict(zip(make_placeholders(len(keys)), keys, strict=True))
        # Django turns a number that is compared with a text column into text.
        given |= {str(place): key for place, key in given.items() if isinstance(key, str)}
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(value, value) for value in parameters])
            return [tuple(row) for row in compiler.results_iter([cursor.fetchall()])]

    def objects(self, *keys: int | str) -> list[M]:
        """Return instances of the model with their joined rows, as Django builds them."""
        rows = self.rows(*keys)
        if not rows:
            return []
        compiler, *_rest = self.compile(len(keys))
        columns, places = compiler.select, compiler.klass_info["select_fields"]
        own = slice(places[0], places[-1] + 1)
        names = [column.target.attname for column, *_ in columns[own]]
        joined = get_related_populators(  # type: ignore[call-arg]  # the stubs are of Django 6.1
            compiler.klass_info, columns, connection.alias
        )
        found: list[M] = []
        for row in rows:
            instance = compiler.klass_info["model"].from_db(connection.alias, names, row[own])
            for populator in joined:
                populator.populate(row, instance)
            found.append(instance)
        return found

    def compile(self, count: int) -> Compiled:
        known = self._compiled.get(connection.vendor)
        if known is None:
            compiler = self.make(*make_placeholders(count)).query.get_compiler(connection.alias)
            known = self._compiled[connection.vendor] = (compiler, *compiler.as_sql())
        return known


def make_placeholders(count: int) -> list[int]:
    """Return a number for each key that neither a row nor a query uses."""
    return [FIRST_PLACEHOLDER + place for place in range(count)]
