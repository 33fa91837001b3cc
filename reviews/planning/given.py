"""What the planner is told: people, cases, and the reviews that exist already."""

from __future__ import annotations

from dataclasses import dataclass
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
class Standing:
    """A review that exists, with its own word for where it is.

    One that was declined or withdrawn leaves its place free, but not for the same person.
    """

    case_key: str
    username: str
    status: Status

    @property
    def is_counted(self) -> bool:
        return self.status not in ("declined", "withdrawn")
