"""Read what a reviewer submitted: their own scores, and what they can still revise."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, prefetch_related_objects

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
    """Add to submitted reviews, by key, what `DoneReview` has; with one query.

    A second one reads the rubrics in this language, if they were written in another.
    """
    values: dict[int, dict[str, int]] = {review.pk: {} for review in reviews}
    looks = Event.objects.filter(release=OuterRef("release"), kind=SEEN, by=user.get_username())
    rows = Score.objects.filter(review__in=reviews).annotate(has_seen=Exists(looks))
    seen = set()
    for review, metric, value, has_seen in rows.values_list(
        "review", "metric", "value", "has_seen"
    ):
        values[review][metric] = value
        seen |= {review} if has_seen else set()
    texts = load_texts(reviews, language)
    return {
        review.pk: DoneReview(
            review,
            list_scores(values[review.pk], texts[review.release.rubric_id]),
            review.can_be_written and review.pk not in seen,
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
