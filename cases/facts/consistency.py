"""Facts about sights that the plan's own words name or remove, against what its days hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from cases.itinerary.notes import sort_note

from .common_words import GOING_EN, GOING_ZH, NO_SIGHT_EN, NO_SIGHT_ZH
from .names import APART, MOST_WISHES, Register, finder, is_written_with_gaps, normal
from .nearness import NearNames
from .places import find_cities
from .sentences import Fact, Words, _, fact, ngettext, numbers, quoted, several
from .topics import Topic
from .trip import Stop, Trip

# Further names, and text after so many characters, are ignored, so that the cost stays linear.
MOST_NAMED = 60
LONGEST_TEXT = 4000


def consistency_facts(trip: Trip) -> Iterator[Fact]:
    if trip.stops:
        held = _Held(trip)
        yield from _summary(held)
        yield from _removed(held)


class _Held:
    """What the days of a plan hold, also on the way and in the words of a note."""

    def __init__(self, trip: Trip) -> None:
        self.trip = trip

    @cached_property
    def _register(self) -> Register[Stop]:
        return Register([(stop, APART.join(_names(stop)), None) for stop in self.trip.stops])

    @cached_property
    def _words(self) -> str:
        in_days = (
            words.text for words in self.trip.words if words.pointer.startswith("/plan/days")
        )
        return APART.join(in_days)

    @cached_property
    def _near(self) -> NearNames[Stop]:
        named = [(stop, name) for stop in self.trip.stops for name in _names(stop)]
        return NearNames(named, sorted(self.cities))

    @cached_property
    def cities(self) -> frozenset[str]:
        asked = self.trip.request.destination or ()
        several_asked = [asked] if isinstance(asked, str) else asked
        origin = self.trip.request.origin
        return frozenset([*several_asked, *find_cities(self.trip), *([origin] if origin else ())])

    @cached_property
    def days(self) -> frozenset[int]:
        return frozenset(day.number for day in self.trip.days)

    def stops(self, sight: str) -> list[Stop]:
        """Return the stops of this name, or the first one with a part of it."""
        first = self._register.first(sight)
        return self._register.all(sight) or ([first] if first else [])

    def names(self, sight: str) -> bool:
        """Whether anything in the days has this name or a near one."""
        return bool(finder(sight)(self._words) or self.stops(sight) or self._near.all(sight))


def _names(stop: Stop) -> list[str]:
    transport = stop.item.transport
    ends = (transport.from_, transport.to) if transport else ()
    return [text for text in (*stop.texts, *ends) if text]


# The summary

_NUMERALS = "一二三四五六七八九十"
_LIST = re.compile(
    rf"(?:第\s?|\bD(?:ay\s?)?)(?P<day>[0-9]{{1,2}}|[{_NUMERALS}])(?:\s?[天日])?\s?(?:[:：]|[-–—]\s)"
    r"|\b(?:sights|highlights|stops)\s?[:：]",
    re.IGNORECASE,
)
_LIST_ENDS = re.compile(r"[;；。！!\n|]|(?<=[a-z]{3})\.(?:\s|$)")
_BETWEEN = re.compile(r"[、，,→＋]|\s*->\s*|,?\s+(?:then|and then)\s+")
_AND = re.compile(r"\s+(?:and|&)\s+(?:the\s+)?(?=[A-Z])|和|与|及")
_ASIDE = re.compile(r"[（(][^）)]*[）)]?\s*$")
_GOING = re.compile(
    rf"^(?:(?:{GOING_ZH.replace(' ', '|')})|(?:{'|'.join(GOING_EN.split())})\b[\s:]*)+",
    re.IGNORECASE,
)
_NO_SIGHT = re.compile(
    rf"{'|'.join(NO_SIGHT_ZH.split())}|^(?:{'|'.join(NO_SIGHT_EN.split())})\b|\d\s*(?:元|小时|分钟)",
    re.IGNORECASE,
)
_LONGEST_ZH = 15
_LONGEST_EN = 60


@dataclass(frozen=True, slots=True)
class Listed:
    """A sight in a list, and the days it is listed for."""

    sight: str
    days: tuple[int, ...]


def _summary(held: _Held) -> Iterator[Fact]:
    text, pointer = _said(held.trip)
    listed = find_listed(text, held.cities)
    missing = [sight for entry in listed for sight in _missing(entry.sight, held)]
    if missing:
        yield fact(
            Topic.CONSISTENCY,
            "summary-not-in-days",
            ngettext(
                "The summary names %(named)d sight; no day has it: %(sights)s.",
                "Of %(named)d sights that the summary names, no day has %(missing)d: %(sights)s.",
            ),
            (pointer,),
            named=len(listed),
            missing=len(missing),
            count=len(listed),
            sights=several(quoted(sight, pointer) for sight in missing),
        )
    elsewhere = [(entry, stop) for entry in listed for stop in _on_another_day(entry, held)]
    if elsewhere:
        yield fact(
            Topic.CONSISTENCY,
            "summary-other-day",
            ngettext(
                "Not on the day that the summary says: %(sights)s (in the plan on day %(days)s).",
                "Not on the day that the summary says: %(sights)s (in the plan on days %(days)s).",
            ),
            [stop.pointer for _entry, stop in elsewhere],
            moved=len(elsewhere),
            sights=several(quoted(entry.sight, pointer) for entry, _stop in elsewhere),
            count=len({stop.day for _entry, stop in elsewhere}),
            days=numbers(stop.day for _entry, stop in elsewhere),
        )


def _said(trip: Trip) -> tuple[str, str]:
    """Return the text of the summary, or of the title where there is none, and its pointer."""
    summary = " ".join(sort_note((trip.plan.summary or "")[:LONGEST_TEXT]).words)
    if summary:
        return summary, "/plan/summary"
    return (trip.plan.title or "")[:LONGEST_TEXT], "/plan/title"


def _missing(sight: str, held: _Held) -> list[str]:
    """Return what no day has of "Navy Pier and the Copper Mill", which may also be one sight."""
    parts = _AND.split(sight)
    missing = [part for part in parts if not held.names(part)]
    if 0 < len(missing) < len(parts) and not held.stops(sight):
        return missing
    return [sight] if missing and not held.names(sight) else []


def _on_another_day(entry: Listed, held: _Held) -> Iterator[Stop]:
    """Yield the first stop of a sight that is in the plan, but on none of the days listed."""
    planned = held.stops(entry.sight)
    listed = held.days & set(entry.days)
    if planned and listed and not listed & {stop.day for stop in planned}:
        yield planned[0]


def find_listed(text: str, cities: Iterable[str] = ()) -> list[Listed]:
    """Return the sights that a text lists for its days: "Day 1: Navy Pier, Willis Tower; …"."""
    no_sight = {normal(city) for city in cities}
    found: dict[str, Listed] = {}
    heads = list(_LIST.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        days = (_number(head["day"]),) if head["day"] else ()
        part = _LIST_ENDS.split(text[head.end() : end], maxsplit=1)[0]
        for sight in map(_sight, _BETWEEN.split(part)):
            if sight and normal(sight) not in no_sight:
                before = found.get(normal(sight), Listed(sight, ()))
                found[normal(sight)] = Listed(before.sight, before.days + days)
    return list(found.values())[:MOST_NAMED]


def _number(day: str) -> int:
    return int(day) if day.isdecimal() else _NUMERALS.index(day) + 1


def _sight(text: str) -> str | None:
    """Return the name of the sight in an entry of a list, or None if it names none."""
    name = _GOING.sub("", _ASIDE.sub("", text).strip().removeprefix("and ")).strip(' .。：:"“”「」')
    if len(name) < 2 or _NO_SIGHT.search(name):
        return None
    if is_written_with_gaps(name):
        return name if name[0].isupper() and len(name) <= _LONGEST_EN else None
    return name if len(name) <= _LONGEST_ZH else None


# What notes say was removed

_NAME_ZH = r"[「『“\"《](?P<quoted>[^「」『』“”\"《》\n]{2,40})[」』”\"》]"
_VERB_ZH = "(?<![可未不勿否需])(?<!没有|免费|可以)(?:移除|删除|删去|去掉|去除|取消|剔除|舍弃|砍掉)"
_VERB_EN = r"(?:removed|dropped|deleted|cancell?ed|skipped|left out|taken out|cut)"
_REMOVED = (
    re.compile(rf"{_VERB_ZH}了?(?:景点|游览|行程)?\s*[:：]?\s*{_NAME_ZH}"),
    re.compile(rf"{_NAME_ZH}\s*(?:已|已经|被|已被)?(?:从行程中?)?{_VERB_ZH}"),
    re.compile(
        rf"{_VERB_ZH}了?(?:景点|游览|行程)?\s*[:：]?\s*(?P<plain>[^\s，。；、,;「“\"《]{{2,20}})"
    ),
    re.compile(rf"[将把](?P<plain>[^\s，。；、,;「“\"《]{{2,20}}?)(?:从行程中?)?{_VERB_ZH}"),
    re.compile(
        rf"\b{_VERB_EN}:?\s+(?:the\s+)?(?:visit\s+to\s+)?(?:[\"“](?P<quoted>[^\"“”\n]{{2,60}})[\"”]"
        r"|(?P<plain>(?-i:[A-Z])[^\n,.;:()]{1,59}?)"
        r"(?=\s+(?:to|from|because|due|as|so|since|for|on|in)\b|[\n,.;:()]|$))",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:[\"“](?P<quoted>[^\"“”\n]{2,60})[\"”]|(?P<plain>(?-i:[A-Z])[^\n,.;:()]{1,59}?))"
        rf"\s{{1,3}}(?:was|were|has been|have been|had to be)\s+{_VERB_EN}\b",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True)
class Removed:
    """A sight that a note says was removed."""

    name: str
    sight: Words


def find_removed(notes: Iterable[Words], known: Iterable[str] = ()) -> list[Removed]:
    """Return the sights that notes say were removed.

    A name without quotation marks counts if it is `known`, so that "取消了预约限制" is no sight.
    """
    names = {normal(name) for name in known}
    once: dict[str, Removed] = {}
    for note in notes:
        for found in (
            match for sign in _REMOVED for match in sign.finditer(note.text[:LONGEST_TEXT])
        ):
            is_quoted = bool(found.groupdict().get("quoted"))
            name = found["quoted"] if is_quoted else found["plain"]
            if is_quoted or normal(name) in names:
                once.setdefault(normal(name), Removed(name, quoted(name, note.pointer)))
    return list(once.values())[:MOST_NAMED]


def _removed(held: _Held) -> Iterator[Fact]:
    notes = [words for words in held.trip.words if not words.pointer.endswith(("/title", "/place"))]
    removed = find_removed(notes, _known(held))
    planned = [(entry, stop) for entry in removed for stop in held.stops(entry.name)[:1]]
    gone = [entry for entry in removed if not held.stops(entry.name)]
    if gone:
        yield fact(
            Topic.CONSISTENCY,
            "removed",
            _("The notes say that these were removed, and no day has them: %(sights)s."),
            [entry.sight.pointer for entry in gone],
            removed=len(gone),
            sights=several(entry.sight for entry in gone),
        )
    if planned:
        yield fact(
            Topic.CONSISTENCY,
            "removed-but-planned",
            ngettext(
                "The notes say that these were removed; day %(days)s has them: %(sights)s.",
                "The notes say that these were removed; days %(days)s have them: %(sights)s.",
            ),
            [stop.pointer for _entry, stop in planned],
            count=len({stop.day for _entry, stop in planned}),
            days=numbers(stop.day for _entry, stop in planned),
            removed=len(planned),
            sights=several(entry.sight for entry, _stop in planned),
        )


def _known(held: _Held) -> Iterator[str]:
    """Yield the names of sights that the case has anywhere."""
    trip = held.trip
    for stop in trip.stops:
        yield from stop.texts
    yield from (fallback.title or "" for _pointer, fallback in trip.fallbacks)
    yield from (trip.request.must_visit or ())[:MOST_WISHES]
    yield from (entry.sight for entry in find_listed(_said(trip)[0]))
