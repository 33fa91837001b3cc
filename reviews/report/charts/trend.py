"""A figure from release to release: time runs downwards, so that names have room on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .marks import (
    INK,
    SOFT,
    TEXT,
    WIDTH,
    Scale,
    Span,
    Svg,
    dot,
    drawing,
    fitted,
    floor_line,
    grid,
    line,
    numbers,
    text,
    whisker,
    whole_steps,
)

ROW = 30.0
BREAK = 26.0
NAMES = 128.0


@dataclass(frozen=True)
class Release:
    """`yardstick` is what it was judged by: where that changes, the line breaks."""

    name: str
    yardstick: str
    span: Span


def trend(
    releases: Sequence[Release], *, low: int, high: int, label: str, floor: Span | None = None
) -> Svg:
    """Oldest first. A release without a figure has a row without a mark."""
    scale = Scale(low, high, NAMES + 8, WIDTH - 10)
    steps = whole_steps(low, high)
    marks: list[Svg] = []
    y, yardstick = 6.0, releases[0].yardstick if releases else ""
    joined: tuple[float, float] | None = None
    for one in releases:
        if one.yardstick != yardstick:
            said = fitted(one.yardstick, WIDTH, TEXT - 1)
            marks.append(text(0, y + BREAK / 2 + 5, said, SOFT, size=TEXT - 1))
            y, yardstick, joined = y + BREAK, one.yardstick, None
        middle = y + ROW / 2
        marks += grid(steps, scale, y, y + ROW)
        marks += floor_line(floor, scale, y, y + ROW)
        marks.append(text(0, middle + 4, fitted(one.name, NAMES)))
        if one.span.middle is not None:
            x = scale.at(one.span.middle)
            if joined:
                marks.append(line(*joined, x, middle, SOFT, width=1.5))
            marks += whisker(one.span, scale, middle)
            marks.append(dot(x, middle, 5, INK, one.span.title))
            joined = (x, middle)
        y += ROW
    return drawing([*marks, *numbers(steps, scale, y)], height=y + 22, label=label)
