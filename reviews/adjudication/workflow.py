"""Agreed scores for a case on which its reviewers differ, and what becomes of a flag."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Case, Release
from reviews.adjudication.disagreements import Disagreement, digest_basis, disagreements
from reviews.adjudication.visibility import require_sight
from reviews.assignments.queries import load_unwaived_missing
from reviews.errors import Missing, Refused, require_reason, require_reviewing
from reviews.models import Adjudication, Flag, Review
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import OPEN, FlagOutcome, ReviewStatus


class NotListed(Refused):
    """The reviews of the case do not differ enough, or it has none."""

    code = "not_listed"


class NotAllIn(Refused):
    """What a case's reviews say opens when all of them are in."""

    code = "reviews_missing"


class ReviewsChanged(Refused):
    """What would be settled now is not what was read."""

    code = "reviews_changed"


class OwnReview(Refused):
    code = "own_review"


class BadAgreement(Refused):
    """A whole level for each listed metric, and a known cause."""

    code = "bad_agreement"
    status = 400


class NoSuchFlag(Refused):
    code = "no_such_flag"


class Judged(Refused):
    """A flag is judged once."""

    code = "judged_already"


def require_another(user: User, case: Case) -> None:
    own = Review.objects.by(user).filter(case=case, status__in=(*OPEN, ReviewStatus.SUBMITTED))
    if own.exists():
        raise OwnReview(gettext("You reviewed this case, so somebody else settles it."))


@transaction.atomic
def judge_flag(*, flag: int, outcome: str, reason: str, user: User, now: datetime) -> Flag:
    """Confirms or rejects what a reviewer flagged. The same again is once."""
    reason = require_reason(reason)
    found = Flag.objects.filter(pk=flag).select_related("release").first()
    if found is None or outcome not in (FlagOutcome.CONFIRMED, FlagOutcome.REJECTED):
        raise NoSuchFlag(gettext("There is no such flag to judge."))
    release = Release.objects.locked(found.release)
    require_reviewing(release)
    # A revision may have taken the flag back in the meantime.
    found = Flag.objects.filter(pk=flag).select_related("review__case", "judged_by").first()
    if found is None:
        raise NoSuchFlag(gettext("There is no such flag to judge."))
    require_another(user, found.review.case)
    require_sight(release, user)
    if found.outcome != FlagOutcome.OPEN:
        if (found.outcome, found.judged_by, found.reason) == (outcome, user, reason):
            return found
        raise Judged(
            gettext("This flag is judged already: %(outcome)s.")
            % {"outcome": found.get_outcome_display()}
        )
    Flag.objects.filter(pk=flag).update(
        outcome=outcome, judged_by=user, judged_at=now, reason=reason
    )
    data = {
        "case": found.review.case.case_key,
        "flag": found.kind,
        "outcome": outcome,
        "reason": reason,
    }
    ledger.append(release=release, kind="flag-judged", data=data, user=user, now=now)
    found.refresh_from_db()
    return found


@transaction.atomic
def adjudicate(
    *,
    release: Release,
    case_key: str,
    agreed: Mapping[str, int],
    cause: str,
    note: str,
    seen: str | None = None,
    user: User,
    now: datetime,
) -> Adjudication:
    """`seen` is the digest of the reviews that were read; None takes them as they are.

    The same again is once.
    """
    note = require_reason(note, "note")
    release = Release.objects.locked(release)
    case, found = find_listed(release, case_key, user)
    if seen is not None and seen != digest_basis(found.basis):
        raise ReviewsChanged(
            gettext("A review of %(case)s was revised since you read it. Read them again.")
            % {"case": case_key}
        )
    check_agreement(release, found, agreed, cause)
    values = {
        "release": release,
        "agreed": dict(agreed),
        "basis": [list(one) for one in found.basis],
        "cause": cause,
        "note": note,
        "by": user.get_username(),
    }
    known = Adjudication.objects.filter(case=case).first()
    if known and all(getattr(known, name) == value for name, value in values.items()):
        return known
    adjudication, _created = Adjudication.objects.update_or_create(
        case=case, defaults={**values, "adjudicated_at": now}
    )
    data = {
        "case": case_key,
        "metrics": list(found.metrics),
        "cause": cause,
        "reviews": values["basis"],
    }
    ledger.append(release=release, kind="case-adjudicated", data=data, user=user, now=now)
    return adjudication


def find_listed(release: Release, case_key: str, user: User) -> tuple[Case, Disagreement]:
    """What this person may settle on a case. Raises whatever stands against it."""
    require_reviewing(release)
    require_sight(release, user)
    require_all_in(release, case_key)
    case = release.cases.only("case_key").filter(case_key=case_key).first()
    if case:
        require_another(user, case)
    listed = {one.case_key: one for one in disagreements(release)}
    if case is None or case_key not in listed:
        raise NotListed(
            gettext("The reviews of %(case)s do not differ so much that somebody has to settle it.")
            % {"case": case_key}
        )
    return case, listed[case_key]


def require_all_in(release: Release, case_key: str) -> None:
    """Raises NotAllIn while a review of the case is missing and not waived."""
    missing = load_unwaived_missing(release, release.waivers.filter(rule="reviews").first())
    if case_key in missing:
        raise NotAllIn(
            ngettext(
                "%(count)d review of %(case)s is missing. What the others say opens when all are "
                "in.",
                "%(count)d reviews of %(case)s are missing. What the others say opens when all "
                "are in.",
                missing[case_key],
            )
            % {"count": missing[case_key], "case": case_key}
        )


def check_agreement(
    release: Release, found: Disagreement, agreed: Mapping[str, int], cause: str
) -> None:
    """Raises BadAgreement with all that is wrong."""
    metrics = {metric.key: metric for metric in release.rubric.document.metrics}
    problems = [
        Missing(
            f"agreed.{key}",
            gettext("%(metric)s needs an agreed score from %(low)d to %(high)d.")
            % {"metric": metrics[key].name, "low": metrics[key].low, "high": metrics[key].high},
        )
        for key in found.metrics
        if type(agreed.get(key)) is not int or agreed[key] not in metrics[key].values
    ]
    problems += [
        Missing(
            f"agreed.{key}",
            gettext("%(metric)s is not listed, so it keeps its mean.") % {"metric": key},
        )
        for key in agreed
        if key not in found.metrics
    ]
    if cause not in DisagreementCause.values:
        problems.append(Missing("cause", gettext("Say what caused the difference.")))
    if problems:
        raise BadAgreement(*problems)
