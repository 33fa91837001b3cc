"""Read rulings: answers about the rubric that every reviewer reads, without the case; and the
reviews that a ruling asks its reviewers to look at again."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Case, DateTimeField, Exists, F, OuterRef, When
from django.db.models.functions import Coalesce

from cases.models import Event
from cases.models.releases import Status
from cases.rubric import Document, Level, Metric, Question
from evalsite.statements import Statement
from reviews.models import Review, Ruling
from reviews.models.reviews import SEEN, ReviewQuerySet, ReviewStatus


@dataclass(frozen=True)
class Rulings:
    """Rulings on a rubric version, oldest first. `look_again` also has superseded ones."""

    in_force: list[Ruling]
    look_again: list[Ruling]

    def find_newer(self, review: Review) -> list[Ruling]:
        """List the rulings that ask to look at this review again: those given since it was written
        or looked at."""
        written = review.submitted_at if review.is_submitted else review.saved_at
        if written is None:
            return []
        seen = max(written, review.rulings_read_to or written)
        return [ruling for ruling in self.look_again if ruling.given_at > seen]


def load_rulings(rubric: int) -> Rulings:
    """Load the rulings on a rubric version for a desk, with one query."""
    in_force, look_again = [], []
    for pk, subject, text, given_at, asks, successor in _rulings.rows(rubric):
        ruling = Ruling(pk=pk, subject=subject, text=text, given_at=given_at, look_again=asks)
        if successor is None:
            in_force.append(ruling)
        if asks:
            look_again.append(ruling)
    return Rulings(in_force, look_again)


_rulings = Statement(
    lambda rubric: Ruling.objects.of(rubric).values_list(
        "pk", "subject", "text", "given_at", "look_again", "successor"
    )
)


def select_to_look_again(user: User) -> ReviewQuerySet:
    """Select the person's own reviews that were written before a ruling that asks to look again.

    Only those that can still be revised: as soon as the person sees scores of others, none of that
    release.
    """
    return select_outdated(user.pk, user.get_username())


def load_to_look_again(user: User) -> list[Review]:
    """Load the reviews that `select_to_look_again` selects, as lists show them."""
    return _outdated.objects(user.pk, user.get_username())


def select_outdated(user: int, username: str) -> ReviewQuerySet:
    looks = Event.objects.filter(release=OuterRef("release"), kind=SEEN, by=username)
    newer = Ruling.objects.filter(
        rubric=OuterRef("release__rubric"), look_again=True, given_at__gt=OuterRef("written")
    ).filter(given_at__gt=Coalesce(OuterRef("rulings_read_to"), OuterRef("written")))
    submitted = When(status=ReviewStatus.SUBMITTED, then=F("submitted_at"))
    return (
        Review.objects.filter(reviewer=user)
        .standing()
        .filter(release__status=Status.REVIEWING)
        .filter(status__in=(ReviewStatus.DRAFT, ReviewStatus.SUBMITTED))
        .annotate(written=Case(submitted, default=F("saved_at"), output_field=DateTimeField()))
        .filter(Exists(newer), ~Exists(looks))
        .order_by("release__due_date", "place", "pk")
    )


_outdated = Statement[Review](lambda user, username: select_outdated(user, username).for_lists())


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
