"""How often each level of a scale was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .marks import (
    ACCENT,
    INK,
    LINE,
    SOFT,
    WIDTH,
    Scale,
    Span,
    Svg,
    dot,
    drawing,
    fitted,
    floor_line,
    line,
    rect,
    text,
    whisker,
)

TALLEST = 96.0
TOP = 20.0
# More levels than these have no room for a number each.
MOST_NUMBERED = 14


@dataclass(frozen=True)
class LevelCount:
    """A level, and how often it was given; 0 is shown as 0."""

    value: int
    count: int
    title: str


def distribution(
    levels: Sequence[LevelCount], *, label: str, mean: Span | None = None, floor: Span | None = None
) -> Svg:
    """The whole declared scale from left to right; below it the mean with its interval."""
    base = TOP + TALLEST
    step = WIDTH / max(len(levels), 1)
    most = max((one.count for one in levels), default=0)
    every = max(1, -(-len(levels) // MOST_NUMBERED))
    marks = []
    for place, one in enumerate(levels):
        tall = TALLEST * one.count / most if most else 0.0
        # What was given once is seen, however often the others were.
        tall = max(tall, 2.0) if one.count else 0.0
        middle, wide = step * (place + 0.5), step * 0.72
        marks.append(rect(middle - wide / 2, base - tall, wide, tall, ACCENT, one.title))
        if place % every == 0:
            count = fitted(str(one.count), step * every)
            look = INK if one.count else SOFT
            marks.append(text(middle, base - tall - 5, count, look, anchor="middle"))
            marks.append(text(middle, base + 16, str(one.value), anchor="middle"))
    marks.append(line(0, base, WIDTH, base, LINE))
    if not levels or mean is None or mean.middle is None:
        return drawing(marks, height=base + 22, label=label)
    scale = Scale(levels[0].value, levels[-1].value, step / 2, WIDTH - step / 2)
    y = base + 32
    marks += floor_line(floor, scale, base + 21, y + 11)
    marks += whisker(mean, scale, y)
    marks.append(dot(scale.at(mean.middle), y, 5, INK, mean.title))
    return drawing(marks, height=y + 14, label=label)
