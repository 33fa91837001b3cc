"""Read what a reviewer submitted: their own scores, and what they can still revise."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import prefetch_related_objects

from cases.models import Event
from cases.models.rubrics import RubricText
from cases.rubric import Metric
from reviews.models import Review, Score
from reviews.models.reviews import SEEN


@dataclass(frozen=True)
class OwnScore:
    """A score as it was submitted. `language` is that of the metric's name."""

    metric: Metric
    value: int
    language: str


@dataclass(frozen=True)
class DoneReview:
    review: Review
    scores: list[OwnScore]
    can_be_revised: bool


def load_done(
    user: User, reviews: Sequence[Review], *, language: str | None
) -> dict[int, DoneReview]:
    """Add to submitted reviews, by key, what `DoneReview` has; with two queries.

    A third one reads the rubrics in this language, if they were written in another.
    """
    values: dict[int, dict[str, int]] = {review.pk: {} for review in reviews}
    rows = Score.objects.filter(review__in=reviews).values_list("review", "metric", "value")
    for review, metric, value in rows:
        values[review][metric] = value
    texts = load_texts(reviews, language)
    seen = find_seen(user, {review.release_id for review in reviews})
    return {
        review.pk: DoneReview(
            review,
            list_scores(values[review.pk], texts[review.release.rubric_id]),
            review.can_be_written and review.release_id not in seen,
        )
        for review in reviews
    }


def list_scores(values: dict[str, int], text: RubricText) -> list[OwnScore]:
    return [
        OwnScore(metric, values[metric.key], text.language)
        for metric in text.document.metrics
        if metric.key in values
    ]


def load_texts(reviews: Sequence[Review], language: str | None) -> dict[int, RubricText]:
    """Load the rubric texts of these reviews, by the key of the rubric."""
    rubrics = {review.release.rubric_id: review.release.rubric for review in reviews}
    others = [rubric for rubric in rubrics.values() if rubric.language != language]
    prefetch_related_objects(others, "translations")
    return {key: rubric.text_for(language) for key, rubric in rubrics.items()}


def find_seen(user: User, releases: Collection[int]) -> set[int]:
    """Find the releases in which this person has seen others' scores."""
    looks = Event.objects.filter(release__in=releases, kind=SEEN, by=user.get_username())
    return set(looks.values_list("release", flat=True))
