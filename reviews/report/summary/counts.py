"""Scores and answers, counted in the database: by case, and by pair of reviewers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import BigIntegerField, Case, Model, QuerySet, Sum, TextField, Value, When
from django.db.models.functions import Cast

from cases.models import Release
from cases.rubric import Document
from evalsite.statements import Statement
from reviews.models import ChecklistAnswer, Review, SampledCase, Score
from reviews.models.reviews import Answer, ReviewStatus

# Bits that count the reviews of one level; ten levels fit into one integer of the database.
BITS = 6
MOST_BITS = 60
ANSWERS = (Answer.YES, Answer.NO, Answer.NA)


@dataclass(frozen=True)
class Marks:
    """For each case and metric or question: how often each level or answer was given."""

    by_case: Mapping[int, Mapping[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Digits:
    """Counts as the digits of integers: SUM(base^level), in several columns for many levels."""

    bits: int
    columns: int

    @property
    def width(self) -> int:
        return MOST_BITS // self.bits

    def sums(self, value: str, levels: Sequence[Any]) -> dict[str, Cast]:
        found = {}
        for column in range(self.columns):
            chunk = levels[column * self.width : (column + 1) * self.width]
            powers = [
                When(**{value: level}, then=Value(1 << (self.bits * place)))
                for place, level in enumerate(chunk)
            ]
            power = Case(*powers, default=Value(0), output_field=BigIntegerField())
            # As text: Django converts a number in each row, `read` only each pattern once.
            found[f"sum_{column}"] = Cast(Sum(power), TextField())
        return found

    def read(self, key: tuple[str, ...]) -> tuple[int, ...]:
        """Return how often each level occurs, lowest first."""
        mask = (1 << self.bits) - 1
        return tuple(
            (int(total) >> (self.bits * place)) & mask
            for total in key
            for place in range(self.width)
        )


def read_marks(release: Release, document: Document, most_reviews: int) -> Marks:
    """Count the scores and answers of each case, in one row per metric or question.

    `most_reviews` is the largest number of reviews of a case: twice as many would still fit.
    """
    lowest = min(metric.low for metric in document.metrics)
    levels = range(lowest, max(metric.high for metric in document.metrics) + 1)
    bits = max(BITS, most_reviews.bit_length() + 1)
    width = MOST_BITS // bits
    digits = Digits(bits, max(-(-len(levels) // width), -(-len(ANSWERS) // width)))
    statement = prepare_count(tuple(levels), digits)
    own = {
        metric.key: slice(metric.low - lowest, metric.high - lowest + 1)
        for metric in document.metrics
    }
    own |= {question.key: slice(0, len(ANSWERS)) for question in document.questions}
    found: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    # Many cases share few patterns: each pattern is decoded once.
    known: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for case, *key in statement.rows(release.pk):
        subject, *sums = key
        counts = known.get(pattern := tuple(key))
        if counts is None:
            counts = known[pattern] = digits.read(tuple(sums))[own[subject]]
        found[case][subject] = counts
    return Marks(found)


@lru_cache(maxsize=16)
def prepare_count(levels: tuple[int, ...], digits: Digits) -> Statement[Any]:
    """Prepare the count of scores on these levels, and of answers."""

    def select(release: int) -> QuerySet[Any, Any]:
        scores = count(Score, release, "metric", digits.sums("value", levels))
        return scores.union(
            count(ChecklistAnswer, release, "item", digits.sums("answer", ANSWERS)), all=True
        )

    return Statement(select)


def count(
    model: type[Model], release: int, subject: str, sums: Mapping[str, Cast]
) -> QuerySet[Any, Any]:
    rows = model._default_manager.filter(
        # On both sides of the join: PostgreSQL would read the reviews of every release otherwise.
        release=release,
        review__release=release,
        review__status=ReviewStatus.SUBMITTED,
    )
    counts: QuerySet[Any, Any] = rows.order_by().values_list("review__case", subject)
    summed: QuerySet[Any, Any] = counts.annotate(**sums)
    return summed


class PairCount(NamedTuple):
    """How many cases with `size` reviews two reviewers scored like this."""

    metric: str
    first: str
    second: str
    size: int
    first_score: int
    second_score: int
    times: int


# Select each counted review once, then count every two of them.
QUERY = """
WITH counted AS (
    SELECT r.id, r.case_id, r.reviewer_id
    FROM {review} r JOIN {sampled} s ON s.case_id = r.case_id
    WHERE r.release_id = %s AND r.status = %s AND s.withdrawn_at IS NULL AND NOT s.is_outside
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
    """Count the pairs of scores in the cases whose k reviews are in; `waived` cases need fewer.

    The database groups by everything that the pair matrix and the severity of reviewers need.
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
        return sorted(sort_names(PairCount(*row)) for row in cursor.fetchall())


def sort_names(pair: PairCount) -> PairCount:
    if pair.first < pair.second:
        return pair
    return pair._replace(
        first=pair.second,
        second=pair.first,
        first_score=pair.second_score,
        second_score=pair.first_score,
    )
