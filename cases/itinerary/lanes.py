"""Draw days as lanes: bars on a scale of hours, or beads for stops without times."""

from __future__ import annotations

import datetime
from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from cases.facts.sentences import Words, quoted
from cases.facts.transfers import Window, list_meals, meals_inside
from cases.facts.trip import Stop, TripDay, build_trip

from .clock import DAY, whole
from .format import Case

FIRST_HOUR, LAST_HOUR = 8, 22
# The length of a bar if only one time of the stop is known.
UNKNOWN_LENGTH = 30
# More rows could not be seen; further bars overlap in the last row.
MOST_ROWS = 4

BarKind = Literal["visit", "transfer", "buffer", "meal", "rest", "hotel", "other"]

_KINDS: dict[str, BarKind] = {
    "sight": "visit",
    "transport": "transfer",
    "meal": "meal",
    "rest": "rest",
    "hotel": "hotel",
    "other": "other",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, in minutes since midnight, within the scale.

    `is_cut`: it goes on past the scale, mostly into the next day. `is_open`: a time is missing, so
    its length is only drawn.
    """

    start_minute: int
    end_minute: int
    kind: BarKind
    row: int
    pointer: str
    is_cut: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Bead:
    """Consecutive stops without a time in one city; a stop without a city is a bead of its own.

    `words` is the city, or the name of the stop.
    """

    words: Words
    pointers: tuple[str, ...]

    def __str__(self) -> str:
        return self.words.text


@dataclass(frozen=True, slots=True)
class Lane:
    """A day. `beads` are for all stops if there is no scale, otherwise for those without a time."""

    day_pointer: str
    number: int
    date: datetime.date | None
    bars: tuple[Bar, ...]
    beads: tuple[Bead, ...]

    @property
    def rows(self) -> int:
        return 1 + max((bar.row for bar in self.bars), default=0)


@dataclass(frozen=True, slots=True)
class Lanes:
    """All days. `timed`: there is a scale from the first hour to the last, and lanes have bars."""

    first_hour: int
    last_hour: int
    timed: bool
    lanes: tuple[Lane, ...]


def build_lanes(case: Case) -> Lanes:
    trip = build_trip(case)
    timed = trip.follows_the_clock
    drawn = [list(_bars(day)) if timed else [] for day in trip.days]
    first, last = _scale([bar for bars in drawn for bar in bars])
    return Lanes(
        first,
        last,
        timed,
        tuple(
            Lane(
                day.pointer,
                day.number,
                day.date,
                tuple(_in_rows(_within(bars, 60 * first, 60 * last))),
                tuple(_beads(day, timed)),
            )
            for day, bars in zip(trip.days, drawn, strict=True)
        ),
    )


def _bars(day: TripDay) -> Iterator[Bar]:
    """Yield a bar for each timed stop, before it its buffer, and before that its transfers."""
    waiting: list[Stop] = []
    meals = list_meals(day)
    before: int | None = None
    for stop in day.stops:
        window = _drawn(stop)
        if window is None:
            if stop.kind == "transport":
                waiting.append(stop)
            continue
        start, end = window
        yield Bar(start, end, _KINDS[stop.kind], 0, stop.pointer, is_open=stop.window is None)
        if stop.kind != "meal":
            inside = [] if before is None else list(meals_inside(before, start, meals))
            yield from _leading_to(stop, start, waiting, inside)
            waiting, before = [], end


def _drawn(stop: Stop) -> tuple[int, int] | None:
    if stop.window:
        return stop.window
    if stop.start is not None:
        return stop.start, stop.start + UNKNOWN_LENGTH
    if stop.end is not None:
        return max(0, stop.end - UNKNOWN_LENGTH), stop.end
    return None


def _leading_to(
    stop: Stop, start: int, transfers: list[Stop], meals: list[Window]
) -> Iterator[Bar]:
    """Place bars backwards from the start of the stop, past the meals on the way.

    So what lies over the stop before is as long as the leg is short. Nothing is drawn before
    midnight.
    """
    pieces = [(stop.pointer, stop.item.buffer_minutes, "buffer")]
    for transfer in reversed(transfers):
        stated = transfer.item.transport.minutes if transfer.item.transport else None
        pieces.append((transfer.pointer, stated, "transfer"))
    reached = start
    for pointer, stated, kind in pieces:
        minutes = whole(stated or 0)
        for first, last in reversed(meals):
            if first < reached and reached - minutes < last:
                reached = first
        if minutes and reached > 0:
            begin = max(0, reached - minutes)
            yield Bar(begin, reached, "buffer" if kind == "buffer" else "transfer", 0, pointer)
            reached = begin


def _scale(bars: list[Bar]) -> tuple[int, int]:
    """Return the first and last hour of the scale: 8 to 22, or more if stops need it."""
    first = min((bar.start_minute // 60 for bar in bars), default=FIRST_HOUR)
    last = max((-(-bar.end_minute // 60) for bar in bars), default=LAST_HOUR)
    return min(FIRST_HOUR, first), min(24, max(LAST_HOUR, last))


def _within(bars: list[Bar], first: int, last: int) -> Iterator[Bar]:
    for bar in bars:
        if bar.end_minute > last:
            start = min(bar.start_minute, last)
            yield replace(bar, start_minute=start, end_minute=last, is_cut=True)
        else:
            yield bar


def _in_rows(bars: Iterator[Bar]) -> list[Bar]:
    """Assign rows: visits first, so that they get the first row; the others where there is room."""
    rows: list[list[tuple[int, int]]] = [[] for _row in range(MOST_ROWS)]
    placed = []
    in_turn = sorted(bars, key=lambda bar: (bar.kind != "visit", bar.start_minute, bar.end_minute))
    for bar in in_turn:
        # A bar of no duration still takes some room.
        window = bar.start_minute, max(bar.end_minute, bar.start_minute + 1)
        free = (row for row, taken in enumerate(rows) if _has_room(taken, window))
        row = next(free, None)
        if row is not None:
            insort(rows[row], window)
        placed.append(replace(bar, row=MOST_ROWS - 1 if row is None else row))
    return sorted(placed, key=lambda bar: (bar.start_minute, bar.row))


def _has_room(taken: list[tuple[int, int]], window: tuple[int, int]) -> bool:
    """Whether a bar fits in. `taken` is sorted and has no overlaps, so only neighbours matter."""
    place = bisect_left(taken, window)
    before_ends = taken[place - 1][1] if place else 0
    after_starts = taken[place][0] if place < len(taken) else 2 * DAY
    return before_ends <= window[0] and window[1] <= after_starts


def _beads(day: TripDay, timed: bool) -> Iterator[Bead]:
    runs: list[tuple[Words, list[str]]] = []
    for stop in day.stops:
        if timed and (stop.has_time or stop.kind == "transport"):
            continue
        city = _city(stop)
        if city and runs and runs[-1][0].text == city.text:
            runs[-1][1].append(stop.pointer)
        elif city or stop.kind != "transport":
            runs.append((city or stop.name, [stop.pointer]))
    return (Bead(words, tuple(pointers)) for words, pointers in runs)


def _city(stop: Stop) -> Words | None:
    """Return the end of a transfer or the place of a stop, unless it only repeats the title."""
    item = stop.item
    if stop.kind == "transport":
        arrival = item.transport.to if item.transport else None
        return quoted(arrival, f"{stop.pointer}/transport/to") if arrival else None
    if item.place and item.place.strip() and item.place != item.title:
        return quoted(item.place, f"{stop.pointer}/place")
    return None
