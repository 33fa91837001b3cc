"""Getting from stop to stop: transfers, buffers, and gaps too short for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..clock import whole
from ..topics import Topic
from .cities import missing_legs
from .legs import Leg, legs_of_day, runs_backwards
from .sentences import Fact, _, between, fact, ngettext, numbers
from .trip import Stop, Trip, TripDay

# Told one by one, the shortest first; the others are counted.
MOST_SHORT_GAPS = 5
LONG_TRANSFER = 60

_BOTH = _(
    "Day %(day)d, %(before)s → %(after)s: %(transfer)d min transfer + %(buffer)d min buffer, "
    "gap %(gap)d min: short by %(short)d min."
)
_WITH_MEAL = _(
    "Day %(day)d, %(before)s → %(after)s: %(transfer)d min transfer + %(buffer)d min buffer "
    "+ %(meal)d min meal, gap %(gap)d min: short by %(short)d min."
)
_TRANSFER = _(
    "Day %(day)d, %(before)s → %(after)s: %(transfer)d min transfer, gap %(gap)d min: "
    "short by %(short)d min."
)
_TRANSFER_WITH_MEAL = _(
    "Day %(day)d, %(before)s → %(after)s: %(transfer)d min transfer + %(meal)d min meal, "
    "gap %(gap)d min: short by %(short)d min."
)
_BUFFER = _(
    "Day %(day)d, %(before)s → %(after)s: %(buffer)d min buffer, gap %(gap)d min: "
    "short by %(short)d min."
)
_BUFFER_WITH_MEAL = _(
    "Day %(day)d, %(before)s → %(after)s: %(buffer)d min buffer + %(meal)d min meal, "
    "gap %(gap)d min: short by %(short)d min."
)
_OVERLAP = _("Day %(day)d: %(after)s starts %(minutes)d min before %(before)s ends.")
# (transfer stated, buffer stated, a meal in the gap)
_SHORT = {
    (True, True, False): _BOTH,
    (True, True, True): _WITH_MEAL,
    (True, False, False): _TRANSFER,
    (True, False, True): _TRANSFER_WITH_MEAL,
    (False, True, False): _BUFFER,
    (False, True, True): _BUFFER_WITH_MEAL,
}


def buffer_facts(trip: Trip) -> Iterator[Fact]:
    legs = [(day, leg) for day in trip.days for leg in legs_of_day(day)]
    yield from _gaps(trip, legs)
    yield from _backwards(trip)
    yield from _stated(trip)
    yield from _long_transfer(trip)
    yield from missing_legs(trip)


def _gaps(trip: Trip, legs: list[tuple[TripDay, Leg]]) -> Iterator[Fact]:
    known = [leg for day, leg in legs if leg.gap is not None and leg.states_something]
    if known:
        yield fact(
            Topic.BUFFERS,
            "gaps",
            _(
                "Gaps between stops that hold their own transfer, buffer and meal: "
                "%(fit)d of %(gaps)d."
            ),
            fit=sum(not leg.short_by for leg in known),
            gaps=len(known),
        )
    short = [(day, leg) for day, leg in legs if leg.short_by]
    worst = sorted(short, key=lambda one: -one[1].short_by)[:MOST_SHORT_GAPS]
    chosen = {leg.after_pointer for day, leg in worst}
    stops = {stop.pointer: stop for stop in trip.stops} if chosen else {}
    for day, leg in short:
        if leg.after_pointer in chosen:
            yield _short_gap(day, leg, stops)
    others = [(day, leg) for day, leg in short if leg.after_pointer not in chosen]
    if others:
        by = [leg.short_by for day, leg in others]
        yield fact(
            Topic.BUFFERS,
            "more-short-gaps",
            ngettext(
                "More short gaps: %(more)d, by %(short)s min (day %(days)s).",
                "More short gaps: %(more)d, by %(short)s min (days %(days)s).",
            ),
            [leg.after_pointer for day, leg in others],
            more=len(others),
            count=len({day.number for day, leg in others}),
            short=between(min(by), max(by)),
            days=numbers(day.number for day, leg in others),
        )


def _short_gap(day: TripDay, leg: Leg, stops: dict[str, Stop]) -> Fact:
    before, after = stops[leg.before_pointer], stops[leg.after_pointer]
    gap = leg.gap or 0
    stated = (leg.transfer is not None, leg.buffer is not None, leg.lunch > 0)
    return fact(
        Topic.BUFFERS,
        f"short-gap:{leg.after_pointer}",
        _OVERLAP if gap < 0 else _SHORT[stated],
        (before.pointer, after.pointer),
        day=day.number,
        before=before.name,
        after=after.name,
        transfer=leg.transfer or 0,
        buffer=leg.buffer or 0,
        meal=leg.lunch,
        gap=gap,
        short=leg.short_by,
        minutes=-gap,
    )


def _backwards(trip: Trip) -> Iterator[Fact]:
    found = []
    for day in trip.days:
        timed = [stop for stop in day.stops if stop.start is not None]
        found += [(day, later) for one, later in pairwise(timed) if runs_backwards(one, later)]
    if found:
        yield fact(
            Topic.BUFFERS,
            "times-run-backwards",
            ngettext(
                "On day %(days)s the times do not follow the order given.",
                "On days %(days)s the times do not follow the order given.",
            ),
            [stop.pointer for day, stop in found],
            count=len({day.number for day, stop in found}),
            days=numbers(day.number for day, stop in found),
        )


def _stated(trip: Trip) -> Iterator[Fact]:
    buffers = [whole(b) for v in trip.visits if (b := v.item.buffer_minutes) is not None]
    if buffers:
        yield fact(
            Topic.BUFFERS,
            "buffers",
            _("Visits with a stated buffer: %(stated)d of %(visits)d (%(minutes)s min)."),
            stated=len(buffers),
            visits=len(trip.visits),
            minutes=between(min(buffers), max(buffers)),
        )
    elif trip.visits:
        yield fact(Topic.BUFFERS, "buffers", _("No visit states a buffer."))
    moves = [transfers for day in trip.days for transfers in _moves(day)]
    without = sum(not any(_minutes(stop) is not None for stop in move) for move in moves)
    if without:
        yield fact(
            Topic.BUFFERS,
            "transfers",
            _("Moves between visits without stated minutes: %(without)d of %(moves)d."),
            without=without,
            moves=len(moves),
        )


def _moves(day: TripDay) -> Iterator[list[Stop]]:
    """The transfers between each visit and the next, in the order given."""
    transfers: list[Stop] = []
    seen = False
    for stop in day.stops:
        if stop.kind == "transport":
            transfers.append(stop)
        elif stop.kind == "sight":
            if seen:
                yield transfers
            seen, transfers = True, []


def _minutes(stop: Stop) -> float | None:
    return stop.item.transport.minutes if stop.item.transport else None


def _long_transfer(trip: Trip) -> Iterator[Fact]:
    longest = max(trip.transfers, key=lambda stop: _minutes(stop) or 0, default=None)
    minutes = whole(_minutes(longest) or 0) if longest else 0
    if longest and minutes >= LONG_TRANSFER:
        yield fact(
            Topic.BUFFERS,
            "longest-transfer",
            _("Longest transfer: %(minutes)d min, %(transfer)s, day %(day)d."),
            (longest.pointer,),
            minutes=minutes,
            transfer=longest.name,
            day=longest.day,
        )
