"""Shortens the texts of charts to the room they have. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from unicodedata import east_asian_width

TEXT = 12.0

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The last word of a text, which may have just begun.
LAST_WORD = re.compile(r"\w*$")


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Drop the characters that XML does not allow."""
    return NOT_IN_XML.sub("", text)


@lru_cache(maxsize=4096)
def measure_width(text: str, size: float = TEXT) -> float:
    """Estimate how wide a text is drawn; on the safe side for most fonts."""
    return size * sum(1.0 if east_asian_width(character) in "WF" else 0.58 for character in text)


def fit(text: str, room: float, size: float = TEXT) -> str:
    """Cut the text to the room it has; a text without characters becomes a space."""
    text = squeeze(text)
    if measure_width(text, size) > room:
        text = f"{cut_end(text, room, size).rstrip()}…"
    return clean(text) or " "


def squeeze(text: str) -> str:
    return " ".join(text.split())


def cut_end(text: str, room: float, size: float) -> str:
    """Return as much of the beginning as fits with an ellipsis."""
    # A character is at least half as wide as it is tall, so the rest need not be measured.
    text = text[: max(int(2 * room / size), 0)]
    while text and measure_width(text + "…", size) > room:
        text = text[:-1]
    return text


# --- Names that must stay different ---------------------------------------------------------------


def fit_apart(names: Sequence[str], room: float, size: float = TEXT) -> list[str]:
    """Cut names to the room they have so that different names stay different where possible.

    The end of a name is cut first. If names then look alike, their beginnings are cut, and then
    everything before the word in which they differ.
    """
    texts = [squeeze(name) for name in names]
    different = {text for text in texts if measure_width(text, size) > room}
    at = find_word_apart(different)
    return max(
        (
            [fit(text, room, size) for text in texts],
            [fit_from_end(text, room, size) for text in texts],
            [fit_from(text, at, room, size) for text in texts],
        ),
        key=lambda found: len(set(found)),
    )


def find_word_apart(texts: set[str]) -> int:
    """Return where the word begins in which these texts first differ."""
    if not texts:
        return 0
    # What the first and the last in order have in common, all have.
    pairs = zip(min(texts), max(texts), strict=False)
    same = "".join(first for first, _last in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return len(LAST_WORD.sub("", same))


def fit_from_end(text: str, room: float, size: float) -> str:
    """Cut the beginning of the text."""
    if measure_width(text, size) <= room:
        return fit(text, room, size)
    return clean(f"…{cut_end(text[::-1], room, size)[::-1].lstrip()}")


def fit_from(text: str, place: int, room: float, size: float) -> str:
    """Cut the text before this place, and at its end as far as needed."""
    if not place or measure_width(text, size) <= room:
        return fit(text, room, size)
    return fit(f"…{text[place:]}", room, size)
