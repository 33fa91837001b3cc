"""Detect the language of each text of a case, and find its translation if the case has one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .format import Case

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Without の, which Chinese brand names borrow.
_KANA = re.compile(r"[\u3041-\u306d\u306f-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
_NOT_IN_LATIN_LETTERS = {"zh", "yue", "ja", "ko"}

# A word takes about five Latin letters but only two Chinese characters.
_LETTERS_TO_A_CHARACTER = 2.5


def detect_language(text: str, locale: str | None) -> str:
    """Return a BCP 47 tag. Text in Latin letters counts as the language of the locale."""
    if text.isascii():
        return _written_in_latin(locale or "")
    han, kana, hangul = (len(found.findall(text)) for found in (_HAN, _KANA, _HANGUL))
    latin = len(_LATIN.findall(text)) / _LETTERS_TO_A_CHARACTER
    if han + kana + hangul > 0 and han + kana + hangul >= latin:
        if hangul > han + kana:
            return "ko"
        return "ja" if kana else _written_in_han(locale or "")
    return _written_in_latin(locale or "")


def _written_in_han(locale: str) -> str:
    tag = locale.lower()
    if tag.startswith("ja"):
        return "ja"
    return "zh-Hant" if tag.startswith(_TRADITIONAL) else "zh-Hans"


def _written_in_latin(locale: str) -> str:
    language = locale.split("-")[0].lower()
    return locale if language and language not in _NOT_IN_LATIN_LETTERS else "en"


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    language: str
    pointer: str
    translation: Text | None = None
    # Its position in the stored text.
    start: int = 0


class Texts:
    """Builds the texts of one case for one reader."""

    def __init__(self, case: Case, reader: str | None = None) -> None:
        self._locale = case.locale
        self._translations = case.translations or {}
        # The reader's own language first, then any other.
        wanted = _base(reader or "")
        self._languages = sorted(self._translations, key=lambda name: _base(name) != wanted)

    def of(self, text: str | None, pointer: str) -> Text | None:
        """Return the text, or None if there is none, so that templates can leave it out."""
        return self.whole(text, pointer) if text and text.strip() else None

    def whole(self, text: str, pointer: str) -> Text:
        language = detect_language(text, self._locale)
        return Text(text, language, pointer, self._translation(pointer, language))

    def parts(self, texts: Iterable[str], pointer: str, *, whole: str) -> Iterator[Text]:
        """Return parts of a text in order; parts have no translation of their own."""
        end = 0
        for text in texts:
            start = max(whole.find(text, end), 0)
            end = start + len(text)
            yield Text(text, detect_language(text, self._locale), pointer, start=start)

    def _translation(self, pointer: str, language: str) -> Text | None:
        for name, text in self._translated.get(pointer, ()):
            if _base(name) != _base(language):
                return Text(text, name, f"/translations/{name}{pointer}")
        return None

    @cached_property
    def _translated(self) -> dict[str, list[tuple[str, str]]]:
        """Find for each pointer the first translation, and the first into yet another language.

        More are never shown. All are read once: to look into every language for every text would
        take a minute for a case of many texts and many languages.
        """
        found: dict[str, list[tuple[str, str]]] = {}
        for name in self._languages:
            for pointer, text in _texts_in(self._translations[name]):
                known = found.setdefault(pointer, [])
                if not known or (len(known) == 1 and _base(known[0][0]) != _base(name)):
                    known.append((name, text))
        return found


def _base(language: str) -> str:
    """Return "zh" for "zh-Hans"."""
    return language.split("-")[0].lower()


def _texts_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield each text that is not blank, with its JSON pointer."""
    waiting = [("", value)]
    while waiting:
        pointer, value = waiting.pop()
        if isinstance(value, str):
            if value.strip():
                yield pointer, value
        elif isinstance(value, dict):
            waiting += [
                (f"{pointer}/{key}", inner) for key, inner in value.items() if "/" not in key
            ]
        elif isinstance(value, list):
            waiting += [(f"{pointer}/{place}", inner) for place, inner in enumerate(value)]


# Only ASCII digits, and only a few of them.
_TEXT_PLACE = re.compile("[0-9]{1,6}")


def at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer, or None."""
    for step in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and _TEXT_PLACE.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
