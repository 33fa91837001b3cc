"""Agreed scores for a case on which its reviewers differ."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.models import Release
from reviews.disagreements import disagreements
from reviews.models import Adjudication, Review
from reviews.models.outcomes import DisagreementCause
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.workflow.refusals import Refused, require_reason, require_reviewing


class NotListed(Refused):
    """The reviews of the case do not differ enough, or it has none."""

    code = "not_listed"


class OwnReview(Refused):
    code = "own_review"


class BadAgreement(Refused):
    """A whole level for each listed metric, and a known cause."""

    code = "bad_agreement"


@transaction.atomic
def adjudicate(
    *,
    release: Release,
    case_key: str,
    agreed: Mapping[str, int],
    cause: str,
    note: str,
    user: User,
    now: datetime,
) -> Adjudication:
    note = require_reason(note)
    release = Release.objects.locked(release)
    require_reviewing(release)
    listed = {one.case_key: one for one in disagreements(release)}
    if case_key not in listed:
        raise NotListed(gettext("%(case)s is not listed for adjudication.") % {"case": case_key})
    found = listed[case_key]
    case = release.cases.only("case_key").get(case_key=case_key)
    if (
        Review.objects.by(user)
        .filter(case=case, status__in=(*OPEN, ReviewStatus.SUBMITTED))
        .exists()
    ):
        raise OwnReview(gettext("You reviewed this case, so somebody else settles it."))
    metrics = {metric.key: metric for metric in release.rubric.document.metrics}
    problems = [
        gettext("%(metric)s needs an agreed score from %(low)d to %(high)d.")
        % {"metric": metrics[key].name, "low": metrics[key].low, "high": metrics[key].high}
        for key in found.metrics
        if type(agreed.get(key)) is not int or agreed[key] not in metrics[key].values
    ]
    problems += [
        gettext("%(metric)s is not listed, so it keeps its mean.") % {"metric": key}
        for key in agreed
        if key not in found.metrics
    ]
    if cause not in DisagreementCause.values:
        problems.append(gettext("Say what caused the difference."))
    if problems:
        raise BadAgreement(*problems)
    values = {
        "release": release,
        "agreed": dict(agreed),
        "basis": [list(one) for one in found.basis],
        "cause": cause,
        "note": note,
        "by": user.get_username(),
        "adjudicated_at": now,
    }
    adjudication, _created = Adjudication.objects.update_or_create(case=case, defaults=values)
    data = {
        "case": case_key,
        "metrics": list(found.metrics),
        "cause": cause,
        "reviews": values["basis"],
    }
    ledger.append(release=release, kind="case-adjudicated", data=data, user=user, now=now)
    return adjudication
