"""The language of each piece of case text, and its translation where the case carries one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .format import Case

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Without の, which Chinese brand names like to borrow.
_KANA = re.compile(r"[\u3041-\u306d\u306f-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
_NOT_IN_LATIN_LETTERS = {"zh", "yue", "ja", "ko"}

# A word takes about five Latin letters, but two characters.
_LETTERS_TO_A_CHARACTER = 2.5


def detect_language(text: str, locale: str | None) -> str:
    """A BCP 47 tag. What is written in Latin letters is taken to be in the locale's language."""
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
        language = detect_language(text, self._locale)
        return Text(text, language, pointer, self._translation(pointer, language))

    def part(self, text: str, pointer: str, *, whole: str) -> Text:
        """A part of a text, which has no translation of its own."""
        start = max(whole.find(text), 0)
        return Text(text, detect_language(text, self._locale), pointer, start=start)

    def _translation(self, pointer: str, language: str) -> Text | None:
        for name in self._languages:
            found = at(self._translations[name], pointer)
            same = name.split("-")[0].lower() == language.split("-")[0].lower()
            if isinstance(found, str) and found.strip() and not same:
                return Text(found, name, f"/translations/{name}{pointer}")
        return None


# No digits of other scripts, and no number that takes long to read.
_TEXT_PLACE = re.compile("[0-9]{1,6}")


def at(value: Any, pointer: str) -> Any:
    """What a JSON pointer of ours leads to, or None."""
    for step in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and _TEXT_PLACE.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
