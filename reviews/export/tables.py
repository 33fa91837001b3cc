"""A release as tables: one row for each review, for each score and answer, or for each case.

Column names are the keys of rubric and design, the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
from django.utils.translation import gettext

from cases.models import Release
from cases.rubric import Document
from reviews.desk.judgement import AnswerEntry, Evidence, ScoreEntry
from reviews.models import SampledCase
from reviews.report.summary import Summary
from reviews.report.summary.figures import CaseSummary

from .queries import read_reviews
from .records import FlagRecord, ReviewRecord

Cell = str | int | float | bool | None
Row = list[Cell]


@dataclass(frozen=True)
class Table:
    """`rows` can be gone through once."""

    columns: list[str]
    rows: Iterator[Row]


def report_state(release: Release) -> Literal["final", "provisional"]:
    return "final" if release.is_closed else "provisional"


# --- Reviews --------------------------------------------------------------------------------------

OF_A_REVIEW = ["release", "report", "case_key", "kind", "reviewer", "version", "submitted_at"]
OF_A_REVIEW += ["is_counted"]


def wide(release: Release) -> Table:
    """One row for each submitted review."""
    document = release.rubric.document
    columns = [*OF_A_REVIEW, "comment", "flags"]
    for metric in document.metrics:
        columns += [
            metric.key,
            f"{metric.key}:rationale",
            f"{metric.key}:evidence",
            f"{metric.key}:coherence",
            f"{metric.key}:changed_mind",
        ]
    for question in document.questions:
        columns += [question.key, f"{question.key}:note", f"{question.key}:evidence"]
    return Table(columns, wide_rows(release, document))


def wide_rows(release: Release, document: Document) -> Iterator[Row]:
    metrics = [metric.key for metric in document.metrics]
    items = [question.key for question in document.questions]
    no_score, no_answer = ScoreEntry(), AnswerEntry()
    for start, one in started(release):
        assert one.said is not None
        row = [*start, one.said.comment, flags_in(one.flags)]
        for metric in metrics:
            score = one.said.scores.get(metric, no_score)
            row += [score.value, score.rationale, evidence_in(score.evidence)]
            row += [one.coherence.get(metric, ""), metric in one.changed_minds]
        for item in items:
            answer = one.said.answers.get(item, no_answer)
            row += [answer.answer, answer.note, evidence_in(answer.evidence)]
        yield row


def long(release: Release) -> Table:
    """One row for each score and each answer of a submitted review."""
    columns = [*OF_A_REVIEW, "what", "metric", "item", "value", "answer", "text", "evidence"]
    columns += ["coherence", "changed_mind"]
    return Table(columns, long_rows(release, release.rubric.document))


def long_rows(release: Release, document: Document) -> Iterator[Row]:
    for start, one in started(release):
        assert one.said is not None
        for metric in document.metrics:
            if score := one.said.scores.get(metric.key):
                row = [*start, "score", metric.key, None, score.value, None, score.rationale]
                row += [evidence_in(score.evidence), one.coherence.get(metric.key, "")]
                yield [*row, metric.key in one.changed_minds]
            for question in metric.checklist:
                if answer := one.said.answers.get(question.key):
                    row = [*start, "answer", metric.key, question.key, None, answer.answer]
                    yield [*row, answer.note, evidence_in(answer.evidence), None, None]


def started(release: Release) -> Iterator[tuple[Row, ReviewRecord]]:
    """Every review that may be shown, with the first cells of its rows."""
    kinds = dict(SampledCase.objects.of(release).values_list("case__case_key", "kind").iterator())
    state = report_state(release)
    for one in read_reviews(release, only_open=True):
        assert one.submitted_at is not None
        start: Row = [release.name, state, one.case_key, kinds[one.case_key], one.reviewer]
        yield [*start, one.version, one.submitted_at.isoformat(), one.is_counted], one


def flags_in(flags: Iterable[FlagRecord]) -> str:
    return "; ".join(f"{one.kind}: {one.outcome}" for one in flags)


def evidence_in(evidence: Sequence[Evidence]) -> str:
    """As JSON; nothing where there is none."""
    return msgspec.json.encode(evidence).decode() if evidence else ""


# --- Cases ----------------------------------------------------------------------------------------


def cases(summary: Summary, report: str) -> Table:
    """One row for each case of the sample. A case that is not counted has a reason instead."""
    columns = ["release", "report", "case_key", "kind", "origin", "place", "origin_reason"]
    columns += ["reviews_in", "reviewers", "is_counted", "reason"]
    for metric in summary.metrics:
        columns += [metric.metric, f"{metric.metric}:agreed"]
        columns += [f"{metric.metric}:{level}" for level in metric.levels]
    for question in summary.checklist:
        columns += [f"{question.item}:{answer}" for answer in ("yes", "no", "na")]
    first: Row = [summary.release, report]
    return Table(columns, ([*first, *case_cells(summary, one)] for one in summary.sample))


def case_cells(summary: Summary, case: CaseSummary) -> Row:
    reason = ""
    if not case.is_counted:
        reason = gettext("not counted: %(count)d of %(wanted)d reviews are in") % {
            "count": case.reviews_in,
            "wanted": summary.reviews_per_case,
        }
    row: Row = [case.case_key, case.kind, case.origin, case.place, case.reason]
    row += [case.reviews_in, ", ".join(case.reviewers), case.is_counted, reason]
    if not case.is_counted:
        empty = sum(2 + len(metric.levels) for metric in summary.metrics)
        return [*row, *([None] * (empty + 3 * len(summary.checklist)))]
    for score in case.scores:
        row += [score.standing, score.agreed, *score.counts]
    for answers in case.answers:
        row += list(answers)
    return row
