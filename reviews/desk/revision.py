"""Revise a submitted review, keeping what was submitted before, discard the revision, or keep the
review after looking at it again."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.adjudication.visibility import has_seen_scores
from reviews.assignments.workflow import ReadsPairs, SeenScores, has_pairings
from reviews.desk import judgement
from reviews.desk.judgement import Judgement
from reviews.desk.workflow import NotOpen, Saved, Stale, locked, require_open
from reviews.errors import Missing, require_reason, require_reviewing
from reviews.models import Review, Revision, Ruling
from reviews.questions.workflow import NoSuchRuling

# A submitted review can be revised without a reason for this long.
SECOND_THOUGHTS = timedelta(minutes=10)


@transaction.atomic
def discard(*, review: int, user: User, version: int) -> Saved:
    """Reset the draft to what was submitted. Does nothing if they are the same."""
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if mine.submitted_at is None or not mine.is_submitted:
        raise NotOpen(gettext("You can discard only a revision. This review is not submitted yet."))
    said = judgement.to_data(read_submitted(mine))
    if mine.draft == said:
        return Saved(mine.version, mine.submitted_at)
    if mine.version != version:
        raise Stale(mine)
    Review.objects.filter(pk=mine.pk, version=version).update(
        version=version + 1, draft=said, asked={}, saved_at=mine.submitted_at
    )
    return Saved(version + 1, mine.submitted_at)


@transaction.atomic
def keep(*, review: int, ruling: int, user: User, now: datetime) -> None:
    """Keep a review as it is, after its owner looked again because of a ruling and those before it.

    Repeating it changes nothing.
    """
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    asks = Ruling.objects.filter(pk=ruling, rubric=release.rubric_id, look_again=True)
    given_at = asks.values_list("given_at", flat=True).first()
    if given_at is None:
        raise NoSuchRuling(Missing("ruling", gettext("There is no such ruling.")))
    if mine.rulings_read_to and mine.rulings_read_to >= given_at:
        return
    Review.objects.filter(pk=mine.pk).update(rulings_read_to=given_at)
    data = {"case": mine.case.case_key}
    ledger.append(release=release, kind="review-kept", data=data, user=user, now=now)


def keep_revision(release: Release, review: Review, *, reason: str, now: datetime) -> None:
    """Move the submitted version to a Revision, before the new one is written."""
    assert review.submitted_at is not None
    if has_seen_scores(release, review.reviewer):
        raise SeenScores(
            gettext(
                "You have seen the scores of other reviewers in this release, so you can no longer "
                "change yours."
            )
        )
    if has_pairings(release, review.reviewer):
        raise ReadsPairs(
            gettext(
                "You have been given pairs of plans to compare, so you can no longer change your "
                "review."
            )
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


def read_submitted(review: Review) -> Judgement:
    """Return the judgement that was submitted, read from its rows."""
    content = collect_content(review)
    content.pop("coherence", None)
    return judgement.from_data(content)


def read_coherence(review: Review) -> dict[str, str]:
    """Return by metric how score and checklist fit, where the reviewer had to say so."""
    explained = review.scores.exclude(coherence="")
    return dict(explained.values_list("metric", "coherence"))


def collect_content(review: Review) -> dict[str, object]:
    """Return the submitted rows in the shape of a draft, with the coherence texts."""
    scores = list(review.scores.order_by("metric"))
    coherence = {score.metric: score.coherence for score in scores if score.coherence}
    return {
        "scores": {
            score.metric: {
                "value": score.value,
                "rationale": score.rationale,
                "evidence": score.evidence,
            }
            for score in scores
        },
        "answers": {
            answer.item: {
                "answer": answer.answer,
                "note": answer.note,
                "evidence": answer.evidence,
            }
            for answer in review.answers.order_by("item")
        },
        "comment": review.comment,
        "flags": list(review.flags.order_by("kind").values_list("kind", flat=True)),
        **({"coherence": coherence} if coherence else {}),
    }
