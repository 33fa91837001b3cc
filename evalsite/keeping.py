"""Work that depends on nothing but its key, done once in each process."""

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

T = TypeVar("T")
M = TypeVar("M", bound=Model)

LAST_KEY = 2**63 - 1


class Kept(Generic[T]):
    """The newest so many results; whoever asks again is given what was made the first time.

    Two threads that ask at once may both make it: what they make is the same.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if settings.DEBUG:  # whoever edits a template wants to see it
            return make()
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        made = make()
        with self._lock:
            self._found[key] = made
            while len(self._found) > self.most:
                self._found.popitem(last=False)
        return made


@contextmanager
def nothing_collected() -> Iterator[None]:
    """While very many small things without cycles are made: looking through them for garbage, over
    and over, takes a fifth of the time. Other threads go without it for as long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Statement(Generic[M]):
    """A query about the keys of some rows. Django takes ten times as long to word it as to ask it.

    `make` gives the query for keys, which may stand in it anywhere, and nowhere else.
    """

    def __init__(self, make: Callable[..., QuerySet[M, Any]]) -> None:
        self.make = make
        self._worded: tuple[SQLCompiler, str, tuple[Any, ...]] | None = None

    def rows(self, *keys: int) -> list[tuple[Any, ...]]:
        if not all(0 <= key <= LAST_KEY for key in keys):
            return []
        compiler, sql, parameters = self._worded or self.word(len(keys))
        given = dict(zip(stand_ins(len(keys)), keys, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(one, one) for one in parameters])
            return [tuple(row) for row in compiler.results_iter([cursor.fetchall()])]

    def objects(self, *keys: int) -> list[M]:
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
