"""The plan's dates against Spring Festival."""

import datetime

import pytest

from cases.facts import Calendar, find_facts
from cases.itinerary import reading
from cases.itinerary.format import Case

FIRST = datetime.date(2026, 2, 17)
CALENDAR = Calendar(lambda year: FIRST if year == 2026 else None, days_before=7, days_after=15)


def trip(start: datetime.date | None, *, days: int = 2, text: str = "Two days in Xi'an") -> Case:
    dates = [start + datetime.timedelta(place) if start else None for place in range(days)]
    planned = [
        {"day": place, "date": day.isoformat() if day else None, "items": [{"title": "Tower"}]}
        for place, day in enumerate(dates, 1)
    ]
    plan = {"status": "done", "days": planned}
    return reading.check({"case_key": "k", "request": {"text": text}, "plan": plan}).case


def said(case: Case) -> list[str]:
    return [fact.sentence for fact in find_facts(case, CALENDAR) if fact.key == "spring-festival"]


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (FIRST, "Spring Festival begins during the plan, on Tue 2026-02-17."),
        (datetime.date(2026, 2, 16), "Spring Festival begins during the plan, on Tue 2026-02-17."),
        (
            datetime.date(2026, 2, 15),
            "The plan ends 1 day before Spring Festival begins (Tue 2026-02-17).",
        ),
        (
            datetime.date(2026, 2, 9),
            "The plan ends 7 days before Spring Festival begins (Tue 2026-02-17).",
        ),
        (datetime.date(2026, 2, 8), None),
        (
            datetime.date(2026, 3, 4),
            "The plan starts 15 days after Spring Festival began (Tue 2026-02-17).",
        ),
        (datetime.date(2026, 3, 5), None),
        (datetime.date(2027, 2, 17), None),
        (None, None),
    ],
)
def test_dates_around_spring_festival_are_counted_from_its_first_day(
    start: datetime.date | None, sentence: str | None
) -> None:
    assert said(trip(start)) == ([sentence] if sentence else [])


@pytest.mark.parametrize("text", ["春节去西安两天", "Xi'an over Chinese New Year"])
def test_a_request_that_names_the_festival_gets_the_distance_however_long(text: str) -> None:
    far = trip(datetime.date(2026, 10, 1), text=text)
    assert said(far) == ["The plan starts 226 days after Spring Festival began (Tue 2026-02-17)."]


def test_without_a_calendar_nothing_is_said() -> None:
    assert "spring-festival" not in [fact.key for fact in find_facts(trip(FIRST))]
