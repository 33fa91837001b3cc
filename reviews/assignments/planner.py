"""The plan: every case its reviewers, loads even, pairs mixed, what exists left alone."""

from __future__ import annotations

from collections.abc import Iterable

from .balance import mix, uneven_loads, uneven_pairs
from .plan import CasePlan, ExistingReview, Person, PersonPlan, Plan, Reason, Refusal, ToReview, Why
from .roster import Ground, Roster, build_ground


def plan(
    cases: Iterable[ToReview],
    people: Iterable[Person],
    standing: Iterable[ExistingReview],
    per_case: int,
) -> Plan:
    """Who should review what besides the reviews that exist, all of them of one release.

    The same input gives the same plan, in whatever order it comes. As few reviews as possible
    are missing; then loads are as even as possible; then pairs meet as evenly as exchanges make
    them.
    """
    ground = build_ground(cases, people, standing)
    roster = ground.roster()
    _fill(ground, roster, per_case)
    mix(roster)
    return Plan(
        cases=_case_plans(ground, roster, per_case),
        people=_person_plans(ground, roster),
        uneven_loads=uneven_loads(ground, roster),
        uneven_pairs=uneven_pairs(ground, roster, per_case),
    )


def _fill(ground: Ground, roster: Roster, per_case: int) -> None:
    """Every case its first reviewer before any gets the second: too few are spread, not piled."""
    is_stuck = [False] * len(ground.cases)
    for level in range(1, per_case + 1):
        for case in range(len(ground.cases)):
            if not is_stuck[case] and _count(ground, roster, case) < level:
                is_stuck[case] = not roster.fill(case)


def _count(ground: Ground, roster: Roster, case: int) -> int:
    return len(ground.standing[case]) + len(roster.added[case])


def _case_plans(ground: Ground, roster: Roster, per_case: int) -> tuple[CasePlan, ...]:
    plans = []
    for case, to_review in enumerate(ground.cases):
        missing = max(0, per_case - _count(ground, roster, case))
        plans.append(
            CasePlan(
                case_key=to_review.case_key,
                standing=tuple(ground.standing[case]),
                added=tuple(
                    sorted(ground.people[person].username for person in roster.added[case])
                ),
                missing=missing,
                refusals=_refusals(ground, roster, case) if missing else (),
            )
        )
    return tuple(sorted(plans, key=lambda case_plan: case_plan.case_key))


def _refusals(ground: Ground, roster: Roster, case: int) -> tuple[Refusal, ...]:
    """Everybody has a reason: whoever had none would have been given the case."""
    refusals = []
    for person, reviewer in enumerate(ground.people):
        reasons = ground.against[case].get(person, ())
        if roster.on[case] >> person & 1:
            reasons = (Reason(Why.ON_THE_CASE),)
        elif roster.room[person] <= 0:
            reasons = (*reasons, Reason(Why.CAPACITY))
        refusals.append(Refusal(reviewer.username, reasons))
    return tuple(sorted(refusals, key=lambda refusal: refusal.username))


def _person_plans(ground: Ground, roster: Roster) -> tuple[PersonPlan, ...]:
    plans = [
        PersonPlan(
            username=reviewer.username,
            before=ground.before[person],
            added=len(roster.cases[person]),
            open_reviews=reviewer.open_reviews,
            capacity=reviewer.capacity,
        )
        for person, reviewer in enumerate(ground.people)
    ]
    return tuple(sorted(plans, key=lambda person_plan: person_plan.username))
