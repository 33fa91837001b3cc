"""What every chart is drawn with: escaped text, numbers that are numbers, marks inside the frame.

Colours stand on each mark as attributes, so that a chart is whole in print and by itself; the
classes let the style sheet of the page override them, such as in dark mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from math import isfinite
from typing import NamedTuple
from unicodedata import east_asian_width

# A chart is as wide as a card on a phone, so that its text stays as large as the page's.
WIDTH = 360.0
TEXT = 12.0

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Look(NamedTuple):
    """The class of a mark and its colour where no style sheet is at hand."""

    name: str
    colour: str


INK = Look("c-ink", "#1b2023")
SOFT = Look("c-soft", "#555f66")
LINE = Look("c-line", "#b9beb9")
GRID = Look("c-grid", "#dcdeda")
GROUND = Look("c-ground", "#eeeeea")
ACCENT = Look("c-accent", "#0b6b66")
FLOOR = Look("c-floor", "#7a5200")
POINT = Look("c-point", "#cfd6d3")


class Svg(str):
    """Markup whose texts are escaped already; templates take it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


# The same classes, colours, names and levels come again and again.
@lru_cache(maxsize=4096)
def words(said: str) -> str:
    return escape(NOT_IN_XML.sub("", said))


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, inner: str, attributes: dict[str, str | float]) -> Svg:
    told = "".join(
        f' {key}="{words(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    return Svg(f"<{name}{told}>{inner}</{name}>" if inner else f"<{name}{told}/>")


def titled(title: str) -> str:
    return element("title", words(title), {}) if title else ""


def drawing(
    marks: Iterable[Svg], *, height: float, label: str, width: float = WIDTH, is_small: bool = False
) -> Svg:
    return element(
        "svg",
        "".join(marks),
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "chart small" if is_small else "chart",
            "viewBox": f"0 0 {number(width)} {number(height)}",
            "role": "img",
            "aria-label": label,
            "font-family": "sans-serif",
            "font-size": TEXT,
        },
    )


# --- Marks ----------------------------------------------------------------------------------------


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    look: Look,
    title: str = "",
    *,
    opacity: float = 1.0,
) -> Svg:
    place: dict[str, str | float] = {"x": x, "y": y, "width": width, "height": height}
    shade: dict[str, str | float] = {"fill-opacity": opacity} if opacity < 1 else {}
    return element(
        "rect", titled(title), {"class": look.name, **place, "fill": look.colour, **shade}
    )


def line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    look: Look,
    title: str = "",
    *,
    width: float = 1.0,
    dashes: str = "",
) -> Svg:
    place: dict[str, str | float] = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    drawn: dict[str, str | float] = {"stroke": look.colour, "stroke-width": width}
    if dashes:
        drawn["stroke-dasharray"] = dashes
    return element("line", titled(title), {"class": look.name, **place, **drawn})


def dot(x: float, y: float, radius: float, look: Look, title: str = "") -> Svg:
    place: dict[str, str | float] = {"cx": x, "cy": y, "r": radius}
    return element("circle", titled(title), {"class": look.name, **place, "fill": look.colour})


def text(
    x: float, y: float, said: str, look: Look = INK, *, anchor: str = "start", size: float = TEXT
) -> Svg:
    place: dict[str, str | float] = {"x": x, "y": y, "text-anchor": anchor}
    drawn: dict[str, str | float] = {"fill": look.colour, "font-size": size}
    return element("text", words(said) or " ", {"class": look.name, **place, **drawn})


# --- Room -----------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def measure_width(said: str, size: float = TEXT) -> float:
    """About how wide a text will be; on the safe side for most fonts."""
    return size * sum(1.0 if east_asian_width(one) in "WF" else 0.58 for one in said)


def fitted(said: str, room: float, size: float = TEXT) -> str:
    """The text, or as much of it as there is room for."""
    said = " ".join(said.split())
    if measure_width(said, size) <= room:
        return said
    # A character is at least half as wide as it is tall, so the rest need not be measured.
    said = said[: max(int(2 * room / size), 0)]
    while said and measure_width(said + "…", size) > room:
        said = said[:-1]
    return f"{said.rstrip()}…"


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` along the line from `start` to `end`; beyond them, its ends."""

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
    """A figure with its interval. What is not a finite number is not there."""

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


def finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


# --- What several charts show ---------------------------------------------------------------------


def whisker(
    span: Span, scale: Scale, y: float, *, reach: float = 4, width: float = 2, look: Look = ACCENT
) -> list[Svg]:
    """The interval as a line with two ends."""
    if span.limits is None:
        return []
    low, high = (scale.at(one) for one in span.limits)
    ends = [line(x, y - reach, x, y + reach, look, width=width) for x in (low, high)]
    return [line(low, y, high, y, look, span.title, width=width), *ends]


def floor_line(floor: Span | None, scale: Scale, top: float, bottom: float) -> list[Svg]:
    if floor is None or floor.middle is None:
        return []
    x = scale.at(floor.middle)
    return [line(x, top, x, bottom, FLOOR, floor.title, width=1.5, dashes="3 3")]


def grid(values: Iterable[float], scale: Scale, top: float, bottom: float) -> list[Svg]:
    return [line(scale.at(one), top, scale.at(one), bottom, GRID) for one in values]


def numbers(
    values: Iterable[float],
    scale: Scale,
    bottom: float,
    *,
    signed: bool = False,
    room: float = 2 * TEXT,
) -> list[Svg]:
    """What the lines of a grid stand for, below them; each in so much room."""
    return [
        text(
            scale.at(one),
            bottom + 14,
            fitted(f"{one:+g}" if signed and one else f"{one:g}", room, TEXT - 1),
            SOFT,
            anchor="middle",
            size=TEXT - 1,
        )
        for one in values
    ]


def whole_steps(low: int, high: int) -> list[float]:
    """Every level of a scale, or its ends where they are too many to be told apart."""
    return [float(one) for one in (range(low, high + 1) if high - low <= 14 else (low, high))]
