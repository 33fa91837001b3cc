"""Bring what was typed in the form into a text that may have been changed as well.

Both started from `base`, the text that the form was made from. What was typed for a text that also
changed in the document is not written: both are kept for the person to choose.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .document import Document, RubricError, Sampling, _
from .text_rows import count_same
from .texts import list_texts, normal
from .writing import read_draft, write_texts

_OTHER_TEXT = _("The document has another text here.")
_NOTHING = Document("", "", "", "", (), Sampling("", "", 0, (), ""), ())


@dataclass(frozen=True, slots=True)
class Held:
    """A typed text that is not in the document, and why: another text is there, or it cannot be."""

    typed: str
    message: str
    is_conflict: bool


@dataclass(frozen=True, slots=True)
class Merged:
    """The new text; what was typed and is not in it, by its path there; and what has no place."""

    text: str
    held: Mapping[str, Held]
    homeless: tuple[str, ...]


def merge(
    base: str, text: str, typed: Mapping[str, str], *, kept_apart: Collection[str] = ()
) -> Merged:
    """Write what was typed into the text, but not under the paths that are to be kept apart."""
    before, now = read_document(base), read_document(text)
    before_texts, now_texts = list_texts(before), list_texts(now)
    changes: dict[str, str] = {}
    held: dict[str, Held] = {}
    homeless: list[str] = []
    for path, value in typed.items():
        meant, had = normal(path, value), before_texts.get(path, "")
        if meant == had:
            continue
        place = locate(path, before, now) if path in before_texts else None
        if place is None or place not in now_texts:
            homeless.append(value)
        elif path in kept_apart or now_texts[place] not in (had, meant):
            held[place] = Held(value, _OTHER_TEXT, is_conflict=True)
        elif now_texts[place] != meant:
            changes[place] = value
    written, refused = write_texts(text, changes)
    for path, error in refused.items():
        held[path] = Held(changes[path], error.message, is_conflict=False)
    return Merged(written, held, tuple(homeless))


def read_document(text: str) -> Document:
    """Return what can be read of a text; of one that is empty or too large, an empty document."""
    try:
        return read_draft(text).document
    except RubricError:
        return _NOTHING


def locate(path: str, before: Document, now: Document) -> str | None:
    """Return the path that a part or a text of one document has in the other, if it is there."""
    if before == now:
        return path
    match path.split("."):
        case ["kinds", place, *rest]:
            kinds = [[kind.text for kind in each.sampling.kinds] for each in (before, now)]
            return _join("kinds", _find(int(place), *kinds), rest)
        case ["metrics", place, *rest]:
            names = [[metric.name for metric in each.metrics] for each in (before, now)]
            found = _find(int(place), *names)
            if found is None or len(rest) < 2 or rest[0] != "questions":
                return _join("metrics", found, rest)
            lists = (before.metrics[int(place)].checklist, now.metrics[found].checklist)
            questions = [[question.text for question in each] for each in lists]
            prefix = f"metrics.{found}.questions"
            return _join(prefix, _find(int(rest[1]), *questions), rest[2:])
    return path


def _join(prefix: str, place: int | None, rest: Sequence[str]) -> str | None:
    return None if place is None else ".".join([prefix, str(place), *rest])


def _find(place: int, before: Sequence[str], now: Sequence[str]) -> int | None:
    """Find where an item of one list is in another, in which some were changed, added or removed.

    Between the items that are the same at the start and at the end, lists of the same length are
    taken to have the same places; otherwise only an item with the same text is found.
    """
    if place >= len(before):
        return None
    head = count_same(before, now)
    tail = count_same(before[head:][::-1], now[head:][::-1])
    if place < head:
        return place
    if place >= len(before) - tail:
        return place + len(now) - len(before)
    if len(before) == len(now):
        return place
    same = [number for number, text in enumerate(now) if text == before[place]]
    return same[0] if len(same) == 1 else None
