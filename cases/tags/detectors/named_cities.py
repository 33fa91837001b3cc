"""Find cities in the text of a request, and whether the text makes them the destination."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from .wording import Wording, is_whole, latin
from .words import named_cities as lexicon
from .words.cities import CHINESE, LATIN

_NAMES = " | ".join(name + lexicon.NOT_THIS_CITY.get(name, "") for name in CHINESE)
CITY = latin(f"(?: {_NAMES} ) {lexicon.NOT_THE_CITY}")
_FIRST_CHARACTERS = frozenset(name[0] for name in CHINESE)
_BY_FIRST_WORD: dict[str, list[str]] = {}
for _name in sorted(LATIN):
    _BY_FIRST_WORD.setdefault(re.split("[ ']", _name)[0], []).append(_name)
_FIRST_WORDS = frozenset(_BY_FIRST_WORD)

# How many characters before a name are searched for words that lead to it.
AHEAD = 24


class Place(NamedTuple):
    """`words` is the name, or the words that make it the destination."""

    words: str
    is_destination: bool


def find_named_places(wording: Wording, given: Set[str], origins: Set[str]) -> dict[str, Place]:
    """Find cities that the fields of the request do not name, by their tag."""
    found: dict[str, Place] = {}
    together: list[tuple[str, str]] = []  # "Beijing, Xi'an and Chengdu": all or none
    joined_to, is_clear = 0, False
    for start, end, tag in sorted(_find_places(wording)):
        words = "" if tag in given else None if tag in origins else _find_lead(wording, start, end)
        if not lexicon.JOINED.fullmatch(wording.low, joined_to, start):
            together, is_clear = [], False
        joined_to = end
        if words is None:
            continue
        name = wording.text[start:end]
        if tag not in given:
            together.append((tag, name))
            found.setdefault(tag, Place(name, is_destination=False))
        is_clear = is_clear or bool(words) or tag in given
        if is_clear:
            for each, its_name in together:
                if not found[each].is_destination:
                    why = words if each == tag and words else its_name
                    found[each] = Place(why, is_destination=True)
    return found


def _find_places(wording: Wording) -> Iterator[tuple[int, int, str]]:
    low = wording.low
    if not _FIRST_CHARACTERS.isdisjoint(wording.han):
        for match in CITY.finditer(low):
            yield match.start(), match.end(), CHINESE[match.group()]
    for word in _FIRST_WORDS & wording.words:
        for name in _BY_FIRST_WORD[word]:
            start = low.find(name)
            while start >= 0:
                end = start + len(name)
                if is_whole(low, start, end) and not lexicon.NOT_THE_CITY_LATIN.match(low, end):
                    yield start, end, LATIN[name]
                start = low.find(name, end)


def _find_lead(wording: Wording, start: int, end: int) -> str | None:
    """Return the words that make a place the destination; "" if there are none.

    None: the words show that the place is not the destination.
    """
    low = wording.low
    ahead = low[max(0, start - AHEAD) : start]
    if lexicon.FROM.search(ahead):
        return None
    if to := lexicon.TO.search(ahead):
        return wording.quote(start - len(to.group()), end)
    if lexicon.AWAY.match(low, end):
        return None
    then = lexicon.THEN.match(low, end)
    return wording.quote(start, then.end()) if then else ""
