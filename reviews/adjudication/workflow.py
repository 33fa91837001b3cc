"""Settle disagreements with agreed scores, and confirm or reject flags."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Case, Release
from evalsite.lists import join_list
from evalsite.permissions import ADMINS_AND_MANAGERS, find_roles
from reviews.adjudication.disagreements import Disagreement, digest_basis, list_disagreements
from reviews.adjudication.together import (
    Settlers,
    check_participants,
    describe_settlers,
    load_team,
)
from reviews.adjudication.visibility import record_first_look, require_sight
from reviews.assignments.queries import load_unwaived_missing
from reviews.errors import Missing, Refused, require_reason, require_reviewing
from reviews.models import Adjudication, Flag, Review
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import OPEN, FlagOutcome, ReviewStatus


class NotListed(Refused):
    """The reviews of the case do not differ enough, or it has none."""

    code = "not_listed"


class NotAllIn(Refused):
    """A review of the case is missing. Reviews open when all of them are submitted."""

    code = "reviews_missing"


class ReviewsChanged(Refused):
    """A review changed after the person read it."""

    code = "reviews_changed"


class OwnReview(Refused):
    """The person reviewed the case themselves."""

    code = "own_review"


class NotTogether(Refused):
    """The reviewers of the case cannot settle it together, or not yet."""

    code = "not_together"


class SettledAlready(Refused):
    """Another person has recorded the agreed scores."""

    code = "settled_already"


class BadParticipants(Refused):
    """The people named are not the reviewers of the case."""

    code = "bad_participants"
    status = 400


class BadAgreement(Refused):
    """The agreed scores or the cause are not valid."""

    code = "bad_agreement"
    status = 400


class NoSuchFlag(Refused):
    """The flag or the outcome does not exist."""

    code = "no_such_flag"


class FlagJudged(Refused):
    """The flag has already been judged."""

    code = "judged_already"


def require_not_own(user: User, case: Case) -> None:
    """Raise OwnReview if the person reviewed the case."""
    if is_own(user, case):
        raise OwnReview(gettext("You reviewed this case, so someone else has to settle it."))


def is_own(user: User, case: Case) -> bool:
    own = Review.objects.by(user).filter(case=case, status__in=(*OPEN, ReviewStatus.SUBMITTED))
    return own.exists()


@transaction.atomic
def judge_flag(*, flag: int, outcome: str, reason: str, user: User, now: datetime) -> Flag:
    """Confirm or reject a flag. The same call again changes nothing."""
    reason = require_reason(reason)
    found = Flag.objects.filter(pk=flag).select_related("release").first()
    if found is None or outcome not in (FlagOutcome.CONFIRMED, FlagOutcome.REJECTED):
        raise NoSuchFlag(gettext("There is no such flag, or no such outcome."))
    release = Release.objects.locked(found.release)
    require_reviewing(release)
    # A revision may have removed the flag in the meantime.
    found = Flag.objects.filter(pk=flag).select_related("review__case", "judged_by").first()
    if found is None:
        raise NoSuchFlag(gettext("There is no such flag, or no such outcome."))
    require_not_own(user, found.review.case)
    require_sight(release, user)
    if found.outcome != FlagOutcome.OPEN:
        if (found.outcome, found.judged_by, found.reason) == (outcome, user, reason):
            return found
        raise FlagJudged(
            gettext("This flag has already been judged: %(outcome)s.")
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
    together: Collection[str] = (),
    user: User,
    now: datetime,
) -> Adjudication:
    """Store the agreed scores of a case. The same call again changes nothing.

    `seen` is the digest of the reviews the person read; None accepts them as they are now.
    `together` names the reviewers of the case who agreed on the scores in one sitting.
    """
    note = require_reason(note, "note")
    release = Release.objects.locked(release)
    find = find_listed_together if together else find_listed
    case, found = find(release, case_key, user)
    if seen is not None and seen != digest_basis(found.basis):
        raise ReviewsChanged(
            gettext(
                "A review of %(case)s was revised after you opened this page. Read the reviews "
                "again."
            )
            % {"case": case_key}
        )
    check_agreement(release, found, agreed, cause)
    if together and (wrong := check_participants(found.reviewers, together)):
        raise BadParticipants(*wrong)
    values = {
        "release": release,
        "agreed": dict(agreed),
        "basis": [list(pair) for pair in found.basis],
        "cause": cause,
        "note": note,
        "by": user.get_username(),
        "together": sorted(set(together)),
    }
    known = Adjudication.objects.filter(case=case).first()
    if known and all(getattr(known, name) == value for name, value in values.items()):
        return known
    if together:
        require_not_settled(known, found, user)
        record_first_looks(release, found, user=user, now=now)
    adjudication, _created = Adjudication.objects.update_or_create(
        case=case, defaults={**values, "adjudicated_at": now}
    )
    data = {
        "case": case_key,
        "metrics": list(found.metrics),
        "cause": cause,
        "reviews": values["basis"],
    }
    if together:
        data["together"] = values["together"]
    ledger.append(release=release, kind="case-adjudicated", data=data, user=user, now=now)
    return adjudication


def find_listed(release: Release, case_key: str, user: User) -> tuple[Case, Disagreement]:
    """Return the case and the disagreement this person may settle. Raises why they may not."""
    case, found = find_disagreement(release, case_key, user)
    if is_own(user, case):
        raise OwnReview(*describe_settlers(find_settlers(release, found)))
    return case, found


def find_listed_together(release: Release, case_key: str, user: User) -> tuple[Case, Disagreement]:
    """Return the case and the disagreement its reviewers may settle together.

    `user` records it, and is one of them. Raises why they may not.
    """
    case, found = find_disagreement(release, case_key, user)
    settlers = find_settlers(release, found)
    if settlers.outsiders and is_own(user, case):
        raise OwnReview(*describe_settlers(settlers))
    if settlers.outsiders:
        raise NotTogether(
            gettext("%(people)s did not review this case, so it is not settled together.")
            % {"people": join_list(settlers.outsiders)}
        )
    if settlers.obstacles:
        raise NotTogether(*describe_settlers(settlers))
    if user.get_username() not in settlers.participants or not is_adjudicator(user):
        raise NotTogether(
            gettext("An admin or a manager who reviewed the case has to record this.")
        )
    return case, found


def find_settlers(release: Release, found: Disagreement) -> Settlers:
    return load_team(release).find_settlers(found.case_key, found.reviewers)


def is_adjudicator(user: User) -> bool:
    return bool(ADMINS_AND_MANAGERS & find_roles(user))


def require_not_settled(known: Adjudication | None, found: Disagreement, user: User) -> None:
    """Raise SettledAlready if another person has settled it; one's own record can be corrected."""
    if known and found.is_settled_by(known) and known.by != user.get_username():
        raise SettledAlready(
            gettext("%(person)s has already recorded the agreed scores of %(case)s.")
            % {"person": known.by, "case": found.case_key}
        )


