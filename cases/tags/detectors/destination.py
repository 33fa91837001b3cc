"""Detect destinations: one tag each, such as `beijing` or `st-louis`."""

from __future__ import annotations

import functools
import re
import unicodedata

from cases.itinerary.format import Request

from .found import SAYS, Found, _
from .named_cities import CITY, find_named_places
from .wording import Wording, word_set
from .words.cities import CHINESE, PINYIN

FIELD = _("The destination is “%(place)s”.")
NAMED = _("The request names “%(place)s”, but not as the destination.")

# A destination is a name. Anything longer is a wish ("a quiet village by the sea in the south").
MOST_WORDS = 5
LONGEST = 40
# More places than any trip has, and a longer list than any request has.
MOST_PLACES = 50
LONGEST_LIST = 500
_WISH = re.compile(r"\b(?:somewhere|anywhere|someplace|wherever|any|with|not)\b|^\s*an?\s+\S+\s")
_NO_NAMES = word_set(
    """unknown undecided none null tbd flexible no-preference
    family low-budget mobility-limited spring-festival tight-schedule"""
)
_SEPARATORS = re.compile(r"[,，、;；/|&+()（）\[\]→>~\n]|\s(?:and|then|-|–|—|to|or)\s|[–—]")
_APOSTROPHES = re.compile("['’ʼ`´]")
_NOT_LATIN = re.compile("[^a-z0-9]+")
_NO_PART = word_set("road street avenue lane")


def find_destinations(request: Request, wording: Wording) -> list[Found]:
    given = _read_places(request.destination)
    origins = _read_places(request.origin)
    if len(given) > 1:  # a round trip may list where it started
        given = {tag: name for tag, name in given.items() if tag not in origins} or given
    found = [Found(tag, "strong", FIELD, {"place": name}) for tag, name in given.items()]
    for tag, place in find_named_places(wording, given.keys(), origins.keys()).items():
        if place.is_destination:
            found.append(Found(tag, "strong", SAYS, {"words": place.words}))
        else:
            found.append(Found(tag, "weak", NAMED, {"place": place.words}))
    return found


def _read_places(value: str | list[str] | None) -> dict[str, str]:
    """Return the tags of the places in a field, each with the name it was read from."""
    tags: dict[str, str] = {}
    for name in [value] if isinstance(value, str) else (value or ())[:MOST_PLACES]:
        for tag in _make_tags(name):
            tags.setdefault(tag, name[:LONGEST])
    return tags


# A file of cases names few places, each many times.
@functools.lru_cache(maxsize=4096)
def _make_tags(name: str) -> tuple[str, ...]:
    name = name[:LONGEST_LIST]
    tags = [CHINESE[match.group()] for match in CITY.finditer(name)]
    parts = [] if _WISH.search(name.lower()) else _SEPARATORS.split(name)
    slugs = [_slug(part) for part in parts]
    for slug in slugs:
        # "Austin, TX" and "Washington, D.C." are one place each.
        is_name = len(slug.replace("-", "")) > 2 or len(slugs) == 1
        if slug and is_name and slug not in _NO_NAMES and slug.count("-") < MOST_WORDS:
            tags.append(_find_city(slug))
    return tuple(dict.fromkeys(tags))


def _slug(name: str) -> str:
    """Return the name as a slug; empty if it has no Latin letters or is too long for a name."""
    plain = unicodedata.normalize("NFKD", name).lower()
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    slug = _NOT_LATIN.sub("-", _APOSTROPHES.sub("", letters)).strip("-")
    return slug if len(slug) <= LONGEST and not slug.replace("-", "").isdecimal() else ""


def _find_city(slug: str) -> str:
    """Return the known city of "Beijing City" or "Shanghai Disneyland"; any other slug as it is."""
    if slug in PINYIN:
        return PINYIN[slug]
    city, *more = slug.split("-")
    return PINYIN[city] if city in PINYIN and _NO_PART.isdisjoint(more) else slug
