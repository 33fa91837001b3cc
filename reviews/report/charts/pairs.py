"""How well each two reviewers agree, as a triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .marks import (
    ACCENT,
    GROUND,
    SOFT,
    TEXT,
    WIDTH,
    Svg,
    drawing,
    element,
    finite,
    fitted,
    rect,
    text,
    titled,
)

NAMES = 104.0
TOP = 20.0
LARGEST = 44.0
# In a smaller cell a number has no room.
SMALLEST_WITH_TEXT = 24.0


@dataclass(frozen=True)
class PairCell:
    """`share` from 0 to 1 fills the cell; None: the two share no case."""

    share: float | None
    said: str
    title: str


def pair_matrix(
    names: Sequence[str], cells: Mapping[tuple[int, int], PairCell], *, label: str
) -> Svg:
    """A row and a column for each reviewer; `cells` has (row, column) with column < row."""
    size = min(LARGEST, (WIDTH - NAMES) / max(len(names), 1))
    tall = max(size, TEXT + 2)
    marks = []
    for row, name in enumerate(names):
        y = TOP + tall * row
        marks.append(text(0, y + tall / 2 + 4, fitted(f"{row + 1} {name}", NAMES - 6)))
        number = fitted(str(row + 1), max(size, TEXT))
        if size >= TEXT:
            middle = NAMES + size * (row + 0.5)
            marks.append(text(middle, 14, number, SOFT, anchor="middle"))
        marks += [
            cell_at(NAMES + size * column, y, size, tall, cells[row, column])
            for column in range(row)
            if (row, column) in cells
        ]
    return drawing(marks, height=TOP + tall * len(names) + 2, label=label)


def cell_at(x: float, y: float, wide: float, tall: float, cell: PairCell) -> Svg:
    gap = min(1.0, wide / 8)
    left, top, width, height = x + gap, y + gap, wide - 2 * gap, tall - 2 * gap
    inner = titled(cell.title) + rect(left, top, width, height, GROUND)
    share = finite(cell.share)
    if share is not None:
        filled = height * min(max(share, 0.0), 1.0)
        # Only a shade: the number on it must stay readable in both schemes.
        inner += rect(left, top + height - filled, width, filled, ACCENT, opacity=0.25)
    if wide >= SMALLEST_WITH_TEXT:
        said = fitted(cell.said, width, TEXT - 1)
        inner += text(x + wide / 2, y + tall / 2 + 4, said, anchor="middle", size=TEXT - 1)
    return element("g", inner, {})
