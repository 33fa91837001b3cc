"""Warn about due dates on weekends and public holidays in China. A warning, never a refusal."""

from datetime import date

import holidays
from django.contrib import messages
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext

from cases.models import Release
from evalsite.http import SignedInRequest

SATURDAY = 5


def warning_about(day: date | None) -> str:
    """Return a warning about a due date; empty if it is a working day.

    Weekends on which China works to make up for a holiday are working days. Years that the calendar
    does not know have weekends but no holidays.
    """
    if day is None:
        return ""
    words = {"date": date_format(day)}
    holiday = holiday_on(day)
    if holiday:
        return gettext("%(date)s is a public holiday in China: %(holiday)s.") % {
            **words,
            "holiday": holiday,
        }
    if day.weekday() < SATURDAY or is_made_up_for(day):
        return ""
    if day.weekday() == SATURDAY:
        return gettext("%(date)s is a Saturday.") % words
    return gettext("%(date)s is a Sunday.") % words


def holiday_on(day: date) -> str:
    language = "zh_CN" if (get_language() or "").startswith("zh") else "en_US"
    return str(load_calendar(day, language).get(day, ""))


def is_made_up_for(day: date) -> bool:
    return day in load_calendar(day, "en_US").weekend_workdays


def load_calendar(day: date, language: str) -> holidays.HolidayBase:
    return holidays.country_holidays("CN", years=day.year, language=language)


def warn_about_due_date(request: SignedInRequest, release: Release) -> None:
    warning = warning_about(release.due_date)
    if warning:
        messages.warning(request, warning)
