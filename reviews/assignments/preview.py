"""Prepare a plan for display before it is assigned: loads, cases, and gaps in words."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from cases.models import Case, Release
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.plan import PersonPlan, Plan, Refusal, UnevenLoad, UnevenPair, Why
from reviews.assignments.reasons import (
    describe_reason,
    describe_uneven_reason,
    join_names,
    join_reasons,
)
from reviews.assignments.workflow import digest_plan
from reviews.models import SampledCase
from reviews.sample.rule import kind_texts

MOST_NAMED = 12


@dataclass(frozen=True)
class PersonLine:
    """`load` is None for a person who was not chosen. `note`: why they get fewer than others."""

    username: str
    load: PersonPlan | None
    note: str


@dataclass(frozen=True)
class CaseLine:
    case: Case
    kind: str
    standing: tuple[str, ...]
    added: tuple[str, ...]
    missing: int


@dataclass(frozen=True)
class Shortfall:
    """Cases that lack the same number of reviewers for the same reasons."""

    case_keys: list[str]
    missing: int
    reasons: list[str]

    @property
    def title(self) -> str:
        return ngettext(
            "%(cases)s: %(count)d reviewer is missing.",
            "%(cases)s: %(count)d reviewers are missing.",
            self.missing,
        ) % {"cases": shorten(self.case_keys), "count": self.missing}


@dataclass(frozen=True)
class Preview:
    """`untouched` counts the cases that have enough reviewers."""

    plan: Plan
    digest: str
    people: list[PersonLine]
    cases: list[CaseLine]
    untouched: int
    shortfalls: list[Shortfall]
    pairs: list[str]

    @property
    def added(self) -> int:
        return len(self.plan.assignments)

    @property
    def covered(self) -> int:
        """Return how many cases get a reviewer."""
        return sum(bool(line.added) for line in self.cases)


def build_preview(release: Release, plan: Plan, *, now: datetime) -> Preview:
    today, due = timezone.localdate(now), release.due_date
    loads = {person.username: person for person in plan.people}
    notes = {
        uneven.username: describe_uneven_load(uneven, due=due, today=today)
        for uneven in plan.uneven_loads
    }
    usernames = active_reviewers().values_list("username", flat=True)
    cases = list_case_lines(release, plan)
    return Preview(
        plan=plan,
        digest=digest_plan(plan),
        people=[
            PersonLine(username, loads.get(username), notes.get(username, ""))
            for username in usernames
        ],
        cases=cases,
        untouched=len(plan.cases) - len(cases),
        shortfalls=list_shortfalls(plan, due=due, today=today),
        pairs=describe_pairs(plan.uneven_pairs, due=due, today=today),
    )


def list_case_lines(release: Release, plan: Plan) -> list[CaseLine]:
    """List the cases that get or lack reviewers, in the order of the sample."""
    plans = {case.case_key: case for case in plan.cases if case.added or case.missing}
    texts = kind_texts(release)
    rows = SampledCase.objects.of(release).standing().in_order().with_cases()
    return [
        CaseLine(row.case, texts.get(row.kind, ""), case.standing, case.added, case.missing)
        for row in rows
        if (case := plans.get(row.case.case_key))
    ]


def describe_uneven_load(uneven: UnevenLoad, *, due: date | None, today: date) -> str:
    return gettext("fewer than others (up to %(most)d): %(reasons)s") % {
        "most": uneven.most,
        "reasons": join_reasons(
            describe_uneven_reason(reason, due=due, today=today) for reason in uneven.reasons
        ),
    }


def list_shortfalls(plan: Plan, *, due: date | None, today: date) -> list[Shortfall]:
    found: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for case in plan.shortfalls:
        reasons = tuple(describe_refusals(case.refusals, due=due, today=today))
        found.setdefault((case.missing, reasons), []).append(case.case_key)
    return [
        Shortfall(case_keys, missing, list(reasons))
        for (missing, reasons), case_keys in found.items()
    ]


def describe_people(plan: Plan, *, due: date | None, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield each person with every reason why they cannot take the cases that lack reviewers."""
    today = timezone.localdate(now)
    found: dict[str, dict[str, None]] = {}
    for case in plan.shortfalls:
        for refusal in case.refusals:
            words = found.setdefault(refusal.username, {})
            words.update(
                dict.fromkeys(
                    describe_reason(reason, due=due, today=today) for reason in refusal.reasons
                )
            )
    for username, reasons in sorted(found.items()):
        yield username, join_reasons(reasons)


def describe_refusals(refusals: Collection[Refusal], *, due: date | None, today: date) -> list[str]:
    """Write one sentence for each reason, with the people it concerns.

    People on the case are left out: the page names them next to it.
    """
    people: dict[str, list[str]] = {}
    for refusal in refusals:
        if any(reason.why is Why.ON_THE_CASE for reason in refusal.reasons):
            continue
        words = join_reasons(
            describe_reason(reason, due=due, today=today) for reason in refusal.reasons
        )
        people.setdefault(words, []).append(refusal.username)
    if not refusals:
        return [gettext("No reviewer was chosen.")]
    if not people:
        return [gettext("All chosen reviewers have this case already.")]
    return [
        gettext("%(reason)s: %(people)s.")
        % {"reason": words[:1].upper() + words[1:], "people": shorten(names)}
        for words, names in people.items()
    ]


def describe_pairs(pairs: Collection[UnevenPair], *, due: date | None, today: date) -> list[str]:
    """Count the pairs that meet less often than others, by their reasons."""
    found = Counter(
        join_reasons(describe_reason(reason, due=due, today=today) for reason in pair.reasons)
        for pair in pairs
    )
    return [
        ngettext("%(count)d pair: %(reasons)s", "%(count)d pairs: %(reasons)s", count)
        % {"count": count, "reasons": reasons}
        for reasons, count in found.most_common()
    ]


def shorten(names: Collection[str]) -> str:
    named = join_names(list(names)[:MOST_NAMED])
    if len(names) <= MOST_NAMED:
        return named
    return gettext("%(named)s and %(count)d more") % {
        "named": named,
        "count": len(names) - MOST_NAMED,
    }


def describe_outcome(done: Plan) -> tuple[list[str], list[str]]:
    """Return sentences about what was assigned, and sentences about what is missing."""
    successes = []
    if not done.assignments and not done.missing:
        successes.append(gettext("Every case has enough reviewers; there was nothing to assign."))
    if done.assignments:
        successes.append(describe_assigned(len(done.assignments)))
    return successes, [describe_missing(done.missing)] if done.missing else []


def describe_assigned(count: int) -> str:
    return ngettext("%(count)d review is assigned.", "%(count)d reviews are assigned.", count) % {
        "count": count
    }


def describe_missing(missing: int) -> str:
    return ngettext(
        "%(count)d review is not assigned yet.",
        "%(count)d reviews are not assigned yet.",
        missing,
    ) % {"count": missing}
