"""The figures of each metric: means, distributions, agreement, pairs and severity."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from cases.rubric import Document, Metric
from reviews import agreement
from reviews.agreement import FEWEST_CASES, PatternTable, Reason, Result, reading
from reviews.agreement.reliability import ENOUGH_FOR_JACKKNIFE
from reviews.agreement.results import _, ngettext
from reviews.comparison import (
    Effect,
    Limits,
    Mean,
    PairedScores,
    mean_of_floats,
    mean_of_groups,
    moderated_limits,
    reliability_of_mean,
    reviewer_shares,
    severity_of_pairs,
    square_shares,
    widen,
)
from reviews.report.summary.counts import PairCount

from .figures import (
    Agreement,
    CaseScore,
    CaseSummary,
    KindMean,
    MetricSummary,
    PairSummary,
    Plan,
    ReviewerSeverity,
    SeveritySummary,
)
from .rounding import round_figure, round_float

# With fewer cases severity cannot be told apart from difficult cases.
ENOUGH_FOR_SEVERITY = 10
# With fewer cases the figures carry a caution.
ENOUGH_CASES = ENOUGH_FOR_JACKKNIFE
WITHIN = 1
# Quadratic weights forgive so much that random scores seem to agree.
AC2_WEIGHTS: Literal["linear"] = "linear"


def summarise_metrics(
    document: Document,
    floors: Mapping[str, float],
    cases: Sequence[CaseSummary],
    pairs: Iterable[PairCount],
    reviews_per_case: int,
    plan: Plan | None,
) -> tuple[MetricSummary, ...]:
    """Summarise each metric over the counted cases."""
    by_metric = defaultdict[str, list[PairCount]](list)
    for pair in pairs:
        by_metric[pair.metric].append(pair)
    kinds = [kind.key for kind in document.sampling.kinds]
    shares = {} if plan is None else sum_squared_shares(cases)
    return tuple(
        summarise_metric(
            metric,
            place,
            floors[metric.key],
            kinds,
            cases,
            shares,
            by_metric[metric.key],
            reviews_per_case,
            plan,
        )
        for place, metric in enumerate(document.metrics)
    )


def summarise_metric(
    metric: Metric,
    place: int,
    floor: float,
    kinds: Sequence[str],
    cases: Sequence[CaseSummary],
    shares: Shares,
    pairs: Sequence[PairCount],
    reviews_per_case: int,
    plan: Plan | None,
) -> MetricSummary:
    grouped = Counter((case.kind, case.scores[place]) for case in cases)
    table = build_table(metric.values, grouped)
    given = tuple(int(total) for total in table.totals)
    mean = average_standing(grouped, metric.low)
    return MetricSummary(
        metric=metric.key,
        name=metric.name,
        levels=metric.values,
        floor=floor,
        mean=round_figure(cut_to_scale(widen_mean(mean, shares.get(WHOLE, 0.0), plan), metric)),
        given=given,
        lowest=next((level for level, n in zip(metric.values, given, strict=True) if n), None),
        by_kind=tuple(
            KindMean(kind, round_figure(cut_to_scale(drop_interval_of_few(wider), metric)))
            for kind in [*kinds, ""]
            if (of_kind := average_standing(select_kind(grouped, kind), metric.low)).n
            and (wider := widen_mean(of_kind, shares.get(kind, 0.0), plan))
        ),
        agreement=summarise_agreement(table, reviews_per_case),
        apart=tuple(
            sorted(case.case_key for case in cases if is_apart(case.scores[place], metric.low))
        ),
        pairs=summarise_pairs(pairs),
        severity=summarise_severity(metric, place, cases, pairs),
        limits=limit(mean.value, mean.sd, mean.n, shares.get(WHOLE, 0.0), plan),
    )


# How many cases of a kind have this score.
Grouped = Mapping[tuple[str, CaseScore], int]
# The sum of the squared shares of reviewers, by kind and for all cases.
Shares = Mapping[str | None, float]
WHOLE = None


def select_kind(grouped: Grouped, kind: str) -> Grouped:
    return {key: times for key, times in grouped.items() if key[0] == kind}


def sum_squared_shares(cases: Sequence[CaseSummary]) -> Shares:
    readers = defaultdict[str | None, Counter[tuple[str, ...]]](Counter)
    for (kind, reviewers), times in Counter((case.kind, case.reviewers) for case in cases).items():
        readers[kind][reviewers] += times
        readers[WHOLE][reviewers] += times
    return {part: square_shares(reviewer_shares(times)) for part, times in readers.items()}


def widen_mean(mean: Mean, squared_shares: float, plan: Plan | None) -> Mean:
    """Widen the interval of a release with planned looks: no interval has zero width."""
    if plan is None or mean.n < 2:
        return mean
    return widen(mean, squared_shares=squared_shares, prior=plan.prior)


def limit(
    value: float | None, sd: float | None, cases: int, squared_shares: float, plan: Plan | None
) -> Limits | None:
    """Compute the limits of a mean of scores or of differences."""
    if plan is None or not plan.is_at_look or value is None:
        return None
    limits = moderated_limits(
        mean=value,
        sd=sd or 0.0,
        cases=cases,
        level=plan.level,
        squared_shares=squared_shares,
        prior=plan.prior,
    )
    return round_figure(limits)


def build_table(levels: Sequence[int], grouped: Grouped) -> PatternTable:
    return agreement.pattern_table_from_counts(
        [score.counts for _kind, score in grouped], levels, times=list(grouped.values())
    )


def average_standing(grouped: Grouped, lowest: int) -> Mean:
    values = Counter[Fraction]()
    for (_kind, score), times in grouped.items():
        values[score.exact(lowest)] += times
    return mean_of_groups(values)


def cut_to_scale(mean: Mean, metric: Metric) -> Mean:
    """Cut the interval of a mean at the ends of the scale."""
    if mean.low is None or mean.high is None:
        return mean
    return replace(
        mean, low=max(mean.low, float(metric.low)), high=min(mean.high, float(metric.high))
    )


def drop_interval_of_few(mean: Mean) -> Mean:
    """Drop the interval of a kind with fewer than five cases."""
    if mean.n >= FEWEST_CASES:
        return mean
    return replace(mean, low=None, high=None, caution=few_of_a_kind(mean.n))


def is_apart(score: CaseScore, lowest: int) -> bool:
    low, high = score.range(lowest)
    return high - low > WITHIN


# --- Agreement ------------------------------------------------------------------------------------


def summarise_agreement(table: PatternTable, reviews_per_case: int) -> Agreement:
    """Compute agreement from the independent reviews; adjudication does not change it."""
    alpha = round_figure(agreement.alpha(table))
    within_one = round_figure(agreement.within_one(table))
    icc1 = agreement.icc1(table)
    used = tuple(int(str(level)) for level in table.levels_used)
    return Agreement(
        exact=round_figure(agreement.exact_agreement(table)),
        within_one=within_one,
        cases_within_one=round_figure(agreement.cases_within_one(table)),
        mean_gap=round_figure(agreement.mean_gap(table)),
        levels_used=used,
        alpha=alpha,
        reading=reading(alpha, within_one=within_one, levels_used=used),
        few=few_cases(table.n_units) if 0 < table.n_units < ENOUGH_CASES else None,
        alpha_nominal=round_figure(agreement.alpha(table, "nominal")),
        alpha_interval=round_figure(agreement.alpha(table, "interval")),
        ac1=round_figure(agreement.ac1(table)),
        ac2=round_figure(agreement.ac2(table, weights=AC2_WEIGHTS)),
        ac2_weights=AC2_WEIGHTS,
        fleiss=round_figure(agreement.fleiss(table)),
        brennan_prediger=round_figure(agreement.brennan_prediger(table)),
        icc1=round_figure(icc1),
        reliability=round_figure(cut_reliability(reliability_of_mean(icc1, reviews_per_case))),
    )


def cut_reliability(found: Result) -> Result:
    """Cut the reliability of a mean to 0 to 1, and say so: below 0 the formula runs away."""
    if found.value is None or found.high is None:
        return found
    low = found.value if found.low is None else found.low
    if found.value >= 0 and found.low is not None and low >= 0:
        return found
    return replace(
        found,
        value=max(0.0, found.value),
        low=max(0.0, low) if found.low is not None else 0.0,
        high=max(0.0, found.high),
        caution=cut_at_zero() if found.value < 0 else found.caution,
    )


def summarise_pairs(pairs: Sequence[PairCount]) -> tuple[PairSummary, ...]:
    grouped = defaultdict[tuple[str, str], list[PairCount]](list)
    for pair in pairs:
        grouped[pair.first, pair.second].append(pair)
    return tuple(summarise_pair(*people, grouped[people]) for people in sorted(grouped))


def summarise_pair(first: str, second: str, pairs: Sequence[PairCount]) -> PairSummary:
    gaps = Counter[int]()
    for pair in pairs:
        gaps[pair.first_score - pair.second_score] += pair.times
    cases = gaps.total()
    return PairSummary(
        first=first,
        second=second,
        cases=cases,
        same=gaps[0],
        within_one=sum(times for gap, times in gaps.items() if abs(gap) <= WITHIN),
        difference=round_float(sum(gap * times for gap, times in gaps.items()) / cases),
    )


# --- Severity -------------------------------------------------------------------------------------


def summarise_severity(
    metric: Metric, place: int, cases: Sequence[CaseSummary], pairs: Sequence[PairCount]
) -> SeveritySummary:
    if len(cases) < ENOUGH_FOR_SEVERITY:
        return SeveritySummary((), None, few_for_severity(len(cases)))
    if not pairs:
        return SeveritySummary((), None, nobody_meets())
    effects = severity_of_pairs(PairedScores(*pair[1:]) for pair in pairs)
    reviews = Counter(who for case in cases for who in case.reviewers)
    groups = sorted(
        (
            tuple(
                build_reviewer_severity(who, reviews[who], own[who])
                for who in sorted(map(str, own))
            )
            for own in effects
        ),
        key=lambda group: group[0].reviewer,
    )
    connected = len(effects) == 1 and reviews.keys() <= effects[0].keys()
    if not connected:
        return SeveritySummary(tuple(groups), None, not_connected())
    by_person = {str(who): effect.value for who, effect in effects[0].items()}
    return SeveritySummary(
        tuple(groups),
        round_figure(cut_to_scale(average_adjusted(metric, place, cases, by_person), metric)),
        None,
    )


def build_reviewer_severity(who: str, reviews: int, effect: Effect) -> ReviewerSeverity:
    if effect.se is None or effect.low is None or effect.high is None:
        return ReviewerSeverity(who, reviews, round_float(effect.value))
    return ReviewerSeverity(
        who, reviews, *(round_float(part) for part in effect if part is not None)
    )


def average_adjusted(
    metric: Metric, place: int, cases: Sequence[CaseSummary], effects: Mapping[str, float]
) -> Mean:
    grouped = Counter((case.reviewers, case.scores[place]) for case in cases)
    values = Counter[float]()
    for (people, score), times in grouped.items():
        value = float(score.exact(metric.low))
        if score.agreed is None:
            value -= sum(effects[who] for who in people) / len(people)
        values[value] += times
    return mean_of_floats(dict(sorted(values.items())))


# --- The reasons ----------------------------------------------------------------------------------


def few_of_a_kind(count: int) -> Reason:
    message, plural = ngettext(
        "no interval: %(count)s case of this kind, at least %(fewest)s are needed",
        "no interval: %(count)s cases of this kind, at least %(fewest)s are needed",
    )
    return Reason("few-of-a-kind", message, plural, {"count": count, "fewest": FEWEST_CASES})


def few_cases(count: int) -> Reason:
    message, plural = ngettext(
        "%(count)s case with two reviews is few: the next ones can change this",
        "%(count)s cases with two reviews are few: the next ones can change this",
    )
    return Reason("few-cases", message, plural, {"count": count})


def few_for_severity(count: int) -> Reason:
    message, plural = ngettext(
        "not shown: %(count)s case, at least %(fewest)s are needed to tell how severe people are",
        "not shown: %(count)s cases, at least %(fewest)s are needed to tell how severe people are",
    )
    return Reason(
        "few-for-severity", message, plural, {"count": count, "fewest": ENOUGH_FOR_SEVERITY}
    )


def cut_at_zero() -> Reason:
    return Reason(
        "cut-at-zero",
        _("cut at 0: the reviews of a case differ more than the cases do"),
    )


def nobody_meets() -> Reason:
    return Reason("nobody-meets", _("not defined: no two reviewers judged the same case"))


def not_connected() -> Reason:
    return Reason(
        "not-connected",
        _("no adjusted mean: not all reviewers are connected by cases that they share"),
    )
