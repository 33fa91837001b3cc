"""Who may not take which case, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .given import Person, Status, ToReview


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
