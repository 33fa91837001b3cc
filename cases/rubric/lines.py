"""The lines of a rubric document: Markdown's tokens say what they are, the lines what they say.

Content is always taken from the lines, so that nothing Markdown would resolve or drop gets lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, pairwise

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from .document import RubricError, RubricProblem, _

LARGEST = 200 * 1024
LONGEST_NAME = 200  # of a heading or a kind, and so of every key made from one

# Only headings, lists, rules and paragraphs have a meaning here. The rules switched off would turn
# text into something else (definitions, HTML, underlined headings, quotes) or swallow the sections
# that follow (a code block never closed). `inline` is of no use and slow on hostile text.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(
    ["reference", "html_block", "lheading", "code", "fence", "blockquote", "inline"]
)
# Control characters, Unicode's own line breaks and lone surrogates: what editors disagree on how
# to show, and databases or UTF-8 on how to store.
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
MARKER = re.compile(r" *(?:[-+*]|[0-9]{1,9}[.)])(?: +|$)")
_RULE = re.compile(r" *([-*_])(?: *\1){2,}")
_CLOSING_HASHES = re.compile(r"(?:(?:^|\s+)#+)+$")
# A checklist's label starts with a letter, so that it never is a list item or a heading itself.
_LABEL = re.compile(
    r"(?=.{1,60}$)(?=[^\W\d_])([^.。!?！？:：]*(?:checklist|检查清单)[^.。!?！？:：]*?)\s*[:：]",
    re.IGNORECASE,
)


def has_text(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def checklist_label(line: str) -> str:
    """Return the label of a checklist without its colon; empty if the line is not a label."""
    match = _LABEL.fullmatch(line.strip())
    return match[1] if match else ""


def is_marked(line: str) -> bool:
    """Whether the line looks like a list item."""
    return MARKER.match(line) is not None


def is_list(node: SyntaxTreeNode) -> bool:
    return node.type in ("bullet_list", "ordered_list")


def rows(node: SyntaxTreeNode) -> tuple[int, int]:
    """Return the first row of a block and the row after it, counted from 0."""
    assert node.map, "every block knows its rows"
    return node.map


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and the blocks below it; the part before the first heading has no depth."""

    heading: str
    depth: int
    row: int
    start: int
    end: int
    blocks: tuple[SyntaxTreeNode, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: its first line, and the lines indented under it, up to the row `end`."""

    row: int
    end: int
    text: str
    hint: str
    has_label_below: bool


class Page:
    """The lines of a document, and the problems found in them."""

    def __init__(self, text: str) -> None:
        self.problems: list[RubricProblem] = []
        self.warnings: list[RubricProblem] = []
        self.lines: list[str] = []
        size = len(text.encode(errors="replace"))
        if size > LARGEST:
            message = _("The document has %(size)d KB; at most %(most)d KB are read.")
            self.refuse(0, message, size=-(-size // 1024), most=LARGEST // 1024)
            raise RubricError(self.problems)
        for row, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))):
            self.lines.append(self._canonical(row, line))
        if not any(self.lines):
            self.refuse(0, _("The document is empty."))
            raise RubricError(self.problems)
        self.last_row = max(row for row, line in enumerate(self.lines) if line)

    def _canonical(self, row: int, line: str) -> str:
        if match := _UNREADABLE.search(line):
            message = _("The invisible character %(code)s cannot be read; remove it.")
            self.refuse(row, message, code=f"U+{ord(match[0]):04X}")
            line = _UNREADABLE.sub(" ", line)
        text = line.strip()
        indent = re.sub(r"[^\t]", " ", line[: len(line) - len(line.lstrip())])
        return indent.expandtabs(4) + text.replace("\t", " ") if text else ""

    def parts(self, starts_part: Callable[[int, str], bool]) -> list[Part]:
        """Cut the document at the headings whose depth and text start a part."""
        blocks = SyntaxTreeNode(_MARKDOWN.parse("\n".join(self.lines))).children
        cuts = [
            place
            for place, block in enumerate(blocks)
            if block.type == "heading" and starts_part(_depth(block), _heading_text(block))
        ]
        ends = [rows(blocks[cut])[0] for cut in cuts] + [len(self.lines)]
        cuts.append(len(blocks))
        parts = [Part("", 0, 0, 0, ends[0], tuple(blocks[: cuts[0]]))]
        for (cut, next_cut), end in zip(pairwise(cuts), ends[1:], strict=True):
            row, start = rows(blocks[cut])
            text = _heading_text(blocks[cut])
            if not has_text(text):
                self.refuse(row, _("This heading has no text."))
            if len(text) > LONGEST_NAME:
                message = _("This heading is longer than %(most)d characters.")
                self.refuse(row, message, most=LONGEST_NAME)
            inside = tuple(blocks[cut + 1 : next_cut])
            parts.append(Part(text, _depth(blocks[cut]), row, start, end, inside))
        return parts

    def refuse(self, row: int, message: str, **params: str | int) -> None:
        self.problems.append(RubricProblem(row + 1, message, params))

    def warn(self, row: int, message: str, **params: str | int) -> None:
        self.warnings.append(RubricProblem(row + 1, message, params))

    def text(self, start: int, end: int) -> str:
        """Return these rows unchanged, without blank lines and rules around them.

        The first line starts at the margin: indented it would be read as part of a list above.
        """
        kept = list(dropwhile(is_blank, self.lines[start:end]))
        kept = list(dropwhile(is_blank, reversed(kept)))[::-1]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).lstrip()

    def first_row(self, start: int, end: int) -> int:
        return next(row for row in range(start, end) if not is_blank(self.lines[row]))

    def items(self, node: SyntaxTreeNode) -> Iterator[Item]:
        for child in node.children:
            yield self.item(*rows(child))

    def item(self, start: int, end: int) -> Item:
        """Read the list item in these rows; refuse lines that do not clearly belong to it."""
        first = self.lines[start]
        marker = MARKER.match(first)
        text = first[marker.end() :].strip() if marker else first.strip()
        hint: list[str] = []
        while end > start + 1 and not self.lines[end - 1]:
            end -= 1
        for row in range(start + 1, end):
            line = self.lines[row].strip()
            if checklist_label(line):
                message = _(
                    '"%(label)s" needs a blank line before it and no indent: '
                    "it is read as part of the list item above."
                )
                self.refuse(row, message, label=line)
                return Item(start, end, text, "\n".join(hint), has_label_below=True)
            if line and _indent(self.lines[row]) <= _indent(first):
                if is_marked(line):
                    # Four spaces or more from the margin Markdown sees no further items.
                    message = _('"%(text)s" is not read as a list item; start it at the margin.')
                else:
                    message = _(
                        '"%(text)s" is read as part of the list item above; '
                        "indent it as a hint, or put a blank line before it."
                    )
                self.refuse(row, message, text=short(line))
                break
            if line:
                hint.append(line)
        return Item(start, end, text, "\n".join(hint), has_label_below=False)


def _depth(heading: SyntaxTreeNode) -> int:
    return len(heading.markup)


def _heading_text(heading: SyntaxTreeNode) -> str:
    # Markdown drops one closing run of hashes; the next one would go when it is read again.
    return _CLOSING_HASHES.sub("", heading.children[0].content[: LONGEST_NAME + 1]).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_blank(line: str) -> bool:
    return not line or _RULE.fullmatch(line) is not None
