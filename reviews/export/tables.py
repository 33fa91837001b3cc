"""Tables of a release: one row per review, per score and answer, or per case.

Column names are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
from django.utils.translation import gettext

from cases.models import Release
from cases.rubric import Document
from reviews.adjudication.queries import State
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
    """A table. `rows` can be iterated only once."""

    columns: list[str]
    rows: Iterator[Row]


def name_report_state(release: Release) -> Literal["final", "provisional"]:
    return "final" if release.is_closed else "provisional"


# --- Reviews --------------------------------------------------------------------------------------

OF_A_REVIEW = ["release", "report", "case_key", "kind", "reviewer", "version", "submitted_at"]
OF_A_REVIEW += ["is_counted"]


def build_wide_table(release: Release) -> Table:
    """Build a table with one row for each submitted review."""
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
    return Table(columns, list_wide_rows(release, document))


def list_wide_rows(release: Release, document: Document) -> Iterator[Row]:
    metrics = [metric.key for metric in document.metrics]
    items = [question.key for question in document.questions]
    no_score, no_answer = ScoreEntry(), AnswerEntry()
    for start, review in list_reviews(release):
        assert review.said is not None
        row = [*start, review.said.comment, join_flags(review.flags)]
        for metric in metrics:
            score = review.said.scores.get(metric, no_score)
            row += [score.value, score.rationale, encode_evidence(score.evidence)]
            row += [review.coherence.get(metric, ""), metric in review.changed_minds]
        for item in items:
            answer = review.said.answers.get(item, no_answer)
            row += [answer.answer, answer.note, encode_evidence(answer.evidence)]
        yield row


def build_long_table(release: Release) -> Table:
    """Build a table with one row for each score and each answer of a submitted review."""
    columns = [*OF_A_REVIEW, "what", "metric", "item", "value", "answer", "text", "evidence"]
    columns += ["coherence", "changed_mind"]
    return Table(columns, list_long_rows(release, release.rubric.document))


def list_long_rows(release: Release, document: Document) -> Iterator[Row]:
    for start, review in list_reviews(release):
        assert review.said is not None
        for metric in document.metrics:
            if score := review.said.scores.get(metric.key):
                row = [*start, "score", metric.key, None, score.value, None, score.rationale]
                row += [encode_evidence(score.evidence), review.coherence.get(metric.key, "")]
                yield [*row, metric.key in review.changed_minds]
            for question in metric.checklist:
                if answer := review.said.answers.get(question.key):
                    row = [*start, "answer", metric.key, question.key, None, answer.answer]
                    yield [*row, answer.note, encode_evidence(answer.evidence), None, None]


def list_reviews(release: Release) -> Iterator[tuple[Row, ReviewRecord]]:
    """Yield every review that may be shown, with the first cells of its rows."""
    kinds = dict(SampledCase.objects.of(release).values_list("case__case_key", "kind").iterator())
    state = name_report_state(release)
    for review in read_reviews(release, only_open=True):
        assert review.submitted_at is not None
        start: Row = [release.name, state, review.case_key, kinds[review.case_key], review.reviewer]
        yield [*start, review.version, review.submitted_at.isoformat(), review.is_counted], review


def join_flags(flags: Iterable[FlagRecord]) -> str:
    return "; ".join(f"{flag.kind}: {flag.outcome}" for flag in flags)


def encode_evidence(evidence: Sequence[Evidence]) -> str:
    """Encode evidence as JSON; empty if there is none."""
    return msgspec.json.encode(evidence).decode() if evidence else ""


# --- Cases ----------------------------------------------------------------------------------------


def build_case_table(summary: Summary, report: str) -> Table:
    """Build a table with one row for each case of the sample; uncounted cases have a reason."""
    columns = ["release", "report", "case_key", "kind", "origin", "place", "origin_reason"]
    columns += ["reviews_in", "reviewers", "is_counted", "reason", "settled_together"]
    columns += ["is_outside"]
    for metric in summary.metrics:
        columns += [metric.metric, f"{metric.metric}:agreed"]
        columns += [f"{metric.metric}:{level}" for level in metric.levels]
    for question in summary.checklist:
        columns += [f"{question.item}:{answer}" for answer in ("yes", "no", "na")]
    first: Row = [summary.release, report]
    together = {
        found.case_key: ", ".join(found.adjudication.together)
        for found in summary.disagreements
        if found.adjudication and found.state == State.SETTLED
    }
    rows = (
        [*first, *list_case_cells(summary, case, together.get(case.case_key, ""))]
        for case in summary.sample
    )
    return Table(columns, rows)


def list_case_cells(summary: Summary, case: CaseSummary, together: str) -> Row:
    reason = ""
    if case.is_outside:
        reason = gettext("not counted: outside the plan")
    elif not case.is_counted:
        reason = gettext("not counted: %(count)d of %(wanted)d reviews are in") % {
            "count": case.reviews_in,
            "wanted": summary.reviews_per_case,
        }
    row: Row = [case.case_key, case.kind, case.origin, case.place, case.reason]
    row += [case.reviews_in, ", ".join(case.reviewers), case.is_counted, reason, together]
    row += [case.is_outside]
    if not case.scores:
        empty = sum(2 + len(metric.levels) for metric in summary.metrics)
        return [*row, *([None] * (empty + 3 * len(summary.checklist)))]
    for score in case.scores:
        row += [score.standing, score.agreed, *score.counts]
    for answers in case.answers:
        row += list(answers)
    return row
