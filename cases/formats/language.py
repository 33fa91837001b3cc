"""The language of a text, told by its letters: enough to choose a reviewer who reads it."""

from __future__ import annotations

import re

_LETTERS = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]")),
    ("zh-CN", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("en", re.compile(r"[A-Za-z]")),
)


def language_of(text: str) -> str | None:
    """Kana comes before Chinese characters, and both before Latin letters: names are Latin."""
    return next((language for language, letters in _LETTERS if letters.search(text)), None)
