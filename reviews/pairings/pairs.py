"""Find the cases of a release that can be read side by side with its baseline."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import gettext

from cases.itinerary import format as itinerary_format
from cases.itinerary.blind import plan_for_reviewer, without_dates
from cases.models import Case, Release
from reviews.errors import Missing
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
    return load_pairs_in([release], only)[release.pk]


def load_pairs_in(
    releases: Iterable[Release], only: Collection[str] | None = None
) -> dict[int, Pairs]:
    """Load the pairs of several releases, by primary key; two queries for all of them."""
    baselines = {release.pk: release.baseline_id for release in releases}
    rows = SampledCase.objects.filter(release__in=baselines).standing().planned().in_order()
    if only is not None:
        rows = rows.filter(case__case_key__in=only)
    new = [row.case for row in rows.select_related("case")]
    old = {
        (case.release_id, case.case_key): case
        for case in Case.objects.filter(
            release__in={pk for pk in baselines.values() if pk},
            case_key__in={case.case_key for case in new},
        )
    }
    found = {release: Pairs() for release in baselines}
    for case in new:
        pairs = found[case.release_id]
        before = old.get((baselines[case.release_id] or 0, case.case_key))
        why = find_why_not(case, before)
        if why or before is None:
            pairs.left_out[case.case_key] = why or WhyNot.NOT_IN_BASELINE
        else:
            pairs.pairs.append(Pair(case, before))
    return found


def find_obstacles_of_baseline(release: Release) -> list[Missing]:
    """Return why the plans of the baseline cannot be compared with those of a release."""
    baseline = release.baseline
    if baseline is None:
        sentence = gettext("%(release)s has no baseline to be read side by side with.")
        return [Missing("baseline", sentence % {"release": release.name})]
    if not baseline.is_closed:
        sentence = gettext("The baseline %(baseline)s is not closed.")
        return [Missing("baseline", sentence % {"baseline": baseline.name})]
    if baseline.rubric_id != release.rubric_id:
        sentence = gettext("The baseline %(baseline)s was judged by another rubric version.")
        return [Missing("rubric", sentence % {"baseline": baseline.name})]
    return []


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
