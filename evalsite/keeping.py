"""Work that depends on nothing but its key, done once in each process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from django.conf import settings

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
