"""Write edits into the text of a document: only the lines concerned change.

The new text is read again before it is accepted: an edit that makes the document say anything else
than was meant, such as a question that looks like a level, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from .document import Document, RubricError, _
from .lines import Page
from .parser import Draft
from .source import Rewrite, rewrite
from .step_rows import list_step_rows
from .steps import Step, with_step
from .text_rows import list_text_rows
from .texts import EditRefused, with_texts

_READ_DIFFERENTLY = _(
    "With this text the document would be read differently. Use other words, or edit the document."
)
_TOO_LARGE = _("With this text the document would get too large.")
# Characters to read again in search of what is wrong.
_MOST_READ = 1_000_000


@lru_cache(maxsize=2)
def read_draft(text: str) -> Draft:
    """Read as much as possible of a document. Raises RubricError if it is empty or too large.

    Cached: one edit asks for the text before and after it several times, and the next edit starts
    from the latter.
    """
    draft = Draft(Page(text))
    draft.check_keys()
    return draft


def write_step(text: str, step: Step) -> str:
    """Return the text after the step. Raises EditRefused, and RubricError if nothing is read."""
    draft = read_draft(text)
    expected = with_step(draft.document, step)
    return _write(text, list_step_rows(draft, text, step), expected)


def write_texts(text: str, changes: Mapping[str, str]) -> tuple[str, dict[str, EditRefused]]:
    """Return the text with other texts under these paths, and the changes that were refused.

    All are written at once. If that fails they are tried in halves to find which ones are wrong;
    after a while the others are refused too.
    """
    refused: dict[str, EditRefused] = {}
    waiting = [list(changes)] if changes else []
    left_to_read = _MOST_READ
    while waiting:
        paths = waiting.pop()
        try:
            text = _write_together(text, {path: changes[path] for path in paths})
        except EditRefused as error:
            left_to_read -= len(text)
            half = len(paths) // 2
            if half and left_to_read > 0:
                waiting += [paths[:half], paths[half:]]
            else:
                refused |= dict.fromkeys(paths, error)
    return text, refused


def _write_together(text: str, changes: Mapping[str, str]) -> str:
    draft = read_draft(text)
    expected = with_texts(draft.document, changes)
    return _write(text, list_text_rows(draft, expected, changes), expected)


def _write(text: str, rewrites: Iterable[Rewrite], expected: Document) -> str:
    written = rewrite(text, rewrites)
    try:
        found = read_draft(written).document
    except RubricError as error:
        raise EditRefused(_TOO_LARGE) from error
    if found != expected:
        raise EditRefused(_READ_DIFFERENTLY)
    return written
