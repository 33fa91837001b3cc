"""Times of day, and the language of a piece of text."""

import pytest

from cases.itinerary.clock import format_clock, parse_clock, parse_date, span, whole
from cases.itinerary.language import detect_language


@pytest.mark.parametrize(
    ("clock", "minutes"), [("00:00", 0), ("08:05", 485), ("23:59", 1439), ("24:00", 1440)]
)
def test_a_clock_time_is_minutes_since_midnight(clock: str, minutes: int) -> None:
    assert parse_clock(clock) == minutes
    assert format_clock(minutes) == clock


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("09:00", "10:00", (540, 600)),
        ("09:00", "09:00", (540, 540)),
        ("23:10", "00:40", (1390, 1480)),
        ("22:00", "00:00", (1320, 1440)),
        ("24:00", "00:30", (1440, 1470)),
        (None, "00:40", (None, 40)),
        ("23:10", None, (1390, None)),
        (None, None, (None, None)),
    ],
)
def test_an_end_before_its_start_lies_on_the_next_day(
    start: str | None, end: str | None, expected: tuple[int | None, int | None]
) -> None:
    assert span(start, end) == expected


def test_minutes_past_midnight_are_shown_as_a_clock_shows_them() -> None:
    assert format_clock(1480) == "00:40"


@pytest.mark.parametrize(("minutes", "expected"), [(0, 0), (29.6, 29), (29.9999999, 30), (30, 30)])
def test_parts_of_a_minute_are_cut_off(minutes: float, expected: int) -> None:
    assert whole(minutes) == expected


def test_a_date_that_is_none_is_none() -> None:
    assert parse_date(None) is parse_date("2026-02-30") is None
    assert str(parse_date("2026-02-28")) == "2026-02-28"


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("竹影寺", "en-US", "zh-Hans"),
        ("竹影寺", None, "zh-Hans"),
        ("竹影寺", "zh-Hant-TW", "zh-Hant"),
        ("竹影寺", "zh-HK", "zh-Hant"),
        ("竹影寺", "ja-JP", "ja"),
        ("京都タワー", "en-US", "ja"),
        ("优の良品", "zh-CN", "zh-Hans"),
        ("서울역", "zh-CN", "ko"),
        ("Copper Mill", "en-GB", "en-GB"),
        ("Alte Mühle", "de", "de"),
        ("Copper Mill", "zh-CN", "en"),
        ("Copper Mill", "ja", "en"),
        ("Copper Mill", None, "en"),
        ("Kettler's宊, Saltford", "en-US", "en-US"),
        ("K8创意园", "en-US", "zh-Hans"),
        ("T3航站楼 Starbucks Reserve Roastery", "zh-CN", "en"),
        ("12:30 → 60", "zh-CN", "en"),
        ("", "fr", "fr"),
    ],
)
def test_the_letters_tell_the_language(text: str, locale: str | None, language: str) -> None:
    assert detect_language(text, locale) == language
