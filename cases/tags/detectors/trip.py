"""Find when the trip is, how long it lasts, and the dates in a text."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from cases.itinerary.format import Plan, Request

from .wording import latin


class Stay(NamedTuple):
    start: datetime.date
    end: datetime.date


def asked_stay(request: Request) -> Stay | None:
    start, end = _date(request.start_date), _date(request.end_date)
    if not start and not end:
        return None
    more = datetime.timedelta(days=(request.days or 1) - 1)
    try:
        start = start or (end - more if end else None)
        end = end or (start + more if start else None)
    except OverflowError:  # before the year 1 or after 9999
        start = end = start or end
    return Stay(start, max(start, end)) if start and end else None


def planned_stay(plan: Plan | None) -> Stay | None:
    days = plan.days if plan else None
    start = _date(days[0].date) if days else None
    end = _date(days[-1].date) if days else None
    return Stay(start, max(start, end or start)) if start else None


def asked_days(request: Request) -> int | None:
    if request.days:
        return request.days
    start, end = _date(request.start_date), _date(request.end_date)
    return (end - start).days + 1 if start and end and start <= end else None


def _date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError:
        return None


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_NUMBERS = latin(
    r"""(?<!\d) ((?:19|20)\d\d)
    (?: [-/.](\d{1,2})[-/.](\d{1,2}) (?!\d) | 年(\d{1,2})月(\d{1,2})[日号號] )"""
)
_NAMES = latin(
    rf"\b {_MONTH} \s+ (?P<day>\d{{1,2}}) (?:st|nd|rd|th)? ,? \s+ (?P<year>(?:19|20)\d\d) \b"
)
_DAY_FIRST = latin(
    rf"\b (?P<day>\d{{1,2}}) (?:st|nd|rd|th)? \s+ (?:of\s+)? {_MONTH} ,? \s+"
    r" (?P<year>(?:19|20)\d\d) \b"
)


def dates_in(low: str) -> Iterator[datetime.date]:
    """Yield the dates that have a year. Not all of them need be dates of the trip."""
    if "20" not in low and "19" not in low:
        return
    for match in _NUMBERS.finditer(low):
        year, month, day = (int(part) for part in match.groups() if part)
        yield from _real(year, month, day)
    for match in (*_NAMES.finditer(low), *_DAY_FIRST.finditer(low)):
        month = _MONTHS.index(match["month"][:3]) + 1
        yield from _real(int(match["year"]), month, int(match["day"]))


def _real(year: int, month: int, day: int) -> Iterator[datetime.date]:
    try:
        yield datetime.date(year, month, day)
    except ValueError:
        return
