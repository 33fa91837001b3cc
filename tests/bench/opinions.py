"""What invented reviewers say: complete, without contradictions, the same for the same chance."""

import random

from cases.rubric import Document, Metric
from reviews.desk.judgement import AnswerEntry, Evidence, Judgement, ScoreEntry

REASONS = [
    "Buffers are named, but lunch on day two lies inside a visit.",
    "The must-see stands in the plan at a sensible hour; the way back is missing.",
    "换乘时间写清楚了，第二天下午没有安排。",
    "预算分项清楚，备选方案只有一条，没有说明理由。",
]
NOTES = ["", "", "", "Only on day one.", "备注里提到了。"]
COMMENTS = ["", "", "", "A plan one could travel with after a few changes.", "整体可以执行。"]
# How far one reviewer is from what the case deserves.
APART = ((-1, 0, 1, 2), (20, 60, 18, 2))
ANSWERS = (("yes", "no", "na"), (55, 20, 25))


def opinion(chance: random.Random, document: Document, quality: int) -> Judgement:
    """`quality` is what the case deserves; reviewers come near it."""
    scores: dict[str, ScoreEntry] = {}
    answers: dict[str, AnswerEntry] = {}
    for metric in document.metrics:
        apart = chance.choices(*APART)[0]
        value = min(metric.high, max(metric.low, quality + apart))
        pinned = [Evidence("stop", "/plan/days/0/items/0")] if chance.random() < 0.3 else []
        scores[metric.key] = ScoreEntry(value, chance.choice(REASONS), pinned)
        given = coherent(chance.choices(*ANSWERS, k=len(metric.checklist)), value, metric)
        for question, answer in zip(metric.checklist, given, strict=True):
            answers[question.key] = AnswerEntry(answer, chance.choice(NOTES))  # type: ignore[arg-type]
    return Judgement(scores, answers, chance.choice(COMMENTS))


def coherent(answers: list[str], value: int, metric: Metric) -> list[str]:
    """Nothing that the desk would ask about: reviews.desk.judgement.find_contradictions."""
    if value == metric.high:
        answers = ["yes" if answer == "no" else answer for answer in answers]
    if value <= metric.low + 1:
        return ["no", *answers[1:]]
    return answers if set(answers) != {"na"} else ["yes", *answers[1:]]
