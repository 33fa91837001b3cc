"""What reviewers wrote, and what they flagged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec
from django.db.models import IntegerField, QuerySet, TextField, Value
from django.db.models.functions import Cast

from cases.models import Release
from reviews.desk.judgement import Evidence
from reviews.models import ChecklistAnswer, Flag, Review, Score
from reviews.models.reviews import ReviewStatus
from reviews.report.summary.papers import EvidenceSummary, FlagSummary, Remark


@dataclass(frozen=True)
class Words:
    remarks: list[Remark]
    flags: list[FlagSummary]


def read_words(release: Release, cases: Collection[int]) -> Words:
    """All that is not empty, of these cases; flags of every case. Two statements."""
    return Words(read_remarks(release, cases), read_flags(release))


def read_remarks(release: Release, cases: Collection[int]) -> list[Remark]:
    """Overall comments, what is behind scores, and what is beside answers."""
    scores, answers, comments = remark_rows()
    own = {"release": release, "review__case__in": cases}
    rows = scores.filter(**own).union(
        answers.filter(**own), comments.filter(release=release, case__in=cases), all=True
    )
    remarks = [
        Remark(case_key, who, subject, value, answer, text, pieces(evidence), line, changed)
        for case_key, who, subject, value, answer, text, evidence, line, changed in rows
    ]
    return sorted(remarks, key=attrgetter("case_key", "reviewer", "subject"))


Rows = QuerySet[Any, tuple[Any, ...]]


@cache
def remark_rows() -> tuple[Rows, Rows, Rows]:
    """Of any release, with the same columns. Django takes long to put these questions together."""
    scores = Score.objects.filter(review__status=ReviewStatus.SUBMITTED).exclude(
        rationale="", evidence=[], coherence="", changed_mind=False
    )
    answers = ChecklistAnswer.objects.filter(review__status=ReviewStatus.SUBMITTED).exclude(
        note="", evidence=[]
    )
    comments = Review.objects.submitted().exclude(comment="")
    by_whom = "review__case__case_key", "review__reviewer__username"
    nothing, no_score, no = Value(""), Value(None, IntegerField()), Value(False)
    evidence = Cast("evidence", TextField())
    return (
        scores.order_by().values_list(
            *(*by_whom, "metric", "value", nothing),
            *("rationale", evidence, "coherence", "changed_mind"),
        ),
        answers.order_by().values_list(
            *(*by_whom, "item", no_score, "answer", "note", evidence, nothing, no)
        ),
        comments.order_by().values_list(
            *("case__case_key", "reviewer__username", nothing, no_score, nothing),
            *("comment", Value("[]"), nothing, no),
        ),
    )


def read_flags(release: Release) -> list[FlagSummary]:
    rows = Flag.objects.filter(release=release).values_list(
        *("review__case__case_key", "review__reviewer__username", "kind", "outcome"),
        *("judged_by__username", "reason"),
    )
    found = [
        FlagSummary(case_key, reviewer, kind, outcome, judged_by or "", reason)
        for case_key, reviewer, kind, outcome, judged_by, reason in rows
    ]
    return sorted(found, key=attrgetter("case_key", "reviewer", "flag"))


def pieces(evidence: str) -> tuple[EvidenceSummary, ...]:
    """Of the JSON in a column, which Django would take apart ten times as slowly."""
    if evidence == "[]":
        return ()
    found = _evidence.decode(evidence)
    return tuple(EvidenceSummary(piece.kind, piece.ref, piece.text) for piece in found)


_evidence = msgspec.json.Decoder(list[Evidence])
