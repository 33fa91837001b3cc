"""The rows of a document to rewrite when a part is added, removed or moved."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from .document import _, write_metric
from .lines import Item, Page
from .metric import METRIC_HEADING, PlacedMetric
from .parser import Draft
from .source import Rewrite, split_rows
from .steps import Step, build_metric, find_neighbour, find_new_value
from .text_rows import rewrite_heading, split_marker, write_level
from .texts import UNWRITTEN, EditRefused

Block = tuple[int, int]
Renumber = Callable[[int, int], str]  # a row and its new number -> the row's new line


def list_step_rows(draft: Draft, text: str, step: Step) -> list[Rewrite]:
    """List the rows to rewrite for a step that fits the document."""
    page, raw = draft.page, split_rows(text)
    if step.part == "metrics":
        return _change_metrics(draft, raw, step)
    if step.part == "kinds":
        assert draft.placed, "kinds are placed"
        blocks = [(row, row + 1) for row in draft.placed.kind_rows]
        return _change_list(page, raw, blocks, step)
    placed = draft.placed_metrics[step.metric]
    if step.part == "questions":
        if not placed.questions:
            raise EditRefused(_("Write the first question in the document, below its own label."))
        blocks = [(item.row, item.end) for item in placed.questions]
        return _change_list(page, raw, blocks, step)
    return _change_levels(page, raw, placed, step)


# --- Lists ----------------------------------------------------------------------------------------


def _change_list(
    page: Page, raw: Sequence[str], blocks: Sequence[Block], step: Step
) -> list[Rewrite]:
    if step.act == "add":
        return [_insert_item(page, blocks)]

    def renumber(row: int, number: int) -> str:
        return re.sub(r"\d+", str(number), raw[row], count=1)

    numbers = [_read_number(page.lines[row]) for row, _end in blocks]
    return _rearrange(page, raw, blocks, step, numbers, renumber)


def _read_number(line: str) -> int | None:
    digits = split_marker(line)[0].strip().rstrip(".)")
    return int(digits) if digits.isdecimal() else None


def _insert_item(page: Page, blocks: Sequence[Block]) -> Rewrite:
    row, end = blocks[-1]
    prefix, _body = split_marker(page.lines[row])
    number = _read_number(page.lines[row])
    if number is not None:
        prefix = re.sub(r"\d+", str(number + 1), prefix)
    is_loose = len(blocks) > 1 and not page.lines[row - 1]
    return Rewrite(end, end, ("",) * is_loose + (prefix + UNWRITTEN,))


def _rearrange(
    page: Page,
    raw: Sequence[str],
    blocks: Sequence[Block],
    step: Step,
    numbers: Sequence[int | None],
    renumber: Renumber,
) -> list[Rewrite]:
    """Remove a block, or exchange two; numbers that counted on still do so."""
    order = list(range(len(blocks)))
    found = []
    if step.act == "remove":
        del order[step.place]
        found.append(_remove(page, *blocks[step.place]))
        places = order
    else:
        other = find_neighbour(step)
        order[step.place], order[other] = other, step.place
        places = list(range(len(blocks)))
    counted = [number for number in numbers if number is not None]
    counts_on = len(counted) == len(numbers) and all(b - a == 1 for a, b in pairwise(counted))
    for number, (place, source) in enumerate(zip(places, order, strict=True)):
        start, end = blocks[source]
        lines = list(raw[start:end])
        if counts_on:
            lines[0] = renumber(start, counted[0] + number)
        if place != source:
            found.append(Rewrite(*blocks[place], tuple(lines)))
        elif lines[0] != raw[start]:
            found.append(Rewrite(start, start + 1, (lines[0],)))
    return found


def _remove(page: Page, start: int, end: int) -> Rewrite:
    """Remove rows, and the blank ones below if there are blank ones above as well."""
    if start == 0 or not page.lines[start - 1]:
        while end < len(page.lines) and not page.lines[end]:
            end += 1
    return Rewrite(start, end, ())


# --- Levels ---------------------------------------------------------------------------------------


def _change_levels(
    page: Page, raw: Sequence[str], placed: PlacedMetric, step: Step
) -> list[Rewrite]:
    if step.act == "add":
        return _add_level(page, placed)
    if step.act == "remove":
        return _remove_level(page, raw, placed, step.place)
    one, two = placed.levels[step.place], placed.levels[find_neighbour(step)]
    return [
        _replace_level(raw, one, two, step.place),
        _replace_level(raw, two, one, find_neighbour(step)),
    ]


def _replace_level(raw: Sequence[str], place: Item, source: Item, value: int) -> Rewrite:
    lines = (_revalue(raw[source.row], value), *raw[source.row + 1 : source.end])
    return Rewrite(place.row, place.end, lines)


def _revalue(line: str, value: int) -> str:
    return re.sub(r"(`\s*)\d+", rf"\g<1>{value}", line, count=1)


def _add_level(page: Page, placed: PlacedMetric) -> list[Rewrite]:
    value = find_new_value(placed.metric)
    below = [each for each in placed.levels if each < value]
    neighbour = placed.levels[max(below) if below else min(placed.levels)]
    row = neighbour.end if below else neighbour.row
    line = write_level(page.lines[neighbour.row], value, UNWRITTEN)
    found = [Rewrite(row, row, (line,))]
    if value > placed.metric.high:
        found.append(rewrite_heading(page, placed, high=value))
    return found


def _remove_level(
    page: Page, raw: Sequence[str], placed: PlacedMetric, value: int
) -> list[Rewrite]:
    item = placed.levels[value]
    found = [_remove(page, item.row, item.end)]
    for other, above in placed.levels.items():
        if other > value:
            found.append(Rewrite(above.row, above.row + 1, (_revalue(raw[above.row], other - 1),)))
    if value <= placed.metric.high:
        found.append(rewrite_heading(page, placed, high=placed.metric.high - 1))
    return found


# --- Metrics --------------------------------------------------------------------------------------


def _change_metrics(draft: Draft, raw: Sequence[str], step: Step) -> list[Rewrite]:
    page, metrics = draft.page, draft.placed_metrics
    blocks = [(placed.part.row, _end(page, placed.part.end)) for placed in metrics]
    numbers = [_read_metric_number(placed) for placed in metrics]
    if step.act == "add":
        return [_insert_metric(draft, blocks, numbers)]
    placed_by_row = {placed.part.row: placed for placed in metrics}

    def renumber(row: int, number: int) -> str:
        placed = placed_by_row[row]
        if number == _read_metric_number(placed):
            return raw[row]
        return rewrite_heading(page, placed, number=number).lines[0]

    return _rearrange(page, raw, blocks, step, numbers, renumber)


def _end(page: Page, end: int) -> int:
    while end and not page.lines[end - 1]:
        end -= 1
    return end


def _read_metric_number(placed: PlacedMetric) -> int:
    match = METRIC_HEADING.fullmatch(placed.part.heading)
    assert match, "a metric is read from such a heading"
    return int(match["number"])


def _insert_metric(draft: Draft, blocks: Sequence[Block], numbers: Sequence[int]) -> Rewrite:
    page = draft.page
    row = blocks[-1][1] if blocks else (draft.sampling_row or _end(page, len(page.lines)))
    number = numbers[-1] + 1 if numbers else 1
    lines = write_metric(build_metric(draft.document), number).split("\n")
    before = [""] if row and page.lines[row - 1] else []
    after = [""] if row < len(page.lines) and page.lines[row] else []
    return Rewrite(row, row, (*before, *lines, *after))
