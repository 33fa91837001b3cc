"""The practice case: read from a file of ours, stored nowhere, with scores that the team agreed on.

It belongs to the shipped rubric, in whichever language that is read.
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
class Compared:
    """One line of the outcome: what one said beside what was agreed, and why."""

    text: str
    own: str
    agreed: str
    why: str
    is_same: bool
    is_score: bool


@lru_cache
def practice_in(language: str) -> tuple[Practice, rubric.Document]:
    """In a language that has no file of its own: in English."""
    name = language if (FOLDER / f"{language}.json").exists() else "en"
    found = msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Practice)
    document = rubric.read((SHIPPED / "en.md").read_text("utf-8")).document
    if name != "en":
        text = (SHIPPED / f"{name}.md").read_text("utf-8")
        document = rubric.translated(document, text).document
    return found, document


def compare(said: Judgement, agreed: Practice, document: rubric.Document) -> list[Compared]:
    lines = []
    for metric in document.metrics:
        for question in metric.checklist:
            answer = said.answers[question.key].answer if question.key in said.answers else None
            right = agreed.answers[question.key]
            lines.append(
                Compared(
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
            Compared(
                metric.name,
                "" if value is None else str(value),
                str(score.value),
                score.why,
                value == score.value,
                True,
            )
        )
    return lines
