"""A case prepared for computing: each item with its pointer, and its times as minutes."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cases.itinerary.clock import parse_date, span
from cases.itinerary.format import Case, Day, Fallback, Item, Plan, PlanBudget, Request
from cases.itinerary.notes import sort_note

from .sentences import Words, quoted

Kind = Literal["transport", "meal", "sight", "rest", "hotel", "other"]


@dataclass(frozen=True, slots=True)
class Stop:
    """An item of a day, also a transfer. `end` is past 24:00 if it is on the next day."""

    pointer: str
    item: Item
    kind: Kind
    day: int
    start: int | None
    end: int | None

    @property
    def has_time(self) -> bool:
        return self.start is not None or self.end is not None

    @property
    def window(self) -> tuple[int, int] | None:
        return None if self.start is None or self.end is None else (self.start, self.end)

    @property
    def name(self) -> Words:
        arrival = self.item.transport.to if self.item.transport else None
        named = (
            ("title", self.item.title),
            ("place", self.item.place),
            ("transport/to", arrival),
        )
        for field, text in named:
            if text and text.strip():
                return quoted(text, f"{self.pointer}/{field}")
        return Words("?", self.pointer)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(text for text in (self.item.title, self.item.place) if text)


@dataclass(frozen=True, slots=True)
class TripDay:
    """A day of the plan. `number` is the one that people see."""

    pointer: str
    number: int
    date: datetime.date | None
    day: Day
    stops: tuple[Stop, ...]
    visits: tuple[Stop, ...]
    meals: tuple[Stop, ...]
    transfers: tuple[Stop, ...]


@dataclass(frozen=True)
class Trip:
    case: Case
    days: tuple[TripDay, ...]

    @property
    def request(self) -> Request:
        return self.case.request

    @property
    def plan(self) -> Plan:
        return self.case.plan or Plan()

    @property
    def budget(self) -> PlanBudget:
        return self.plan.budget or PlanBudget()

    @cached_property
    def stops(self) -> tuple[Stop, ...]:
        return tuple(stop for day in self.days for stop in day.stops)

    @cached_property
    def visits(self) -> tuple[Stop, ...]:
        return tuple(stop for day in self.days for stop in day.visits)

    @cached_property
    def transfers(self) -> tuple[Stop, ...]:
        return tuple(stop for day in self.days for stop in day.transfers)

    @cached_property
    def fallbacks(self) -> tuple[tuple[str, Fallback], ...]:
        """The fallbacks, each with its pointer."""
        given = enumerate(self.plan.fallbacks or ())
        return tuple((f"/plan/fallbacks/{place}", fallback) for place, fallback in given)

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """Every text of the plan that is written for people, uncut, in reading order."""
        return tuple(_words(self))

    @property
    def days_asked(self) -> int | None:
        request = self.request
        first, last = parse_date(request.start_date), parse_date(request.end_date)
        if request.days is None and first and last and first <= last:
            return (last - first).days + 1
        return request.days

    @cached_property
    def follows_the_clock(self) -> bool:
        """Whether at least half of the stops have a time; otherwise only the order given counts."""
        stops = [stop for stop in self.stops if stop.kind != "transport"]
        return 2 * sum(stop.has_time for stop in stops) >= len(stops) > 0


def build_trip(case: Case) -> Trip:
    days = tuple((case.plan.days if case.plan else None) or ())
    given = [day.day for day in days]
    # If numbers are missing or repeated, days are numbered by their position.
    trusted = None not in given and len(set(given)) == len(given)
    return Trip(
        case,
        tuple(
            _trip_day(place, day, (day.day or 0) if trusted else place + 1)
            for place, day in enumerate(days)
        ),
    )


def _trip_day(place: int, day: Day, number: int) -> TripDay:
    pointer = f"/plan/days/{place}"
    stops = tuple(
        _stop(f"{pointer}/items/{index}", item, number)
        for index, item in enumerate(day.items or ())
    )
    visits, meals, transfers = (
        tuple(stop for stop in stops if stop.kind == kind)
        for kind in ("sight", "meal", "transport")
    )
    return TripDay(pointer, number, parse_date(day.date), day, stops, visits, meals, transfers)


def _stop(pointer: str, item: Item, day: int) -> Stop:
    kind: Kind = item.kind or ("transport" if item.transport else "sight")
    return Stop(pointer, item, kind, day, *span(item.start, item.end))


def _words(trip: Trip) -> Iterator[Words]:
    yield from _texts("/plan", ("title", trip.plan.title), ("summary", trip.plan.summary))
    for day in trip.days:
        yield from _texts(day.pointer, ("summary", day.day.summary))
        for stop in day.stops:
            item = stop.item
            place = item.place if item.place != item.title else None
            yield from _texts(
                stop.pointer, ("title", item.title), ("place", place), ("note", item.note)
            )
    for pointer, fallback in trip.fallbacks:
        fields = (("title", fallback.title), ("reason", fallback.reason), ("note", fallback.note))
        yield from _texts(pointer, *fields)
    for index, note in enumerate(trip.plan.notes or ()):
        yield from _texts("/plan/notes", (str(index), note))


# Other fields may hold machine text, wholly or in part.
_ALL_WORDS = ("title", "place", "reason")


def _texts(pointer: str, *fields: tuple[str, str | None]) -> Iterator[Words]:
    for field, text in fields:
        if text and field in _ALL_WORDS:
            yield Words(text, f"{pointer}/{field}")
        elif text:
            for words in sort_note(text).words:
                yield Words(words, f"{pointer}/{field}")
