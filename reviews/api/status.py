"""The life of a release: start, close, reopen, waive, sign."""

from django.utils import timezone
from rest_framework.response import Response

from cases.api.releases import shown
from cases.api.shapes import ReleaseShape
from cases.releases.queries import find_release
from evalsite.api.bodies import body_of, body_or_nothing
from evalsite.api.endpoints import Call, tells
from evalsite.api.queries import asked
from reviews.adjudication.visibility import StillJudging
from reviews.api.errors import refusals
from reviews.api.shapes import (
    CloseBody,
    Closed,
    DecisionBody,
    NoBody,
    ReasonBody,
    Signed,
    WaiveBody,
    Waived,
)
from reviews.models import Closing
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.decision import CannotSign, sign
from reviews.workflow.refusals import NeedsReason, NotClosed, NotStarted, WrongStatus


@tells(
    {200: ReleaseShape},
    body=NoBody,
    needs_body=False,
    refuses=refusals(WrongStatus, releases_lifecycle.CannotStart),
)
def release_start(request: Call, name: str) -> Response:
    """Start the review: cases, tags, rubric and policy stay as they are from here on."""
    asked(request, ())
    release = find_release(name)
    body_or_nothing(request._request, NoBody)
    return Response(
        shown(releases_lifecycle.start(release=release, user=request.user, now=timezone.now()))
    )


@tells(
    {200: Closed},
    body=CloseBody,
    needs_body=False,
    refuses=refusals(
        WrongStatus, NotStarted, NeedsReason, StillJudging, releases_lifecycle.CannotClose
    ),
)
def release_close(request: Call, name: str) -> Response:
    """Close the release and store its report, or abandon it.

    409 lists everything that is still missing, with the rule that can be waived.
    """
    asked(request, ())
    release = find_release(name)
    body = body_or_nothing(request._request, CloseBody)
    now = timezone.now()
    if body.abandon:
        closing = releases_lifecycle.abandon(
            release=release, reason=body.reason, user=request.user, now=now
        )
    else:
        closing = releases_lifecycle.close(
            release=release, waived=body.waive, reason=body.reason, user=request.user, now=now
        )
    return Response(closed(closing))


def closed(closing: Closing) -> Closed:
    return Closed(
        release=closing.release.name,
        status=closing.release.status,
        closing=closing.number,
        digest=closing.digest,
        closed_at=closing.closed_at,
        is_abandoned=closing.is_abandoned,
    )


@tells({200: ReleaseShape}, body=ReasonBody, refuses=refusals(NotClosed, NeedsReason))
def release_reopen(request: Call, name: str) -> Response:
    """Open a closed release again: its report is kept, a decision becomes void."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, ReasonBody)
    opened = releases_lifecycle.reopen(
        release=release, reason=body.reason, user=request.user, now=timezone.now()
    )
    return Response(shown(opened))


@tells(
    {200: Waived},
    body=WaiveBody,
    refuses=refusals(
        WrongStatus,
        NeedsReason,
        StillJudging,
        releases_waivers.NoSuchRule,
        releases_waivers.NothingToWaive,
    ),
)
def release_waive(request: Call, name: str) -> Response:
    """Let a rule go, by name and with a reason: for what is missing now, not more."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, WaiveBody)
    waiver = releases_waivers.waive(
        release=release, rule=body.rule, reason=body.reason, user=request.user, now=timezone.now()
    )
    return Response(Waived(waiver.rule, waiver.covers, waiver.reason, waiver.by, waiver.waived_at))


@tells(
    {200: Signed},
    body=DecisionBody,
    refuses=refusals(NotClosed, NeedsReason, CannotSign),
)
def release_decide(request: Call, name: str) -> Response:
    """Sign the stored report of a closed release."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, DecisionBody)
    digest = body.digest
    if digest is None:
        standing = release.closings.standing().values_list("digest", flat=True)
        digest = standing.first() or ""
    signed = sign(
        release=release,
        decision=body.decision,
        reason=body.reason,
        digest=digest,
        user=request.user,
        now=timezone.now(),
    )
    return Response(
        Signed(
            decision=signed.decision,
            reason=signed.reason,
            by=signed.by,
            decided_at=signed.decided_at,
            digest=signed.closing.digest,
            is_against_the_verdict=signed.is_against,
        )
    )
