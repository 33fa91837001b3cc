"""The case format `itinerary-case/1` as structs, and what is wrong with a case. docs/case-format.md
describes the format for people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field


def _(message: str) -> str:
    """Mark a sentence for translation; it is translated when the problem is shown."""
    return message


@dataclass(frozen=True, slots=True)
class CaseProblem:
    """A problem of a row. `message` is a %-template for `params`; an empty `path` means the row."""

    path: str
    message: str
    params: dict[str, str | int]

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}" if self.path else self.sentence

    @property
    def sentence(self) -> str:
        return self.message % self.params


class CaseError(ValueError):
    """The row cannot be used; carries the first problem found."""

    def __init__(self, path: str, message: str, **params: str | int) -> None:
        self.problem = CaseProblem(path, message, params)
        super().__init__(str(self.problem))


SCHEMA = "itinerary-case/1"
LONGEST_KEY = 200

# Dates and times stay text and are parsed where they are used. Only their form is checked here.
DATE = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z"
CLOCK = r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)\Z"
LOCALE = r"^[A-Za-z0-9-]+\Z"
ONE_LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*\Z"
NOT_BLANK = r"\S"

Key = Annotated[str, Meta(max_length=LONGEST_KEY, pattern=ONE_LINE)]
Tag = Annotated[str, Meta(max_length=80, pattern=ONE_LINE)]
Name = Annotated[str, Meta(max_length=200)]
Filled = Annotated[str, Meta(pattern=NOT_BLANK)]
Locale = Annotated[str, Meta(max_length=35, pattern=LOCALE)]
Date = Annotated[str, Meta(pattern=DATE)]
Clock = Annotated[str, Meta(pattern=CLOCK)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Place = Annotated[int, Meta(ge=0, le=100_000)]
Minutes = Annotated[float, Meta(ge=0, le=1_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]

GroupType = Literal["solo", "couple", "family", "friends", "elderly", "adults", "group"]
Pace = Literal["relaxed", "moderate", "intensive"]
PlanStatus = Literal["done", "clarifying", "error", "empty"]
ItemKind = Literal["transport", "meal", "sight", "rest", "hotel", "other"]
CheckStatus = Literal["pass", "warn", "fail"]
Overall = Literal["PASS", "WARN", "FAIL"]


class Frozen(Struct, frozen=True):
    pass


class ReleaseName(Frozen, frozen=True):
    product: Name | None = None
    version: Name | None = None
    commit: Name | None = None


class Source(Frozen, frozen=True):
    """The origin of the row; `derived` names the fields that were not in the source."""

    request: Any = None
    plan: Any = None
    checks: Any = None
    derived: list[str] | None = None


class Budget(Frozen, frozen=True):
    amount: float | None = None
    currency: str | None = None
    scope: str | None = None


class Request(Frozen, frozen=True):
    text: Filled
    origin: str | None = None
    destination: str | list[str] | None = None
    start_date: Date | None = None
    end_date: Date | None = None
    days: Count | None = None
    people: Count | None = None
    group_type: GroupType | None = None
    budget: Budget | None = None
    must_visit: list[str] | None = None
    avoid: list[str] | None = None
    dietary: list[str] | None = None
    mobility: list[str] | None = None
    goals: list[str] | None = None
    pace: Pace | None = None
    transport_preference: str | list[str] | None = None
    lodging: str | list[str] | None = None


class Transport(Frozen, frozen=True):
    mode: str | None = None
    from_: str | None = field(name="from", default=None)
    to: str | None = None
    minutes: Minutes | None = None


class Item(Frozen, frozen=True):
    start: Clock | None = None
    end: Clock | None = None
    kind: ItemKind | None = None
    title: str | None = None
    place: str | None = None
    cost: float | None = None
    note: str | None = None
    buffer_minutes: Minutes | None = None
    transport: Transport | None = None

    @property
    def is_paragraph(self) -> bool:
        """Whether the item is only a text: no time, name, price or way of travelling."""
        stated = (self.start, self.end, self.title, self.place, self.cost, self.buffer_minutes)
        is_bare = self.transport is None and all(value is None for value in stated)
        return is_bare and self.kind in (None, "other") and bool(self.note)


class Day(Frozen, frozen=True):
    day: Place | None = None
    date: Date | None = None
    summary: str | None = None
    estimated_cost: float | None = None
    items: list[Item] | None = None


class PlanBudget(Frozen, frozen=True):
    currency: str | None = None
    total: float | None = None
    breakdown: dict[str, float | None] | None = None
    minimum_feasible: float | None = None
    warning: str | None = None


class Fallback(Frozen, frozen=True):
    day: Place | None = None
    title: str | None = None
    reason: str | None = None
    note: str | None = None


class Plan(Frozen, frozen=True):
    status: PlanStatus | None = None
    title: str | None = None
    summary: str | None = None
    days: list[Day] | None = None
    budget: PlanBudget | None = None
    fallbacks: list[Fallback] | None = None
    notes: list[str] | None = None

    @property
    def is_done(self) -> bool:
        """Whether the plan is done and has at least one item, so that it can be read as a trip."""
        return self.status == "done" and any(day.items for day in self.days or ())

    @property
    def is_plain_text(self) -> bool:
        """Whether all of the plan is paragraphs without a day: there is nothing to compute with."""
        days = self.days or ()
        items = [item for day in days for item in day.items or ()]
        has_no_days = all(day.day is None and day.date is None for day in days)
        return bool(items) and has_no_days and all(item.is_paragraph for item in items)


class Check(Frozen, frozen=True):
    status: CheckStatus
    evidence: Any = None


class Overview(Frozen, frozen=True):
    status: Overall
    score: Share | None = None


class Case(Frozen, frozen=True):
    case_key: Key
    request: Request
    schema: Literal["itinerary-case/1"] | None = None
    id: str | None = None
    release: ReleaseName | None = None
    locale: Locale | None = None
    source: Source | None = None
    plan: Plan | None = None
    automated_checks: dict[str, Check] | None = None
    automated_summary: Overview | None = None
    tags: list[Tag] | None = None
    produced_by: list[Name] | None = None
    # language -> an object of the same shape as the case, with only the texts that are translated
    translations: dict[str, dict[str, Any]] | None = None
    slots: Any = None
    slots_weak: Any = None
