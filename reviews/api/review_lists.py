"""Lists of reviews: one's own, and those of a case for who may see scores."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext
from rest_framework.exceptions import PermissionDenied
from rest_framework.response import Response

from cases.models import Case
from cases.releases.queries import find_release
from evalsite.api.endpoints import Call, tells
from evalsite.api.paging import PAGING, bad_parameter, page_of, part_of
from evalsite.api.queries import Parameter, asked
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.side_by_side import load_reviews
from reviews.api.errors import refusals
from reviews.api.looking import LOOKING, look
from reviews.api.review_shapes import ReviewList, ReviewListed
from reviews.desk import judgement as desk_judgement
from reviews.desk.judgement import Judgement
from reviews.models import Review
from reviews.models.reviews import ReviewStatus

LISTING = (
    *PAGING,
    Parameter("status", "Of one's own: only those in this status.", tuple(ReviewStatus.values)),
    Parameter("release", "With `case_key`: the reviews of that case, for admins and managers."),
    Parameter("case_key", "With `release`: the case."),
)


@tells(
    {200: ReviewList},
    query=LISTING,
    refuses=(*LOOKING, *refusals(adjudication_workflow.NotAllIn)),
)
def review_list(request: Call) -> Response:
    """One's own reviews; or those of one case, once all of them are in.

    Whoever looks at others' reviews in a release that is not closed can from then on neither revise
    nor be assigned in it; the first look is an event.
    """
    found = asked(request, LISTING)
    if "release" in found or "case_key" in found:
        return Response(of_case(request, found))
    rows = Review.objects.by(request.user).for_lists()
    if "status" in found:
        rows = rows.filter(status=found["status"])
    return Response(
        page_of(request, found, rows, {"-id": int}, lambda here: list(map(short, here)))
    )


def short(review: Review) -> ReviewListed:
    return ReviewListed(
        id=review.pk,
        code=review.case.code,
        status=review.status,
        version=review.version,
        saved_at=review.saved_at,
        submitted_at=review.submitted_at,
        due_date=review.release.due_date,
        can_be_written=review.can_be_written,
        opening=review.case.opening,
    )


def of_case(request: Call, found: Any) -> dict[str, Any]:
    if request.roles.isdisjoint({Role.ADMIN, Role.MANAGER}):
        raise PermissionDenied
    for name in ("release", "case_key"):
        if not found.get(name):
            raise bad_parameter(name, gettext("is required."))
    if "status" in found:
        raise bad_parameter("status", gettext("is for one's own reviews; leave it out here."))
    release = find_release(found["release"])
    cases = Case.objects.of(release).filter(sampled__isnull=False).without_content()
    case = cases.filter(case_key=found["case_key"]).first()
    if case is None:
        raise Http404
    look(request, release)
    if not release.is_closed:
        adjudication_workflow.require_all_in(release, case.case_key)
    return part_of(
        request,
        found,
        load_reviews(case),
        lambda one: (one.reviewer.get_username(),),
        (str,),
        lambda here: [told(case, one) for one in here],
    )


def told(case: Case, review: Review) -> ReviewListed:
    return ReviewListed(
        id=review.pk,
        status=review.status,
        reviewer=review.reviewer.get_username(),
        case_key=case.case_key,
        version=review.version,
        submitted_at=review.submitted_at,
        content=said_in(review),
    )


def said_in(review: Review) -> Judgement:
    """From rows at hand, as `reviews_of` brings them."""
    return desk_judgement.from_data(
        {
            "scores": {
                one.metric: {
                    "value": one.value,
                    "rationale": one.rationale,
                    "evidence": one.evidence,
                }
                for one in review.scores.all()
            },
            "answers": {
                one.item: {"answer": one.answer, "note": one.note, "evidence": one.evidence}
                for one in review.answers.all()
            },
            "comment": review.comment,
            "flags": sorted(one.kind for one in review.flags.all()),
        }
    )
