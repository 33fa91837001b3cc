"""Read rulings: answers about the rubric that every reviewer reads, without the case."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cases.rubric import Document, Level, Metric, Question
from evalsite.statements import Statement
from reviews.models import Ruling


def load_rulings(rubric: int) -> list[Ruling]:
    """Load subject and text of all rulings on a rubric version, oldest first."""
    return [Ruling(subject=subject, text=text) for subject, text in _rulings.rows(rubric)]


_rulings = Statement(lambda rubric: Ruling.objects.of(rubric).values_list("subject", "text"))


def list_subjects(document: Document) -> list[str]:
    """List what a reviewer can ask about: checklist items (`metric.2`) and levels (`metric:4`)."""
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
    """A checklist item or a level that a question is about; the other one is None."""

    metric: Metric
    question: Question | None
    level: Level | None

    @property
    def text(self) -> str:
        part = self.question or self.level
        assert part
        return part.text


def find_subject(document: Document, subject: str) -> Subject:
    """Find a subject by its key. Raises KeyError."""
    for metric in document.metrics:
        for question in metric.checklist:
            if question.key == subject:
                return Subject(metric, question, None)
        for level in metric.levels:
            if f"{metric.key}:{level.value}" == subject:
                return Subject(metric, None, level)
    raise KeyError(subject)


@dataclass(frozen=True)
class MetricRulings:
    """A metric with the rulings on each of its levels and questions."""

    metric: Metric
    levels: list[tuple[Level, Sequence[Ruling]]]
    questions: list[tuple[Question, Sequence[Ruling]]]


def group_rulings(document: Document, rulings: Iterable[Ruling]) -> list[MetricRulings]:
    by_subject = defaultdict[str, list[Ruling]](list)
    for ruling in rulings:
        by_subject[ruling.subject].append(ruling)
    return [
        MetricRulings(
            metric,
            [(level, by_subject[f"{metric.key}:{level.value}"]) for level in metric.levels],
            [(question, by_subject[question.key]) for question in metric.checklist],
        )
        for metric in document.metrics
    ]


def list_choices(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return questions and levels grouped by metric, as choices of a select."""
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
