"""Scores and answers, counted for each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import BigIntegerField, Case, Model, QuerySet, Sum, Value, When

from cases.models import Release
from cases.rubric import Document
from reviews.models import ChecklistAnswer, Score
from reviews.models.reviews import Answer, ReviewStatus

# So many bits count the reviews of one level; ten levels fit into one whole number of a database.
BITS = 6
MOST_BITS = 60
ANSWERS = (Answer.YES, Answer.NO, Answer.NA)


@dataclass(frozen=True)
class Marks:
    """Case -> metric or question -> how often each of its levels or answers was given."""

    by_case: Mapping[int, Mapping[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Digits:
    """Counts as the digits of whole numbers: SUM(base^level), several where levels are many."""

    bits: int
    columns: int

    @property
    def width(self) -> int:
        return MOST_BITS // self.bits

    def sums(self, value: str, levels: Sequence[Any]) -> dict[str, Sum]:
        found = {}
        for column in range(self.columns):
            chunk = levels[column * self.width : (column + 1) * self.width]
            powers = [
                When(**{value: level}, then=Value(1 << (self.bits * place)))
                for place, level in enumerate(chunk)
            ]
            power = Case(*powers, default=Value(0), output_field=BigIntegerField())
            found[f"sum_{column}"] = Sum(power)
        return found

    def read(self, key: tuple[int, ...]) -> tuple[int, ...]:
        """How often each level occurs, lowest first."""
        mask = (1 << self.bits) - 1
        return tuple(
            (int(one) >> (self.bits * place)) & mask for one in key for place in range(self.width)
        )


def read_marks(release: Release, document: Document, most_reviews: int) -> Marks:
    """One row for each case and metric or question, as many reviews as it has.

    `most_reviews` is how many a case has at most: twice as many would still fit.
    """
    lowest = min(metric.low for metric in document.metrics)
    levels = range(lowest, max(metric.high for metric in document.metrics) + 1)
    bits = max(BITS, most_reviews.bit_length() + 1)
    width = MOST_BITS // bits
    digits = Digits(bits, max(-(-len(levels) // width), -(-len(ANSWERS) // width)))
    scores = counted(Score, "metric", "value", tuple(levels), digits).filter(release=release)
    answers = counted(ChecklistAnswer, "item", "answer", ANSWERS, digits).filter(release=release)
    own = {one.key: slice(one.low - lowest, one.high - lowest + 1) for one in document.metrics}
    own |= {one.key: slice(0, len(ANSWERS)) for one in document.questions}
    found: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    # Few patterns of many cases: each is taken apart once.
    known: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for case, *key in scores.union(answers, all=True):
        subject, *sums = key
        counts = known.get(pattern := tuple(key))
        if counts is None:
            counts = known[pattern] = digits.read(tuple(sums))[own[subject]]
        found[case][subject] = counts
    return Marks(found)


@lru_cache(maxsize=16)
def counted(
    model: type[Model], subject: str, value: str, levels: tuple[Any, ...], digits: Digits
) -> QuerySet[Any, Any]:
    """Of any release. Django takes longer to put this question together than to ask it."""
    rows = model._default_manager.filter(review__status=ReviewStatus.SUBMITTED).order_by()
    cases = rows.values_list("review__case", subject)
    counts: QuerySet[Any, Any] = cases.annotate(**digits.sums(value, levels))
    return counts
