"""Plan who reads which pair: as reviews are planned, first by people who read neither plan."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import cast

from django.db.models import Q
from django.utils import timezone

from cases.facts import build_trip, find_languages
from cases.models import Release
from reviews.assignments.inputs import load_people
from reviews.assignments.plan import ExistingReview, Person, Plan, Status, ToReview
from reviews.assignments.planner import plan
from reviews.models import Pairing, Review
from reviews.pairings.pairs import Pair


def make_plan(
    release: Release,
    pairs: Iterable[Pair],
    *,
    usernames: Collection[str] | None,
    per_case: int,
    now: datetime,
) -> Plan:
    """Plan the readers of pairs. Writes nothing.

    People who scored neither plan come first: they are less likely to recognise one. Last are those
    from whom the pair was taken back: in a small team nobody else is left.
    """
    pairs = list(pairs)
    people = list(load_readers(release, usernames, now=now))
    existing = load_existing(release)
    scored_by = load_scored_by(release, [pair.new.case_key for pair in pairs])
    cases = [build_case(pair) for pair in pairs]
    fresh = [
        replace(case, produced_by=case.produced_by | scored_by[case.case_key]) for case in cases
    ]
    first = plan(fresh, people, existing, per_case)
    second = plan(
        cases,
        [count_added(person, first) for person in people],
        [*existing, *list_planned(first)],
        per_case,
    )
    joined = join(first, second)
    taken_back = [row for row in existing if row.status == "withdrawn"]
    if not taken_back or not joined.missing:
        return joined
    third = plan(
        cases,
        [count_added(person, joined) for person in people],
        [*(row for row in existing if row not in taken_back), *list_planned(joined)],
        per_case,
    )
    return join(joined, third)


def load_readers(
    release: Release, usernames: Collection[str] | None, *, now: datetime
) -> Iterable[Person]:
    """Load the people to plan for, with their open pairings as work."""
    open_pairings = defaultdict[str, int](int)
    for username in Pairing.objects.standing().open().values_list("reader__username", flat=True):
        open_pairings[username] += 1
    still_open = set(Review.objects.of(release).open().values_list("reviewer__username", flat=True))
    for person in load_people(release, usernames, today=timezone.localdate(now)):
        yield replace(
            person,
            open_reviews=person.open_reviews + open_pairings[person.username],
            has_open_reviews=person.username in still_open,
            reads_pairs=False,
        )


def load_existing(release: Release) -> list[ExistingReview]:
    rows = Pairing.objects.of(release).order_by("pk")
    found = rows.values_list("case__case_key", "reader__username", "status")
    return [ExistingReview(key, username, cast(Status, status)) for key, username, status in found]


def load_scored_by(release: Release, keys: Collection[str]) -> dict[str, frozenset[str]]:
    """Load by case key who submitted a review of its old or new plan."""
    rows = Review.objects.submitted().filter(
        Q(release=release) | Q(release=release.baseline_id), case__case_key__in=keys
    )
    names = defaultdict[str, frozenset[str]](frozenset)
    for key, username in rows.values_list("case__case_key", "reviewer__username"):
        names[key] |= {username}
    return names


def build_case(pair: Pair) -> ToReview:
    """Describe a pair to the planner: people who made either plan do not compare them."""
    cases = (pair.new, pair.old)
    languages = {
        language.split("-")[0].lower()
        for case in cases
        for language in find_languages(build_trip(case.itinerary))
    }
    made_by = {username for case in cases for username in case.produced_by}
    return ToReview(pair.new.case_key, frozenset(languages), frozenset(made_by))


def count_added(person: Person, first: Plan) -> Person:
    added = sum(assignment.username == person.username for assignment in first.assignments)
    return replace(person, open_reviews=person.open_reviews + added)


def list_planned(first: Plan) -> list[ExistingReview]:
    return [
        ExistingReview(assignment.case_key, assignment.username, "assigned")
        for assignment in first.assignments
    ]


def join(first: Plan, second: Plan) -> Plan:
    """Join a plan with one that was made after it."""
    cases = {case.case_key: case for case in first.cases}
    people = {person.username: person for person in first.people}
    return replace(
        second,
        cases=tuple(
            replace(
                case,
                standing=cases[case.case_key].standing,
                added=tuple(sorted((*cases[case.case_key].added, *case.added))),
            )
            for case in second.cases
        ),
        people=tuple(
            replace(
                person,
                before=people[person.username].before,
                added=people[person.username].added + person.added,
                open_reviews=people[person.username].open_reviews,
            )
            for person in second.people
        ),
    )
