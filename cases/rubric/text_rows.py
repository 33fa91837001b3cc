"""The rows of a document to rewrite for other texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from .document import Document
from .lines import MARKER, Item, Page, is_blank
from .metric import LEVEL, METRIC_HEADING, PlacedMetric
from .parser import Draft
from .sampling import PlacedSampling, without_separators
from .source import Rewrite
from .texts import PartMissing


def list_text_rows(draft: Draft, expected: Document, paths: Iterable[str]) -> list[Rewrite]:
    """List the rows to rewrite so that the texts under these paths are those of `expected`."""
    found: list[Rewrite] = []
    kinds = set()
    for path in paths:
        match path.split("."):
            case ["title"]:
                found.append(_rewrite_title(draft, expected.title))
            case ["scope"] if draft.scope_part:
                part = draft.scope_part
                found += _rewrite_paragraphs(draft.page, part.start, part.end, expected.scope)
            case ["rule"] if draft.placed:
                found += _rewrite_rule(draft.page, draft.placed, expected.sampling.rule)
            case ["kinds", place, _]:
                kinds.add(int(place))
            case ["metrics", place, *rest]:
                placed = draft.placed_metrics[int(place)]
                found += _rewrite_metric(draft.page, placed, expected, [place, *rest])
            case _:
                raise PartMissing
    if draft.placed:
        found += [_rewrite_kind(draft.page, draft.placed, expected, place) for place in kinds]
    return found


def _rewrite_title(draft: Draft, title: str) -> Rewrite:
    if draft.title_row is None:
        return Rewrite(0, 0, (f"# {title}", ""))
    return Rewrite(draft.title_row, draft.title_row + 1, (f"# {title}",))


def _rewrite_metric(
    page: Page, placed: PlacedMetric, expected: Document, path: Sequence[str]
) -> list[Rewrite]:
    metric = expected.metrics[int(path[0])]
    match path[1:]:
        case ["name"]:
            return [rewrite_heading(page, placed, name=metric.name)]
        case ["intro"]:
            return _rewrite_paragraphs(page, *placed.intro, metric.intro)
        case ["levels", value, field]:
            item, level = placed.levels[int(value)], metric.level(int(value))
            if field == "hint":
                return _rewrite_hint(page, item, level.hint)
            return [_rewrite_row(item.row, write_level(page.lines[item.row], value, level.text))]
        case ["questions", number, field]:
            item, question = placed.questions[int(number)], metric.checklist[int(number)]
            if field == "hint":
                return _rewrite_hint(page, item, question.hint)
            prefix, _body = split_marker(page.lines[item.row])
            return [_rewrite_row(item.row, prefix + question.text)]
    raise PartMissing


def rewrite_heading(page: Page, placed: PlacedMetric, **groups: str | int) -> Rewrite:
    """Rewrite groups of a metric's heading, such as `name`, and leave the rest as it is."""
    heading, row = placed.part.heading, placed.part.row
    match = METRIC_HEADING.fullmatch(heading)
    assert match, "a metric is read from such a heading"
    for group in sorted(groups, key=match.start, reverse=True):
        start, end = match.span(group)
        heading = heading[:start] + str(groups[group]) + heading[end:]
    before, _heading, after = page.lines[row].partition(placed.part.heading)
    return _rewrite_row(row, before + heading + after)


def _rewrite_row(row: int, line: str) -> Rewrite:
    return Rewrite(row, row + 1, (line,))


# --- List items -----------------------------------------------------------------------------------


def split_marker(line: str) -> tuple[str, str]:
    """Split the line of a list item into its marker, with the spaces after it, and its text."""
    match = MARKER.match(line)
    marker = match[0] if match else line[: len(line) - len(line.lstrip())]
    body = line[len(marker) :]
    return (marker if marker.endswith(" ") or not match else f"{marker} "), body


def write_level(line: str, value: str | int, text: str) -> str:
    """Return the line of a level with another value and text."""
    prefix, body = split_marker(line)
    match = LEVEL.fullmatch(body)
    assert match, "a level is read from such a line"
    start, colon = match.start("value"), body[match.end("value") : match.start("text")]
    space = "" if colon[-1].isspace() or colon.endswith("：") else " "
    return f"{prefix}{body[:start]}{value}{colon}{space}{text}"


