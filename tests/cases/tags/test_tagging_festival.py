"""`spring-festival`: by the dates of the request, by its words, and as a hint by the plan."""

import datetime

import pytest

from cases.itinerary.format import Case, Day, Plan, Request
from cases.tags.detectors import Found, Window, detect, first_day

PLANNED = Plan("done", days=[Day(date="2026-02-14"), Day(date="2026-02-15")])


def festival(
    text: str = "A trip, please.",
    plan: Plan | None = None,
    window: Window | None = None,
    **fields: object,
) -> Found | None:
    case = Case("k", Request(text, **fields), plan=plan)  # type: ignore[arg-type]
    found = detect(case, festival_window=window) if window else detect(case)
    return next((item for item in found if item.tag == "spring-festival"), None)


def strength(text: str = "A trip, please.", **fields: object) -> str | None:
    one = festival(text, **fields)  # type: ignore[arg-type]
    return one.strength if one else None


# The first day


@pytest.mark.parametrize(
    ("year", "day"),
    [
        (1950, "1950-02-17"),
        (2008, "2008-02-07"),  # New Year's Eve was a holiday too
        (2014, "2014-01-31"),
        (2025, "2025-01-29"),
        (2026, "2026-02-17"),
        (2027, "2027-02-06"),
        (2100, "2100-02-09"),
    ],
)
def test_the_first_day_is_known(year: int, day: str) -> None:
    assert first_day(year) == datetime.date.fromisoformat(day)


@pytest.mark.parametrize("year", [0, 1, 1949, 2101, 9999, 10000])
def test_a_year_that_is_not_known_has_no_first_day(year: int) -> None:
    assert first_day(year) is None


# Dates of the request


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (
            "2026-02-10",
            "The trip starts on 2026-02-10, 7 days before Spring Festival (2026-02-17).",
        ),
        (
            "2026-02-14",
            "The trip starts on 2026-02-14, 3 days before Spring Festival (2026-02-17).",
        ),
        ("2026-02-16", "The trip starts on 2026-02-16, 1 day before Spring Festival (2026-02-17)."),
        ("2026-02-17", "The trip starts on 2026-02-17, the first day of Spring Festival."),
        (
            "2026-02-18",
            "The trip starts on 2026-02-18, 1 day after Spring Festival began (2026-02-17).",
        ),
    ],
)
def test_the_reason_counts_the_days(start: str, sentence: str) -> None:
    one = festival(start_date=start)
    assert one is not None
    assert (one.strength, one.sentence) == ("strong", sentence)


@pytest.mark.parametrize(
    ("start", "end", "days", "is_found"),
    [
        ("2026-02-10", None, None, True),
        ("2026-02-09", None, None, False),
        ("2026-03-04", None, None, True),
        ("2026-03-05", None, None, False),
        ("2026-02-01", "2026-02-10", None, True),
        ("2026-02-01", "2026-02-09", None, False),
        ("2026-02-05", None, 6, True),
        ("2026-02-05", None, 5, False),
        (None, "2026-02-10", None, True),
        (None, "2026-03-09", 6, True),
        (None, "2026-03-09", 5, False),
        ("2026-03-01", "2026-02-01", None, True),  # the end before the start: the start counts
        ("2025-06-01", "2027-06-01", None, True),
        ("2025-12-30", "2026-01-05", None, False),
    ],
)
def test_the_window_reaches_from_7_days_before_to_15_days_after(
    start: str | None, end: str | None, days: int | None, is_found: bool
) -> None:
    is_strong = strength(start_date=start, end_date=end, days=days) == "strong"
    assert is_strong == is_found


def test_a_trip_that_runs_into_the_window_says_so() -> None:
    one = festival(start_date="2026-02-01", end_date="2026-02-12")
    assert one is not None
    assert one.sentence == (
        "The trip from 2026-02-01 to 2026-02-12 reaches the days around Spring Festival "
        "(2026-02-17)."
    )


def test_the_window_is_a_setting() -> None:
    assert festival(start_date="2026-02-14", window=Window(2, 15)) is None
    assert festival(start_date="2026-02-15", window=Window(2, 15)) is not None
    assert festival(start_date="2025-12-20", window=Window(60, 0)) is not None


@pytest.mark.parametrize(
    ("date", "days"), [("0001-01-01", None), ("9999-12-31", 100_000), ("2150-02-10", 3)]
)
def test_a_year_far_away_is_no_reason_and_no_error(date: str, days: int | None) -> None:
    assert strength(start_date=date, days=days) is None
    assert strength(end_date=date, days=days) is None


