"""Sign the report of a closed release with a decision."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.errors import NotClosed, Refused, require_reason
from reviews.models import Decision
from reviews.models.outcomes import DecisionMade
from reviews.report import summary, verdict


class CannotSign(Refused):
    code = "cannot_sign"


@transaction.atomic
def sign(
    *, release: Release, decision: str, reason: str, digest: str, user: User, now: datetime
) -> Decision:
    """Sign the report. `digest` names the report that the manager read.

    The decision may go against the verdict; the event then records that. Signing the same
    decision twice changes nothing.
    """
    reason = require_reason(reason)
    if decision not in DecisionMade.values:
        raise CannotSign(gettext("Choose a decision."))
    release = Release.objects.locked(release)
    if not release.is_closed:
        raise NotClosed(
            gettext("%(release)s is not closed, so there is no report to sign.")
            % {"release": release.name}
        )
    closing = release.closings.standing().get()
    if closing.is_abandoned:
        raise CannotSign(gettext("An abandoned release has no verdict to sign."))
    if closing.digest != digest:
        raise CannotSign(gettext("The report has changed since you read it. Read it again."))
    signed = release.decisions.standing().first()
    if signed:
        if (signed.by, signed.decision) == (user.get_username(), decision):
            return signed
        raise CannotSign(
            gettext("%(release)s is signed already, by %(person)s.")
            % {"release": release.name, "person": signed.by}
        )
    signed = Decision.objects.create(
        release=release,
        closing=closing,
        decision=decision,
        reason=reason,
        by=user.get_username(),
        decided_at=now,
    )
    word = verdict.decide(summary.load(release)).word
    data = {
        "decision": decision,
        "summary": digest,
        "reason": reason,
        "verdict": str(word),
        "is_against": DecisionMade(decision).is_against(word),
    }
    ledger.append(release=release, kind="release-signed", data=data, user=user, now=now)
    return signed
