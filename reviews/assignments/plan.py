"""What the planner is given (people, cases, existing reviews), and the plan it returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Status = Literal["assigned", "draft", "submitted", "declined", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who could review. `open_reviews` are unsubmitted ones, of whatever release.

    `languages` are those the person reads: with none named, nothing that has a language is
    assigned. `is_away`: until the due date. `has_seen_scores`: those of others, in this release.
    """

    username: str
    capacity: int
    open_reviews: int = 0
    languages: frozenset[str] = frozenset()
    is_away: bool = False
    has_seen_scores: bool = False

    @property
    def room(self) -> int:
        """How many more fit. None when the capacity was lowered below what is open."""
        return max(0, self.capacity - self.open_reviews)


@dataclass(frozen=True, slots=True)
class ToReview:
    """A case. `languages` are those of request and plan together; with none, anybody reads it."""

    case_key: str
    languages: frozenset[str] = frozenset()
    produced_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ExistingReview:
    """A review that exists, with its own word for where it is.

    One that was declined or withdrawn leaves its place free, but not for the same person.
    """

    case_key: str
    username: str
    status: Status

    @property
    def is_counted(self) -> bool:
        return self.status not in ("declined", "withdrawn")


class Why(StrEnum):
    """The pages say it in words."""

    ON_THE_CASE = "on-the-case"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    MADE_THE_CASE = "made-the-case"
    SEEN_SCORES = "seen-scores"
    AWAY = "away"
    LANGUAGE = "language"
    CAPACITY = "capacity"
    # Only of unevenness: what stands is not moved; and no exchange was found that helps. Often
    # none exists: of four people, three on each of two cases, two never meet and two meet twice.
    STANDING_WORK = "standing-work"
    NO_BETTER_FOUND = "no-better-found"


@dataclass(frozen=True, slots=True)
class Reason:
    """`count`: how many reviews it keeps from somebody. `languages`: those they do not read."""

    why: Why
    count: int = 1
    languages: tuple[str, ...] = ()


def reasons_against(person: Person, case: ToReview, status: Status | None) -> tuple[Reason, ...]:
    """All that keeps the person from the case, whatever their room; empty: they may take it.

    `status` is that of the review they have of it. Everything is named, so that nobody moves a
    holiday only to learn about the language.
    """
    if status in ("assigned", "draft", "submitted"):
        return (Reason(Why.ON_THE_CASE),)
    reasons = []
    if status is not None:
        reasons.append(Reason(Why(status)))
    if person.username in case.produced_by:
        reasons.append(Reason(Why.MADE_THE_CASE))
    if person.has_seen_scores:
        reasons.append(Reason(Why.SEEN_SCORES))
    if person.is_away:
        reasons.append(Reason(Why.AWAY))
    if not case.languages <= person.languages:
        unread = tuple(sorted(case.languages - person.languages))
        reasons.append(Reason(Why.LANGUAGE, languages=unread))
    return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Assignment:
    case_key: str
    username: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why this person cannot take the case that still misses somebody."""

    username: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CasePlan:
    """`standing` and `added` are usernames. `refusals` has everybody, if somebody is missing."""

    case_key: str
    standing: tuple[str, ...]
    added: tuple[str, ...]
    missing: int
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """`before` and `added` are reviews in this release, submitted ones included.

    `open_reviews` were unsubmitted before, in whatever release; the capacity is about these.
    """

    username: str
    before: int
    added: int
    open_reviews: int
    capacity: int

    @property
    def after(self) -> int:
        return self.before + self.added

    @property
    def open_after(self) -> int:
        return self.open_reviews + self.added


@dataclass(frozen=True, slots=True)
class UnevenLoad:
    """Somebody has at least two reviews fewer than the person with the most."""

    username: str
    load: int
    most: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class UnevenPair:
    """Two people with work share at least two cases fewer than the pair that shares the most."""

    usernames: tuple[str, str]
    meetings: int
    most: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Cases by key, people by username. Nothing here moves or ends a review that exists."""

    cases: tuple[CasePlan, ...]
    people: tuple[PersonPlan, ...]
    uneven_loads: tuple[UnevenLoad, ...]
    uneven_pairs: tuple[UnevenPair, ...]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The new ones."""
        return tuple(
            Assignment(case.case_key, username) for case in self.cases for username in case.added
        )

    @property
    def shortfalls(self) -> tuple[CasePlan, ...]:
        return tuple(case for case in self.cases if case.missing)

    @property
    def missing(self) -> int:
        return sum(case.missing for case in self.cases)
