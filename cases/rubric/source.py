"""The raw text of a document by rows, each with its own line end, to rewrite only some of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_ENDS = re.compile(r"(\r\n|\r|\n)")


def split_rows(text: str) -> list[str]:
    """Return the lines of a text without their ends; the rows that `Page` counts."""
    return _ENDS.split(text.removeprefix("\ufeff"))[::2]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """New lines for the rows from `start` up to `end`; an insertion if both are the same."""

    start: int
    end: int
    lines: tuple[str, ...]


def rewrite(text: str, rewrites: Iterable[Rewrite]) -> str:
    """Replace rows, which do not overlap; all other lines stay as they are, byte for byte."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    pieces = _ENDS.split(text.removeprefix("\ufeff"))
    lines, ends = pieces[::2], [*pieces[1::2], ""]
    usual_end = Counter(ends[:-1]).most_common(1)[0][0] if len(ends) > 1 else "\n"
    # From the bottom up, so that rows above keep their numbers.
    for change in sorted(rewrites, key=lambda each: (each.start, each.end), reverse=True):
        new_ends = ends[change.start : change.end][: len(change.lines)]
        new_ends += [usual_end] * (len(change.lines) - len(new_ends))
        lines[change.start : change.end] = change.lines
        ends[change.start : change.end] = new_ends
    ends[:-1] = [end or usual_end for end in ends[:-1]]
    ends[-1:] = [""]
    return mark + "".join(line + end for line, end in zip(lines, ends, strict=True))
