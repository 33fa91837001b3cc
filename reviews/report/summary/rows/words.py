"""What reviewers wrote, and what they flagged."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Case, CharField, F, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from cases.models import Release
from reviews.models import ChecklistAnswer, Flag, Review, Score
from reviews.models.reviews import ReviewStatus
from reviews.report.summary.papers import EvidenceSummary, FlagSummary, Remark

from .union import as_text, column, union


@dataclass(frozen=True)
class Words:
    remarks: list[Remark]
    flags: list[FlagSummary]


def read_words(release: Release, cases: Collection[int]) -> Words:
    """All that is not empty, of these cases; flags of every case."""
    said = Q(review__status=ReviewStatus.SUBMITTED, review__case__in=cases)
    asked = Case(When(changed_mind=True, then=Value(1)), default=Value(0))
    something = ~Q(text_of_evidence="[]")
    rows = union(
        (
            Review.objects.of(release).submitted().filter(case__in=cases).exclude(comment=""),
            words("comment", "case__case_key", "reviewer__username", said=F("comment")),
        ),
        (
            Score.objects.filter(said, release=release)
            .annotate(text_of_evidence=as_text(F("evidence")))
            .filter(~Q(rationale="") | ~Q(coherence="") | Q(changed_mind=True) | something),
            words(
                "score",
                subject=F("metric"),
                value=F("value"),
                said=F("rationale"),
                evidence=as_text(F("evidence")),
                other=F("coherence"),
                asked=asked,
            ),
        ),
        (
            ChecklistAnswer.objects.filter(said, release=release)
            .annotate(text_of_evidence=as_text(F("evidence")))
            .filter(~Q(note="") | something),
            words(
                "answer",
                subject=F("item"),
                answer=F("answer"),
                said=F("note"),
                evidence=as_text(F("evidence")),
            ),
        ),
        (
            Flag.objects.filter(release=release),
            words(
                "flag",
                subject=F("kind"),
                answer=F("outcome"),
                said=F("reason"),
                other=Coalesce(F("judged_by__username"), Value(""), output_field=CharField()),
            ),
        ),
    )
    remarks, flags = [], []
    for what, case_key, reviewer, subject, value, answer, told, evidence, other, asked_so in rows:
        if what == "flag":
            flags.append(FlagSummary(case_key, reviewer, subject, answer, other, told))
        else:
            remarks.append(
                Remark(
                    case_key=case_key,
                    reviewer=reviewer,
                    subject=subject,
                    value=value if what == "score" else None,
                    answer=answer,
                    text=told,
                    evidence=pieces(evidence),
                    coherence=other,
                    changed_mind=bool(asked_so),
                )
            )
    return Words(
        sorted(remarks, key=lambda one: (one.case_key, one.reviewer, one.subject)),
        sorted(flags, key=lambda one: (one.case_key, one.reviewer, one.flag)),
    )


Column = Combinable | str | int


def words(
    what: str,
    case: str = "review__case__case_key",
    person: str = "review__reviewer__username",
    *,
    subject: Column = "",
    value: Column = 0,
    answer: Column = "",
    said: Column,
    evidence: Column = "[]",
    other: Column = "",
    asked: Column = 0,
) -> dict[str, Combinable]:
    return {
        "what": column(what),
        "case_key": column(F(case)),
        "person": column(F(person)),
        "subject": column(subject),
        "value": column(value),
        "answer": column(answer),
        "said": column(said),
        "pieces": column(evidence),
        "other": column(other),
        "asked": column(asked),
    }


def pieces(evidence: str) -> tuple[EvidenceSummary, ...]:
    if evidence == "[]":
        return ()
    return tuple(
        EvidenceSummary(one["kind"], one["ref"], one.get("text", ""))
        for one in json.loads(evidence)
    )
