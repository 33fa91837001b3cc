"""Summarises what readers said of old and new plans side by side: a pure function of their rows.

It is a part of the summary of its own: no floor, mean or agreement depends on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from cases.rubric import Document
from reviews.comparison import Paired
from reviews.comparison.steps import (
    FARTHEST,
    Reading,
    average_by_case,
    compare_steps,
    count_left,
    count_recognised,
)

from .rounding import round_figure, round_float


class PairRow(NamedTuple):
    """One answer of one reader, as the sides were shown: a step on a metric or a question's side.

    `step` is right minus left; `newer` is what the reader took for the newer plan.
    """

    case_key: str
    reader: str
    is_new_left: bool
    newer: str
    item: str
    step: int | None
    side: str


class PairRows(NamedTuple):
    """The answers of all submitted pairings, and how many readings each case still lacks."""

    rows: list[PairRow]
    missing: dict[str, int]


@dataclass(frozen=True)
class CaseStep:
    """The mean step of a case's readers from the old plan to the new one."""

    case_key: str
    step: float
    readers: int


@dataclass(frozen=True)
class MetricSteps:
    """Steps on a metric: new minus old, over cases. `chosen_left` of `chosen` chose the left."""

    metric: str
    name: str
    paired: Paired
    cases: tuple[CaseStep, ...]
    chosen_left: int
    chosen: int


@dataclass(frozen=True)
class QuestionSides:
    """How many readers said that a question applies to which plan; those not asked are left out."""

    item: str
    text: str
    new: int
    old: int
    both: int
    neither: int


@dataclass(frozen=True)
class SideBySide:
    """What was read side by side. `recognised` are right guesses of those `guessed`, of `readings`
    in all."""

    cases: int
    readings: int
    readers: int
    metrics: tuple[MetricSteps, ...]
    questions: tuple[QuestionSides, ...]
    recognised: int
    guessed: int
    missing: dict[str, int]

    def metric(self, key: str) -> MetricSteps | None:
        return next((metric for metric in self.metrics if metric.metric == key), None)


def summarise_pairs(
    document: Document, rows: Sequence[PairRow], missing: dict[str, int]
) -> SideBySide:
    """Summarise the submitted readings. `missing` counts by case key those not read yet."""
    readings = {(row.case_key, row.reader): row for row in rows}
    guesses = [
        (row.newer == "left") == row.is_new_left for row in readings.values() if row.newer != "no"
    ]
    recognised = count_recognised(guesses)
    return SideBySide(
        cases=len({row.case_key for row in rows}),
        readings=len(readings),
        readers=len({row.reader for row in rows}),
        metrics=tuple(
            summarise_metric(metric.key, metric.name, list_readings(rows, metric.key))
            for metric in document.metrics
        ),
        questions=tuple(
            summarise_question(question.key, question.text, rows) for question in document.questions
        ),
        recognised=recognised.count,
        guessed=recognised.of,
        missing=missing,
    )


def list_readings(rows: Iterable[PairRow], metric: str) -> list[Reading]:
    """List the steps on a metric from the old plan to the new one, wherever it was shown."""
    return [
        Reading(
            row.case_key,
            row.reader,
            -row.step if row.is_new_left else row.step,
            row.is_new_left,
        )
        for row in rows
        if row.item == metric and row.step is not None
    ]


def summarise_metric(key: str, name: str, readings: Collection[Reading]) -> MetricSteps:
    by_case = average_by_case(readings)
    readers = Counter(reading.case for reading in readings)
    left = count_left(readings)
    return MetricSteps(
        metric=key,
        name=name,
        paired=round_figure(cut(compare_steps(by_case))),
        cases=tuple(
            CaseStep(case, round_step(step), readers[case]) for case, step in by_case.items()
        ),
        chosen_left=left.count,
        chosen=left.of,
    )


def cut(found: Paired) -> Paired:
    """Cut the interval: no step is longer than the scale."""
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, -FARTHEST), high=min(found.high, FARTHEST))


def round_step(step: Fraction) -> float:
    return round_float(float(step))


def summarise_question(key: str, text: str, rows: Iterable[PairRow]) -> QuestionSides:
    counts = defaultdict[str, int](int)
    for row in rows:
        if row.item == key and row.side:
            counts[name_plan(row)] += 1
    return QuestionSides(key, text, counts["new"], counts["old"], counts["both"], counts["neither"])


def name_plan(row: PairRow) -> str:
    """Return the plan that a side showed: new, old, or both or neither as it was said."""
    if row.side in ("both", "neither"):
        return row.side
    return "new" if (row.side == "left") == row.is_new_left else "old"
