"""Compares two releases on the cases that both have: a pure function of their summaries.

The unit is the case with its standing score. Without a shared case there is no difference, not
even one of means.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from reviews.agreement import FEWEST_CASES, Reason
from reviews.agreement.results import _, ngettext
from reviews.comparison import (
    Paired,
    mcnemar_exact,
    mean_over_cases,
    paired,
    reviewer_shares,
    square_shares,
    widen,
)
from reviews.comparison.differences import no_shared_case

from .checklist import rate_yes
from .document import Summary
from .figures import (
    CaseChange,
    CaseSummary,
    Comparison,
    KindComparison,
    MetricComparison,
    MetricSummary,
    Plan,
    QuestionChange,
    QuestionSummary,
)
from .metrics import few_of_a_kind, limit
from .rounding import round_figure, round_float


class NotComparable(Exception):
    """Two releases that cannot be compared, or only if the caller asks for it."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return self.reason.sentence


class Shared(NamedTuple):
    """A case that both releases have."""

    before: CaseSummary
    after: CaseSummary

    @property
    def is_by_same(self) -> bool:
        return self.before.reviewers == self.after.reviewers


def compare(after: Summary, before: Summary, *, across_rubrics: bool = False) -> Comparison:
    """Compute `after` minus `before`.

    Raises NotComparable for other products, and for other rubric versions unless `across_rubrics`.
    """
    if after.product != before.product:
        raise NotComparable(other_product(before))
    is_other_rubric = after.rubric_digest != before.rubric_digest
    if is_other_rubric and not across_rubrics:
        raise NotComparable(other_rubric(before.rubric, after.rubric))
    old = {case.case_key: case for case in before.counted}
    new = {case.case_key: case for case in after.counted}
    shared = [Shared(old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    metrics = find_shared_metrics(before, after)
    parts = find_parts(shared)
    return Comparison(
        before=before.release,
        after=after.release,
        rubric_before=before.rubric,
        rubric_after=after.rubric,
        shared=len(shared),
        by_same=sum(shared_case.is_by_same for shared_case in shared),
        metrics=tuple(compare_metric(metric, shared, parts, after.plan) for metric in metrics),
        checklist=tuple(
            compare_question(places, shared) for places in find_shared_questions(before, after)
        ),
        cases=tuple(compare_case(shared_case, metrics) for shared_case in shared),
        only_before=tuple(sorted(old.keys() - new.keys())),
        only_after=tuple(sorted(new.keys() - old.keys())),
        why=None if shared else no_shared_case(),
        caution=rubric_changed(before.rubric, after.rubric) if is_other_rubric else None,
    )


# --- Metrics --------------------------------------------------------------------------------------


class Placed(NamedTuple):
    """A metric that both releases have on the same scale, and its position in each."""

    metric: MetricSummary
    before: int
    after: int


def find_shared_metrics(before: Summary, after: Summary) -> list[Placed]:
    places = {(metric.metric, metric.levels): place for place, metric in enumerate(before.metrics)}
    return [
        Placed(metric, places[metric.metric, metric.levels], place)
        for place, metric in enumerate(after.metrics)
        if (metric.metric, metric.levels) in places
    ]


class Part(NamedTuple):
    """Some of the shared cases, by their place, and the squared shares of their reviewers."""

    places: Sequence[int]
    squared_shares: float


class Parts(NamedTuple):
    """The same for every metric."""

    squared_shares: float
    by_kind: Mapping[str, Part]
    by_same: Part


def find_parts(shared: Sequence[Shared]) -> Parts:
    kinds = defaultdict[str, list[int]](list)
    for place, shared_case in enumerate(shared):
        kinds[shared_case.after.kind].append(place)
    by_same = [place for place, shared_case in enumerate(shared) if shared_case.is_by_same]
    return Parts(
        sum_squared_shares(shared),
        {kind: build_part(shared, kinds[kind]) for kind in sorted(kinds)},
        build_part(shared, by_same),
    )


def build_part(shared: Sequence[Shared], places: Sequence[int]) -> Part:
    return Part(places, sum_squared_shares([shared[place] for place in places]))


def compare_metric(
    placed: Placed, shared: Sequence[Shared], parts: Parts, plan: Plan | None
) -> MetricComparison:
    old = [find_score(shared_case.before, placed.before, placed.metric) for shared_case in shared]
    new = [find_score(shared_case.after, placed.after, placed.metric) for shared_case in shared]
    moved = [this - that for this, that in zip(new, old, strict=True)]
    change, shares = paired(moved), parts.squared_shares
    return MetricComparison(
        metric=placed.metric.metric,
        before=average(old),
        after=average(new),
        paired=round_figure(cut_to_scale(widen_change(change, shares, plan), placed.metric)),
        by_kind=tuple(
            KindComparison(kind, compare_part(moved, part, placed.metric, few_of_a_kind, plan))
            for kind, part in parts.by_kind.items()
        ),
        by_same=compare_part(moved, parts.by_same, placed.metric, few_by_same, plan),
        limits=limit(change.mean, change.sd, change.n, shares, plan),
        is_by_others=shares > NO_SHARE,
    )


# Shares that differ by less are the same: sums of fractions are off in the last place.
NO_SHARE = 1e-9


def sum_squared_shares(shared: Sequence[Shared]) -> float:
    """Sum the squared shares of reviewers in a difference; 0 if they are the same as before."""
    before = reviewer_shares(Counter(case.before.reviewers for case in shared))
    after = reviewer_shares(Counter(case.after.reviewers for case in shared))
    return square_shares(after, before)


def widen_change(change: Paired, shares: float, plan: Plan | None) -> Paired:
    if plan is None:
        return change
    return widen(change, squared_shares=shares, prior=plan.prior)


def compare_part(
    moved: Sequence[Fraction],
    part: Part,
    metric: MetricSummary,
    few: Callable[[int], Reason],
    plan: Plan | None,
) -> Paired:
    """Compare some of the shared cases: a point, and an interval from five cases on."""
    found = paired(moved[place] for place in part.places)
    if not part.places:
        found = replace(found, why=nobody_twice())
    elif len(part.places) < FEWEST_CASES:
        found = replace(found, low=None, high=None, caution=few(len(part.places)))
    else:
        found = widen_change(found, part.squared_shares, plan)
    return round_figure(cut_to_scale(found, metric))


def cut_to_scale(found: Paired, metric: MetricSummary) -> Paired:
    """Cut the interval: no difference is larger than the scale."""
    if found.low is None or found.high is None:
        return found
    reach = float(metric.levels[-1] - metric.levels[0])
    return replace(found, low=max(found.low, -reach), high=min(found.high, reach))


def find_score(case: CaseSummary, place: int, metric: MetricSummary) -> Fraction:
    return case.scores[place].exact(metric.levels[0])


def average(scores: Iterable[Fraction]) -> float | None:
    value = mean_over_cases(scores).value
    return None if value is None else round_float(value)


def compare_case(shared_case: Shared, metrics: Sequence[Placed]) -> CaseChange:
    return CaseChange(
        case_key=shared_case.after.case_key,
        kind=shared_case.after.kind,
        before=tuple(shared_case.before.scores[placed.before].standing for placed in metrics),
        after=tuple(shared_case.after.scores[placed.after].standing for placed in metrics),
        is_by_same=shared_case.is_by_same,
    )


# --- Checklist ------------------------------------------------------------------------------------

YES_OR_NO = ("yes", "no")


class QuestionPlaces(NamedTuple):
    """A question that both releases have, and its position in each."""

    question: QuestionSummary
    before: int
    after: int


def find_shared_questions(before: Summary, after: Summary) -> list[QuestionPlaces]:
    places = {
        (question.item, question.text): place for place, question in enumerate(before.checklist)
    }
    return [
        QuestionPlaces(question, places[question.item, question.text], place)
        for place, question in enumerate(after.checklist)
        if (question.item, question.text) in places
    ]


def compare_question(asked: QuestionPlaces, shared: Sequence[Shared]) -> QuestionChange:
    old = [shared_case.before.answers[asked.before] for shared_case in shared]
    new = [shared_case.after.answers[asked.after] for shared_case in shared]
    majorities = [
        (case.after.case_key, that.majority, this.majority)
        for case, that, this in zip(shared, old, new, strict=True)
    ]
    both = [
        majority for majority in majorities if majority[1] in YES_OR_NO and majority[2] in YES_OR_NO
    ]
    to_yes = tuple(key for key, that, this in both if (that, this) == ("no", "yes"))
    to_no = tuple(key for key, that, this in both if (that, this) == ("yes", "no"))
    return QuestionChange(
        item=asked.question.item,
        text=asked.question.text,
        before=rate_yes(Counter(old)),
        after=rate_yes(Counter(new)),
        cases=len(both),
        to_yes=len(to_yes),
        to_no=len(to_no),
        p_value=round_float(mcnemar_exact(len(to_no), len(to_yes))) if both else None,
        why=None if both else no_majority_twice(),
        could_turn=tuple(key for key, _that, _this in both),
        turned_yes=to_yes,
        turned_no=to_no,
    )


# --- The reasons ----------------------------------------------------------------------------------


def other_product(before: Summary) -> Reason:
    return Reason(
        "other-product",
        _("not compared: %(release)s is of another product"),
        params={"release": before.release},
    )


def other_rubric(before: int, after: int) -> Reason:
    return Reason(
        "other-rubric",
        _("not compared: judged by rubric version %(before)s then and %(after)s now"),
        params={"before": before, "after": after},
    )


def rubric_changed(before: int, after: int) -> Reason:
    return Reason(
        "rubric-changed",
        _(
            "Judged by rubric version %(before)s then and %(after)s now: a difference may come "
            "from the rubric, not from the product."
        ),
        params={"before": before, "after": after},
    )


def few_by_same(count: int) -> Reason:
    message, plural = ngettext(
        "no interval: %(count)s case judged by the same reviewers, at least %(fewest)s are needed",
        "no interval: %(count)s cases judged by the same reviewers, at least %(fewest)s are needed",
    )
    return Reason("few-by-same", message, plural, {"count": count, "fewest": FEWEST_CASES})


def nobody_twice() -> Reason:
    return Reason("nobody-twice", _("not defined: no shared case was judged by the same reviewers"))


def no_majority_twice() -> Reason:
    return Reason(
        "no-majority-twice",
        _("not defined: no shared case has a majority for yes or no both times"),
    )
