"""What the planner is told of a release: its cases, its people, and the reviews that exist."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import cast

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, QuerySet
from django.utils import timezone

from cases.facts import build_trip, find_languages
from cases.models import Release
from evalsite.permissions import GROUP_OF, Role
from reviews.assignments.plan import (
    ExistingReview,
    Person,
    Plan,
    Reason,
    Status,
    ToReview,
    Why,
    reasons_against,
)
from reviews.assignments.planner import plan
from reviews.models import Absence, Review, Reviewer, SampledCase
from reviews.models.reviews import OPEN, SEEN, taking_room

BARRING = (Why.ON_THE_CASE, Why.MADE_THE_CASE, Why.SEEN_SCORES)


def plan_for(
    release: Release,
    *,
    usernames: Collection[str] | None,
    per_case: int | None,
    now: datetime,
    only: Collection[str] | None = None,
    leaving: str = "",
) -> Plan:
    """`usernames` are the people to choose from; None: every active reviewer.

    `only` are the keys of the cases to plan for; None: the whole sample. The person `leaving`
    gets nothing, and what is open of theirs is planned as if nobody had it.
    """
    people = load_people(release, usernames, today=timezone.localdate(now))
    standing = standing_in(release)
    return plan(
        list(load_cases(release, only)),
        [person for person in people if person.username != leaving],
        [review for review in standing if review.username != leaving or review.status not in OPEN],
        per_case or release.reviews_per_case,
    )


def load_cases(release: Release, only: Collection[str] | None = None) -> Iterator[ToReview]:
    """Reads the plans of the sample: the language of a plan is in its words."""
    rows = SampledCase.objects.of(release).standing().select_related("case")
    if only is not None:
        rows = rows.filter(case__case_key__in=only)
    for row in rows.iterator():
        yield ToReview(
            row.case.case_key,
            frozenset(
                language.split("-")[0].lower()
                for language in find_languages(build_trip(row.case.itinerary))
            ),
            frozenset(row.case.produced_by),
        )


@dataclass(frozen=True)
class Candidate:
    """Somebody who could be given a case by hand, and what speaks against it."""

    person: Person
    reasons: tuple[Reason, ...]

    @property
    def is_barred(self) -> bool:
        """No admin can decide otherwise; the rest is advice."""
        return any(reason.why in BARRING for reason in self.reasons)


def candidates(release: Release, case_key: str, *, now: datetime) -> list[Candidate]:
    """Every active reviewer, by name. Nobody, if the case is not in the sample."""
    return candidates_by_case(release, [case_key], now=now).get(case_key, [])


def candidates_by_case(
    release: Release, case_keys: Collection[str], *, now: datetime
) -> dict[str, list[Candidate]]:
    """Case key -> every active reviewer, by name, for those cases that are in the sample."""
    statuses = {
        (review.case_key, review.username): review.status
        for review in standing_in(release, case_keys)
    }
    people = sorted(
        load_people(release, None, today=timezone.localdate(now)),
        key=lambda person: person.username,
    )
    return {
        case.case_key: [
            candidate(person, case, statuses.get((case.case_key, person.username)))
            for person in people
        ]
        for case in load_cases(release, case_keys)
    }


def candidate(person: Person, case: ToReview, status: Status | None) -> Candidate:
    reasons = reasons_against(person, case, status)
    if not person.room:
        reasons = (*reasons, Reason(Why.CAPACITY))
    return Candidate(person, reasons)


def active_reviewers() -> QuerySet[User]:
    return User.objects.filter(is_active=True, groups__name=GROUP_OF[Role.REVIEWER]).order_by(
        "username"
    )


def load_people(
    release: Release, usernames: Collection[str] | None, *, today: date
) -> Iterator[Person]:
    people = Reviewer.objects.filter(user__in=active_reviewers()).select_related("user")
    if usernames is not None:
        people = people.filter(user__username__in=usernames)
    still = Absence.objects.not_over(today)
    has_open = Count("user__reviews", filter=taking_room("user__reviews__"))
    seen = set(release.events.filter(kind=SEEN).values_list("by", flat=True))
    for reviewer in people.annotate(open_reviews=has_open).prefetch_related(
        Prefetch("absences", queryset=still)
    ):
        yield Person(
            reviewer.user.username,
            capacity=reviewer.capacity,
            open_reviews=reviewer.open_reviews,
            languages=frozenset(reviewer.languages),
            is_away=is_away(list(reviewer.absences.all()), today, release.due_date),
            has_seen_scores=reviewer.user.username in seen,
        )


def is_away(absences: Collection[Absence], today: date, due: date | None) -> bool:
    """On every day until the due date. Without one, or after it, today decides."""
    last = max(due, today) if due else today
    day = today
    while day <= last:
        covering = [
            absence.last_date
            for absence in absences
            if absence.first_date <= day <= absence.last_date
        ]
        if not covering:
            return False
        # There is no day after the last of the year 9999.
        day = max(covering)
        if day >= last:
            return True
        day += timedelta(days=1)
    return True


def standing_in(release: Release, only: Collection[str] | None = None) -> list[ExistingReview]:
    rows = Review.objects.of(release).order_by("pk")
    if only is not None:
        rows = rows.filter(case__case_key__in=only)
    return [
        ExistingReview(case_key, username, cast(Status, status))
        for case_key, username, status in rows.values_list(
            "case__case_key", "reviewer__username", "status"
        )
    ]
