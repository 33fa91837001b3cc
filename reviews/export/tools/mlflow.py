"""MLflow assessments: each line is a Feedback as `Assessment.from_dictionary` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .reviewed import Reviewed, encode_line, list_marks, list_reviews


def write(cases: Iterable[Reviewed]) -> Iterator[bytes]:
    for reviewed in cases:
        for review, said, moment in list_reviews(reviewed):
            for mark in list_marks(said, reviewed.document):
                feedback = {
                    "assessment_name": mark.name,
                    "trace_id": reviewed.trace,
                    "source": {"source_type": "HUMAN", "source_id": review.reviewer},
                    "create_time": moment,
                    "last_update_time": moment,
                    "feedback": {"value": mark.value},
                    # All values are texts there.
                    "metadata": {
                        "release": reviewed.release,
                        "case_key": review.case_key,
                        "is_counted": "true" if review.is_counted else "false",
                    },
                }
                yield encode_line(feedback | ({"rationale": mark.text} if mark.text else {}))
