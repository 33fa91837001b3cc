"""Lays out small charts from plain inputs. Nothing here knows a release, a language or Django.

This module computes where each mark goes; the SVG fragments in `templates/reviews/report/charts/`
draw the marks and escape the text. Colours are attributes of each mark, so a chart is complete in
print and by itself; the classes let the page's style sheet override them, as in dark mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypedDict

from .labels import TEXT, clean, fit, fit_apart

# A chart is as wide as a card on a phone, so its text stays as large as the page's.
WIDTH = 360.0
SMALL_TEXT = TEXT - 1
SMALL_WIDTH = 220.0
EDGE = 12.0

# The marks of a chart, and the `template` that draws them: include it with `chart`.
Chart = Mapping[str, Any]


def build_chart(kind: str, label: str, height: float, **marks: Any) -> Chart:
    return {
        "template": f"reviews/report/charts/{kind}.svg",
        "label": clean(label),
        "height": number(height),
        **marks,
    }


def number(value: float) -> str:
    """Write a coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to the line from `start` to `end`, cut at both ends."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        if not self.high > self.low:
            return (self.start + self.end) / 2
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True)
class Span:
    """A figure with its interval. Numbers that are not finite are not drawn."""

    value: float | None
    low: float | None = None
    high: float | None = None
    title: str = ""

    @property
    def middle(self) -> float | None:
        return finite(self.value)

    @property
    def limits(self) -> tuple[float, float] | None:
        low, high = finite(self.low), finite(self.high)
        if low is None or high is None:
            return None
        return min(low, high), max(low, high)


# --- Marks that several charts share --------------------------------------------------------------
# Dicts with the keys that the templates print.


class Dot(TypedDict):
    x: str
    y: str
    title: str
    radius: str


class Line(TypedDict):
    """A line from (x1, y1) to (x2, y2)."""

    x1: str
    y1: str
    x2: str
    y2: str
    title: str


class Whisker(TypedDict):
    """An interval: a line with two ends."""

    low: str
    high: str
    y: str
    top: str
    bottom: str
    title: str


class Number(TypedDict):
    """A number below a line of the grid."""

    x: str
    y: str
    text: str


def place_dot(value: float | None, scale: Scale, y: float, title: str) -> Dot | None:
    if value is None:
        return None
    return Dot(x=number(scale.at(value)), y=number(y), title=clean(title), radius="")


def place_whisker(span: Span, scale: Scale, y: float, *, reach: float = 4) -> Whisker | None:
    if span.limits is None:
        return None
    low, high = (number(scale.at(limit)) for limit in span.limits)
    return Whisker(
        low=low,
        high=high,
        y=number(y),
        top=number(y - reach),
        bottom=number(y + reach),
        title=clean(span.title),
    )


def place_floor(floor: Span | None, scale: Scale, top: float, bottom: float) -> Line | None:
    if floor is None or floor.middle is None:
        return None
    x = number(scale.at(floor.middle))
    return Line(x1=x, y1=number(top), x2=x, y2=number(bottom), title=clean(floor.title))


def place_grid(values: Iterable[float], scale: Scale, top: float, bottom: float) -> list[Line]:
    y1, y2 = number(top), number(bottom)
    return [
        Line(x1=x, y1=y1, x2=x, y2=y2, title="")
        for x in (number(scale.at(value)) for value in values)
    ]


def place_numbers(
    values: Iterable[float],
    scale: Scale,
    bottom: float,
    *,
    is_signed: bool = False,
    room: float = 2 * TEXT,
) -> list[Number]:
    """Place the numbers of a grid below it, each cut to its room."""
    return [
        Number(
            x=number(scale.at(value)),
            y=number(bottom + 14),
            text=fit(f"{value:+g}" if is_signed and value else f"{value:g}", room, SMALL_TEXT),
        )
        for value in values
    ]


def whole_steps(low: int, high: int) -> list[float]:
    """List every level of a scale, or only its ends where there is no room for all."""
    levels = range(low, high + 1) if high - low <= 14 else (low, high)
    return [float(level) for level in levels]


# --- A figure with its interval, for a tile -------------------------------------------------------


