"""People who could be given a case by hand, and the reasons against each of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from cases.models import Release
from reviews.assignments.inputs import load_cases, load_existing, load_people
from reviews.assignments.plan import (
    Person,
    Reason,
    Status,
    ToReview,
    Why,
    list_reasons_against,
)
from reviews.assignments.reasons import describe_reason, join_names, join_reasons

Options = Sequence[tuple[str, Sequence[tuple[str, str]]]]

# Reasons that no admin can override.
BARRING = (Why.ON_THE_CASE, Why.MADE_THE_CASE, Why.SEEN_SCORES)


@dataclass(frozen=True)
class Candidate:
    """A reviewer who could be given a case by hand, and the reasons against it."""

    person: Person
    reasons: tuple[Reason, ...]

    @property
    def is_barred(self) -> bool:
        """Return whether a reason forbids it; all other reasons are advice."""
        return any(reason.why in BARRING for reason in self.reasons)


def load_candidates(release: Release, case_key: str, *, now: datetime) -> list[Candidate]:
    """List every active reviewer by name; empty if the case is not in the sample."""
    return load_candidates_by_case(release, [case_key], now=now).get(case_key, [])


def load_candidates_by_case(
    release: Release, case_keys: Collection[str], *, now: datetime
) -> dict[str, list[Candidate]]:
    """List every active reviewer by name for each case key that is in the sample."""
    statuses = {
        (review.case_key, review.username): review.status
        for review in load_existing(release, case_keys)
    }
    people = sorted(
        load_people(release, None, today=timezone.localdate(now)),
        key=lambda person: person.username,
    )
    return {
        case.case_key: [
            build_candidate(person, case, statuses.get((case.case_key, person.username)))
            for person in people
        ]
        for case in load_cases(release, case_keys)
    }


def build_candidate(person: Person, case: ToReview, status: Status | None) -> Candidate:
    reasons = list_reasons_against(person, case, status)
    if not person.room:
        reasons = (*reasons, Reason(Why.CAPACITY))
    return Candidate(person, reasons)


def build_options(release: Release, found: list[Candidate]) -> Options:
    """Group the people who may take the case, those without a reason against it first."""
    groups = {
        _("Suitable"): [candidate for candidate in found if not candidate.reasons],
        _("With reservations"): [
            candidate for candidate in found if candidate.reasons and not candidate.is_barred
        ],
    }
    return [
        (
            title,
            [(candidate.person.username, build_label(release, candidate)) for candidate in people],
        )
        for title, people in groups.items()
        if people
    ]


def build_label(release: Release, candidate: Candidate) -> str:
    person = candidate.person
    words = (
        _("%(person)s, %(open)d open")
        if person.capacity is None
        else _("%(person)s, %(open)d of %(capacity)d open")
    ) % {"person": person.username, "open": person.open_reviews, "capacity": person.capacity}
    return f"{words} ({describe_reasons(release, candidate)})" if candidate.reasons else words


def describe_barred(release: Release, found: list[Candidate]) -> str:
    """Name the people who are not in the list because they cannot take the case, with reasons."""
    barred = [
        f"{candidate.person.username} ({describe_reasons(release, candidate)})"
        for candidate in found
        if candidate.is_barred
    ]
    return _("Cannot take it: %(people)s.") % {"people": join_names(barred)} if barred else ""


def describe_reasons(release: Release, candidate: Candidate) -> str:
    today = timezone.localdate()
    return join_reasons(
        describe_reason(reason, due=release.due_date, today=today) for reason in candidate.reasons
    )
