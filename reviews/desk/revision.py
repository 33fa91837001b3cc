"""Revising a submitted review: what it said before is kept, and a revision can be given up."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases.models import Release
from reviews.adjudication.visibility import has_seen_scores
from reviews.assignments.workflow import SeenScores
from reviews.desk import judgement
from reviews.desk.judgement import Judgement
from reviews.desk.workflow import NotOpen, Saved, Stale, locked, require_open
from reviews.models import Review, Revision
from reviews.workflow.refusals import require_reason, require_reviewing

# How long a submitted review may be corrected without saying why.
SECOND_THOUGHTS = timedelta(minutes=10)


@transaction.atomic
def discard(*, review: int, user: User, version: int) -> Saved:
    """The draft says again what was submitted. Where it says so already, nothing is to be done."""
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if mine.submitted_at is None or not mine.is_submitted:
        raise NotOpen(gettext("Only a revision can be discarded; this review is not submitted."))
    said = judgement.to_data(submitted_in(mine))
    if mine.draft == said:
        return Saved(mine.version, mine.submitted_at)
    if mine.version != version:
        raise Stale(mine)
    Review.objects.filter(pk=mine.pk, version=version).update(
        version=version + 1, draft=said, asked={}, saved_at=mine.submitted_at
    )
    return Saved(version + 1, mine.submitted_at)


def keep_revision(release: Release, review: Review, *, reason: str, now: datetime) -> None:
    """The submitted version goes aside before the new one is written."""
    assert review.submitted_at is not None
    if has_seen_scores(release, review.reviewer):
        raise SeenScores(
            gettext("You have seen what others say in this release, so your review stays as it is.")
        )
    first = review.revisions.order_by("version").first()
    since = first.submitted_at if first else review.submitted_at
    if now - since > SECOND_THOUGHTS:
        require_reason(reason)
    Revision.objects.create(
        review=review,
        release_id=review.release_id,
        version=review.version,
        content=collect_content(review),
        submitted_at=review.submitted_at,
        replaced_at=now,
        reason=reason,
    )
    review.scores.all().delete()
    review.answers.all().delete()


def submitted_in(review: Review) -> Judgement:
    """What the submitted rows say."""
    content = collect_content(review)
    content.pop("coherence", None)
    return judgement.from_data(content)


def read_coherence(review: Review) -> dict[str, str]:
    """How scores and checklist go together, where the submitted review was asked."""
    asked = review.scores.exclude(coherence="")
    return dict(asked.values_list("metric", "coherence"))


def collect_content(review: Review) -> dict[str, object]:
    """What the submitted rows say, in the shape of a draft, with the lines that were asked for."""
    scores = list(review.scores.order_by("metric"))
    lines = {one.metric: one.coherence for one in scores if one.coherence}
    return {
        "scores": {
            one.metric: {
                "value": one.value,
                "rationale": one.rationale,
                "evidence": one.evidence,
            }
            for one in scores
        },
        "answers": {
            one.item: {"answer": one.answer, "note": one.note, "evidence": one.evidence}
            for one in review.answers.order_by("item")
        },
        "comment": review.comment,
        "flags": list(review.flags.order_by("kind").values_list("kind", flat=True)),
        **({"coherence": lines} if lines else {}),
    }
