"""Figures with their intervals on a scale: in a tile, for each kind, for each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from sys import float_info

from .marks import (
    ACCENT,
    GROUND,
    INK,
    LINE,
    POINT,
    SOFT,
    TEXT,
    WIDTH,
    Scale,
    Span,
    Svg,
    dot,
    drawing,
    finite,
    fitted,
    floor_line,
    grid,
    line,
    measure_width,
    numbers,
    rect,
    text,
    whisker,
    whole_steps,
)

LARGEST_DOT = 8.0
SMALLEST_DOT = 3.0
ROW = 46.0
EDGE = 12.0
NAMES = 112.0


def interval(span: Span, *, low: float, high: float, label: str, floor: Span | None = None) -> Svg:
    """For a tile: the whole scale as a thin bar, on it the figure and what it may really be."""
    wide, y = 220.0, 12.0
    scale = Scale(low, high, 7, wide - 7)
    marks = [rect(7, y - 2, wide - 14, 4, GROUND)]
    marks += floor_line(floor, scale, 1, 23)
    marks += whisker(span, scale, y, reach=5, width=3)
    if span.middle is not None:
        marks.append(dot(scale.at(span.middle), y, 6, INK, span.title))
    return drawing(marks, height=24, width=wide, label=label, is_small=True)


@dataclass(frozen=True)
class At:
    """So many cases at one value."""

    value: float
    count: int
    title: str


@dataclass(frozen=True)
class IntervalRow:
    """`note` stands at the right; `span` is the mean, with an interval only where there is one."""

    name: str
    note: str
    span: Span
    points: Sequence[At] = ()


def points(
    rows: Sequence[IntervalRow], *, low: int, high: int, label: str, floor: Span | None = None
) -> Svg:
    """Each row its cases as dots, larger where there are more, and their mean as a bar."""
    scale = Scale(low, high, EDGE, WIDTH - EDGE)
    bottom = ROW * len(rows) + 4
    most = max((one.count for row in rows for one in row.points), default=1)
    marks = []
    for place, row in enumerate(rows):
        top, y = ROW * place, ROW * place + 31
        marks += grid(whole_steps(low, high), scale, y - 10, y + 10)
        marks += floor_line(floor, scale, y - 10, y + 10)
        note = fitted(row.note, WIDTH * 0.4)
        marks.append(text(0, top + 15, fitted(row.name, WIDTH - measure_width(note) - 10)))
        marks.append(text(WIDTH, top + 15, note, SOFT, anchor="end"))
        for one in row.points:
            if finite(one.value) is not None and one.count > 0:
                radius = SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * sqrt(one.count / most)
                marks.append(dot(scale.at(one.value), y, radius, POINT, one.title))
        marks += whisker(row.span, scale, y)
        if row.span.middle is not None:
            x = scale.at(row.span.middle)
            marks.append(line(x, y - 9, x, y + 9, INK, row.span.title, width=3))
    marks += numbers(whole_steps(low, high), scale, bottom)
    return drawing(marks, height=bottom + 22, label=label)


def severity(rows: Sequence[IntervalRow], *, label: str) -> Svg:
    """Each reviewer's distance from the others, in points; 0 in the middle."""
    known = [(row, row.span.middle) for row in rows if row.span.middle is not None]
    far = max((abs(middle) for _row, middle in known), default=0.0)
    # Never less than a point, so that small differences do not look like large ones.
    # Never so much that both halves together are no number.
    reach = max(1.0, ceil(far * 2) / 2) if far < 1e6 else min(far, float_info.max / 2)
    scale = Scale(-reach, reach, NAMES, WIDTH - EDGE - 8)
    bottom = 26.0 * len(known) + 6
    steps = [-reach, -reach / 2, 0.0, reach / 2, reach]
    marks = grid(steps, scale, 2, bottom) + numbers(
        steps, scale, bottom, signed=True, room=3 * TEXT
    )
    zero = scale.at(0.0)
    marks.append(line(zero, 2, zero, bottom, LINE, width=1.5))
    for place, (row, middle) in enumerate(known):
        y, x = 26.0 * place + 18, scale.at(middle)
        marks.append(text(0, y + 4, fitted(row.name, NAMES - 24)))
        marks.append(line(zero, y, x, y, ACCENT, width=2))
        marks.append(dot(x, y, 6, ACCENT, row.span.title))
    return drawing(marks, height=bottom + 22, label=label)
