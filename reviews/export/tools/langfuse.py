"""Langfuse scores: each line is the body of a POST to /api/public/scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .reviewed import Reviewed, encode_line, identify, list_marks, list_reviews

NUMERIC, CATEGORICAL = "NUMERIC", "CATEGORICAL"


def write(cases: Iterable[Reviewed]) -> Iterator[bytes]:
    for reviewed in cases:
        for review, said, moment in list_reviews(reviewed):
            of_review = reviewed.release, review.case_key, review.reviewer
            for mark in list_marks(said, reviewed.document):
                score = {
                    "id": identify("langfuse", *of_review, mark.name),
                    "traceId": reviewed.trace,
                    "name": mark.name,
                    "value": mark.value,
                    "dataType": NUMERIC if isinstance(mark.value, int) else CATEGORICAL,
                    "metadata": {
                        "release": reviewed.release,
                        "case_key": review.case_key,
                        "reviewer": review.reviewer,
                        "submitted_at": moment,
                        "is_counted": review.is_counted,
                    },
                }
                yield encode_line(score | ({"comment": mark.text} if mark.text else {}))
