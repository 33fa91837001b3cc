"""The reviews of one case beside each other, for whoever settles what they differ on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from cases.case import display as case_display
from cases.models import Case
from cases.rubric import Document, Level, Metric, Question
from reviews.models import Review
from reviews.models.reviews import Answer


@dataclass(frozen=True)
class ShownEvidence:
    """A piece of evidence. `refs` are the places in the plan that it lights up; perhaps none."""

    kind: str
    label: str
    text: str
    refs: tuple[str, ...]


@dataclass(frozen=True)
class ScoreGiven:
    review: Review
    level: Level
    rationale: str
    coherence: str
    changed_mind: bool
    evidence: list[ShownEvidence]


@dataclass(frozen=True)
class AnswerGiven:
    review: Review
    answer: str
    words: str
    note: str
    evidence: list[ShownEvidence]


@dataclass(frozen=True)
class QuestionAsked:
    question: Question
    answers: list[AnswerGiven]

    @property
    def is_split(self) -> bool:
        return len({one.answer for one in self.answers}) > 1


@dataclass(frozen=True)
class MetricJudged:
    metric: Metric
    is_listed: bool
    scores: list[ScoreGiven]
    questions: list[QuestionAsked]


def load_reviews(case: Case) -> QuerySet[Review]:
    """What was submitted on the case, by the names of the reviewers."""
    return (
        Review.objects.submitted()
        .filter(case=case)
        .select_related("reviewer")
        .prefetch_related("scores", "answers", "flags__judged_by")
        .defer("draft")
        .order_by("reviewer__username")
    )


def judged(
    reviews: Iterable[Review], document: Document, listed: Iterable[str], page: case_display.Page
) -> list[MetricJudged]:
    """Metric by metric, in the rubric's order."""
    places = Places(page)
    rows = [
        (
            review,
            {one.metric: one for one in review.scores.all()},
            {one.item: one for one in review.answers.all()},
        )
        for review in reviews
    ]
    listed = set(listed)
    return [
        MetricJudged(
            metric=metric,
            is_listed=metric.key in listed,
            scores=[
                ScoreGiven(
                    review=review,
                    level=metric.level(scores[metric.key].value),
                    rationale=scores[metric.key].rationale,
                    coherence=scores[metric.key].coherence,
                    changed_mind=scores[metric.key].changed_mind,
                    evidence=places.shown(scores[metric.key].evidence),
                )
                for review, scores, _answers in rows
                if metric.key in scores
            ],
            questions=[
                QuestionAsked(
                    question,
                    [
                        AnswerGiven(
                            review=review,
                            answer=answers[question.key].answer,
                            words=str(Answer(answers[question.key].answer).label),
                            note=answers[question.key].note,
                            evidence=places.shown(answers[question.key].evidence),
                        )
                        for review, _scores, answers in rows
                        if question.key in answers
                    ],
                )
                for question in metric.checklist
            ],
        )
        for metric in document.metrics
    ]


class Places:
    """Where pieces of evidence stand on the page of a case."""

    def __init__(self, page: case_display.Page) -> None:
        self.targets = frozenset(case_display.list_targets(page.cards))
        self.facts = {fact.key: fact for group in page.groups for fact in group.facts}
        self.titles = {
            stop.pointer: stop.title.text if stop.title else ""
            for day in page.cards.days
            for stop in day.stops
        }

    def shown(self, evidence: Iterable[Mapping[str, Any]]) -> list[ShownEvidence]:
        return [self.one(piece["kind"], piece["ref"], piece.get("text", "")) for piece in evidence]

    def one(self, kind: str, ref: str, text: str) -> ShownEvidence:
        if kind == "fact":
            fact = self.facts.get(ref)
            # A fact that is computed no longer is still what the reviewer rested on.
            if fact is None:
                return ShownEvidence(kind, "", text or ref, ())
            return ShownEvidence(kind, f"F{fact.number}", text or fact.sentence, fact.refs)
        pointer = ref.partition("#")[0]
        if not pointer.startswith("/plan"):
            return ShownEvidence(kind, "", text or ref, ())
        found = case_display.nearest(pointer, self.targets)
        return ShownEvidence(kind, "", text or self.titles.get(found, "") or ref, (found,))
