"""From one timed stop of a day to the next: what it takes against what there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..clock import whole
from ..document import Case
from .trip import Stop, TripDay, trip_of

Window = tuple[int, int]

# More meals in a day than this are no meals; it keeps the cost linear.
MOST_MEALS = 12


@dataclass(frozen=True, slots=True)
class Leg:
    """Whole minutes. None: not stated.

    `gap` is negative when the next stop starts before this one ends, and None when a time is
    missing or the day is not in the order of its times. `lunch` is of any meal that lies mostly in
    the gap, as far as it lies in the gap; what lies over a visit is another matter.
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


def legs_of(case: Case) -> tuple[tuple[Leg, ...], ...]:
    """One tuple for each day of the plan."""
    return tuple(legs_of_day(day) for day in trip_of(case).days)


def legs_of_day(day: TripDay) -> tuple[Leg, ...]:
    ends = _ends(day)
    meals = meals_of(day)
    return tuple(
        _leg(day.stops[before], day.stops[before + 1 : after], day.stops[after], meals)
        for before, after in pairwise(ends)
    )


def meals_of(day: TripDay) -> list[Window]:
    return sorted(meal.window for meal in day.meals if meal.window)[:MOST_MEALS]


def _ends(day: TripDay) -> list[int]:
    """Places of the stops that legs run between.

    A transfer with times, like a flight, is one when the day begins or ends with it.
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
    """Of the visit it belongs to. What its transfer states as well is the same buffer."""
    own = after.item.buffer_minutes
    if own is not None:
        return whole(own)
    others = [stop.item.buffer_minutes for stop in transfers]
    stated = [minutes for minutes in others if minutes is not None]
    return whole(max(stated)) if stated else None


def meals_inside(start: int, end: int, meals: list[Window]) -> Iterator[Window]:
    """The meals that lie mostly between the two, as far as they do. `meals` is sorted."""
    for first, last in meals:
        inside = max(first, start), min(last, end)
        if 2 * (inside[1] - inside[0]) > last - first:
            yield inside


def _minutes_inside(start: int, end: int, meals: list[Window]) -> int:
    """Where two meals overlap, their minutes count once."""
    total, reached = 0, start
    for first, last in meals_inside(start, end, meals):
        total += max(0, last - max(first, reached))
        reached = max(reached, last)
    return total
