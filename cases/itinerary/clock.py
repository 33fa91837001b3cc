"""Times of day as whole minutes since midnight."""

from __future__ import annotations

import datetime
import math

DAY = 24 * 60


def parse_clock(clock: str | None) -> int | None:
    """Convert "HH:MM" or "24:00", which the format has checked, to minutes."""
    if clock is None:
        return None
    return int(clock[:2]) * 60 + int(clock[3:])


def span(start: str | None, end: str | None) -> tuple[int | None, int | None]:
    """Convert start and end; an end before its start is on the next day: 23:10 to 00:40."""
    first, last = parse_clock(start), parse_clock(end)
    if first is not None and last is not None and last < first:
        last += DAY
    return first, last


def format_clock(minute: int) -> str:
    """Format minutes as a time: 1480 is 00:40; only midnight at the end of a day is 24:00."""
    if minute > DAY:
        minute %= DAY
    return f"{minute // 60:02}:{minute % 60:02}"


def whole(minutes: float) -> int:
    """Round down to whole minutes, as plans do with their clock times.

    Rounded up, half of the gaps that a planner had made to fit would be "short by 1".
    """
    return math.floor(minutes + 1e-6)


def parse_date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError:
        return None
