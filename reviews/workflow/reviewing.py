"""A review: assigned, submitted, revised. Nobody writes another's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import get_language, gettext

from cases import ledger
from cases.models import Release
from reviews import judgement
from reviews.judgement import Judgement
from reviews.models import (
    ChecklistAnswer,
    Flag,
    Review,
    Revision,
    SampledCase,
    Score,
    Submission,
)
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.workflow.amending import find_sampled
from reviews.workflow.refusals import (
    Missing,
    Refused,
    require_reason,
    require_reviewing,
)

# How long a submitted review may be corrected without saying why.
SECOND_THOUGHTS = timedelta(minutes=10)


class NoSuchReview(Refused):
    """Also somebody else's: what is not yours does not exist for you."""

    code = "no_such_review"


class MadeTheCase(Refused):
    code = "made_the_case"


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


class BadKey(Refused):
    code = "bad_idempotency_key"


class KeyReused(Refused):
    code = "idempotency_key_reused"


class NotOpen(Refused):
    """Declined, withdrawn, or of a case that left the sample."""

    code = "review_not_open"


@transaction.atomic
def assign(
    *, release: Release, case_key: str, reviewer: User, user: User | None, now: datetime
) -> Review:
    """Creates that person's review of the case, or opens it again. Twice is once."""
    release = Release.objects.locked(release)
    require_reviewing(release)
    sampled = find_sampled(release, case_key)
    if reviewer.get_username() in sampled.case.produced_by:
        raise MadeTheCase(
            gettext("%(person)s made %(case)s and does not review it.")
            % {"person": reviewer.get_username(), "case": sampled.case.case_key}
        )
    review, is_new = Review.objects.get_or_create(
        case=sampled.case, reviewer=reviewer, defaults={"release": release, "assigned_at": now}
    )
    if not is_new:
        over = [ReviewStatus.DECLINED, ReviewStatus.WITHDRAWN]
        again = Review.objects.filter(pk=review.pk, status__in=over)
        is_new = bool(again.update(status=ReviewStatus.ASSIGNED, assigned_at=now))
        review.refresh_from_db()
    if is_new:
        data = {"case": sampled.case.case_key, "reviewer": reviewer.get_username()}
        ledger.append(release=release, kind="review-assigned", data=data, user=user, now=now)
    return review


@dataclass(frozen=True)
class Submitted:
    version: int
    submitted_at: datetime


@transaction.atomic
def submit(
    *,
    review: int,
    user: User,
    key: str,
    version: int,
    said: Judgement,
    reason: str = "",
    now: datetime,
) -> Submitted:
    """One review, however often it is sent: the same key and body get the first answer again."""
    check_key(key)
    check_texts(said)
    found = Review.objects.by(user).filter(pk=review).select_related("release").first()
    if found is None:
        raise NoSuchReview(gettext("There is no such review."))
    release = Release.objects.locked(found.release)
    mine = Review.objects.select_for_update(of=("self",)).select_related("case").get(pk=found.pk)
    earlier = mine.submissions.filter(key=key).first()
    reason = require_reason(reason) if reason.strip() else ""
    digest = judgement.digest(said)
    body_digest = sha256(f"{digest} {reason}".encode()).hexdigest()
    if earlier:
        if earlier.body_digest != body_digest:
            raise KeyReused(gettext("This key was used for another content of the review."))
        return Submitted(earlier.version, earlier.submitted_at)
    require_reviewing(release)
    require_open(mine)
    if mine.version != version:
        raise Stale(mine)
    check(said, release)
    is_revision = mine.status == ReviewStatus.SUBMITTED
    if is_revision:
        keep_revision(mine, reason=reason, now=now)
    write(mine, said)
    Review.objects.filter(pk=mine.pk, version=version).update(
        status=ReviewStatus.SUBMITTED,
        version=version + 1,
        draft=judgement.to_data(said),
        comment=said.comment,
        saved_at=now,
        submitted_at=now,
    )
    Submission.objects.create(
        review=mine,
        release=release,
        key=key,
        body_digest=body_digest,
        version=version + 1,
        submitted_at=now,
    )
    ledger.append(
        release=release,
        kind="review-revised" if is_revision else "review-submitted",
        data={
            "case": mine.case.case_key,
            "reviewer": user.get_username(),
            "version": version + 1,
            "content": digest,
            **({"reason": reason} if is_revision else {}),
        },
        user=user,
        now=now,
    )
    return Submitted(version + 1, now)


