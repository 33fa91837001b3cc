"""Facts about transfers and buffers between timed stops, and gaps that are too short for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cases.itinerary.clock import whole
from cases.itinerary.format import Case

from .places import missing_legs
from .sentences import Fact, _, between, fact, ngettext, numbers
from .topics import Topic
from .trip import Stop, Trip, TripDay, build_trip

Window = tuple[int, int]

# Further meals of a day are ignored, so that the cost stays linear.
MOST_MEALS = 12


@dataclass(frozen=True, slots=True)
class Leg:
    """The way from one stop to the next, in whole minutes; None: not stated.

    `gap` is negative if the next stop starts before this one ends, and None if a time is missing
    or the times of the day are not in order. `lunch` counts the minutes in the gap of any meal
    that is mostly in the gap.
    """

    before_pointer: str
    after_pointer: str
    transfer: int | None
    buffer: int | None
    lunch: int
    gap: int | None
    short_by: int
    mode: str | None

    @property
    def states_something(self) -> bool:
        return self.transfer is not None or self.buffer is not None


def list_legs(case: Case) -> tuple[tuple[Leg, ...], ...]:
    """List the legs of each day of the plan."""
    return tuple(list_legs_of_day(day) for day in build_trip(case).days)


def list_legs_of_day(day: TripDay) -> tuple[Leg, ...]:
    ends = _ends(day)
    meals = list_meals(day)
    return tuple(
        _leg(day.stops[before], day.stops[before + 1 : after], day.stops[after], meals)
        for before, after in pairwise(ends)
    )


def list_meals(day: TripDay) -> list[Window]:
    return sorted(meal.window for meal in day.meals if meal.window)[:MOST_MEALS]


def _ends(day: TripDay) -> list[int]:
    """Return the positions of the stops between which legs run.

    A transfer with times, such as a flight, counts if the day begins or ends with it.
    """
    timed = [place for place, stop in enumerate(day.stops) if stop.has_time and stop.kind != "meal"]
    fixed = [place for place in timed if day.stops[place].kind != "transport"]
    if not fixed:
        return timed
    return [
        place
        for place in timed
        if day.stops[place].kind != "transport" or not fixed[0] < place < fixed[-1]
    ]


def _leg(before: Stop, between: tuple[Stop, ...], after: Stop, meals: list[Window]) -> Leg:
    transfers = [stop for stop in between if stop.kind == "transport"]
    transfer = _transfer(transfers)
    buffer = _buffer(transfers, after)
    gap, lunch = None, 0
    if before.end is not None and after.start is not None and not runs_backwards(before, after):
        gap = after.start - before.end
        lunch = _minutes_inside(before.end, after.start, meals)
    needed = (transfer or 0) + (buffer or 0) + lunch
    modes = {stop.item.transport.mode for stop in transfers if stop.item.transport}
    return Leg(
        before_pointer=before.pointer,
        after_pointer=after.pointer,
        transfer=transfer,
        buffer=buffer,
        lunch=lunch,
        gap=gap,
        short_by=0 if gap is None else max(0, needed - gap),
        mode=modes.pop() if len(modes) == 1 else None,
    )


def runs_backwards(before: Stop, after: Stop) -> bool:
    return before.start is not None and after.start is not None and after.start < before.start


def _transfer(transfers: list[Stop]) -> int | None:
    minutes = [took for took in map(minutes_of_transfer, transfers) if took is not None]
    return whole(sum(minutes)) if minutes else None


def minutes_of_transfer(stop: Stop) -> float | None:
    stated = stop.item.transport.minutes if stop.item.transport else None
    if stated is None and stop.window:
        return stop.window[1] - stop.window[0]
    return stated


def _buffer(transfers: list[Stop], after: Stop) -> int | None:
    """Return the buffer of the visit; a buffer stated with its transfer is the same one."""
    own = after.item.buffer_minutes
    if own is not None:
        return whole(own)
    others = [stop.item.buffer_minutes for stop in transfers]
    stated = [minutes for minutes in others if minutes is not None]
    return whole(max(stated)) if stated else None


def meals_inside(start: int, end: int, meals: list[Window]) -> Iterator[Window]:
    """Yield the meals that are mostly within the window, cut to it. `meals` is sorted."""
    for first, last in meals:
        inside = max(first, start), min(last, end)
        if 2 * (inside[1] - inside[0]) > last - first:
            yield inside


def _minutes_inside(start: int, end: int, meals: list[Window]) -> int:
    """Count the minutes of meals in the window; where meals overlap, minutes count once."""
    total, reached = 0, start
    for first, last in meals_inside(start, end, meals):
        total += max(0, last - max(first, reached))
        reached = max(reached, last)
    return total


# The worst gaps get a fact each; the others are counted.
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
    legs = [(day, leg) for day in trip.days for leg in list_legs_of_day(day)]
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
    worst = sorted(short, key=lambda day_leg: -day_leg[1].short_by)[:MOST_SHORT_GAPS]
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
        found += [(day, stop) for before, stop in pairwise(timed) if runs_backwards(before, stop)]
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
    """Yield the transfers between each visit and the next, in the order given."""
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
