"""General facts: whether there is a plan, for which days, with times, at a peak season."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cases.itinerary.language import detect_language
from cases.itinerary.notes import sort_note

from .names import normal
from .places import closed_facts
from .sentences import Fact, _, fact, ngettext, numbers, quoted, several
from .topics import Topic
from .trip import Stop, Trip

_NO_PLAN = {
    "clarifying": _("There is no plan: the product asked back (status “clarifying”)."),
    "error": _("There is no plan: the product failed (status “error”)."),
    "empty": _("There is no plan: the product delivered nothing (status “empty”)."),
    "done": _("There is no plan, although its status is “done”."),
}
_STATUS = {
    "clarifying": _("The product asked back (status “clarifying”); the plan may not be final."),
    "error": _("The product failed (status “error”); the plan may not be final."),
    "empty": _("The product says that it delivered nothing (status “empty”)."),
}
_PEAK = re.compile(
    r"春节|国庆|黄金周|五一|元旦|中秋|端午|"
    r"\b(?:Spring Festival|Chinese New Year|Lunar New Year|Golden Week|Christmas|Easter|"
    r"Thanksgiving)\b",
    re.IGNORECASE,
)
# This many texts are enough to detect the language of a plan.
_SAMPLE = 40


def general_facts(trip: Trip) -> Iterator[Fact]:
    if trip.stops:
        if trip.plan.status in _STATUS:
            yield fact(Topic.GENERAL, "status", _STATUS[trip.plan.status])
        yield _days(trip)
        yield from _dates(trip)
        yield from _times(trip)
        yield from _nights(trip)
        yield from _more_than_once(trip)
        yield from closed_facts(trip)
        yield from _languages(trip)
    else:
        yield from _no_plan(trip)


def _no_plan(trip: Trip) -> Iterator[Fact]:
    message = _NO_PLAN.get(trip.plan.status or "", _("There is no plan."))
    yield fact(Topic.GENERAL, "no-plan", message)
    if words := " ".join(sort_note(trip.plan.summary).words).strip():
        yield fact(
            Topic.GENERAL,
            "no-plan-words",
            _("In the product's words: %(summary)s"),
            summary=quoted(words, "/plan/summary"),
        )
    if not trip.request.destination and trip.days_asked is None:
        yield fact(
            Topic.GENERAL, "asked", _("The request states no destination and no number of days.")
        )
    elif not trip.request.destination:
        yield fact(Topic.GENERAL, "asked", _("The request states no destination."))
    elif trip.days_asked is None:
        yield fact(Topic.GENERAL, "asked", _("The request states no number of days."))


def _days(trip: Trip) -> Fact:
    asked = trip.days_asked
    if asked is None:
        return fact(
            Topic.GENERAL,
            "days",
            _("The request states no number of days; planned: %(planned)d."),
            planned=len(trip.days),
        )
    return fact(
        Topic.GENERAL,
        "days",
        _("Days asked: %(asked)d; planned: %(planned)d."),
        asked=asked,
        planned=len(trip.days),
    )


def _dates(trip: Trip) -> Iterator[Fact]:
    """Compare the start of the plan with the date or the holiday that the request names."""
    planned = next((day for day in trip.days if day.date), None)
    peak = _PEAK.search(trip.request.text)
    asked = trip.request.start_date
    refs = (planned.pointer,) if planned else ()
    if peak and planned and planned.date:
        yield fact(
            Topic.GENERAL,
            "dates",
            _("The request names %(peak)s; the plan starts on %(planned)s."),
            refs,
            peak=quoted(peak.group(), "/request/text"),
            planned=planned.date,
        )
    elif asked and planned and planned.date and planned.date.isoformat() != asked:
        yield fact(
            Topic.GENERAL,
            "dates",
            _("The request starts on %(asked)s, the plan on %(planned)s."),
            refs,
            asked=datetime.date.fromisoformat(asked),
            planned=planned.date,
        )
    elif not asked and planned and planned.date:
        yield fact(
            Topic.GENERAL,
            "dates",
            _("The request states no date; the plan starts on %(planned)s."),
            refs,
            planned=planned.date,
        )
    elif not planned:
        yield fact(Topic.GENERAL, "dates", _("The plan states no dates."))


def _times(trip: Trip) -> Iterator[Fact]:
    stops = [stop for stop in trip.stops if stop.kind != "transport"]
    if not trip.follows_the_clock:
        yield fact(
            Topic.GENERAL,
            "times",
            ngettext(
                "%(timed)d of %(count)d item has a time.",
                "%(timed)d of %(count)d items have a time; "
                "order as delivered, it may not be the visiting order.",
            ),
            timed=sum(stop.has_time for stop in trip.stops),
            count=len(trip.stops),
        )
    elif not all(stop.has_time for stop in stops):
        yield fact(
            Topic.GENERAL,
            "times",
            _("%(timed)d of %(stops)d stops have a time."),
            [stop.pointer for stop in stops if not stop.has_time],
            timed=sum(stop.has_time for stop in stops),
            stops=len(stops),
        )


def _nights(trip: Trip) -> Iterator[Fact]:
    """List nights without lodging. If there is no lodging at all, the facts on money say so."""
    without = [day for day in trip.days if not any(stop.kind == "hotel" for stop in day.stops)]
    missing = [day for day in without if day is not trip.days[-1]]
    if missing and len(without) < len(trip.days):
        yield fact(
            Topic.GENERAL,
            "nights",
            ngettext(
                "No lodging on day %(days)s; the last day is not counted.",
                "No lodging on days %(days)s; the last day is not counted.",
            ),
            [day.pointer for day in missing],
            count=len(missing),
            days=numbers(day.number for day in missing),
        )


def _more_than_once(trip: Trip) -> Iterator[Fact]:
    by_name: dict[str, list[Stop]] = {}
    for visit in trip.visits:
        by_name.setdefault(normal(visit.item.title), []).append(visit)
    again = [visit for name, visits in by_name.items() if name and visits[1:] for visit in visits]
    if again:
        yield fact(
            Topic.GENERAL,
            "more-than-once",
            ngettext(
                "Planned more than once: %(visits)s (day %(days)s).",
                "Planned more than once: %(visits)s (days %(days)s).",
            ),
            [visit.pointer for visit in again],
            visits=several(visit.name for visit in again),
            count=len({visit.day for visit in again}),
            days=numbers(visit.day for visit in again),
        )


def find_languages(trip: Trip) -> tuple[str, str]:
    """Detect the languages of the request and of the plan.

    A plan without words counts as being in the language of the request.
    """
    locale = trip.case.locale
    asked = detect_language(trip.request.text, locale)
    words = " ".join(words.text for words in trip.words[:_SAMPLE])
    return asked, detect_language(words, locale) if words.strip() else asked


def _languages(trip: Trip) -> Iterator[Fact]:
    asked, planned = find_languages(trip)
    if asked.split("-")[0] != planned.split("-")[0]:
        yield fact(
            Topic.GENERAL,
            "languages",
            _("The request is written in %(asked)s, the plan in %(planned)s."),
            asked=asked,
            planned=planned,
        )


_NAMED = re.compile(
    r"春节|春節|过年|過年|除夕|新春|\b(?:Spring Festival|(?:Chinese|Lunar) New Year)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """When Spring Festival begins in a year, and how many days around it count as its time."""

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
