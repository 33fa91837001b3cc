"""Read the sampling section: the rule, the least number of cases, and the kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.tree import SyntaxTreeNode

from cases.itinerary.tags import normal_tag

from .document import Kind, Sampling, _, slug
from .lines import LONGEST_NAME, Page, Part, has_text, is_list, is_marked, rows, short

_AT_LEAST = re.compile(r"(?:at least|至少|不少于)[^\d.。;；]{0,12}?(\d{1,6})(?!\d)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_TAGS = re.compile(r"(?:`[^`]*`[\s,，、]*)*")
_TAG = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class PlacedSampling:
    """The sampling section, and the rows of its parts in the document."""

    sampling: Sampling
    rule_row: int
    kinds_row: int
    kind_rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    rule: str
    start: int
    kinds_start: int
    end: int
    kinds: tuple[SyntaxTreeNode, ...]


def read_sampling(page: Page, part: Part) -> PlacedSampling | None:
    """Read the section; None if it has no kinds, which is then a problem of the page."""
    lists = [block for block in part.blocks if is_list(block)]
    if not lists:
        message = _('"%(heading)s" names no kinds; list them below the rule.')
        page.refuse(part.row, message, heading=part.heading)
        return None
    layout = _nested(page, lists) or _flat(page, part, lists)
    kind_rows = tuple(rows(kind)[0] for kind in layout.kinds)
    between = set(range(layout.kinds_start, layout.end)) - set(kind_rows)
    if text_rows := [row for row in sorted(between) if page.lines[row]]:
        _refuse_no_kind(page, text_rows[0])
        if not layout.rule:  # what was read as a kind may be the rule
            return None
    minimum = _read_minimum(page, layout)
    if minimum is not None and minimum < len(kind_rows):
        message = _("The rule asks for at least %(minimum)d cases but names %(kinds)d kinds.")
        page.refuse(layout.start, message, minimum=minimum, kinds=len(kind_rows))
    remarks = [page.text(part.start, layout.start), page.text(layout.end, part.end)]
    sampling = Sampling(
        heading=part.heading,
        rule=layout.rule,
        minimum=minimum or 0,
        kinds=tuple(_read_kind(page, row, place) for place, row in enumerate(kind_rows, 1)),
        remarks="\n\n".join(text for text in remarks if text),
    )
    return PlacedSampling(sampling, layout.start, layout.kinds_start, kind_rows)


def _nested(page: Page, lists: list[SyntaxTreeNode]) -> _Layout | None:
    """Read a rule that is a list item, with the kinds as a list inside it."""
    for item in (child for block in lists for child in block.children):
        inner = [child for child in item.children if is_list(child)]
        if not inner:
            continue
        start, end = rows(item)
        kinds_start = rows(inner[0])[0]
        rule = _read_item(page, start, kinds_start) if kinds_start > start else []
        kinds = tuple(kind for block in inner for kind in block.children)
        return _Layout("\n".join(rule), start, kinds_start, end, kinds)
    return None


def _flat(page: Page, part: Part, lists: list[SyntaxTreeNode]) -> _Layout:
    """Read kinds that are a list at the margin, a numbered one if possible, below the rule."""
    block = next((each for each in lists if each.type == "ordered_list"), lists[0])
    start, end = rows(block)
    place = part.blocks.index(block)
    kinds = tuple(block.children)
    above = part.blocks[place - 1] if place else block
    if above.type == "bullet_list" and above is not block:
        rule_start, rule_end = rows(above.children[-1])
        rule = _read_item(page, rule_start, rule_end)
    elif above.type == "paragraph":
        rule_start, rule_end = rows(above)
        rule = _read_lines(page, rule_start, rule_end)
    else:
        rule_start, rule = start, []
    return _Layout("\n".join(rule), rule_start, start, end, kinds)


def _read_item(page: Page, start: int, end: int) -> list[str]:
    return [page.item(start, start + 1).text, *_read_lines(page, start + 1, end)]


def _read_lines(page: Page, start: int, end: int) -> list[str]:
    lines = [line.strip() for line in page.lines[start:end]]
    for row, line in enumerate(lines, start):
        if is_marked(line):
            _refuse_no_kind(page, row)
    return [line for line in lines if line]


def _refuse_no_kind(page: Page, row: int) -> None:
    text = page.lines[row].strip()
    if is_marked(text):
        # Four spaces too many, and Markdown takes a list item for more of the text above.
        message = _('"%(text)s" is not read as a kind; indent it like the other kinds.')
    else:
        message = _(
            '"%(text)s" is read as part of the kinds, which are one line each; '
            "put other text after them, below a blank line and at the margin."
        )
    page.refuse(row, message, text=short(text))


def _read_minimum(page: Page, layout: _Layout) -> int | None:
    if not has_text(layout.rule.split("\n")[0]):
        message = _('There is no rule above the kinds, such as "at least 5 cases".')
        page.refuse(layout.start, message)
        return None
    minimum = find_minimum(layout.rule)
    if minimum is None:
        page.refuse(layout.start, _('The rule does not say "at least" how many cases, in digits.'))
    return minimum


def find_minimum(rule: str) -> int | None:
    """Find how many cases a rule asks for: after "at least", or its only number."""
    if not has_text(rule.split("\n")[0]):
        return None
    numbers = _NUMBER.findall(rule)
    if match := _AT_LEAST.search(" ".join(rule.split("\n"))):
        return int(match[1])
    return int(numbers[0]) if len(numbers) == 1 and len(numbers[0]) <= 6 else None


def _read_kind(page: Page, row: int, place: int) -> Kind:
    text, tick, tags = page.item(row, row + 1).text.partition("`")
    text = without_separators(text)
    if not has_text(text):
        page.refuse(row, _("Kind %(place)d has no text."), place=place)
    if len(text) > LONGEST_NAME:
        message = _("Kind %(place)d has %(size)d characters; at most %(most)d are read.")
        page.refuse(row, message, place=place, size=len(text), most=LONGEST_NAME)
    if not _TAGS.fullmatch(tick + tags):
        message = _("Backticks in a kind are for its tags; put those at the end, like `family`.")
        page.refuse(row, message)
    found = [normal_tag(tag) for tag in _TAG.findall(tick + tags)]
    if bad := [tag for tag in found if len(tag.split()) != 1]:
        message = _('The tag "%(tag)s" is not one word; write it with hyphens.')
        page.refuse(row, message, tag=bad[0])
    return Kind(slug(text) or f"kind-{place}", text, tuple(dict.fromkeys(found)))


def without_separators(text: str) -> str:
    while text != (text := text.rstrip().rstrip(",，、")):
        pass
    return text
