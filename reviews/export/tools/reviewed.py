"""The cases of a release with their submitted reviews, and what all formats take from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby
from typing import Any

import msgspec

from cases.models import Release
from cases.rubric import Document
from reviews.desk.judgement import Judgement
from reviews.export.queries import read_cases, read_reviews
from reviews.export.records import CaseRecord, ReviewRecord


@dataclass(frozen=True)
class Reviewed:
    """A case that was read, its imported row, and its reviews by the names of the reviewers."""

    release: str
    product: str
    document: Document
    case: CaseRecord
    data: dict[str, Any]
    reviews: list[ReviewRecord]

    @property
    def trace(self) -> str:
        """Return the trace of the case: its own `trace_id`, else its id, else release and key."""
        for name in ("trace_id", "id"):
            if isinstance(self.data.get(name), str) and self.data[name].strip():
                return str(self.data[name])
        return f"{self.release}:{self.case.case_key}"


def read_reviewed(release: Release) -> Iterator[Reviewed]:
    """Read cases and reviews side by side, both in the order of the case keys, in portions."""
    reviews = groupby(read_reviews(release, only_open=True), lambda review: review.case_key)
    case_key, own = next(reviews, ("", iter(())))
    for case in read_cases(release):
        if case.case_key != case_key:
            continue
        yield Reviewed(
            release=release.name,
            product=release.product,
            document=release.rubric.document,
            case=case,
            data=msgspec.json.decode(case.content),
            reviews=list(own),
        )
        case_key, own = next(reviews, ("", iter(())))


@dataclass(frozen=True)
class Mark:
    """A score or an answer. `value` is a number for a score, a text for an answer."""

    name: str
    value: int | str
    text: str


def list_marks(said: Judgement, document: Document) -> Iterator[Mark]:
    """Yield the marks of a review in the order of the rubric, each metric before its questions."""
    for metric in document.metrics:
        score = said.scores.get(metric.key)
        if score and score.value is not None:
            yield Mark(metric.key, score.value, score.rationale)
        for question in metric.checklist:
            answer = said.answers.get(question.key)
            if answer and answer.answer is not None:
                yield Mark(question.key, answer.answer, answer.note)


def list_reviews(reviewed: Reviewed) -> Iterator[tuple[ReviewRecord, Judgement, str]]:
    """Yield each review with its content and the moment it was submitted."""
    for review in reviewed.reviews:
        if review.said is not None and review.submitted_at is not None:
            moment = review.submitted_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
            yield review, review.said, moment


def identify(*parts: str) -> str:
    """Return an id that is the same each time, so that a repeated upload replaces and adds none."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def encode_line(row: Any) -> bytes:
    return msgspec.json.encode(row) + b"\n"
