"""A reviewer's own review: found, saved, declined. Nobody reads or writes another's."""

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
from reviews.models import Review
from reviews.models.reviews import OPEN, DeclinedFor, ReviewStatus
from reviews.workflow.refusals import Missing, Refused, require_reason, require_reviewing


class NoSuchReview(Refused):
    """Also somebody else's: what is not yours does not exist for you."""

    code = "no_such_review"


class Incomplete(Refused):
    """`missing` names every part, by its path."""

    code = "incomplete"


class Stale(Refused):
    """Somebody, perhaps the same person in another tab, saved a later version."""

    code = "stale_version"

    def __init__(self, review: Review) -> None:
        self.review = review
        super().__init__(
            gettext("This review was saved elsewhere since you opened it (version %(version)d).")
            % {"version": review.version}
        )


class NotOpen(Refused):
    """Declined, withdrawn, or of a case that left the sample."""

    code = "review_not_open"


class NoSuchCause(Refused):
    code = "no_such_cause"


@dataclass(frozen=True)
class Saved:
    version: int
    saved_at: datetime


@transaction.atomic
def save_draft(*, review: int, user: User, version: int, said: Judgement, now: datetime) -> Saved:
    """A draft, whole as it stands. Of a submitted review it is the beginning of a revision."""
    check_texts(said)
    release, mine = locked(review, user)
    require_reviewing(release)
    require_open(mine)
    if mine.version != version:
        raise Stale(mine)
    refuse(judgement.unknown_parts(said, document_for(release)))
    drafting = {} if mine.status == ReviewStatus.SUBMITTED else {"status": ReviewStatus.DRAFT}
    Review.objects.filter(pk=mine.pk, version=version).update(
        version=version + 1, draft=judgement.to_data(said), saved_at=now, **drafting
    )
    return Saved(version + 1, now)


@transaction.atomic
def decline(*, review: int, user: User, cause: str, reason: str, now: datetime) -> None:
    """Gives the case back, with the draft kept. Declining twice is declining once."""
    reason = require_reason(reason)
    if cause not in DeclinedFor.values:
        raise NoSuchCause(Missing("cause", gettext("Say why you cannot review it.")))
    release, mine = locked(review, user)
    if mine.status == ReviewStatus.DECLINED:
        return
    require_reviewing(release)
    if mine.status not in OPEN:
        raise NotOpen(gettext("Only a review that is not submitted can be declined."))
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


# --- What saving and submitting share -------------------------------------------------------------


def locked(review: int, user: User) -> tuple[Release, Review]:
    """The release first, then the review: the order in which everybody locks."""
    for release in _held_release.objects(review, user.pk):
        [mine] = _held_review.objects(review)
        return release, mine
    raise NoSuchReview(gettext("There is no such review."))


_held_release = Statement[Release](
    lambda review, user: Release.objects.held().filter(reviews__pk=review, reviews__reviewer=user)
)
_held_review = Statement[Review](
    lambda review: (
        Review.objects.select_for_update(of=("self",))
        .select_related("case__sampled")
        .defer("case__data")
        .filter(pk=review)
    )
)


def document_for(release: Release) -> Document:
    """The rubric in the language of whoever acts."""
    return release.rubric.text_for(get_language()).document


def check_texts(said: Judgement) -> None:
    """Raises Incomplete for what no database can keep."""
    refuse(judgement.bad_texts(said))


def refuse(problems: Iterable[JudgementProblem]) -> None:
    """Raises Incomplete with every problem in words, if there is one."""
    missing = translate_problems(problems)
    if missing:
        raise Incomplete(*missing)


def translate_problems(problems: Iterable[JudgementProblem]) -> list[Missing]:
    return [Missing(one.path, gettext(one.message) % one.params) for one in problems]


def require_open(review: Review) -> None:
    over = why_over(review)
    if over:
        raise NotOpen(over)


def why_over(review: Review) -> str:
    """Why its owner can no longer write it, in the words of the desk; empty while they can."""
    if review.status == ReviewStatus.DECLINED:
        return gettext("You gave this case back. What you wrote is kept, but not counted.")
    if review.status == ReviewStatus.WITHDRAWN or not review.is_standing:
        return gettext(
            "This case was taken back from you. What you wrote is kept, but not counted."
        )
    return ""
