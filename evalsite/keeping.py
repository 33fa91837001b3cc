"""Work that depends on nothing but its key, done once in each process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

T = TypeVar("T")


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


class Statement:
    """A query about the key of one row. Django takes ten times as long to word it as to ask it.

    `make` gives the query for a key, which may stand in it anywhere, and nowhere else.
    """

    ANY = -1

    def __init__(self, make: Callable[[int], QuerySet[Any, Any]]) -> None:
        self.make = make
        self._worded: tuple[str, tuple[Any, ...]] | None = None

    def rows(self, key: int) -> list[tuple[Any, ...]]:
        if self._worded is None:
            self._worded = self.make(self.ANY).query.sql_with_params()
        sql, parameters = self._worded
        with connection.cursor() as cursor:
            cursor.execute(sql, [key if one == self.ANY else one for one in parameters])
            return list(cursor.fetchall())
