"""The planner's input (people, cases, existing reviews) and the plan it returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

# The room of a person without a limit; a release never has as many reviews.
UNLIMITED = 1_000_000_000

Status = Literal["assigned", "draft", "submitted", "declined", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Person:
    """A reviewer. `open_reviews` counts their unsubmitted reviews in all releases.

    `capacity`: None is no limit. `languages` are those the person reads: None is every language;
    without any, they get no case that has a language. `is_away`: until the due date.
    `has_seen_scores`: others' scores in this release. `reads_pairs`: it reads plans of this
    release side by side. `has_open_reviews`: of this release, which come before its pairs.
    """

    username: str
    capacity: int | None
    open_reviews: int = 0
    languages: frozenset[str] | None = frozenset()
    is_away: bool = False
    has_seen_scores: bool = False
    reads_pairs: bool = False
    has_open_reviews: bool = False

    @property
    def room(self) -> int:
        """Return how many more reviews fit; 0 if the capacity is below the open reviews."""
        return max(0, self.limit - self.open_reviews)

    @property
    def limit(self) -> int:
        return UNLIMITED if self.capacity is None else self.capacity


@dataclass(frozen=True, slots=True)
class ToReview:
    """A case. `languages` are those of request and plan; if empty, anyone can read it."""

    case_key: str
    languages: frozenset[str] = frozenset()
    produced_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ExistingReview:
    """A review that exists already.

    If it was declined or withdrawn, its place is free again, but not for the same person.
    """

    case_key: str
    username: str
    status: Status

    @property
    def is_counted(self) -> bool:
        return self.status not in ("declined", "withdrawn")


class Why(StrEnum):
    """Why a person does not get a case. `reasons.py` has the words for pages."""

    ON_THE_CASE = "on-the-case"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    MADE_THE_CASE = "made-the-case"
    SEEN_SCORES = "seen-scores"
    READS_PAIRS = "reads-pairs"
    OPEN_REVIEWS = "open-reviews"
    AWAY = "away"
    LANGUAGE = "language"
    CAPACITY = "capacity"
    # The last two explain an uneven plan: existing reviews are not moved; no exchange helps. Often
    # none can: with four people and two cases of three reviewers, some pairs meet twice.
    STANDING_WORK = "standing-work"
    NO_BETTER_FOUND = "no-better-found"


@dataclass(frozen=True, slots=True)
class Reason:
    """`count`: how many reviews it concerns. `languages`: those the person does not read."""

    why: Why
    count: int = 1
    languages: tuple[str, ...] = ()


def list_reasons_against(
    person: Person, case: ToReview, status: Status | None
) -> tuple[Reason, ...]:
    """List every reason against giving the case to the person, apart from capacity.

    `status` is that of their existing review of it, if any. All reasons are listed, so that an
    admin does not resolve one only to meet the next.
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
    if person.reads_pairs:
        reasons.append(Reason(Why.READS_PAIRS))
    if person.has_open_reviews:
        reasons.append(Reason(Why.OPEN_REVIEWS))
    if person.is_away:
        reasons.append(Reason(Why.AWAY))
    if person.languages is not None and not case.languages <= person.languages:
        unread = tuple(sorted(case.languages - person.languages))
        reasons.append(Reason(Why.LANGUAGE, languages=unread))
    return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Assignment:
    case_key: str
    username: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why this person cannot take a case that lacks reviewers."""

    username: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CasePlan:
    """`standing` are usernames with existing reviews, `added` new ones.

    If reviewers are missing, `refusals` has an entry for each person.
    """

    case_key: str
    standing: tuple[str, ...]
    added: tuple[str, ...]
    missing: int
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """`before` and `added` count reviews in this release, submitted ones included.

    `open_reviews` counts unsubmitted ones before the plan in all releases, as the capacity does.
    """

    username: str
    before: int
    added: int
    open_reviews: int
    capacity: int | None

    @property
    def limit(self) -> int:
        return UNLIMITED if self.capacity is None else self.capacity

    @property
    def after(self) -> int:
        return self.before + self.added

    @property
    def open_after(self) -> int:
        return self.open_reviews + self.added


@dataclass(frozen=True, slots=True)
class UnevenLoad:
    """A person with at least two reviews fewer than the person with the most."""

    username: str
    load: int
    most: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class UnevenPair:
    """A pair that shares at least two cases fewer than the pair that shares the most."""

    usernames: tuple[str, str]
    meetings: int
    most: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Cases sorted by key, people by username. A plan only adds reviews."""

    cases: tuple[CasePlan, ...]
    people: tuple[PersonPlan, ...]
    uneven_loads: tuple[UnevenLoad, ...]
    uneven_pairs: tuple[UnevenPair, ...]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """List the assignments that the plan adds."""
        return tuple(
            Assignment(case.case_key, username) for case in self.cases for username in case.added
        )

    @property
    def shortfalls(self) -> tuple[CasePlan, ...]:
        return tuple(case for case in self.cases if case.missing)

    @property
    def missing(self) -> int:
        return sum(case.missing for case in self.cases)