def _rewrite_hint(page: Page, item: Item, hint: str) -> list[Rewrite]:
    prefix, _body = split_marker(page.lines[item.row])
    old = page.lines[item.row + 1 : item.end]
    first = next((line for line in old if line), "")
    width = len(first) - len(first.lstrip()) or len(prefix)
    new = [" " * width + line for line in hint.split("\n") if line]
    return _rewrite_changed(item.row + 1, old, new)


def _rewrite_rule(page: Page, placed: PlacedSampling, rule: str) -> list[Rewrite]:
    start, end = placed.rule_row, placed.kinds_row
    if start == end:
        return [Rewrite(start, end, (rule, ""))]
    while end > start + 1 and not page.lines[end - 1]:
        end -= 1
    old = page.lines[start:end]
    prefix, _body = split_marker(old[0])
    first, *more = rule.split("\n")
    new = [prefix + first, *(" " * len(prefix) + line for line in more)]
    return _rewrite_changed(start, old, new)


def _rewrite_kind(page: Page, placed: PlacedSampling, expected: Document, place: int) -> Rewrite:
    row, kind = placed.kind_rows[place], expected.sampling.kinds[place]
    before = placed.sampling.kinds[place]
    prefix, body = split_marker(page.lines[row])
    name, tick, tags = body.partition("`")
    gap = name[len(without_separators(name)) :]
    if kind.tags == before.tags:
        tail = (gap or " ") + tick + tags if tick else ""
    else:
        tail = "".join(f" `{tag}`" for tag in kind.tags)
    return _rewrite_row(row, prefix + kind.text + tail)


# --- Texts of several lines -----------------------------------------------------------------------


def _rewrite_paragraphs(page: Page, start: int, end: int, text: str) -> list[Rewrite]:
    written = [row for row in range(start, end) if not is_blank(page.lines[row])]
    new = text.split("\n") if text else []
    if not written:
        is_tight = start < len(page.lines) and page.lines[start]
        return [Rewrite(start, start, (*new, "") if is_tight else tuple(new))]
    first, last = written[0], written[-1] + 1
    old = [page.lines[first].lstrip(), *page.lines[first + 1 : last]]
    return _rewrite_changed(first, old, new)


def _rewrite_changed(start: int, old: Sequence[str], new: Sequence[str]) -> list[Rewrite]:
    """Rewrite these rows, apart from the first and last ones that stay the same."""
    head = count_same(old, new)
    tail = count_same(old[head:][::-1], new[head:][::-1])
    end = start + len(old) - tail
    return [Rewrite(start + head, end, tuple(new[head : len(new) - tail]))]


def count_same(old: Sequence[str], new: Sequence[str]) -> int:
    """Count the texts that are the same at the start of both."""
    return sum(
        1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    )


def list_rows(draft: Draft) -> dict[int, str]:
    """List the rows of the document that have a text, with the path of that text."""
    found = {} if draft.title_row is None else {draft.title_row: "title"}
    if draft.scope_part:
        found |= dict.fromkeys(range(draft.scope_part.row, draft.scope_part.end), "scope")
    for place, placed in enumerate(draft.placed_metrics):
        path = f"metrics.{place}"
        found[placed.part.row] = f"{path}.name"
        found |= dict.fromkeys(range(*placed.intro), f"{path}.intro")
        items = {f"{path}.levels.{value}": item for value, item in placed.levels.items()}
        items |= {f"{path}.questions.{n}": item for n, item in enumerate(placed.questions)}
        for item_path, item in items.items():
            found[item.row] = f"{item_path}.text"
            found |= dict.fromkeys(range(item.row + 1, item.end), f"{item_path}.hint")
    if draft.placed:
        found |= dict.fromkeys(range(draft.placed.rule_row, draft.placed.kinds_row), "rule")
        found |= {row: f"kinds.{n}.text" for n, row in enumerate(draft.placed.kind_rows)}
    return found
