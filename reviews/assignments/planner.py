"""Plan assignments: enough reviewers for each case, even loads, mixed pairs.

Existing reviews do not change.
"""

from __future__ import annotations

from collections.abc import Iterable

from .balance import find_uneven_loads, find_uneven_pairs, mix
from .plan import CasePlan, ExistingReview, Person, PersonPlan, Plan, Reason, Refusal, ToReview, Why
from .roster import PlannerInput, Roster, build_input


def plan(
    cases: Iterable[ToReview],
    people: Iterable[Person],
    standing: Iterable[ExistingReview],
    per_case: int,
) -> Plan:
    """Plan who should review what in one release, besides the existing reviews `standing`.

    The same input gives the same plan, in any order. Goals in this order: as few missing reviews
    as possible, loads as even as possible, pairs that meet as evenly as exchanges can make them.
    """
    given = build_input(cases, people, standing)
    roster = given.build_roster()
    _fill(given, roster, per_case)
    mix(roster)
    return Plan(
        cases=_build_case_plans(given, roster, per_case),
        people=_build_person_plans(given, roster),
        uneven_loads=find_uneven_loads(given, roster),
        uneven_pairs=find_uneven_pairs(given, roster, per_case),
    )


def _fill(given: PlannerInput, roster: Roster, per_case: int) -> None:
    """Give every case its first reviewer before any gets a second, so shortages are spread."""
    is_stuck = [False] * len(given.cases)
    for level in range(1, per_case + 1):
        for case in range(len(given.cases)):
            if not is_stuck[case] and _count(given, roster, case) < level:
                is_stuck[case] = not roster.fill(case)


def _count(given: PlannerInput, roster: Roster, case: int) -> int:
    return len(given.standing[case]) + len(roster.added[case])


def _build_case_plans(given: PlannerInput, roster: Roster, per_case: int) -> tuple[CasePlan, ...]:
    plans = []
    for case, to_review in enumerate(given.cases):
        missing = max(0, per_case - _count(given, roster, case))
        plans.append(
            CasePlan(
                case_key=to_review.case_key,
                standing=tuple(given.standing[case]),
                added=tuple(sorted(given.people[person].username for person in roster.added[case])),
                missing=missing,
                refusals=_list_refusals(given, roster, case) if missing else (),
            )
        )
    return tuple(sorted(plans, key=lambda case_plan: case_plan.case_key))


def _list_refusals(given: PlannerInput, roster: Roster, case: int) -> tuple[Refusal, ...]:
    """List each person with the reasons. Everyone has one: otherwise they would have the case."""
    refusals = []
    for person, reviewer in enumerate(given.people):
        reasons = given.against[case].get(person, ())
        if roster.on[case] >> person & 1:
            reasons = (Reason(Why.ON_THE_CASE),)
        elif roster.room[person] <= 0:
            reasons = (*reasons, Reason(Why.CAPACITY))
        refusals.append(Refusal(reviewer.username, reasons))
    return tuple(sorted(refusals, key=lambda refusal: refusal.username))


def _build_person_plans(given: PlannerInput, roster: Roster) -> tuple[PersonPlan, ...]:
    plans = [
        PersonPlan(
            username=reviewer.username,
            before=given.before[person],
            added=len(roster.cases[person]),
            open_reviews=reviewer.open_reviews,
            capacity=reviewer.capacity,
        )
        for person, reviewer in enumerate(given.people)
    ]
    return tuple(sorted(plans, key=lambda person_plan: person_plan.username))
