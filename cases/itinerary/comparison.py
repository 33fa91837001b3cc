"""Compare two plans for one request, day by day."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Literal

from msgspec import structs

from .format import Case, Day, Item, Plan
from .notes import Notes, sort_note

Sign = Literal["same", "removed", "added"]

# Aligning costs up to the product of both lengths. No real day comes near this limit.
LONGEST_ALIGNED = 500


@dataclass(frozen=True, slots=True)
class Line:
    sign: Sign
    item: Item

    @property
    def time(self) -> str:
        if self.item.start and self.item.end:
            return f"{self.item.start}–{self.item.end}"
        return self.item.start or self.item.end or ""

    @property
    def notes(self) -> Notes:
        return sort_note(self.item.note)

    @property
    def text(self) -> str:
        item = self.item
        if item.transport and not item.title:
            return " → ".join(filter(None, (item.transport.from_, item.transport.to)))
        return item.title or item.place or ""


@dataclass(frozen=True, slots=True)
class DayChange:
    """A day in both plans. `number` counts from 1; None: that plan has no such day."""

    number: int
    before: Day | None
    after: Day | None
    lines: tuple[Line, ...]

    @property
    def is_changed(self) -> bool:
        if self.before is None or self.after is None:
            return True
        around = [(day.date, day.summary) for day in (self.before, self.after)]
        return around[0] != around[1] or any(line.sign != "same" for line in self.lines)


def days(before: Case, after: Case) -> tuple[DayChange, ...]:
    pairs = zip_longest(list_days(before), list_days(after))
    return tuple(
        DayChange(number, old, new, tuple(lines(list_items(old), list_items(new))))
        for number, (old, new) in enumerate(pairs, 1)
    )


def list_days(case: Case) -> list[Day]:
    return (case.plan.days if case.plan else None) or []


def list_items(day: Day | None) -> list[Item]:
    return (day.items if day else None) or []


def seen(item: Item) -> tuple[Item, Notes]:
    """Reduce an item to what a customer reads: a change of machine text is no change."""
    return structs.replace(item, note=None), sort_note(item.note)._replace(machine=())


def lines(old: Sequence[Item], new: Sequence[Item]) -> Iterator[Line]:
    for sign, place in align(old, new):
        yield Line(sign, (old if sign == "removed" else new)[place])


def find_differing(left: Day | None, right: Day | None) -> tuple[set[int], set[int]]:
    """Return the places of the items of each day that the other one does not have."""
    found = list(align(list_items(left), list_items(right)))
    return (
        {place for sign, place in found if sign == "removed"},
        {place for sign, place in found if sign == "added"},
    )


def align(old: Sequence[Item], new: Sequence[Item]) -> Iterator[tuple[Sign, int]]:
    """Yield places: in the old list for removed items, in the new list for all others."""
    before, after = [seen(item) for item in old], [seen(item) for item in new]
    head = same_at_start(before, after)
    tail = same_at_start(before[head:][::-1], after[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    yield from (("same", place) for place in range(head))
    for sign, place in aligned(before[head : ends[0]], after[head : ends[1]]):
        yield sign, head + place
    yield from (("same", place) for place in range(ends[1], len(new)))


Seen = tuple[Item, Notes]


def same_at_start(old: Sequence[Seen], new: Sequence[Seen]) -> int:
    pairs = zip(old, new, strict=False)
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], pairs))


def aligned(old: Sequence[Seen], new: Sequence[Seen]) -> Iterator[tuple[Sign, int]]:
    """Yield positions: in the old list for removed items, in the new list for all others."""
    if max(len(old), len(new)) > LONGEST_ALIGNED:
        yield from (("removed", place) for place in range(len(old)))
        yield from (("added", place) for place in range(len(new)))
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for act, start, end, first, last in matcher.get_opcodes():
        if act == "equal":
            yield from (("same", place) for place in range(first, last))
        else:
            yield from (("removed", place) for place in range(start, end))
            yield from (("added", place) for place in range(first, last))


PARTS = ("status", "title", "summary", "budget", "fallbacks", "notes")


def parts(before: Case, after: Case) -> tuple[str, ...]:
    """Name the parts of the plan, other than its days, that differ."""
    old, new = before.plan or Plan(), after.plan or Plan()
    return tuple(
        name for name in PARTS if (getattr(old, name) or None) != (getattr(new, name) or None)
    )