def interval(
    span: Span, *, low: float, high: float, label: str, floor: Span | None = None
) -> Chart:
    """Lay out the whole scale as a thin bar, on it the figure and its interval."""
    scale, y = Scale(low, high, 7, SMALL_WIDTH - 7), 12.0
    return build_chart(
        "interval",
        label,
        24,
        floor=place_floor(floor, scale, 1, 23),
        whisker=place_whisker(span, scale, y, reach=5),
        dot=place_dot(span.middle, scale, y, span.title),
    )


# --- How often each level was given ---------------------------------------------------------------

TALLEST = 96.0
TOP = 20.0
# With more levels than this there is no room for a number at each.
MOST_NUMBERED = 14


@dataclass(frozen=True)
class LevelCount:
    """A level, and how often it was given; 0 is shown as 0."""

    value: int
    count: int
    title: str


class Bar(TypedDict):
    x: str
    y: str
    width: str
    height: str
    title: str
    middle: str
    count: str
    count_y: str
    value: str
    is_empty: bool
    is_numbered: bool


def distribution(
    levels: Sequence[LevelCount], *, label: str, mean: Span | None = None, floor: Span | None = None
) -> Chart:
    """Lay out the whole declared scale from left to right; below it the mean with its interval."""
    base = TOP + TALLEST
    step = WIDTH / max(len(levels), 1)
    most = max((level.count for level in levels), default=0)
    every = max(1, -(-len(levels) // MOST_NUMBERED))
    bars = []
    for place, level in enumerate(levels):
        # A level that was given once is visible, however often the others were given.
        tall = max(TALLEST * level.count / most, 2.0) if level.count else 0.0
        middle, wide = step * (place + 0.5), step * 0.72
        bars.append(
            Bar(
                x=number(middle - wide / 2),
                y=number(base - tall),
                width=number(wide),
                height=number(tall),
                title=clean(level.title),
                middle=number(middle),
                count=fit(str(level.count), step * every),
                count_y=number(base - tall - 5),
                value=str(level.value),
                is_empty=not level.count,
                is_numbered=place % every == 0,
            )
        )
    if not levels or mean is None or mean.middle is None:
        return build_chart("distribution", label, base + 22, bars=bars)
    scale = Scale(levels[0].value, levels[-1].value, step / 2, WIDTH - step / 2)
    y = base + 32
    return build_chart(
        "distribution",
        label,
        y + 14,
        bars=bars,
        floor=place_floor(floor, scale, base + 21, y + 11),
        whisker=place_whisker(mean, scale, y),
        dot=place_dot(mean.middle, scale, y, mean.title),
    )


# --- From release to release ----------------------------------------------------------------------

TREND_ROW = 30.0
BREAK = 26.0
TREND_NAMES = 128.0


@dataclass(frozen=True)
class Release:
    """`yardstick` is the rubric it was judged by: where that changes, the line breaks."""

    name: str
    yardstick: str
    span: Span


def trend(
    releases: Sequence[Release], *, low: int, high: int, label: str, floor: Span | None = None
) -> Chart:
    """Lay out a figure from release to release, oldest first; a release may have no figure.

    Time runs downwards, so that names have room on a phone.
    """
    scale, steps = Scale(low, high, TREND_NAMES + 8, WIDTH - 10), whole_steps(low, high)
    y, yardstick = 6.0, releases[0].yardstick if releases else ""
    previous: Dot | None = None
    rows: list[dict[str, Any]] = []
    names = fit_apart([release.name for release in releases], TREND_NAMES)
    for release, name in zip(releases, names, strict=True):
        row: dict[str, Any] = {}
        if release.yardstick != yardstick:
            row["yardstick"] = fit(release.yardstick, WIDTH, SMALL_TEXT)
            row["yardstick_y"] = number(y + BREAK / 2 + 5)
            y, yardstick, previous = y + BREAK, release.yardstick, None
        middle = y + TREND_ROW / 2
        dot = place_dot(release.span.middle, scale, middle, release.span.title)
        row |= {
            "grid": place_grid(steps, scale, y, y + TREND_ROW),
            "floor": place_floor(floor, scale, y, y + TREND_ROW),
            "text_y": number(middle + 4),
            "name": name,
            "whole_name": clean(release.name),
            "dot": dot,
        }
        if dot:
            row["previous"] = previous
            row["whisker"] = place_whisker(release.span, scale, middle)
            previous = dot
        rows.append(row)
        y += TREND_ROW
    return build_chart("trend", label, y + 22, rows=rows, numbers=place_numbers(steps, scale, y))
