"""Load the planner's input for a release: its cases, its people and the existing reviews."""

from collections.abc import Collection, Iterator
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
    Status,
    ToReview,
)
from reviews.assignments.planner import plan
from reviews.models import Absence, Pairing, Review, SampledCase
from reviews.models.reviews import OPEN, SEEN, taking_room


def make_plan(
    release: Release,
    *,
    usernames: Collection[str] | None,
    per_case: int | None,
    now: datetime,
    only: Collection[str] | None = None,
    leaving: str = "",
) -> Plan:
    """Plan the assignments of a release. Writes nothing.

    `usernames` are the people to choose from (None: every active reviewer), `only` the keys of
    the cases to plan for (None: the whole sample). The person `leaving` gets nothing, and their
    open reviews are planned as if they were not assigned.
    """
    people = load_people(release, usernames, today=timezone.localdate(now))
    existing = load_existing(release)
    return plan(
        list(load_cases(release, only)),
        [person for person in people if person.username != leaving],
        [review for review in existing if review.username != leaving or review.status not in OPEN],
        per_case or release.reviews_per_case,
    )


def load_cases(release: Release, only: Collection[str] | None = None) -> Iterator[ToReview]:
    """Load the cases with their languages, which means reading every request and plan."""
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


def active_reviewers() -> QuerySet[User]:
    return User.objects.filter(is_active=True, groups__name=GROUP_OF[Role.REVIEWER]).order_by(
        "username"
    )


def load_people(
    release: Release, usernames: Collection[str] | None, *, today: date
) -> Iterator[Person]:
    """Load the people to plan for. Without a profile they read everything and have no limit."""
    people = active_reviewers().select_related("reviewer")
    if usernames is not None:
        people = people.filter(username__in=usernames)
    absences = Absence.objects.not_over(today)
    has_open = Count("reviews", filter=taking_room("reviews__"))
    seen = set(release.events.filter(kind=SEEN).values_list("by", flat=True))
    pairings = Pairing.objects.of(release).not_withdrawn()
    reading_pairs = set(pairings.values_list("reader__username", flat=True))
    for user in people.annotate(open_reviews=has_open).prefetch_related(
        Prefetch("reviewer__absences", queryset=absences)
    ):
        profile = getattr(user, "reviewer", None)
        yield Person(
            user.username,
            capacity=profile.capacity if profile else None,
            open_reviews=user.open_reviews,
            languages=frozenset(profile.languages) if profile else None,
            is_away=profile is not None
            and is_away(list(profile.absences.all()), today, release.due_date),
            has_seen_scores=user.username in seen,
            reads_pairs=user.username in reading_pairs,
        )


def is_away(absences: Collection[Absence], today: date, due: date | None) -> bool:
    """Return whether the absences cover every day until the due date.

    Without a due date, or after it, only today counts.
    """
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
        # date.max has no next day.
        day = max(covering)
        if day >= last:
            return True
        day += timedelta(days=1)
    return True


def load_existing(release: Release, only: Collection[str] | None = None) -> list[ExistingReview]:
    rows = Review.objects.of(release).order_by("pk")
    if only is not None:
        rows = rows.filter(case__case_key__in=only)
    return [
        ExistingReview(case_key, username, cast(Status, status))
        for case_key, username, status in rows.values_list(
            "case__case_key", "reviewer__username", "status"
        )
    ]
