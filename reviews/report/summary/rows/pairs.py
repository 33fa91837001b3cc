"""Two reviewers on the same cases, counted by all that matrix and severity need."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection

from cases.models import Release
from reviews.models import Review, SampledCase, Score
from reviews.models.reviews import ReviewStatus


class PairCount(NamedTuple):
    """How many cases of `size` reviews two reviewers scored so."""

    metric: str
    first: str
    second: str
    size: int
    first_score: int
    second_score: int
    times: int


# Each case with its reviews once; then every two of them, counted.
QUERY = """
WITH counted AS (
    SELECT r.id, r.case_id, r.reviewer_id
    FROM {review} r JOIN {sampled} s ON s.case_id = r.case_id
    WHERE r.release_id = %s AND r.status = %s AND s.withdrawn_at IS NULL
), sizes AS (
    SELECT case_id, COUNT(*) AS size FROM counted GROUP BY case_id
    HAVING COUNT(*) >= %s OR case_id IN ({waived})
), given AS (
    SELECT c.case_id, c.reviewer_id, z.size, s.metric, s.value
    FROM counted c
    JOIN sizes z ON z.case_id = c.case_id
    JOIN {score} s ON s.review_id = c.id
), pairs AS (
    SELECT a.metric, a.reviewer_id AS first, b.reviewer_id AS second, a.size,
           a.value AS first_score, b.value AS second_score, COUNT(*) AS times
    FROM given a JOIN given b
      ON b.case_id = a.case_id AND b.metric = a.metric AND b.reviewer_id > a.reviewer_id
    GROUP BY a.metric, a.reviewer_id, b.reviewer_id, a.size, a.value, b.value
)
SELECT p.metric, one.username, two.username, p.size, p.first_score, p.second_score, p.times
FROM pairs p JOIN {person} one ON one.id = p.first JOIN {person} two ON two.id = p.second
"""


def read_pairs(release: Release, waived: Collection[int]) -> list[PairCount]:
    """Of the cases of the sample whose k reviews are in; `waived` are those that need not be.

    Grouped in the database by all that the pair matrix and the severity of reviewers need.
    """
    named = {
        "review": Review._meta.db_table,
        "sampled": SampledCase._meta.db_table,
        "score": Score._meta.db_table,
        "person": User._meta.db_table,
        "waived": ", ".join(["%s"] * len(waived)) or "NULL",
    }
    parameters: list[int | str] = [
        release.pk,
        str(ReviewStatus.SUBMITTED),
        release.reviews_per_case,
        *sorted(waived),
    ]
    with connection.cursor() as cursor:
        cursor.execute(QUERY.format(**named), parameters)
        return sorted(in_name_order(PairCount(*row)) for row in cursor.fetchall())


def in_name_order(one: PairCount) -> PairCount:
    if one.first < one.second:
        return one
    return one._replace(
        first=one.second,
        second=one.first,
        first_score=one.second_score,
        second_score=one.first_score,
    )
