"""Rows of a Hugging Face dataset: one for each review, all with the same columns and types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from .reviewed import Mark, Reviewed, encode_line, list_marks, list_reviews


def write(cases: Iterable[Reviewed]) -> Iterator[bytes]:
    for reviewed in cases:
        plan = reviewed.data.get("plan")
        for review, said, moment in list_reviews(reviewed):
            marks = list(list_marks(said, reviewed.document))
            yield encode_line(
                {
                    "release": reviewed.release,
                    "product": reviewed.product,
                    "case_key": review.case_key,
                    "kind": reviewed.case.kind,
                    "locale": reviewed.data.get("locale"),
                    "request": reviewed.data["request"]["text"],
                    # As text: plans differ in their fields, and columns must not.
                    "plan": msgspec.json.encode(plan).decode() if plan else None,
                    "reviewer": review.reviewer,
                    "submitted_at": moment,
                    "is_counted": review.is_counted,
                    "scores": list_scores(marks),
                    "answers": list_answers(marks),
                    "flags": [flag.kind for flag in review.flags],
                    "comment": said.comment,
                }
            )


def list_scores(marks: Iterable[Mark]) -> list[dict[str, Any]]:
    return [
        {"metric": mark.name, "value": mark.value, "rationale": mark.text}
        for mark in marks
        if isinstance(mark.value, int)
    ]


def list_answers(marks: Iterable[Mark]) -> list[dict[str, Any]]:
    return [
        {"item": mark.name, "answer": mark.value, "note": mark.text}
        for mark in marks
        if isinstance(mark.value, str)
    ]
