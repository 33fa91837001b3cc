"""Read a record field by field. Each value is checked when it is taken; the others are left over.

The sentences are those of cases.itinerary.reading, so that a mistake reads the same in every
shape and is translated once.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from typing import Any

from cases.itinerary.format import CLOCK, DATE, LONGEST_KEY, ONE_LINE, CaseError, _
from cases.itinerary.reading import FORMS, NO_SUCH_DAY, shown

MOST = 100_000  # of days and people
MOST_MINUTES = 1_000_000

_SHORT_CLOCK = re.compile(r"[0-9]:[0-5][0-9]")


class Fields:
    """One object of a record, with its path from the root."""

    def __init__(self, value: Any, path: str = "") -> None:
        if not isinstance(value, dict):
            raise CaseError(path, _("must be an object, got %(got)s."), got=shown(value))
        self._left: dict[str, Any] = dict(value)
        self._opened: dict[str, Fields | list[Fields]] = {}
        self.path = path

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names that are left; they may be taken meanwhile."""
        return iter(list(self._left))

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def peek(self, name: str) -> Any:
        return self._left.get(name)

    def take(self, name: str) -> Any:
        return self._left.pop(name, None)

    def leave(self, name: str, value: Any) -> None:
        """Put a value back among those that are left."""
        self._left[name] = value

    def left(self) -> dict[str, Any]:
        """Return what was not taken, in place; {} is an item of a list with nothing left."""
        found = dict(self._left)
        for name, opened in self._opened.items():
            if isinstance(opened, Fields):
                rest: Any = opened.left()
            else:
                rest = [item.left() for item in opened]
                rest = rest if any(rest) else None
            if rest:
                found[name] = rest
        return found

    # Objects and lists

    def inside(self, name: str, read: Callable[[Any], Any] | None = None) -> Fields | None:
        """Take the object under this name, to be read itself; `read` converts the value first."""
        value = self.take(name)
        value = read(value) if read else value
        if value is None:
            return None
        opened = self._opened[name] = Fields(value, self.at(name))
        return opened

    def each(self, name: str) -> list[Fields]:
        """Take the objects of a list."""
        value = self.take(name)
        values = [] if value is None else checked_list(value, self.at(name))
        opened = [Fields(item, f"{self.at(name)}[{place}]") for place, item in enumerate(values)]
        self._opened[name] = opened
        return opened

    def texts(self, name: str) -> list[str]:
        """Take the texts of a list."""
        value = self.take(name)
        values = [] if value is None else checked_list(value, self.at(name))
        for place, text in enumerate(values):
            checked_text(text, f"{self.at(name)}[{place}]")
        return values

    # Single values; each may be absent or null unless stated otherwise

    def text(self, name: str) -> str | None:
        value = self.take(name)
        return None if value is None else checked_text(value, self.at(name))

    def filled(self, name: str) -> str:
        """Take a text that is required and not blank."""
        value = self.text(name)
        if value is None:
            raise CaseError(self.at(name), _("is required."))
        if not value.strip():
            raise CaseError(self.at(name), _("must not be empty."))
        return value

    def key(self, name: str) -> str:
        """Take a name that is required."""
        value = self.name(name)
        if value is None:
            raise CaseError(self.at(name), _("is required."))
        return value

    def name(self, name: str, *, most: int = LONGEST_KEY) -> str | None:
        """Take a short text on one line, such as a key or a version."""
        value = self.text(name)
        return None if value is None else checked_name(value, self.at(name), most)

    def number(self, name: str, *, least: float | None = None) -> float | None:
        value = self.take(name)
        if value is None:
            return None
        path = self.at(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CaseError(path, _("must be a number, got %(got)s."), got=shown(value))
        if least is not None and value < least:
            raise CaseError(
                path, _("must be a number of at least 0, got %(got)s."), got=shown(value)
            )
        return value

    def minutes(self, name: str) -> float | None:
        value = self.number(name, least=0)
        if value is not None and value > MOST_MINUTES:
            raise CaseError(self.at(name), TOO_MUCH, most=MOST_MINUTES, got=shown(value))
        return value

    def share(self, name: str) -> float | None:
        value = self.number(name)
        if value is not None and not 0 <= value <= 1:
            sentence = _("must be a number from 0 to 1, got %(got)s.")
            raise CaseError(self.at(name), sentence, got=shown(value))
        return value

    def whole(self, name: str, *, least: int = 1) -> int | None:
        value = self.take(name)
        return None if value is None else checked_whole(value, self.at(name), least)

    def date(self, name: str) -> str | None:
        value = self.take(name)
        return None if value is None else checked_date(value, self.at(name))

    def clock(self, name: str) -> str | None:
        value = self.take(name)
        return None if value is None else checked_clock(value, self.at(name))

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.take(name)
        path = self.at(name)
        if value is None:
            raise CaseError(path, _("is required."))
        if value not in choices:
            allowed, got = ", ".join(choices), shown(value)
            raise CaseError(path, ONE_OF, values=allowed, got=got)
        return str(value)


TOO_MUCH = _("must be at most %(most)d, got %(got)s.")
ONE_OF = _("must be one of %(values)s; got %(got)s.")


def checked_list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise CaseError(path, _("must be a list, got %(got)s."), got=shown(value))
    return value


def checked_text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise CaseError(path, _("must be a text, got %(got)s."), got=shown(value))
    return value


def checked_name(value: str, path: str, most: int) -> str:
    if not value.strip():
        raise CaseError(path, _("must not be empty."))
    if len(value) > most:
        sentence = _("must have at most %(most)d characters, got %(length)d.")
        raise CaseError(path, sentence, most=most, length=len(value))
    if not re.fullmatch(ONE_LINE, value):
        raise CaseError(path, FORMS[ONE_LINE], got=shown(value))
    return value


def checked_whole(value: Any, path: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        if least == 0:
            raise CaseError(
                path, _("must be a whole number from 0, got %(got)s."), got=shown(value)
            )
        sentence = _("must be a whole number of at least 1, got %(got)s.")
        raise CaseError(path, sentence, got=shown(value))
    if value > MOST:
        raise CaseError(path, TOO_MUCH, most=MOST, got=shown(value))
    return value


def checked_date(value: Any, path: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(DATE, value):
        raise CaseError(path, FORMS[DATE], got=shown(value))
    try:
        datetime.date.fromisoformat(value)
    except ValueError as error:
        raise CaseError(path, NO_SUCH_DAY, got=value) from error
    return value


def checked_clock(value: Any, path: str) -> str:
    """Check a time, and return "9:05" as "09:05"."""
    if isinstance(value, str):
        padded = f"0{value}" if _SHORT_CLOCK.fullmatch(value) else value
        if re.fullmatch(CLOCK, padded):
            return padded
    raise CaseError(path, FORMS[CLOCK], got=shown(value))
