"""Facts about fallbacks: whether there are any, and whether they repeat the plan."""

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
    """A fallback that the plan already visits, on `day`."""

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
            # Prefer a visit on the day that the fallback is meant for.
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
    titles = {
        pointer: quoted(fallback.title or "", f"{pointer}/title") for pointer, fallback in fallbacks
    }
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
        _pointers(repeats),
        repeats=len(repeats),
        fallbacks=len(titles),
        titles=several(titles[repeat.fallback_pointer] for repeat in repeats),
        count=len({repeat.day for repeat in repeats}),
        days=numbers(repeat.day for repeat in repeats),
    )
    meant_for = {pointer: fallback.day for pointer, fallback in trip.fallbacks}
    same = [repeat for repeat in repeats if meant_for[repeat.fallback_pointer] == repeat.day]
    if same:
        yield fact(
            Topic.FALLBACKS,
            "fallback-on-its-own-day",
            ngettext(
                "On day %(days)s the fallback is itself a visit of the day: %(fallbacks)s.",
                "On days %(days)s the fallback is itself a visit of the day: %(fallbacks)s.",
            ),
            _pointers(same),
            count=len({repeat.day for repeat in same}),
            days=numbers(repeat.day for repeat in same),
            fallbacks=several(titles[repeat.fallback_pointer] for repeat in same),
        )


def _pointers(repeats: list[Repeat]) -> Iterator[str]:
    for repeat in repeats:
        yield repeat.fallback_pointer
        yield repeat.visit_pointer


def _reasons(trip: Trip) -> Iterator[Fact]:
    """Count the fallbacks with a reason; a note such as "if it rains" is one too."""
    fallbacks = trip.fallbacks
    without = [
        pointer
        for pointer, fallback in fallbacks
        if not (fallback.reason or "").strip() and not sort_note(fallback.note).words
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
    """List days without a fallback, unless some fallback has no day and may be meant for any."""
    covered = {fallback.day for pointer, fallback in trip.fallbacks}
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
