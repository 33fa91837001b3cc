"""Words of a case, each with where it stands, its language, and its translation if there is one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .document import Case
from .language import language_of


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    language: str
    pointer: str
    translation: Text | None = None
    # Where it begins in the text as it is stored.
    start: int = 0


class Texts:
    """Makes the texts of one case for one reader."""

    def __init__(self, case: Case, reader: str | None = None) -> None:
        self._locale = case.locale
        self._translations = case.translations or {}
        # The reader's own language first, then whatever there is.
        wanted = (reader or "").split("-")[0].lower()
        self._languages = sorted(
            self._translations, key=lambda one: one.split("-")[0].lower() != wanted
        )

    def of(self, text: str | None, pointer: str) -> Text | None:
        """None for nothing, so that templates can leave it out."""
        return self.whole(text, pointer) if text and text.strip() else None

    def whole(self, text: str, pointer: str) -> Text:
        language = language_of(text, self._locale)
        return Text(text, language, pointer, self._translation(pointer, language))

    def part(self, text: str, pointer: str, *, whole: str) -> Text:
        """A part of a text, which has no translation of its own."""
        start = max(whole.find(text), 0)
        return Text(text, language_of(text, self._locale), pointer, start=start)

    def _translation(self, pointer: str, language: str) -> Text | None:
        for name in self._languages:
            found = at(self._translations[name], pointer)
            same = name.split("-")[0].lower() == language.split("-")[0].lower()
            if isinstance(found, str) and found.strip() and not same:
                return Text(found, name, f"/translations/{name}{pointer}")
        return None


# No digits of other scripts, and no number that takes long to read.
_PLACE = re.compile("[0-9]{1,6}")


def at(value: Any, pointer: str) -> Any:
    """What a JSON pointer of ours leads to, or None."""
    for step in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and _PLACE.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
