"""The parts of a fact. Its sentence is a template, which is translated when it is shown."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .topics import Topic

LONGEST_WORDS = 80
MOST_WORDS = 8


def _(message: str) -> str:
    """Mark a sentence for translation."""
    return message


def ngettext(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence with a number for translation; `count` in the params selects the form."""
    return singular, plural


@dataclass(frozen=True, slots=True)
class Words:
    """Words of the case inside a sentence. `pointer` is their place in the stored case."""

    text: str
    pointer: str


# A date is shown with its weekday.
Value = str | int | datetime.date | Words | tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A computed statement about a case, never a verdict.

    `key` is unique within a case, the same in every language, and does not depend on other facts.
    `refs` are JSON pointers to the stops, days and fallbacks it is about.
    """

    key: str
    topic: Topic
    message: str
    plural: str
    params: Mapping[str, Value]
    refs: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The sentence in English, for logs and tests."""
        is_singular = not self.plural or self.params.get("count") == 1
        shown = {name: _shown(value) for name, value in self.params.items()}
        return (self.message if is_singular else self.plural) % shown


def _shown(value: Value) -> str | int:
    if isinstance(value, Words):
        return value.text
    if isinstance(value, tuple):
        return ", ".join(words.text for words in value)
    if isinstance(value, datetime.date):
        return value.strftime("%a ") + value.isoformat()
    return value


def fact(
    topic: Topic,
    key: str,
    message: str | tuple[str, str],
    refs: Iterable[str] = (),
    **params: Value,
) -> Fact:
    singular, plural = (message, "") if isinstance(message, str) else message
    return Fact(key, topic, singular, plural, params, tuple(dict.fromkeys(refs)))


def quoted(text: str, pointer: str) -> Words:
    """Quote a text on one line, cut to a length that fits into a sentence."""
    line = " ".join(text[: 4 * LONGEST_WORDS].split()).rstrip(" ,;，；、")
    if len(line) > LONGEST_WORDS or len(text) > 4 * LONGEST_WORDS:
        line = line[: LONGEST_WORDS - 1].rstrip() + "…"
    return Words(line or "?", pointer)


def several(quotes: Iterable[Words]) -> tuple[Words, ...]:
    """Return each text once, at most MOST_WORDS of them; the sentence has the total."""
    once: dict[str, Words] = {}
    for words in quotes:
        once.setdefault(words.text, words)
    return tuple(once.values())[:MOST_WORDS]


def numbers(days: Iterable[int]) -> str:
    """Format 1, 2, 3, 5 as "1–3, 5"."""
    runs: list[list[int]] = []
    for day in sorted(set(days)):
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def between(fewest: int, most: int) -> str:
    return str(fewest) if fewest == most else f"{fewest}–{most}"
