"""Rulings: answers about the rubric that everybody reads, without the case they came from."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cases.rubric import Document, Level, Metric, Question
from evalsite.statements import Statement
from reviews.models import Ruling


def rulings_on_desks(rubric: int) -> list[Ruling]:
    """All of a rubric version, the oldest first, with their words and what they are about."""
    return [Ruling(subject=subject, text=text) for subject, text in _on_desks.rows(rubric)]


_on_desks = Statement(lambda rubric: Ruling.objects.of(rubric).values_list("subject", "text"))


def list_subjects(document: Document) -> list[str]:
    """Whatever a reviewer can ask about: a checklist item (`metric.2`) or a level (`metric:4`)."""
    return [
        subject
        for metric in document.metrics
        for subject in (
            *(question.key for question in metric.checklist),
            *(f"{metric.key}:{level.value}" for level in metric.levels),
        )
    ]


@dataclass(frozen=True)
class Subject:
    """What a question is about, in the rubric's words. `level` is None for a checklist item."""

    metric: Metric
    question: Question | None
    level: Level | None

    @property
    def text(self) -> str:
        found = self.question or self.level
        assert found
        return found.text


def subject_in(document: Document, subject: str) -> Subject:
    for metric in document.metrics:
        for question in metric.checklist:
            if question.key == subject:
                return Subject(metric, question, None)
        for level in metric.levels:
            if f"{metric.key}:{level.value}" == subject:
                return Subject(metric, None, level)
    raise KeyError(subject)


@dataclass(frozen=True)
class Ruled:
    """A metric with what was ruled on each of its levels and questions."""

    metric: Metric
    levels: list[tuple[Level, Sequence[Ruling]]]
    questions: list[tuple[Question, Sequence[Ruling]]]


def ruled(document: Document, rulings: Iterable[Ruling]) -> list[Ruled]:
    by_subject = defaultdict[str, list[Ruling]](list)
    for ruling in rulings:
        by_subject[ruling.subject].append(ruling)
    return [
        Ruled(
            metric,
            [(level, by_subject[f"{metric.key}:{level.value}"]) for level in metric.levels],
            [(question, by_subject[question.key]) for question in metric.checklist],
        )
        for metric in document.metrics
    ]


def subjects_in(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    """Questions and levels of each metric, as a select shows them."""
    return [
        (
            metric.name,
            [
                *((question.key, question.text) for question in metric.checklist),
                *(
                    (f"{metric.key}:{level.value}", f"{level.value}: {level.text}")
                    for level in metric.levels
                ),
            ],
        )
        for metric in document.metrics
    ]
