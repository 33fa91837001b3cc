"""The plan of a case as lines of text, and the lines that a piece of evidence points to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .format import Case, Item


class PlanLine(NamedTuple):
    """A stop of a day, or another text of the plan; then there is no day."""

    pointer: str
    day: int | None
    text: str


def list_lines(case: Case) -> Iterator[PlanLine]:
    """Yield each stop of the plan, then its fallbacks and notes."""
    if case.plan is None:
        return
    for place, day in enumerate(case.plan.days or ()):
        number = place + 1 if day.day is None else day.day
        for stop, item in enumerate(day.items or ()):
            if text := describe_item(item):
                yield PlanLine(f"/plan/days/{place}/items/{stop}", number, text)
    for place, fallback in enumerate(case.plan.fallbacks or ()):
        if text := join(fallback.title, fallback.reason, fallback.note):
            yield PlanLine(f"/plan/fallbacks/{place}", fallback.day, text)
    for place, note in enumerate(case.plan.notes or ()):
        if note.strip():
            yield PlanLine(f"/plan/notes/{place}", None, note)


def describe_item(item: Item) -> str:
    """Return "09:30–11:00 Paper mill", as far as the plan says it."""
    times = "–".join(time for time in (item.start, item.end) if time)
    place = item.place if item.place != item.title else None
    words = join(item.title, place) or join(item.note)
    return " ".join(part for part in (times, words) if part)


def join(*texts: str | None) -> str:
    return ", ".join(text.strip() for text in texts if text and text.strip())


def points_to(ref: str, pointer: str) -> bool:
    """Return whether a reference leads to this place, to a part of it, or to what it is part of."""
    target = ref.partition("#")[0]
    if target.count("/") < len(("plan", "days", "place")):
        return False
    return f"{target}/".startswith(f"{pointer}/") or f"{pointer}/".startswith(f"{target}/")
