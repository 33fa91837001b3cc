"""What reviewers differ on, and what is agreed."""

from django.utils import timezone
from rest_framework.response import Response

from cases.releases.queries import find_release
from evalsite.api.bodies import body_of
from evalsite.api.endpoints import Call, tells
from evalsite.api.paging import PAGING, part_of
from evalsite.api.queries import asked
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.disagreements import digest_basis
from reviews.adjudication.queries import DisagreementRow, load_unsettled, sort_key
from reviews.api.errors import refusals
from reviews.api.looking import LOOKING, look
from reviews.api.shapes import AgreementBody, Difference, Listed, ListedPage, Settled
from reviews.models import Adjudication
from reviews.workflow.refusals import NeedsReason


@tells({200: ListedPage}, query=PAGING, refuses=LOOKING)
def adjudication_list(request: Call, name: str) -> Response:
    """Cases on which reviewers differ so much that somebody has to settle it.

    What waits comes first, then the largest difference. The first look is an event: whoever looks
    can from then on neither revise nor be assigned here.
    """
    found = asked(request, PAGING)
    release = find_release(name)
    look(request, release)
    rows = load_unsettled(release, release.rubric.document, request.user).rows
    return Response(
        part_of(
            request,
            found,
            rows,
            sort_key,
            (int, int, str),
            lambda here: [listed(row) for row in here],
        )
    )


def listed(row: DisagreementRow) -> Listed:
    standing = row.standing
    return Listed(
        case_key=row.case.case_key,
        state=standing.state,
        differences=[Difference(one.metric.key, one.low, one.high) for one in row.differences],
        seen=digest_basis(standing.disagreement.basis),
        is_own=row.is_own,
        adjudication=settled(standing.adjudication) if standing.adjudication else None,
    )


def settled(adjudication: Adjudication) -> Settled:
    return Settled(
        agreed=adjudication.agreed,
        cause=adjudication.cause,
        note=adjudication.note,
        by=adjudication.by,
        adjudicated_at=adjudication.adjudicated_at,
    )


@tells(
    {200: Settled},
    body=AgreementBody,
    refuses=(
        *LOOKING,
        *refusals(
            NeedsReason,
            adjudication_workflow.BadAgreement,
            adjudication_workflow.OwnReview,
            adjudication_workflow.NotListed,
            adjudication_workflow.NotAllIn,
            adjudication_workflow.ReviewsChanged,
        ),
    ),
)
def adjudicate(request: Call, name: str) -> Response:
    """Agreed scores for one case, by somebody who did not review it."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, AgreementBody)
    look(request, release)
    adjudication = adjudication_workflow.adjudicate(
        release=release,
        case_key=body.case_key,
        agreed=body.agreed,
        cause=body.cause,
        note=body.note,
        seen=body.seen,
        user=request.user,
        now=timezone.now(),
    )
    return Response(settled(adjudication))
