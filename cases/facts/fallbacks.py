"""What to do instead: is there anything, and is it anything new?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cases.itinerary.format import Case
from cases.itinerary.notes import sort_note

from .names import normal
from .sentences import Fact, Words, _, fact, ngettext, numbers, quoted, several
from .topics import Topic
from .trip import Stop, Trip, build_trip

_CROWDED = re.compile(
    r"节假日|人流|拥挤|高峰|客流|\b(?:crowd\w*|peak season|public holiday)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A fallback that stands in the plan anyway, on `day`."""

    fallback_pointer: str
    visit_pointer: str
    day: int


def find_repeats(case: Case) -> tuple[Repeat, ...]:
    return tuple(_repeats(build_trip(case)))


def _repeats(trip: Trip) -> Iterator[Repeat]:
    planned = _by_name(trip)
    for pointer, fallback in trip.fallbacks:
        visits = planned.get(normal(fallback.title))
        if visits:
            # On the very day it is meant for, if it stands there too.
            same = [visit for visit in visits if visit.day == fallback.day]
            chosen = (same or visits)[0]
            yield Repeat(pointer, chosen.pointer, chosen.day)


def _by_name(trip: Trip) -> dict[str, list[Stop]]:
    planned: dict[str, list[Stop]] = {}
    for visit in trip.visits:
        for name in {normal(text) for text in visit.texts} - {""}:
            planned.setdefault(name, []).append(visit)
    return planned


def fallback_facts(trip: Trip) -> Iterator[Fact]:
    if not trip.stops:
        return
    fallbacks = trip.fallbacks
    if not fallbacks:
        yield fact(Topic.FALLBACKS, "fallbacks", _("The plan gives no fallback."))
        yield from _crowds(trip)
        return
    titles = {pointer: quoted(one.title or "", f"{pointer}/title") for pointer, one in fallbacks}
    yield from _repeating(trip, titles)
    yield from _reasons(trip)
    yield from _days_without(trip)
    yield from _crowds(trip)


def _repeating(trip: Trip, titles: dict[str, Words]) -> Iterator[Fact]:
    repeats = list(_repeats(trip))
    if not repeats:
        yield fact(
            Topic.FALLBACKS,
            "fallbacks",
            _("Fallbacks that repeat a visit of this plan: 0 of %(fallbacks)d."),
            titles,
            fallbacks=len(titles),
        )
        return
    yield fact(
        Topic.FALLBACKS,
        "fallbacks",
        ngettext(
            "Fallbacks that repeat a visit of this plan: %(repeats)d of %(fallbacks)d "
            "(%(titles)s, planned for day %(days)s).",
            "Fallbacks that repeat a visit of this plan: %(repeats)d of %(fallbacks)d "
            "(%(titles)s, planned for days %(days)s).",
        ),
        [pointer for one in repeats for pointer in (one.fallback_pointer, one.visit_pointer)],
        repeats=len(repeats),
        fallbacks=len(titles),
        titles=several(titles[one.fallback_pointer] for one in repeats),
        count=len({one.day for one in repeats}),
        days=numbers(one.day for one in repeats),
    )
    meant_for = {pointer: one.day for pointer, one in trip.fallbacks}
    same = [one for one in repeats if meant_for[one.fallback_pointer] == one.day]
    if same:
        yield fact(
            Topic.FALLBACKS,
            "fallback-on-its-own-day",
            ngettext(
                "On day %(days)s the fallback is itself a visit of the day: %(fallbacks)s.",
                "On days %(days)s the fallback is itself a visit of the day: %(fallbacks)s.",
            ),
            [pointer for one in same for pointer in (one.fallback_pointer, one.visit_pointer)],
            count=len({one.day for one in same}),
            days=numbers(one.day for one in same),
            fallbacks=several(titles[one.fallback_pointer] for one in same),
        )


def _reasons(trip: Trip) -> Iterator[Fact]:
    """A note in plain words, like "if it rains", is a reason too."""
    fallbacks = trip.fallbacks
    without = [
        pointer
        for pointer, one in fallbacks
        if not (one.reason or "").strip() and not sort_note(one.note).words
    ]
    yield fact(
        Topic.FALLBACKS,
        "fallback-reasons",
        _("Fallbacks that give a reason: %(reasons)d of %(fallbacks)d."),
        without,
        reasons=len(fallbacks) - len(without),
        fallbacks=len(fallbacks),
    )


def _days_without(trip: Trip) -> Iterator[Fact]:
    """Said only when fallbacks are given by day; else they may be meant for any."""
    covered = {one.day for pointer, one in trip.fallbacks}
    without = [day for day in trip.days if day.number not in covered]
    if without and None not in covered:
        yield fact(
            Topic.FALLBACKS,
            "days-without-fallback",
            ngettext("No fallback for day %(days)s.", "No fallback for days %(days)s."),
            [day.pointer for day in without],
            count=len(without),
            days=numbers(day.number for day in without),
        )


def _crowds(trip: Trip) -> Iterator[Fact]:
    crowded = [day for day in trip.days if _CROWDED.search(day.day.summary or "")]
    if crowded:
        yield fact(
            Topic.FALLBACKS,
            "crowds",
            ngettext(
                "The plan itself expects crowds or a holiday on day %(days)s.",
                "The plan itself expects crowds or a holiday on days %(days)s.",
            ),
            [day.pointer for day in crowded],
            count=len(crowded),
            days=numbers(day.number for day in crowded),
        )
