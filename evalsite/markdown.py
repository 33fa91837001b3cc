"""Writes text of other people into Markdown, so that it reads as text wherever it is rendered.

Pure. GitHub, GitLab and CommonMark renderers agree on what is escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Punctuation that can begin markup, an entity or a link anywhere in a line.
_INLINE = re.compile(r"[\\`*_\[\]<>|~&$]")
# What makes an address a link without any markup.
_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
# A mention of a person or of an issue, which sends mail to people or leaves a trace there.
_MENTION = re.compile(r"([@#])(?=\w)")
# What makes the line it begins a heading, a list, a quote or a rule.
_BLOCK = re.compile(r"^(?:([#+\-=>:])|(\d{1,9})([.)]))")
# Invisible, has no width, and allows no line break.
WORD_JOINER = "\u2060"


def escape(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown or a code host acts on."""
    line = _INLINE.sub(r"\\\g<0>", flatten(text))
    line = _ADDRESS.sub(r"\\\g<0>", line)
    line = _MENTION.sub(rf"\1{WORD_JOINER}", line)
    return _BLOCK.sub(lambda found: f"{found[2] or ''}\\{found[1] or found[3]}", line)


def flatten(text: str) -> str:
    """Replace control characters, also those that turn the direction of text, and line breaks."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(plain.split())


def shorten(text: str, longest: int) -> str:
    """Cut a text to so many characters, also one without spaces, as Chinese is written."""
    plain = flatten(text)
    return plain if len(plain) <= longest else f"{plain[: longest - 2].rstrip()} …"


def link(text: str, address: str) -> str:
    """Write a link. The address must be the site's own; its brackets and spaces are encoded."""
    safe = "".join(f"%{ord(letter):02X}" if letter in '<>() "' else letter for letter in address)
    return f"[{escape(text)}]({safe})"


def quote(lines: Iterable[str]) -> list[str]:
    """Write lines, already escaped, as a quotation."""
    return [f"> {line}" for line in lines]
