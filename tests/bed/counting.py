"""Marks, pairs and remarks counted one by one from plain reviews: what the statements of
`reviews.report.summary.rows`, which let the database group, have to give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from cases.rubric import Document
from reviews.desk.judgement import Evidence, Judgement
from reviews.report.summary.counts import ANSWERS, Marks, PairCount
from reviews.report.summary.document import EvidenceSummary, Remark
from reviews.report.summary.rows import SampleRow


@dataclass(frozen=True)
class ReviewTold:
    """A submitted review. `coherence` has the line for each metric that was asked about."""

    case_key: str
    reviewer: str
    version: int
    said: Judgement
    coherence: Mapping[str, str] = field(default_factory=dict)
    changed_minds: Collection[str] = ()


def count_marks(
    reviews: Iterable[ReviewTold], sample: Iterable[SampleRow], document: Document
) -> Marks:
    pks = {row.case_key: row.pk for row in sample}
    found: dict[int, dict[str, Counter[int | str | None]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for one in reviews:
        for metric, score in one.said.scores.items():
            found[pks[one.case_key]][metric][score.value] += 1
        for item, answer in one.said.answers.items():
            found[pks[one.case_key]][item][answer.answer] += 1
    scales: dict[str, Sequence[int | str]] = {
        **{metric.key: metric.values for metric in document.metrics},
        **{question.key: [str(one) for one in ANSWERS] for question in document.questions},
    }
    return Marks(
        {
            pk: {key: tuple(counts[one] for one in scales[key]) for key, counts in given.items()}
            for pk, given in found.items()
        }
    )


def count_pairs(reviews: Iterable[ReviewTold], counted: Collection[str]) -> list[PairCount]:
    """Of the cases that enter figures."""
    by_case = defaultdict[str, list[ReviewTold]](list)
    for one in reviews:
        if one.case_key in counted:
            by_case[one.case_key].append(one)
    found = Counter[tuple[str, str, str, int, int, int]]()
    for given in by_case.values():
        for first, second in combinations(sorted(given, key=lambda one: one.reviewer), 2):
            for metric in sorted(first.said.scores.keys() & second.said.scores.keys()):
                a, b = first.said.scores[metric].value, second.said.scores[metric].value
                assert a is not None
                assert b is not None
                found[metric, first.reviewer, second.reviewer, len(given), a, b] += 1
    return sorted(PairCount(*key, times) for key, times in found.items())


def list_remarks(reviews: Iterable[ReviewTold], counted: Collection[str]) -> list[Remark]:
    """All that is not empty."""
    found = [remark for one in reviews if one.case_key in counted for remark in remarks_in(one)]
    return sorted(found, key=lambda one: (one.case_key, one.reviewer, one.subject))


def remarks_in(one: ReviewTold) -> list[Remark]:
    found = []
    if one.said.comment:
        found.append(
            Remark(one.case_key, one.reviewer, "", None, "", one.said.comment, (), "", False)
        )
    for metric, score in one.said.scores.items():
        line, changed = one.coherence.get(metric, ""), metric in one.changed_minds
        if score.rationale or score.evidence or line or changed:
            found.append(
                Remark(
                    case_key=one.case_key,
                    reviewer=one.reviewer,
                    subject=metric,
                    value=score.value,
                    answer="",
                    text=score.rationale,
                    evidence=pieces(score.evidence),
                    coherence=line,
                    changed_mind=changed,
                )
            )
    for item, answer in one.said.answers.items():
        if answer.note or answer.evidence:
            found.append(
                Remark(
                    case_key=one.case_key,
                    reviewer=one.reviewer,
                    subject=item,
                    value=None,
                    answer=answer.answer or "",
                    text=answer.note,
                    evidence=pieces(answer.evidence),
                    coherence="",
                    changed_mind=False,
                )
            )
    return found


def pieces(evidence: Iterable[Evidence]) -> tuple[EvidenceSummary, ...]:
    return tuple(EvidenceSummary(one.kind, one.ref, one.text) for one in evidence)
