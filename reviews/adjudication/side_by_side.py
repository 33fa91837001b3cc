"""Put the reviews of one case side by side, for the person who settles a disagreement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from cases.case import display as case_display
from cases.models import Case
from cases.rubric import Document, Level, Metric, Question
from reviews.models import ChecklistAnswer, Review, Score


@dataclass(frozen=True)
class EvidenceLink:
    """A piece of evidence. `refs` are the places in the plan that it highlights, if any."""

    kind: str
    label: str
    text: str
    refs: tuple[str, ...]


@dataclass(frozen=True)
class MetricComparison:
    """A metric with the scores and answers of each review. `is_listed`: the scores disagree."""

    metric: Metric
    is_listed: bool
    scores: list[tuple[Score, Level, list[EvidenceLink]]]
    questions: list["QuestionComparison"]


@dataclass(frozen=True)
class QuestionComparison:
    question: Question
    answers: list[tuple[ChecklistAnswer, list[EvidenceLink]]]

    @property
    def is_split(self) -> bool:
        return len({answer.answer for answer, _evidence in self.answers}) > 1


def load_reviews(case: Case) -> QuerySet[Review]:
    """Load the submitted reviews of a case, by the names of the reviewers."""
    return (
        Review.objects.submitted()
        .filter(case=case)
        .select_related("reviewer")
        .prefetch_related("scores", "answers", "flags__judged_by")
        .defer("draft")
        .order_by("reviewer__username")
    )


def compare_metrics(
    reviews: Iterable[Review], document: Document, listed: Iterable[str], page: case_display.Page
) -> list[MetricComparison]:
    """Compare the reviews metric by metric, in the order of the rubric."""
    linker = EvidenceLinker(page)
    rows = [
        (
            {score.metric: score for score in review.scores.all()},
            {answer.item: answer for answer in review.answers.all()},
        )
        for review in reviews
    ]
    listed = set(listed)
    return [
        MetricComparison(
            metric=metric,
            is_listed=metric.key in listed,
            scores=[
                (score, metric.level(score.value), linker.link_all(score.evidence))
                for score in (scores.get(metric.key) for scores, _answers in rows)
                if score
            ],
            questions=[
                QuestionComparison(
                    question,
                    [
                        (answer, linker.link_all(answer.evidence))
                        for answer in (answers.get(question.key) for _scores, answers in rows)
                        if answer
                    ],
                )
                for question in metric.checklist
            ],
        )
        for metric in document.metrics
    ]


class EvidenceLinker:
    """Links pieces of evidence to their places on the page of a case."""

    def __init__(self, page: case_display.Page) -> None:
        self.targets = frozenset(case_display.list_targets(page.cards))
        self.facts = {fact.key: fact for group in page.groups for fact in group.facts}
        self.titles = {
            stop.pointer: stop.title.text if stop.title else ""
            for day in page.cards.days
            for stop in day.stops
        }

    def link_all(self, evidence: Iterable[Mapping[str, Any]]) -> list[EvidenceLink]:
        return [self.link(piece["kind"], piece["ref"], piece.get("text", "")) for piece in evidence]

    def link(self, kind: str, ref: str, text: str) -> EvidenceLink:
        if kind == "fact":
            fact = self.facts.get(ref)
            # The reviewer relied on this fact, even if it is no longer computed.
            if fact is None:
                return EvidenceLink(kind, "", text or ref, ())
            return EvidenceLink(kind, f"F{fact.number}", text or fact.sentence, fact.refs)
        pointer = ref.partition("#")[0]
        if not pointer.startswith("/plan"):
            return EvidenceLink(kind, "", text or ref, ())
        target = case_display.nearest(pointer, self.targets)
        return EvidenceLink(kind, "", text or self.titles.get(target, "") or ref, (target,))
