"""A plan for those who look at it before it is written: loads, cases, and every gap in words."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from cases.models import Case, Release
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.plan import PersonPlan, Plan, Refusal, UnevenLoad, UnevenPair, Why
from reviews.assignments.reasons import listed, together, why, why_uneven
from reviews.assignments.workflow import digest_plan
from reviews.models import SampledCase
from reviews.sample.rule import kind_texts

MOST_NAMED = 12


@dataclass(frozen=True)
class PersonLine:
    """`load` is None for somebody who was not chosen. `note`: why they get fewer than others."""

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
    """Cases that lack equally many people for the same reasons."""

    case_keys: list[str]
    missing: int
    reasons: list[str]

    @property
    def title(self) -> str:
        return ngettext(
            "%(cases)s: %(count)d reviewer is missing.",
            "%(cases)s: %(count)d reviewers are missing.",
            self.missing,
        ) % {"cases": shortened(self.case_keys), "count": self.missing}


@dataclass(frozen=True)
class Preview:
    """`untouched` counts the cases that need nobody."""

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
        """How many cases get somebody."""
        return sum(bool(line.added) for line in self.cases)


def build_preview(release: Release, plan: Plan, *, now: datetime) -> Preview:
    today, due = timezone.localdate(now), release.due_date
    loads = {person.username: person for person in plan.people}
    notes = {
        uneven.username: uneven_in_words(uneven, due=due, today=today)
        for uneven in plan.uneven_loads
    }
    everybody = active_reviewers().values_list("username", flat=True)
    cases = case_lines(release, plan)
    return Preview(
        plan=plan,
        digest=digest_plan(plan),
        people=[
            PersonLine(username, loads.get(username), notes.get(username, ""))
            for username in everybody
        ],
        cases=cases,
        untouched=len(plan.cases) - len(cases),
        shortfalls=list_shortfalls(plan, due=due, today=today),
        pairs=pairs_in_words(plan.uneven_pairs, due=due, today=today),
    )


def case_lines(release: Release, plan: Plan) -> list[CaseLine]:
    """In the order of the sample; only what changes or is missing."""
    plans = {case.case_key: case for case in plan.cases if case.added or case.missing}
    texts = kind_texts(release)
    rows = SampledCase.objects.of(release).standing().in_order().with_cases()
    return [
        CaseLine(row.case, texts.get(row.kind, ""), case.standing, case.added, case.missing)
        for row in rows
        if (case := plans.get(row.case.case_key))
    ]


def uneven_in_words(uneven: UnevenLoad, *, due: date | None, today: date) -> str:
    return gettext("fewer than others (up to %(most)d): %(reasons)s") % {
        "most": uneven.most,
        "reasons": together(why_uneven(reason, due=due, today=today) for reason in uneven.reasons),
    }


def list_shortfalls(plan: Plan, *, due: date | None, today: date) -> list[Shortfall]:
    found: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for case in plan.shortfalls:
        reasons = tuple(refusals_in_words(case.refusals, due=due, today=today))
        found.setdefault((case.missing, reasons), []).append(case.case_key)
    return [
        Shortfall(case_keys, missing, list(reasons))
        for (missing, reasons), case_keys in found.items()
    ]


def refusals_in_words(refusals: Collection[Refusal], *, due: date | None, today: date) -> list[str]:
    """One sentence for each reason, with the people it keeps away.

    Who is on the case stands beside it anyway.
    """
    people: dict[str, list[str]] = {}
    for refusal in refusals:
        if any(reason.why is Why.ON_THE_CASE for reason in refusal.reasons):
            continue
        words = together(why(reason, due=due, today=today) for reason in refusal.reasons)
        people.setdefault(words, []).append(refusal.username)
    if not refusals:
        return [gettext("Nobody was chosen.")]
    if not people:
        return [gettext("Everybody who was chosen is on it already.")]
    return [
        gettext("%(reason)s: %(people)s.")
        % {"reason": words[:1].upper() + words[1:], "people": shortened(names)}
        for words, names in people.items()
    ]


def pairs_in_words(pairs: Collection[UnevenPair], *, due: date | None, today: date) -> list[str]:
    """How many pairs meet less often than others, for each set of reasons."""
    found = Counter(
        together(why(reason, due=due, today=today) for reason in pair.reasons) for pair in pairs
    )
    return [
        ngettext("%(count)d pair: %(reasons)s", "%(count)d pairs: %(reasons)s", count)
        % {"count": count, "reasons": reasons}
        for reasons, count in found.most_common()
    ]


def shortened(names: Collection[str]) -> str:
    named = listed(list(names)[:MOST_NAMED])
    if len(names) <= MOST_NAMED:
        return named
    return gettext("%(named)s and %(count)d more") % {
        "named": named,
        "count": len(names) - MOST_NAMED,
    }


def outcome_in_words(done: Plan) -> tuple[list[str], list[str]]:
    """What was assigned, and apart from that what is still missing."""
    successes = []
    if not done.assignments and not done.missing:
        successes.append(gettext("Every case has its reviewers; nothing was to be assigned."))
    if done.assignments:
        successes.append(assigned_in_words(done))
    return successes, [missing_in_words(done.missing)] if done.missing else []


def assigned_in_words(done: Plan) -> str:
    count = len(done.assignments)
    return ngettext("%(count)d review is assigned.", "%(count)d reviews are assigned.", count) % {
        "count": count
    }


def missing_in_words(missing: int) -> str:
    return ngettext(
        "%(count)d place is still nobody's.", "%(count)d places are still nobody's.", missing
    ) % {"count": missing}
