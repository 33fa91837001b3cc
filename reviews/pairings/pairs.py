"""Find the cases of a release that can be read side by side with its baseline."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from cases.itinerary import format as itinerary_format
from cases.itinerary.blind import plan_for_reviewer, without_dates
from cases.models import Case, Release
from reviews.models import SampledCase


class WhyNot(StrEnum):
    """Why a case of the sample has no pair."""

    NOT_IN_BASELINE = "not-in-baseline"
    NO_PLAN = "no-plan"
    OTHER_REQUEST = "other-request"
    SAME_PLAN = "same-plan"


@dataclass(frozen=True)
class Pair:
    new: Case
    old: Case


@dataclass(frozen=True)
class Pairs:
    """Cases with the same request and another plan in the baseline, and why the others are not."""

    pairs: list[Pair] = field(default_factory=list)
    left_out: dict[str, WhyNot] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return [pair.new.case_key for pair in self.pairs]


def load_pairs(release: Release, only: Collection[str] | None = None) -> Pairs:
    """Compare each case of the plan with that of the baseline; two queries."""
    rows = SampledCase.objects.of(release).standing().planned().in_order().select_related("case")
    if only is not None:
        rows = rows.filter(case__case_key__in=only)
    new = [row.case for row in rows]
    old = {
        case.case_key: case
        for case in Case.objects.filter(
            release=release.baseline_id, case_key__in=[case.case_key for case in new]
        )
    }
    found = Pairs()
    for case in new:
        before = old.get(case.case_key)
        why = find_why_not(case, before)
        if why or before is None:
            found.left_out[case.case_key] = why or WhyNot.NOT_IN_BASELINE
        else:
            found.pairs.append(Pair(case, before))
    return found


def find_why_not(new: Case, old: Case | None) -> WhyNot | None:
    """Return why two cases are no pair; None if they are one."""
    if old is None:
        return WhyNot.NOT_IN_BASELINE
    before = old.itinerary
    if before.plan is None or not before.plan.is_done:
        return WhyNot.NO_PLAN
    if before.request != new.itinerary.request:
        return WhyNot.OTHER_REQUEST
    if read_plan(before) == read_plan(new.itinerary):
        return WhyNot.SAME_PLAN
    return None


def read_plan(itinerary: itinerary_format.Case) -> itinerary_format.Plan | None:
    """Return the plan as a reader of the pair sees it."""
    return plan_for_reviewer(without_dates(itinerary))