# Words


@pytest.mark.parametrize(
    "text",
    [
        "春节去北京",
        "春節行程",
        "過年帶孩子出門",
        "新春出行",
        "除夕在哪里过",
        "大年初二出发",
        "农历新年",
        "春节前后出发",
        "不想错过春节庙会",
        "不想在家过年",
        "春节不去北京去上海",
        "a trip during Spring Festival",
        "SPRING FESTIVAL trip",
        "spring-festival trip",
        "Chinese New Year in the north",
        "lunar new year holiday",
        "dinner on Chinese New Year's Eve",
        "we go for the CNY holiday",
    ],
)
def test_the_words_of_the_request_are_enough(text: str) -> None:
    assert strength(text) == "strong"


@pytest.mark.parametrize(
    "text",
    [
        "避开春节",
        "避開春節",
        "错开春节高峰",
        "不在春节期间",
        "非春节期间",
        "春节除外",
        "春节不去。",
        "春节后去北京",
        "春节过后",
        "过完年再去",
        "去年春节去过上海",
        "not during Spring Festival",
        "avoid Spring Festival",
        "we want to avoid the Spring Festival crowds",
        "any time except Chinese New Year",
        "We don't want to travel during Chinese New Year",
        "last Spring Festival we went south",
        "after Spring Festival",
    ],
)
def test_a_festival_that_is_avoided_or_over_is_only_a_hint(text: str) -> None:
    one = festival(text)
    assert one is not None
    assert one.strength == "weak"
    assert one.message == "The request mentions “%(words)s”, but seems to rule it out."


def test_one_plain_mention_outweighs_one_that_is_avoided() -> None:
    assert strength("Avoid Spring Festival crowds, but we travel at Spring Festival") == "strong"


@pytest.mark.parametrize(
    "text",
    [
        "不超过年预算的一半",
        "超过年龄限制",
        "通过年检的车",
        "预算2000 CNY",
        "Prague Spring Festival tickets",
        "New Year's Eve in Vienna",
        "Chinese food on New Year's Eve",
        "a music festival in spring",
        "spring break",
    ],
)
def test_other_words_with_the_same_letters_are_not_the_festival(text: str) -> None:
    assert strength(text) is None


def test_dates_that_are_elsewhere_weaken_the_words() -> None:
    one = festival("想看看春节的习俗", start_date="2026-05-01")
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The request says “春节”, but the trip starts on 2026-05-01.",
    )
    assert strength("春节", start_date="2150-05-01") == "strong"  # nobody knows when it is then


# Dates of the text and of the plan: hints


@pytest.mark.parametrize(
    "text",
    ["go on 2026-02-14", "２０２６年２月１４日出发", "on February 14th, 2026", "14th of Feb 2026"],
)
def test_a_date_in_the_text_is_a_hint(text: str) -> None:
    one = festival(text)
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The text names 2026-02-14, 3 days before Spring Festival (2026-02-17).",
    )


def test_the_dates_of_the_plan_are_a_hint_when_the_request_names_none() -> None:
    one = festival("北京2天", plan=PLANNED)
    assert one is not None
    assert (one.strength, one.sentence) == (
        "weak",
        "The request names no date; the plan starts on 2026-02-14, "
        "3 days before Spring Festival (2026-02-17).",
    )


@pytest.mark.parametrize(
    "text",
    [
        "北京2天，5月去",
        "北京淡季2天",
        "国庆去北京",
        "Beijing in October",
        "this May",
        "on 2026-06-01",
        "十二月出发",
    ],
)
def test_the_plan_does_not_count_when_the_request_names_another_time(text: str) -> None:
    assert strength(text, plan=PLANNED) is None


@pytest.mark.parametrize("text", ["We may go", "北京2月", "北京2天"])
def test_what_is_no_other_time_lets_the_plan_count(text: str) -> None:
    assert strength(text, plan=PLANNED) == "weak"


def test_the_plan_does_not_count_beside_dates_of_the_request() -> None:
    assert strength(plan=PLANNED, start_date="2026-06-01") is None


@pytest.mark.parametrize("plan", [None, Plan(), Plan(days=[]), Plan(days=[Day(), Day()])])
def test_a_plan_without_dates_says_nothing(plan: Plan | None) -> None:
    assert strength(plan=plan) is None
