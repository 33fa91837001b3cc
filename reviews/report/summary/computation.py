"""Computes the summary from the rows of a release: the same rows give the same summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from msgspec import UNSET

from cases.releases import policy
from cases.rubric import Document
from reviews.agreement import Reason
from reviews.agreement.results import _
from reviews.assignments.queries import is_complete
from reviews.comparison import Prior, look_levels
from reviews.questions.queries import list_subjects
from reviews.report.summary.counts import Marks, PairCount
from reviews.report.summary.rows import Records, SampleRow
from reviews.sample.matching import Sampled, settle
from reviews.sample.replay import EXTENDED
from reviews.sample.rule import KIND, Rule, build_rule

from .checklist import summarise_checklist
from .comparison import NotComparable, compare
from .document import (
    SCHEMA,
    FlagSummary,
    KindSummary,
    Remark,
    RulingSummary,
    Summary,
    WaiverSummary,
    WithdrawnSummary,
)
from .figures import Answers, CaseScore, CaseSummary, Evidence, PersonSummary, Plan
from .findings import collect_agreed_scores, list_disagreements, list_escapes, list_splits
from .metrics import summarise_metrics
from .rounding import round_float
from .side_by_side import PairRows, summarise_pairs


@dataclass(frozen=True)
class SummaryInputs:
    """Everything that a summary is computed from."""

    release: str
    product: str
    rubric: int
    rubric_digest: str
    document: Document
    reviews_per_case: int
    baseline: str | None
    policy: Mapping[str, Any]
    records: Records
    sample: Sequence[SampleRow]
    marks: Marks
    pairs: Sequence[PairCount]
    remarks: Sequence[Remark]
    flags: Sequence[FlagSummary]
    pair_rows: PairRows | None = None


def build_summary(given: SummaryInputs) -> Summary:
    """Build the summary, without the comparison with the baseline."""
    document, k, records = given.document, given.reviews_per_case, given.records
    in_sample = [row for row in given.sample if not row.is_withdrawn]
    texts = {kind.key: kind.text for kind in document.sampling.kinds}
    rule = build_rule(document.sampling, texts, records.waivers)
    planned = [row for row in in_sample if not row.is_outside]
    kinds = settle_kinds(rule, planned)
    waived = count_waived_reviews(records)
    complete = find_complete(given.sample, waived, k)
    disagreements = list_disagreements(
        document,
        {key: given.marks.by_case[row.pk] for key, row in complete.items()},
        {key: row.reviews for key, row in complete.items()},
        records.adjudications,
        rule.waivers.get("adjudications"),
    )
    agreed = collect_agreed_scores(disagreements)
    sample = tuple(
        summarise_case(
            row,
            kinds.get(row.case_key, ""),
            document,
            given.marks,
            agreed.get(row.case_key, {}),
            row.case_key in complete,
        )
        for row in in_sample
    )
    counted = [case for case in sample if case.is_counted]
    limits = policy.spell_out(
        policy.from_data(given.policy), [metric.key for metric in document.metrics]
    )
    is_at_look = bool(planned) and all(
        len(row.reviews) + waived.get(row.case_key, 0) >= k for row in planned
    )
    rules = policy.read_rules(given.policy)
    plan = None
    if rules != policy.OLD_RULES:
        plan = build_plan(given, len(planned), is_at_look=is_at_look)
    return Summary(
        schema=SCHEMA,
        release=given.release,
        product=given.product,
        rubric=given.rubric,
        rubric_digest=given.rubric_digest,
        reviews_per_case=k,
        baseline=given.baseline,
        policy=limits,
        least_cases=rule.minimum,
        reviews_in=sum(case.reviews_in for case in sample),
        reviews_expected=len(sample) * k,
        missing_reviews={
            case.case_key: k - case.reviews_in
            for case in sorted(sample, key=lambda case: case.case_key)
            if case.reviews_in < k
        },
        evidence=count_evidence(sample),
        coverage=summarise_coverage(rule, kinds, records.fitting if records.draws else None),
        metrics=summarise_metrics(document, limits["floors"], counted, given.pairs, k, plan),
        checklist=summarise_checklist(document, counted),
        escapes=list_escapes(document, counted, given.remarks),
        disagreements=disagreements,
        splits=list_splits(document, counted),
        flags=tuple(given.flags),
        comparison=None,
        not_compared=None,
        people=summarise_people(counted),
        sample=sample,
        withdrawn=tuple(
            WithdrawnSummary(
                row.case_key, row.kind, row.cause, row.withdrawal_reason, len(row.reviews)
            )
            for row in given.sample
            if row.is_withdrawn
        ),
        excluded=tuple(sorted(records.exclusions)),
        draws=tuple(records.draws),
        amendments=tuple(records.acts),
        waivers=tuple(
            WaiverSummary(waiver.rule, waiver.by, waiver.reason, waiver.covers)
            for waiver in records.waivers
        ),
        rulings=sort_rulings(document, records.rulings),
        remarks=tuple(given.remarks),
        rules=rules,
        plan=plan,
        side_by_side=UNSET
        if given.pair_rows is None
        else summarise_pairs(document, given.pair_rows.rows, given.pair_rows.missing),
    )


def build_plan(given: SummaryInputs, planned: int, *, is_at_look: bool) -> Plan:
    """Build the plan of looks at a sample with so many cases in it."""
    limits, prior = policy.from_data(given.policy), policy.read_prior(given.policy)
    # The start freezes the sizes. Before it nothing is at a look.
    sizes = limits.looks
    if "rules" not in given.policy:
        sizes = policy.plan_looks(sizes, drawn=max(planned, 1), available=policy.LARGEST_LOOK)
    look = 1 + sum(act.act == EXTENDED for act in given.records.acts)
    return Plan(
        sizes=tuple(sizes),
        look=look,
        is_at_look=is_at_look,
        level=round_float(look_levels(sizes)[look - 1]),
        prior=Prior(prior.sd, prior.degrees),
        releases=tuple(prior.releases),
    )


def count_waived_reviews(records: Records) -> Mapping[str, int]:
    """Return for each case how many of its reviews are waived."""
    waiver = next((waiver for waiver in records.waivers if waiver.rule == "reviews"), None)
    return waiver.covers["reviews"] if waiver else {}


def find_complete(
    sample: Sequence[SampleRow], waived: Mapping[str, int], k: int
) -> dict[str, SampleRow]:
    """Return the cases that count: their reviews are in, or waived."""
    return {
        row.case_key: row
        for row in sample
        if not row.is_withdrawn and is_complete(len(row.reviews), waived.get(row.case_key, 0), k)
    }


# The remarks of at most so many cases are included; no reader needs more in a report.
MOST_WITH_REMARKS = 200


def choose_cases_with_remarks(
    document: Document, marks: Marks, complete: Mapping[str, SampleRow]
) -> list[SampleRow]:
    """Return all counted cases, or the worst of very many: by the lowest mean, then by "no"."""
    if len(complete) <= MOST_WITH_REMARKS:
        return list(complete.values())

    def badness(row: SampleRow) -> tuple[float, int, str]:
        given = marks.by_case[row.pk]
        lowest = min(
            summarise_score(given[metric.key], None, metric.low).standing
            for metric in document.metrics
        )
        refused = sum(count_answers(given[question.key]).no for question in document.questions)
        return lowest, -refused, row.case_key

    return sorted(complete.values(), key=badness)[:MOST_WITH_REMARKS]


# --- Parts ----------------------------------------------------------------------------------------


def settle_kinds(rule: Rule, in_sample: Sequence[SampleRow]) -> dict[str, str]:
    """Return the kind that each case fills by its tags, for cases and coverage alike."""
    sample = [Sampled(row.case_key, row.tags, row.kind) for row in in_sample]
    return settle(sample, rule.kinds, rule.waived)


def summarise_case(
    row: SampleRow,
    kind: str,
    document: Document,
    marks: Marks,
    agreed: Mapping[str, int],
    is_judged: bool,
) -> CaseSummary:
    scores: tuple[CaseScore, ...] = ()
    answers: tuple[Answers, ...] = ()
    if is_judged:
        given = marks.by_case[row.pk]
        scores = tuple(
            summarise_score(given[metric.key], agreed.get(metric.key), metric.low)
            for metric in document.metrics
        )
        answers = tuple(count_answers(given[question.key]) for question in document.questions)
    return CaseSummary(
        case_key=row.case_key,
        kind=kind,
        origin=row.origin,
        place=row.place,
        reason=row.reason,
        reviews_in=len(row.reviews),
        reviewers=tuple(username for username, _version in row.reviews),
        is_counted=is_judged and not row.is_outside,
        scores=scores,
        answers=answers,
        is_outside=row.is_outside,
    )


@lru_cache(maxsize=4096)
def count_answers(counts: tuple[int, ...]) -> Answers:
    return Answers(*counts)


@lru_cache(maxsize=4096)
def summarise_score(counts: tuple[int, ...], agreed: int | None, lowest: int) -> CaseScore:
    score = CaseScore(0.0, agreed, counts)
    return replace(score, standing=round_float(float(score.exact(lowest))))


def count_evidence(sample: Sequence[CaseSummary]) -> Evidence:
    counted = [case for case in sample if case.is_counted]
    return Evidence(
        cases=len(counted),
        reviews=sum(case.reviews_in for case in counted),
        reviewers=len({who for case in counted for who in case.reviewers}),
        pairs=sum(case.reviews_in * (case.reviews_in - 1) // 2 for case in counted),
        left_out=tuple(
            sorted(case.case_key for case in sample if not (case.is_counted or case.is_outside))
        ),
    )


def summarise_people(counted: Sequence[CaseSummary]) -> tuple[PersonSummary, ...]:
    reviews = Counter(who for case in counted for who in case.reviewers)
    return tuple(PersonSummary(who, reviews[who]) for who in sorted(reviews))


def summarise_coverage(
    rule: Rule, kinds: Mapping[str, str], fitting: Mapping[str, int] | None
) -> tuple[KindSummary, ...]:
    filled = defaultdict[str, list[str]](list)
    for case_key, kind_key in kinds.items():
        filled[kind_key].append(case_key)
    return tuple(
        KindSummary(
            kind=kind.key,
            # In the language of the rubric: a report does not depend on who closes the release.
            text=rule.texts[kind.key],
            fitting=fitting.get(kind.key) if fitting is not None else None,
            cases=tuple(filled[kind.key]),
            is_covered=bool(filled[kind.key]),
            waived=rule.waivers[KIND + kind.key].reason if kind.key in rule.waived else "",
        )
        for kind in rule.kinds
    )


def sort_rulings(document: Document, rulings: Sequence[RulingSummary]) -> tuple[RulingSummary, ...]:
    places = {key: place for place, key in enumerate(list_subjects(document))}
    return tuple(
        sorted(
            rulings,
            key=lambda ruling: (
                places[ruling.subject],
                ruling.is_superseded,
                ruling.text,
                ruling.by,
            ),
        )
    )


def add_comparison(
    summary: Summary, baseline: Summary | Reason | None, digest: str | None = None
) -> Summary:
    """Add the comparison with the baseline, or the reason why there is none.

    `digest` is that of the baseline's report.
    """
    summary = replace(summary, baseline_digest=digest)
    if baseline is None:
        return replace(summary, not_compared=no_baseline())
    if isinstance(baseline, Reason):
        return replace(summary, not_compared=baseline)
    try:
        return replace(summary, comparison=compare(summary, baseline))
    except NotComparable as refusal:
        return replace(summary, not_compared=refusal.reason)


def no_baseline() -> Reason:
    return Reason("no-baseline", _("not assessed: there is no baseline"))