LONGEST_KEY = 200


def check_key(key: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise BadKey(
            gettext("An idempotency key has 1 to %(most)d printable characters.")
            % {"most": LONGEST_KEY}
        )


def check_texts(said: Judgement) -> None:
    """Raises Incomplete for what no database can keep."""
    problems = list(judgement.bad_texts(said))
    if problems:
        raise Incomplete(*(Missing(one.path, gettext(one.message)) for one in problems))


def require_open(review: Review) -> None:
    is_standing = SampledCase.objects.standing().filter(case=review.case_id).exists()
    if not is_standing or review.status not in (*OPEN, ReviewStatus.SUBMITTED):
        raise NotOpen(
            gettext("This case was taken back from you. What you wrote is kept, but not counted.")
        )


def check(said: Judgement, release: Release) -> None:
    """Raises Incomplete with every part that is missing or that the rubric does not know."""
    document = release.rubric.text_for(get_language()).document
    problems = [
        *judgement.unknown_parts(said, document),
        *judgement.missing_parts(said, document),
    ]
    if problems:
        raise Incomplete(
            *(Missing(one.path, gettext(one.message) % one.params) for one in problems)
        )


def keep_revision(review: Review, *, reason: str, now: datetime) -> None:
    """The submitted version goes aside before the new one is written."""
    assert review.submitted_at is not None
    first = review.revisions.order_by("version").first()
    since = first.submitted_at if first else review.submitted_at
    if now - since > SECOND_THOUGHTS:
        require_reason(reason)
    Revision.objects.create(
        review=review,
        release_id=review.release_id,
        version=review.version,
        content=content_of(review),
        submitted_at=review.submitted_at,
        replaced_at=now,
        reason=reason,
    )
    review.scores.all().delete()
    review.answers.all().delete()


def content_of(review: Review) -> dict[str, object]:
    """What the submitted rows say, in the shape of a draft."""
    return {
        "scores": {
            one.metric: {
                "value": one.value,
                "rationale": one.rationale,
                "evidence": one.evidence,
            }
            for one in review.scores.order_by("metric")
        },
        "answers": {
            one.item: {"answer": one.answer, "note": one.note, "evidence": one.evidence}
            for one in review.answers.order_by("item")
        },
        "comment": review.comment,
        "flags": list(review.flags.order_by("kind").values_list("kind", flat=True)),
    }


def write(review: Review, said: Judgement) -> None:
    Score.objects.bulk_create(
        Score(
            review=review,
            release_id=review.release_id,
            metric=metric,
            value=one.value,
            rationale=one.rationale,
            evidence=as_rows(one.evidence),
        )
        for metric, one in said.scores.items()
        if one.value is not None
    )
    ChecklistAnswer.objects.bulk_create(
        ChecklistAnswer(
            review=review,
            release_id=review.release_id,
            item=item,
            answer=one.answer,
            note=one.note,
            evidence=as_rows(one.evidence),
        )
        for item, one in said.answers.items()
        if one.answer is not None
    )
    # What somebody has judged already stays judged when the flag is raised again.
    review.flags.exclude(kind__in=said.flags).delete()
    Flag.objects.bulk_create(
        [
            Flag(review=review, release_id=review.release_id, kind=kind)
            for kind in sorted(set(said.flags))
        ],
        ignore_conflicts=True,
    )


def as_rows(evidence: Sequence[judgement.Evidence]) -> list[dict[str, str]]:
    return [{"kind": one.kind, "ref": one.ref, "text": one.text} for one in evidence]
