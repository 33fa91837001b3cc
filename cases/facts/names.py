"""Find names in texts: English has spaces between words, Chinese has none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

# Further wishes are ignored, so that the cost stays linear.
MOST_WISHES = 40

_LATIN = r"[0-9A-Za-z\u00c0-\u024f]"
_OTHER_LETTER = re.compile(r"[^\W\d_\u0000-\u024f]")
_PARTS = re.compile(r"[/|、，,;；()（）·]")


def is_written_with_gaps(text: str) -> bool:
    """Whether all letters of the text are Latin."""
    return not _OTHER_LETTER.search(text)


@lru_cache(maxsize=512)
def finder(wanted: str) -> Callable[[str], bool]:
    """Return a test for texts that contain `wanted`: as whole words, or at least two characters.

    Only the beginning of `wanted` counts, so that the cache never fills with long texts.
    """
    words = wanted.strip()[:200]
    if not words or (len(words) < 2 and not is_written_with_gaps(words)):
        return lambda text: False
    if is_written_with_gaps(words):
        gaps = r"\s+".join(re.escape(word) for word in words.split())
        pattern = re.compile(rf"(?<!{_LATIN}){gaps}(?!{_LATIN})", re.IGNORECASE)
        return lambda text: pattern.search(text) is not None
    folded = words.casefold()
    if folded.upper() == folded:
        return lambda text: words in text
    return lambda text: folded in text.casefold()


def names(text: str, wanted: str) -> bool:
    return finder(wanted)(text)


# Joins texts so that no name is found across two of them.
APART = " | "


class Register(Generic[Thing]):
    """Looks up things by the names that people use for their title or place.

    竹影 finds 竹影寺 and the other way round; the latter only in Chinese and by title, because
    "Lost Lake" must not find "Lake". Names of `cities` do not count: 云州动物园 must not find 云州.
    """

    def __init__(
        self, things: Sequence[tuple[Thing, str | None, str | None]], cities: Iterable[str] = ()
    ) -> None:
        self._things = things
        self._cities = frozenset(cities)
        self._texts = [(thing, APART.join(filter(None, texts))) for thing, *texts in things]
        self._everything = APART.join(text for thing, text in self._texts)

    @cached_property
    def _parts(self) -> list[tuple[Thing, str]]:
        return [
            (thing, part)
            for thing, title, _place in self._things
            for part in _split_title(title or "")
            if part not in self._cities
        ]

    def all(self, wanted: str) -> list[Thing]:
        """Return everything with this name. One search in all texts together avoids most others."""
        is_in = finder(wanted)
        if not is_in(self._everything):
            return []
        return [thing for thing, text in self._texts if is_in(text)]

    def first(self, wanted: str) -> Thing | None:
        carrying = self.all(wanted)
        if carrying:
            return carrying[0]
        return next((thing for thing, part in self._parts if part in wanted), None)


def _split_title(title: str) -> Iterator[str]:
    """Split 竹影寺（东门）/白鹭湖 into 竹影寺, 东门 and 白鹭湖; drop parts too short for a name."""
    for part in _PARTS.split(title):
        if len(part.strip()) >= 2 and not is_written_with_gaps(part):
            yield part.strip()


def normal(text: str | None) -> str:
    """Normalise a title to compare it with another."""
    return "".join((text or "").casefold().split())
