"""Text in a table that a spreadsheet may open: it stays text, and can be read back.

A spreadsheet takes a cell that begins with = + - @ (or their wide forms, which an East Asian
keyboard gives), or with a tab or a line break before one, for a formula. Such a text gets an
apostrophe in front. So that nothing is lost, a text that begins with apostrophes and goes on like
that gets one more: reading back takes exactly one away.
"""

from __future__ import annotations

import re

_BEGINNINGS = frozenset("=+-@＝＋－＠\t\r\n'")
_RISKY = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


def to_cell(text: str) -> str:
    # Nearly every text is seen to be harmless by its first character.
    return "'" + text if text[:1] in _BEGINNINGS and _RISKY.match(text) else text


def from_cell(cell: str) -> str:
    """The text that `to_cell` was given."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell
