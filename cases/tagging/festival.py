"""`spring-festival`: the trip falls around Spring Festival, by its dates or by its words."""

from __future__ import annotations

import datetime
import functools
from typing import Literal, NamedTuple

import holidays

from cases.itinerary.document import Plan, Request

from .found import RULED_OUT, SAYS, Found, Strength, _, ngettext
from .season import festival_mention, names_another_time
from .trip import Stay, asked_stay, dates_in, planned_stay
from .wording import Wording

TAG = "spring-festival"
Source = Literal["request", "text", "plan"]


class Window(NamedTuple):
    """The days around the first day of Spring Festival that count as its time."""

    days_before: int = 7
    days_after: int = 15


DEFAULT = Window()

BEFORE = {
    "request": ngettext(
        "The trip starts on %(date)s, %(count)d day before Spring Festival (%(festival)s).",
        "The trip starts on %(date)s, %(count)d days before Spring Festival (%(festival)s).",
    ),
    "text": ngettext(
        "The text names %(date)s, %(count)d day before Spring Festival (%(festival)s).",
        "The text names %(date)s, %(count)d days before Spring Festival (%(festival)s).",
    ),
    "plan": ngettext(
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d day before Spring Festival (%(festival)s).",
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d days before Spring Festival (%(festival)s).",
    ),
}
AFTER = {
    "request": ngettext(
        "The trip starts on %(date)s, %(count)d day after Spring Festival began (%(festival)s).",
        "The trip starts on %(date)s, %(count)d days after Spring Festival began (%(festival)s).",
    ),
    "text": ngettext(
        "The text names %(date)s, %(count)d day after Spring Festival began (%(festival)s).",
        "The text names %(date)s, %(count)d days after Spring Festival began (%(festival)s).",
    ),
    "plan": ngettext(
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d day after Spring Festival began (%(festival)s).",
        "The request names no date; the plan starts on %(date)s, "
        "%(count)d days after Spring Festival began (%(festival)s).",
    ),
}
ON = {
    "request": _("The trip starts on %(date)s, the first day of Spring Festival."),
    "text": _("The text names %(date)s, the first day of Spring Festival."),
    "plan": _(
        "The request names no date; the plan starts on %(date)s, the first day of Spring Festival."
    ),
}
INTO = {
    "request": _(
        "The trip from %(date)s to %(end)s reaches the days around Spring Festival (%(festival)s)."
    ),
    "text": _("The text names %(date)s, in the days around Spring Festival (%(festival)s)."),
    "plan": _(
        "The request names no date; the plan from %(date)s to %(end)s reaches the days around "
        "Spring Festival (%(festival)s)."
    ),
}
OTHER_DATES = _("The request says “%(words)s”, but the trip starts on %(date)s.")


def find_festival(
    request: Request, plan: Plan | None, wording: Wording, window: Window
) -> Found | None:
    stay = asked_stay(request)
    if stay and (dated := _dated(stay, window, "strong", "request")):
        return dated
    if said := _said(wording):
        if stay and said.strength == "strong" and _is_known(stay):
            words = said.params["words"]
            return Found(TAG, "weak", OTHER_DATES, {"words": words, "date": stay.start.isoformat()})
        return said
    if stay:
        return None
    named = list(dates_in(wording.low))
    if named:
        found = (_dated(Stay(date, date), window, "weak", "text") for date in named)
        return next(filter(None, found), None)
    planned = planned_stay(plan)
    # A product that is told no date may simply plan from today on.
    if planned and (dated := _dated(planned, window, "weak", "plan")):
        return None if names_another_time(wording) else dated
    return None


def _said(wording: Wording) -> Found | None:
    mention = festival_mention(wording)
    if not mention:
        return None
    strength: Strength = "weak" if mention.is_denied else "strong"
    message = RULED_OUT if mention.is_denied else SAYS
    return Found(TAG, strength, message, {"words": mention.words})


def _dated(stay: Stay, window: Window, strength: Strength, source: Source) -> Found | None:
    before = datetime.timedelta(days=window.days_before)
    after = datetime.timedelta(days=window.days_after)
    # However long the trip is: the first festival that it meets comes within two years.
    for year in range(stay.start.year, min(stay.end.year, stay.start.year + 1) + 2):
        festival = first_day(year)
        if festival and stay.start <= festival + after and stay.end >= festival - before:
            return _placed(stay, festival, strength, source, window)
    return None


def _placed(
    stay: Stay, festival: datetime.date, strength: Strength, source: Source, window: Window
) -> Found:
    date = {"date": stay.start.isoformat()}
    around = {**date, "festival": festival.isoformat()}
    ahead = (festival - stay.start).days
    if ahead == 0:
        return Found(TAG, strength, ON[source], date)
    if ahead > window.days_before:
        return Found(TAG, strength, INTO[source], {**around, "end": stay.end.isoformat()})
    message, plural = (BEFORE if ahead > 0 else AFTER)[source]
    return Found(TAG, strength, message, {**around, "count": abs(ahead)}, plural)


def _is_known(stay: Stay) -> bool:
    return first_day(stay.start.year) is not None


@functools.lru_cache(maxsize=512)
def first_day(year: int) -> datetime.date | None:
    """Of Spring Festival; None for a year that is not known (the package knows 1950 to 2100)."""
    if not datetime.MINYEAR <= year <= datetime.MAXYEAR:
        return None
    days = holidays.country_holidays("CN", years=year, observed=False, language="en_US")
    # New Year's Eve is a holiday of its own in many years.
    names = ((day, name) for day, name in days.items() if "Spring Festival" in name)
    return min((day for day, name in names if day.year == year), default=None)
