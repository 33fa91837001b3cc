"""The plan's dates against Spring Festival, the one peak whose dates move from year to year."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..topics import Topic
from .sentences import Fact, _, fact, ngettext
from .trip import Trip

_NAMED = re.compile(
    r"春节|春節|过年|過年|除夕|新春|\b(?:Spring Festival|(?:Chinese|Lunar) New Year)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """`first_day` of Spring Festival in a year, or None; days around it that count as its time."""

    first_day: Callable[[int], datetime.date | None]
    days_before: int
    days_after: int


def peak_facts(trip: Trip, calendar: Calendar) -> Iterator[Fact]:
    dates = [day.date for day in trip.days if day.date]
    if not dates:
        return
    start, end = min(dates), max(dates)
    first = calendar.first_day(start.year)
    if first is None:
        return
    near = first - datetime.timedelta(
        calendar.days_before
    ) <= end and start <= first + datetime.timedelta(calendar.days_after)
    if not near and not _NAMED.search(trip.request.text):
        return
    refs = [day.pointer for day in trip.days if day.date in (start, end)]
    if start <= first <= end:
        message = _("Spring Festival begins during the plan, on %(first)s.")
        yield fact(Topic.GENERAL, "spring-festival", message, refs, first=first)
    elif end < first:
        yield fact(
            Topic.GENERAL, "spring-festival", _BEFORE, refs, first=first, count=(first - end).days
        )
    else:
        yield fact(
            Topic.GENERAL, "spring-festival", _AFTER, refs, first=first, count=(start - first).days
        )


_BEFORE = ngettext(
    "The plan ends %(count)d day before Spring Festival begins (%(first)s).",
    "The plan ends %(count)d days before Spring Festival begins (%(first)s).",
)
_AFTER = ngettext(
    "The plan starts %(count)d day after Spring Festival began (%(first)s).",
    "The plan starts %(count)d days after Spring Festival began (%(first)s).",
)
