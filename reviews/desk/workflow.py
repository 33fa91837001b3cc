"""Save and decline a review. Only its owner can read or write it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import get_language, gettext

from cases import ledger
from cases.models import Release
from cases.rubric import Document
from evalsite.statements import Statement
from reviews.desk import judgement
from reviews.desk.judgement import Judgement, JudgementProblem
from reviews.desk.minutes import count_active
from reviews.errors import Missing, Refused, require_reason, require_reviewing
from reviews.models import Review
from reviews.models.reviews import MOST_SECONDS, OPEN, DeclinedFor, ReviewStatus


class NoSuchReview(Refused):
    """The review does not exist, or belongs to another reviewer."""

    code = "no_such_review"
    status = 404


class Incomplete(Refused):
    """Parts are missing or invalid. `missing` names each of them by its path."""

    code = "incomplete"
    status = 400


class Stale(Refused):
    """A later version was saved, perhaps by the same person in another tab."""

    code = "stale_version"

    def __init__(self, review: Review) -> None:
        self.review = review
        super().__init__(
            gettext("This review was saved elsewhere after you opened it (version %(version)d).")
            % {"version": review.version}
        )

    @property
    def extra(self) -> dict[str, object]:
        """Return the stored version, so that both can be shown side by side."""
        return {
            "version": self.review.version,
            "draft": self.review.draft,
            "is_submitted": self.review.is_submitted,
        }


class NotOpen(Refused):
    """The review is declined or withdrawn, or its case is no longer in the sample."""

    code = "review_not_open"


class NoSuchCause(Refused):
    """The cause is not one of those a reviewer can decline for."""

    code = "no_such_cause"
    status = 400


@dataclass(frozen=True)
class Saved:
    version: int
    saved_at: datetime


@transaction.atomic
def save_draft(
    *,
    review: int,
    user: User,
    version: int,
    said: Judgement,
    active_seconds: int = 0,
    now: datetime,
) -> Saved:
    """Store a draft as it is. The draft of a submitted review starts a revision."""
    check_texts(said)
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if mine.version != version:
        raise Stale(mine)
    refuse(judgement.find_unknown_parts(said, document_for(release)))
    status = {} if mine.status == ReviewStatus.SUBMITTED else {"status": ReviewStatus.DRAFT}
    Review.objects.filter(pk=mine.pk, version=version).update(
        version=version + 1,
        draft=judgement.to_data(said),
        saved_at=now,
        active_seconds=add_active(mine, active_seconds, now),
        **status,
    )
    return Saved(version + 1, now)


@transaction.atomic
def decline(*, review: int, user: User, cause: str, reason: str, now: datetime) -> None:
    """Decline a review and keep its draft. Declining again changes nothing."""
    reason = require_reason(reason)
    if cause not in DeclinedFor.values:
        raise NoSuchCause(Missing("cause", gettext("Choose why this case cannot be judged.")))
    release, mine = locked(review, user)
    if mine.status == ReviewStatus.DECLINED:
        return
    require_reviewing(release)
    if mine.status not in OPEN:
        raise NotOpen(gettext("You can say so only before you submit the review."))
    Review.objects.filter(pk=mine.pk).update(
        status=ReviewStatus.DECLINED, declined_for=cause, decline_reason=reason
    )
    data = {
        "case": mine.case.case_key,
        "reviewer": user.get_username(),
        "cause": cause,
        "reason": reason,
    }
    ledger.append(release=release, kind="review-declined", data=data, user=user, now=now)


# --- Shared by saving and submitting --------------------------------------------------------------


def locked(review: int, user: User) -> tuple[Release, Review]:
    """Lock the release, then the review: the order that every workflow function keeps."""
    for release in _locked_release.objects(review, user.pk):
        [mine] = _locked_review.objects(review)
        return release, mine
    raise NoSuchReview(gettext("There is no such review."))


_locked_release = Statement[Release](
    lambda review, user: Release.objects.held().filter(reviews__pk=review, reviews__reviewer=user)
)
_locked_review = Statement[Review](
    lambda review: (
        Review.objects.select_for_update(of=("self",))
        .select_related("case__sampled")
        .defer("case__data")
        .filter(pk=review)
    )
)


def add_active(review: Review, sent: int, now: datetime) -> int:
    """Return the seconds of work to store, when the page has counted so many."""
    passed = int((now - review.assigned_at).total_seconds())
    return count_active(review.active_seconds, sent, possible=min(passed, MOST_SECONDS))


def document_for(release: Release) -> Document:
    """Return the rubric in the current language."""
    return release.rubric.text_for(get_language()).document


def check_texts(said: Judgement) -> None:
    """Raise Incomplete if a text cannot be stored in a database."""
    refuse(judgement.find_bad_texts(said))


def refuse(problems: Iterable[JudgementProblem]) -> None:
    """Raise Incomplete with every problem, if there are any."""
    missing = translate_problems(problems)
    if missing:
        raise Incomplete(*missing)


def translate_problems(problems: Iterable[JudgementProblem]) -> list[Missing]:
    return [
        Missing(problem.path, gettext(problem.message) % problem.params) for problem in problems
    ]


def require_open(review: Review) -> None:
    explanation = explain_not_open(review)
    if explanation:
        raise NotOpen(explanation)


def explain_not_open(review: Review) -> str:
    """Return why its owner can no longer write a review; empty while they can."""
    if review.status == ReviewStatus.DECLINED:
        return gettext(
            "You said that this case cannot be judged. Your draft is kept but does not count."
        )
    if review.status == ReviewStatus.WITHDRAWN or not review.is_standing:
        return gettext("This case was withdrawn from you. Your draft is kept but does not count.")
    return ""