def record_first_looks(release: Release, found: Disagreement, *, user: User, now: datetime) -> None:
    """Record that the participants have seen each other's scores."""
    people = User.objects.filter(username__in=found.reviewers).order_by("username")
    for person in people:
        data = {} if person == user else {"recorded_by": user.get_username()}
        record_first_look(release, person, data=data, now=now)


def find_disagreement(release: Release, case_key: str, user: User) -> tuple[Case, Disagreement]:
    """Return the case and its disagreement, if this person may see the reviews."""
    require_reviewing(release)
    require_sight(release, user)
    require_all_in(release, case_key)
    case = release.cases.only("case_key").filter(case_key=case_key).first()
    listed = {found.case_key: found for found in list_disagreements(release)}
    if case is None or case_key not in listed:
        raise NotListed(
            gettext("The reviews of %(case)s do not differ enough to need settling.")
            % {"case": case_key}
        )
    return case, listed[case_key]


def require_all_in(release: Release, case_key: str) -> None:
    """Raise NotAllIn if a review of the case is missing and not waived."""
    waiver = release.waivers.filter(rule="reviews").first()
    missing = load_unwaived_missing(release, waiver, with_outside=True)
    if case_key in missing:
        raise NotAllIn(
            ngettext(
                "%(count)d review of %(case)s is missing. The others open when all reviews are "
                "submitted.",
                "%(count)d reviews of %(case)s are missing. The others open when all reviews are "
                "submitted.",
                missing[case_key],
            )
            % {"count": missing[case_key], "case": case_key}
        )


def check_agreement(
    release: Release, found: Disagreement, agreed: Mapping[str, int], cause: str
) -> None:
    """Raise BadAgreement with everything that is wrong."""
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
            gettext("%(metric)s is not in dispute, so it keeps its mean score. Leave it out.")
            % {"metric": key},
        )
        for key in agreed
        if key not in found.metrics
    ]
    if cause not in DisagreementCause.values:
        problems.append(Missing("cause", gettext("Choose what caused the disagreement.")))
    if problems:
        raise BadAgreement(*problems)
