"""The language of one piece of case text, for the `lang` attribute. Cases mix languages."""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Without の, which Chinese brand names like to borrow.
_KANA = re.compile(r"[\u3041-\u306d\u306f-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
_NOT_IN_LATIN_LETTERS = {"zh", "yue", "ja", "ko"}

# A word takes about five Latin letters, but two characters.
_LETTERS_TO_A_CHARACTER = 2.5


def language_of(text: str, locale: str | None) -> str:
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
