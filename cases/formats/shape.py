"""The interface of a foreign shape, and helpers for shapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """`convert` returns itinerary-case/1 data, or raises CaseError with a path into the record."""

    name: str
    recognises: Callable[[dict[str, Any]], bool]
    convert: Callable[[dict[str, Any]], dict[str, Any]]


def plan_item(kind: str, **known: Any) -> dict[str, Any]:
    return {
        "start": None,
        "end": None,
        "kind": kind,
        "title": None,
        "place": None,
        "cost": None,
        "note": None,
        "buffer_minutes": None,
        "transport": None,
    } | known


_LETTERS = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]")),
    ("zh-CN", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("en", re.compile(r"[A-Za-z]")),
)


def guess_language(text: str) -> str | None:
    """Guess the language: kana decide before Chinese characters, and both before Latin letters."""
    return next((language for language, letters in _LETTERS if letters.search(text)), None)
