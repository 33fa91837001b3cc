"""Whether a text names something. Chinese has no gaps between words, English has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

# A list of wishes longer than this is no list of wishes; it keeps the cost linear.
MOST_WISHES = 40

_LATIN = r"[0-9A-Za-z\u00c0-\u024f]"
_OTHER_LETTER = re.compile(r"[^\W\d_\u0000-\u024f]")
_PARTS = re.compile(r"[/|、，,;；()（）·]")


def is_written_with_gaps(text: str) -> bool:
    """Latin letters only, give or take signs and digits."""
    return not _OTHER_LETTER.search(text)


@lru_cache(maxsize=512)
def finder(wanted: str) -> Callable[[str], bool]:
    """Tells of a text whether `wanted` stands in it: whole words, or two letters of Chinese.

    The wanted words are cut, so that nobody fills the cache with whole texts.
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
    """Things by title and place, to be looked up by what people call them.

    竹影 is 竹影寺, and the other way round; the latter only in Chinese, by title, because "Lake"
    is not "Lost Lake". `cities` are no names: a stop called 云州 is not 云州动物园.
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
        """Whatever carries the name. One look at everything spares most of the looking."""
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
    """竹影寺（东门）/白鹭湖 -> 竹影寺, 东门, 白鹭湖; only what is long enough for a name."""
    for part in _PARTS.split(title):
        if len(part.strip()) >= 2 and not is_written_with_gaps(part):
            yield part.strip()


def normal(text: str | None) -> str:
    """For telling whether two titles are the same."""
    return "".join((text or "").casefold().split())
