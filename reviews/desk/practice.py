"""The practice case: read from a file in this package, never stored, with agreed scores.

It belongs to the shipped rubric and has a file for each of its languages.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from cases import rubric
from cases.itinerary.format import Case
from cases.rubrics.workflow import SHIPPED
from reviews.desk.judgement import Judgement
from reviews.models.reviews import Answer

FOLDER = Path(__file__).parent / "practice_cases"


class AgreedScore(msgspec.Struct, frozen=True):
    value: int
    why: str


class AgreedAnswer(msgspec.Struct, frozen=True):
    answer: str
    why: str


class Practice(msgspec.Struct, frozen=True):
    case: Case
    scores: dict[str, AgreedScore]
    answers: dict[str, AgreedAnswer]


@dataclass(frozen=True)
class ComparedLine:
    """One line of the result: the reviewer's value beside the agreed one, and why."""

    text: str
    own: str
    agreed: str
    why: str
    is_same: bool
    is_score: bool


@lru_cache
def load_practice(language: str) -> tuple[Practice, rubric.Document]:
    """Load practice case and rubric; in English if there is no file for the language."""
    name = language if (FOLDER / f"{language}.json").exists() else "en"
    practice = msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Practice)
    document = rubric.read((SHIPPED / "en.md").read_text("utf-8")).document
    if name != "en":
        text = (SHIPPED / f"{name}.md").read_text("utf-8")
        document = rubric.translated(document, text).document
    return practice, document


def compare(said: Judgement, agreed: Practice, document: rubric.Document) -> list[ComparedLine]:
    lines = []
    for metric in document.metrics:
        for question in metric.checklist:
            answer = said.answers[question.key].answer if question.key in said.answers else None
            right = agreed.answers[question.key]
            lines.append(
                ComparedLine(
                    question.text,
                    str(Answer(answer).label) if answer else "",
                    str(Answer(right.answer).label),
                    right.why,
                    answer == right.answer,
                    False,
                )
            )
        value = said.scores[metric.key].value if metric.key in said.scores else None
        score = agreed.scores[metric.key]
        lines.append(
            ComparedLine(
                metric.name,
                "" if value is None else str(value),
                str(score.value),
                score.why,
                value == score.value,
                True,
            )
        )
    return lines
