"""What the planner answers: the new assignments, what is missing, what is uneven, and why."""

from __future__ import annotations

from dataclasses import dataclass

from .limits import Reason


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
