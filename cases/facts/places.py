"""Facts about places: journeys that do not lead to the next stop, and visits on closing days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cases.itinerary.notes import closing_weekdays, sort_note

from .names import APART, is_written_with_gaps, names, normal
from .sentences import Fact, Words, _, fact, ngettext, numbers, quoted
from .topics import Topic
from .trip import Stop, Trip, TripDay

# Further journeys of a day are ignored, so that the cost stays linear.
MOST_JOURNEYS = 12


@dataclass(frozen=True, slots=True)
class _Cities:
    """The cities of a day, from the texts of its stops and from both ends of its journeys."""

    day: TripDay
    stops: tuple[Stop, ...]
    words: str
    left: frozenset[str]
    reached: frozenset[str]

    def have_a_stop_in(self, city: str) -> bool:
        return names(self.words, city)


def missing_legs(trip: Trip) -> Iterator[Fact]:
    known = find_cities(trip)
    if not known:
        return
    yesterday: _Cities | None = None
    home = normal(trip.request.origin)
    for day in trip.days:
        today = _cities(day, known)
        for stop in day.transfers[:MOST_JOURNEYS]:
            if normal(_to(stop)) != home:
                yield from _arrival(today, stop)
            if yesterday and normal(_from(stop)) != home:
                yield from _departure(yesterday, today, stop)
        yesterday = today


def find_cities(trip: Trip) -> set[str]:
    """Return the places that stops with different titles share."""
    sharing: dict[str, set[str]] = {}
    for stop in trip.stops:
        if stop.kind != "transport" and stop.item.place:
            sharing.setdefault(stop.item.place, set()).add(stop.item.title or "")
    return {place for place, titles in sharing.items() if len(titles) > 1 and place.strip()}


def _cities(day: TripDay, known: set[str]) -> _Cities:
    texts = [text for stop in day.stops if stop.kind != "transport" for text in stop.texts]
    return _Cities(
        day,
        tuple(s for s in day.stops if s.kind != "transport" and s.item.place in known),
        APART.join(texts),
        frozenset(normal(_from(stop)) for stop in day.transfers),
        frozenset(normal(_to(stop)) for stop in day.transfers),
    )


def _arrival(today: _Cities, transfer: Stop) -> Iterator[Fact]:
    city = _to(transfer)
    if not city or today.have_a_stop_in(city) or normal(city) in today.left:
        return
    # A journey that leaves the city of the day's stops comes at the end of the day.
    if today.have_a_stop_in(_from(transfer)):
        return
    if today.stops:
        after = next((s for s in today.stops if _index(s) > _index(transfer)), today.stops[-1])
        if are_alike(city, after.item.place or ""):
            return
        yield fact(
            Topic.BUFFERS,
            f"no-leg:{transfer.pointer}",
            _("Day %(day)d arrives in %(city)s; the next stop is in %(next)s; no leg is given."),
            (transfer.pointer, after.pointer),
            day=today.day.number,
            city=quoted(city, f"{transfer.pointer}/transport/to"),
            next=_place(after),
        )


def _departure(yesterday: _Cities, today: _Cities, transfer: Stop) -> Iterator[Fact]:
    city = _from(transfer)
    if not city or today.have_a_stop_in(city) or not yesterday.stops:
        return
    last = yesterday.stops[-1]
    is_reached = normal(city) in yesterday.reached | today.reached
    if not is_reached and not are_alike(city, last.item.place or ""):
        yield fact(
            Topic.BUFFERS,
            f"no-leg-to:{transfer.pointer}",
            _("Day %(day)d leaves from %(city)s; the stop before is in %(last)s; no leg is given."),
            (last.pointer, transfer.pointer),
            day=today.day.number,
            city=quoted(city, f"{transfer.pointer}/transport/from"),
            last=_place(last),
        )


def are_alike(city: str, place: str) -> bool:
    """Whether one name contains the other or both begin alike: New Salt City, New Salt Station."""
    if names(city, place) or names(place, city):
        return True
    if is_written_with_gaps(city):
        first, second = (text.casefold().split()[:2] for text in (city, place))
        return len(first) == 2 and first == second
    return city[:2] == place[:2]


def _index(stop: Stop) -> int:
    return int(stop.pointer.rpartition("/")[2])


def _place(stop: Stop) -> Words:
    return quoted(stop.item.place or "", f"{stop.pointer}/place")


def _from(stop: Stop) -> str:
    return (stop.item.transport.from_ or "").strip() if stop.item.transport else ""


def _to(stop: Stop) -> str:
    return (stop.item.transport.to or "").strip() if stop.item.transport else ""


MOST_CLOSED = 5


def closed_facts(trip: Trip) -> Iterator[Fact]:
    closed = [
        (day, visit, rule)
        for day in trip.days
        if day.date
        for visit in day.visits
        if (rule := _rule(visit, day.date.weekday()))
    ]
    for day, visit, rule in closed[:MOST_CLOSED]:
        yield fact(
            Topic.GENERAL,
            f"closed:{visit.pointer}",
            _("Day %(day)d is %(date)s; the note on %(visit)s says: %(rule)s."),
            (visit.pointer,),
            day=day.number,
            date=day.date or "",
            visit=visit.name,
            rule=rule,
        )
    others = closed[MOST_CLOSED:]
    if others:
        yield fact(
            Topic.GENERAL,
            "closed-more",
            ngettext(
                "More visits on a weekday that their notes call closed: %(more)d (day %(days)s).",
                "More visits on a weekday that their notes call closed: %(more)d (days %(days)s).",
            ),
            [visit.pointer for day, visit, rule in others],
            more=len(others),
            count=len({day.number for day, visit, rule in others}),
            days=numbers(day.number for day, visit, rule in others),
        )


def _rule(visit: Stop, weekday: int) -> Words | None:
    """Return the words of the note that says the place is closed on this weekday."""
    notes = sort_note(visit.item.note)
    pointer = f"{visit.pointer}/note"
    for badge in notes.badges:
        if weekday in badge.weekdays:
            return quoted(badge.text, pointer)
    for words in notes.words:
        if weekday in closing_weekdays(words):
            return quoted(words, pointer)
    return None
