"""Facts about pace: how full the days are, and when they begin and end."""

from __future__ import annotations

from collections.abc import Iterator

from cases.itinerary.clock import DAY, format_clock, whole

from .sentences import Fact, Words, _, between, fact, ngettext, numbers
from .topics import Topic
from .transfers import minutes_of_transfer
from .trip import Stop, Trip, TripDay

AFTERNOON = 15 * 60
FREE = 120


def pace_facts(trip: Trip) -> Iterator[Fact]:
    if trip.stops:
        yield _visits_per_day(trip)
        yield from _days_without_visit(trip)
        yield from _first_and_last(trip)
        yield from _over_early(trip)
        yield from _free(trip)
    elif not _asked(trip):
        yield fact(Topic.PACE, "pace-none", _("The request states no pace and no kind of group."))


def _asked(trip: Trip) -> tuple[Words, ...]:
    request = trip.request
    stated = (("pace", request.pace), ("group_type", request.group_type))
    return tuple(Words(value, f"/request/{field}") for field, value in stated if value)


def _visits_per_day(trip: Trip) -> Fact:
    visits = [len(day.visits) for day in trip.days]
    asked = _asked(trip)
    message = (
        _("Visits per day: %(visits)s. Asked: %(asked)s.")
        if asked
        else _("Visits per day: %(visits)s. The request states no pace and no kind of group.")
    )
    return fact(
        Topic.PACE,
        "visits-per-day",
        message,
        visits=between(min(visits), max(visits)),
        asked=asked,
    )


def _days_without_visit(trip: Trip) -> Iterator[Fact]:
    without = [day for day in trip.days if not day.visits]
    if without:
        yield fact(
            Topic.PACE,
            "days-without-visit",
            ngettext("No visit on day %(days)s.", "No visit on days %(days)s."),
            [day.pointer for day in without],
            count=len(without),
            days=numbers(day.number for day in without),
        )


def _first_and_last(trip: Trip) -> Iterator[Fact]:
    stops = [stop for stop in trip.stops if stop.window]
    if not stops or not trip.follows_the_clock:
        return
    first = min(stops, key=lambda stop: stop.start or 0)
    last = max(stops, key=lambda stop: stop.end or 0)
    message = (
        _("Earliest start %(first)s (day %(first_day)d), latest end %(last)s (day %(last_day)d).")
        if (last.end or 0) <= DAY
        else _(
            "Earliest start %(first)s (day %(first_day)d), latest end %(last)s after midnight "
            "(day %(last_day)d)."
        )
    )
    yield fact(
        Topic.PACE,
        "first-and-last",
        message,
        (first.pointer, last.pointer),
        first=format_clock(first.start or 0),
        first_day=first.day,
        last=format_clock(last.end or 0),
        last_day=last.day,
    )


def end_of_visits(day: TripDay) -> int | None:
    """Return when the last visit ends; None if no visit has an end."""
    return max((visit.end for visit in day.visits if visit.end is not None), default=None)


def _over_early(trip: Trip) -> Iterator[Fact]:
    ends = [(day, end) for day in trip.days if (end := end_of_visits(day)) is not None]
    early = [day for day, end in ends if end < AFTERNOON]
    if early:
        yield fact(
            Topic.PACE,
            "over-before-15",
            ngettext(
                "Days whose last visit ends before 15:00: %(count)d of %(total)d (day %(days)s).",
                "Days whose last visit ends before 15:00: %(count)d of %(total)d (days %(days)s).",
            ),
            [day.pointer for day in early],
            count=len(early),
            total=len(ends),
            days=numbers(day.number for day in early),
        )


def _free(trip: Trip) -> Iterator[Fact]:
    found = [gap for day in trip.days for gap in _free_gaps(day)]
    if found:
        longest = max(minutes for stop, minutes in found)
        yield fact(
            Topic.PACE,
            "free",
            ngettext(
                "Two hours or more are free on day %(days)s; the longest gap is %(minutes)d min.",
                "Two hours or more are free on days %(days)s; the longest gap is %(minutes)d min.",
            ),
            [stop.pointer for stop, minutes in found],
            count=len({stop.day for stop, minutes in found}),
            days=numbers(stop.day for stop, minutes in found),
            minutes=longest,
        )


def _free_gaps(day: TripDay) -> Iterator[tuple[Stop, int]]:
    """Yield the stop after each gap, and the minutes that transfers and buffer leave free."""
    reached: int | None = None
    taken = 0.0
    for stop in day.stops:
        if stop.window:
            start, end = stop.window
            free = 0 if reached is None else start - reached - whole(_with_buffer(stop, taken))
            if free >= FREE:
                yield stop, free
            reached = max(end, reached or 0)
            taken = 0.0
        elif stop.kind == "transport":
            taken += minutes_of_transfer(stop) or 0


def _with_buffer(stop: Stop, taken: float) -> float:
    return taken + (stop.item.buffer_minutes or 0)
