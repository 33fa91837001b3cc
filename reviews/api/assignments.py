"""Who reviews what: by plan, moved, taken back. Nothing here depends on a score."""

from http import HTTPStatus

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.response import Response

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.api.bodies import body_of, body_or_nothing
from evalsite.api.endpoints import Call, tells
from evalsite.api.errors import ApiError, Problem
from evalsite.api.paging import PAGING, page_of
from evalsite.api.queries import Parameter, asked
from reviews.api.errors import refusals
from reviews.api.shapes import (
    AssignmentList,
    AssignmentShape,
    Lacking,
    MoveBody,
    NewAssignment,
    PlanBody,
    Planned,
    TakeBackBody,
)
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.queries import is_past
from reviews.models import Review
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.workflow.refusals import NeedsReason, NoSuchCase, NotStarted, WrongStatus

LISTING = (
    *PAGING,
    Parameter("status", "Only reviews in this status.", tuple(ReviewStatus.values)),
    Parameter("reviewer", "Only those of this person."),
)


@tells({200: AssignmentList}, query=LISTING)
def assignment_list(request: Call, name: str) -> Response:
    """Who has which case, and how far it is."""
    found = asked(request, LISTING)
    release = find_release(name)
    rows = Review.objects.of(release).select_related("case", "reviewer")
    rows = rows.defer("case__data", "draft", "comment", "asked")
    wanted = {"status": "status", "reviewer": "reviewer__username"}
    rows = rows.filter(**{path: found[key] for key, path in wanted.items() if key in found})
    return Response(
        page_of(
            request, found, rows, {"id": int}, lambda here: [shown(release, one) for one in here]
        )
    )


def shown(release: Release, review: Review) -> AssignmentShape:
    is_late = release.is_reviewing and is_past(release.due_date, timezone.localdate())
    return AssignmentShape(
        case_key=review.case.case_key,
        reviewer=review.reviewer.get_username(),
        status=review.status,
        assigned_at=review.assigned_at,
        submitted_at=review.submitted_at,
        is_late=is_late and review.status in OPEN,
        declined_for=review.declined_for,
        decline_reason=review.decline_reason,
    )


@tells(
    {200: Planned},
    body=PlanBody,
    needs_body=False,
    refuses=refusals(
        WrongStatus, NotStarted, assignments_workflow.NotAReviewer, assignments_workflow.BadPerCase
    ),
)
def assignment_plan(request: Call, name: str) -> Response:
    """Plan who reviews what, and assign it. What exists is not touched."""
    asked(request, ())
    release = find_release(name)
    body = body_or_nothing(request._request, PlanBody)
    now = timezone.now()
    if body.dry_run:
        plan = assignments_workflow.look_at_plan(
            release=release, usernames=body.reviewers, per_case=body.per_case, now=now
        )
    else:
        plan = assignments_workflow.assign_by_plan(
            release=release,
            usernames=body.reviewers,
            per_case=body.per_case,
            user=request.user,
            now=now,
        )
    return Response(
        Planned(
            assignments=[NewAssignment(one.case_key, one.username) for one in plan.assignments],
            missing=[Lacking(one.case_key, one.missing) for one in plan.shortfalls],
            is_written=not body.dry_run,
        )
    )


@tells(
    {200: AssignmentShape},
    body=MoveBody,
    refuses=refusals(
        WrongStatus,
        NotStarted,
        NoSuchCase,
        assignments_workflow.NotAReviewer,
        assignments_workflow.OnTheCase,
        assignments_workflow.NothingOpen,
        assignments_workflow.MadeTheCase,
        assignments_workflow.SeenScores,
    ),
)
def assignment_move(request: Call, name: str) -> Response:
    """Take a case from one person and give it to another."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, MoveBody)
    review = assignments_workflow.move(
        release=release,
        case_key=body.case_key,
        giver=person("from", body.giver),
        taker=person("to", body.taker),
        user=request.user,
        now=timezone.now(),
    )
    return Response(shown(release, review))


@tells(
    {200: AssignmentShape},
    body=TakeBackBody,
    refuses=refusals(
        WrongStatus,
        NotStarted,
        NeedsReason,
        NoSuchCase,
        assignments_workflow.NotAReviewer,
        assignments_workflow.NothingOpen,
    ),
)
def assignment_withdraw(request: Call, name: str) -> Response:
    """Take an unsubmitted review back. What was written is kept, and counts for nothing."""
    asked(request, ())
    release = find_release(name)
    body = body_of(request._request, TakeBackBody)
    reviewer = person("reviewer", body.reviewer)
    assignments_workflow.withdraw(
        release=release,
        case_key=body.case_key,
        reviewer=reviewer,
        reason=body.reason,
        user=request.user,
        now=timezone.now(),
    )
    rows = Review.objects.of(release).by(reviewer).select_related("case", "reviewer")
    return Response(
        shown(release, rows.defer("case__data").get(case__case_key=body.case_key.strip()))
    )


def person(path: str, username: str) -> User:
    found = User.objects.filter(username=username).first()
    if found is None:
        sentence = gettext("%(person)s is no active reviewer.") % {"person": username}
        raise ApiError(HTTPStatus.BAD_REQUEST, "not_a_reviewer", Problem(path, sentence))
    return found
