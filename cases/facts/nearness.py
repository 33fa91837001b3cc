"""Whether two names are alike without being the same: 大熊猫基地 and 成都大熊猫繁育研究基地.

Words that many places share do not count, nor do names of cities. What is left of the one, its
own words or in Chinese its own letters, must all be found in the other, and no words say that the
two are places of different kinds. One word alone, or two letters, need to be most of the name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from .common_words import BOTHER_EN, BOTHER_ZH, KINDS, LITTLE_EN, PLACES_EN, PLACES_ZH
from .names import is_written_with_gaps

Thing = TypeVar("Thing")

LONGEST_NAME = 60
# Further names are not compared, so that the cost stays linear.
MOST_NAMES = 500
MOST_CITIES = 20

_SHORTEST_WORD = 4
_PROPER_NAME = 3


def _any_of(words: str) -> re.Pattern[str]:
    """Match any of the words; 山 and other single letters only where they end a name."""
    longest_first = sorted(words.split(), key=len, reverse=True)
    return re.compile("|".join(word if len(word) > 1 else rf"{word}\Z" for word in longest_first))


_LATIN_WORD = re.compile(r"[a-z0-9]+")
_NO_LETTER = re.compile(r"[\W_]+")
_KIND = {
    word: kind
    for line in KINDS.strip().splitlines()
    for kind, _colon, words in [line.partition(":")]
    for word in words.split()
}
_SHARED_ZH = _any_of(f"{PLACES_ZH} {' '.join(word for word in _KIND if not word.isascii())}")
_SHARED_EN = frozenset(PLACES_EN.split()) | _KIND.keys()
_LITTLE_EN = frozenset(LITTLE_EN.split())
_BOTHER_ZH = re.compile(BOTHER_ZH.replace(" ", "|"))
_BOTHER_EN = frozenset(BOTHER_EN.split())


@dataclass(frozen=True, slots=True)
class Name:
    """A name prepared for comparing.

    `words` are its own words, if it is in Latin letters, `said` are also those that many places
    share; any other name has `letters`, of which only the positions `own` are its own.
    """

    kinds: frozenset[str]
    said: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    letters: str = ""
    own: frozenset[int] = frozenset()
    pairs: frozenset[str] = frozenset()

    def is_near(self, other: Name) -> bool:
        if self.kinds and other.kinds and not self.kinds & other.kinds:
            return False
        if self.words and other.words:
            return _share_words(self.words, other.words)
        return _covers(self, other) or _covers(other, self)

    def is_kind_of(self, other: Name) -> bool:
        """Whether the other name has all words of this description: "zoos", "viral shops"."""
        if self.said:
            return self.said <= other.said
        return len(self.letters) > 1 and self.letters in other.letters


def prepare(text: str, cities: Iterable[str] = (), *, without_bother: bool = False) -> Name:
    """Prepare a name; with `without_bother` also drop words such as "queues" from a wish."""
    text = text[:LONGEST_NAME]
    if is_written_with_gaps(text):
        said = frozenset(_latin_words(text)) - _LITTLE_EN - _words_of_cities(tuple(cities))
        if without_bother:
            said -= _BOTHER_EN
        kinds = frozenset(_KIND[word] for word in said & _KIND.keys())
        return Name(kinds, said, said - _SHARED_EN)
    letters = _NO_LETTER.sub("", text.casefold())
    if without_bother:
        letters = _BOTHER_ZH.sub("", letters)
    for city in cities:
        rest = letters.replace(city.casefold(), "")
        letters = rest if len(rest) > 1 else letters
    shared = list(_SHARED_ZH.finditer(letters))
    return Name(
        frozenset(_KIND[found.group()] for found in shared if found.group() in _KIND),
        letters=letters,
        own=frozenset(range(len(letters))).difference(*(range(*word.span()) for word in shared)),
        pairs=frozenset(letters[place : place + 2] for place in range(len(letters) - 1)),
    )


@lru_cache(maxsize=8)
def _words_of_cities(cities: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for city in cities for word in _latin_words(city[:LONGEST_NAME]))


def _latin_words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [_singular(word) for word in _LATIN_WORD.findall(re.sub(r"['’]s\b|['’]", "", plain))]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _share_words(some: frozenset[str], others: frozenset[str]) -> bool:
    fewer, more = sorted((some, others), key=len)
    if not fewer <= more:
        return False
    return len(fewer) > 1 or (len(more) < 3 and len(next(iter(fewer))) >= _SHORTEST_WORD)


def _covers(part: Name, whole: Name) -> bool:
    covered: set[int] = set()
    for place in range(len(part.letters) - 1):
        if part.letters[place : place + 2] in whole.pairs:
            covered |= {place, place + 1}
    if len(part.own) < 2 or not part.own <= covered:
        return False
    return len(part.own) >= _PROPER_NAME or 3 * len(covered) >= 2 * len(part.letters)


class NearNames(Generic[Thing]):
    """Finds the things with a name near another. Each name is prepared once."""

    def __init__(self, named: Sequence[tuple[Thing, str | None]], cities: Iterable[str]) -> None:
        self._cities = tuple(city for city in cities if len(city.strip()) > 1)[:MOST_CITIES]
        self._things: dict[str, list[Thing]] = {}
        for thing, name in named:
            if name and name.strip() and (name in self._things or len(self._things) < MOST_NAMES):
                self._things.setdefault(name, []).append(thing)
        self._names = [(prepare(name, self._cities), name) for name in self._things]

    def all(self, wanted: str) -> list[Thing]:
        """Return everything with a name near that of the place."""
        place = prepare(wanted, self._cities)
        near = [text for name, text in self._names if place.is_near(name)]
        return [thing for text in near for thing in self._things[text]]

    def all_like(self, avoided: str) -> list[Thing]:
        """Return everything with a name near what is avoided, which need not be one place."""
        wish = prepare(avoided, self._cities, without_bother=True)
        near = [text for name, text in self._names if wish.is_near(name) or wish.is_kind_of(name)]
        return [thing for text in near for thing in self._things[text]]
