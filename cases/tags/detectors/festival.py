"""Detect `spring-festival` by the dates of the trip or the words of the request."""

from __future__ import annotations

import datetime
from typing import Literal, NamedTuple

from cases.itinerary.format import Plan, Request

from .found import RULED_OUT, SAYS, Found, Strength, _, ngettext
from .trip import Stay, asked_stay, dates_in, planned_stay
from .wording import REACH, Mention, Wording, is_denied
from .words import festival as lexicon
from .words.first_days import FIRST_DAYS, FIRST_YEAR


def find_mention(wording: Wording) -> Mention | None:
    """Find the festival in the text. It is denied if the trip avoids it or comes after it."""
    return lexicon.FESTIVAL.first(wording, _is_avoided)


def names_another_time(wording: Wording) -> bool:
    return any(lexicon.OTHER_TIMES.matches(wording))


def _is_avoided(low: str, start: int, end: int) -> bool:
    is_over = "完" in low[start:end] or lexicon.OVER.match(low, end)
    if is_over or lexicon.AVOIDED.search(low[max(0, start - REACH) : start]):
        return True
    return is_denied(low, start, end)


TAG = "spring-festival"
Source = Literal["request", "text", "plan"]


class Window(NamedTuple):
    """How many days before and after its first day count as Spring Festival."""

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
    if stay and (dated := _find_by_date(stay, window, "strong", "request")):
        return dated
    if worded := _find_by_words(wording):
        if stay and worded.strength == "strong" and _is_known(stay):
            words = worded.params["words"]
            return Found(TAG, "weak", OTHER_DATES, {"words": words, "date": stay.start.isoformat()})
        return worded
    if stay:
        return None
    named = list(dates_in(wording.low))
    if named:
        found = (_find_by_date(Stay(date, date), window, "weak", "text") for date in named)
        return next(filter(None, found), None)
    planned = planned_stay(plan)
    # A product that is given no date may simply plan from today on.
    if planned and (dated := _find_by_date(planned, window, "weak", "plan")):
        return None if names_another_time(wording) else dated
    return None


def _find_by_words(wording: Wording) -> Found | None:
    mention = find_mention(wording)
    if not mention:
        return None
    strength: Strength = "weak" if mention.is_denied else "strong"
    message = RULED_OUT if mention.is_denied else SAYS
    return Found(TAG, strength, message, {"words": mention.words})


def _find_by_date(stay: Stay, window: Window, strength: Strength, source: Source) -> Found | None:
    before = datetime.timedelta(days=window.days_before)
    after = datetime.timedelta(days=window.days_after)
    # However long the trip is, the first festival in it is within two years.
    for year in range(stay.start.year, min(stay.end.year, stay.start.year + 1) + 2):
        festival = first_day(year)
        if festival and stay.start <= festival + after and stay.end >= festival - before:
            return _describe(stay, festival, strength, source, window)
    return None


def _describe(
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


_FIRST_DAYS = FIRST_DAYS.split()


def first_day(year: int) -> datetime.date | None:
    """Return the first day of Spring Festival; None outside the years 1950 to 2100."""
    place = year - FIRST_YEAR
    if not 0 <= place < len(_FIRST_DAYS):
        return None
    month_and_day = _FIRST_DAYS[place]
    return datetime.date(year, int(month_and_day[:2]), int(month_and_day[2:]))
