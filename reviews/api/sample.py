"""The sample: looked at, drawn, and changed by hand."""

from django.utils import timezone
from rest_framework.response import Response

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.api.bodies import body_of, body_or_nothing
from evalsite.api.endpoints import Call, tells
from evalsite.api.queries import asked
from reviews.api.errors import refusals
from reviews.api.shapes import DrawBody, Sample, Sampled, SwapBody, WithdrawBody, Withdrawn
from reviews.models import Draw
from reviews.models.samples import Origin
from reviews.sample import amendments
from reviews.sample import workflow as sample_workflow
from reviews.sample.reasons import why_drawn
from reviews.sample.rule import kind_texts
from reviews.workflow.refusals import NeedsReason, NoSuchCase, NotStarted, WrongStatus


@tells({200: Sample})
def sample(request: Call, name: str) -> Response:
    """The sample as it stands, and why each case is in it."""
    asked(request, ())
    return Response(shown(find_release(name)))


@tells(
    {200: Sample},
    body=DrawBody,
    needs_body=False,
    refuses=refusals(WrongStatus, sample_workflow.CannotDraw),
)
def sample_draw(request: Call, name: str) -> Response:
    """Draw by the sampling rule of the rubric.

    409 names the kinds that cannot be filled. The same draw again is no new one.
    """
    asked(request, ())
    release = find_release(name)
    body = body_or_nothing(request._request, DrawBody)
    sample_workflow.draw(release=release, size=body.size, user=request.user, now=timezone.now())
    return Response(shown(release))


@tells(
    {200: Sample},
    body=SwapBody,
    refuses=refusals(
        WrongStatus,
        NeedsReason,
        NoSuchCase,
        amendments.AlreadySampled,
        amendments.NotEligible,
        amendments.HasReviews,
    ),
)
def sample_swap(request: Call, name: str) -> Response:
    """One case for another of one's own choice; the report prints it, with the reason."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, SwapBody)
    amendments.swap(
        release=release,
        out=body.out,
        into=body.into,
        reason=body.reason,
        user=request.user,
        now=timezone.now(),
    )
    return Response(shown(release))


@tells(
    {200: Sample},
    body=WithdrawBody,
    refuses=refusals(WrongStatus, NotStarted, NeedsReason, NoSuchCase),
)
def sample_withdraw(request: Call, name: str) -> Response:
    """A case that should never have been read goes out; the next in line comes in."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, WithdrawBody)
    amendments.withdraw(
        release=release,
        case_key=body.case_key,
        cause=body.cause,
        reason=body.reason,
        user=request.user,
        now=timezone.now(),
    )
    return Response(shown(release))


def shown(release: Release) -> Sample:
    last = Draw.objects.of(release).order_by("-number").first()
    texts = kind_texts(release)
    rows = list(release.sample.all().in_order().with_cases())
    return Sample(
        release=release.name,
        draw=last.number if last else None,
        size=last.size if last else None,
        pool_digest=last.pool_digest if last else None,
        sample=[
            Sampled(
                case_key=row.case.case_key,
                kind=row.kind,
                origin=row.origin,
                reason=why_drawn(last.order.at(row.place), texts)
                if last and row.place and row.origin != Origin.HAND
                else row.reason,
                place=row.place,
            )
            for row in rows
            if row.withdrawn_at is None
        ],
        withdrawn=[
            Withdrawn(row.case.case_key, row.cause, row.withdrawal_reason, row.withdrawn_at)
            for row in rows
            if row.withdrawn_at is not None
        ],
    )
