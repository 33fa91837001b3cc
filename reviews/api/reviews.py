"""One's own reviews: the next one, to read and to write."""

import html
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import msgspec
from django.http import Http404
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from rest_framework.response import Response

from cases.case import display as case_display
from cases.case.vocabulary import FIELDS
from cases.itinerary.blind import plan_for_reviewer
from cases.models import Case
from cases.models.rubrics import RubricText
from evalsite.api.bodies import body_of
from evalsite.api.endpoints import Call, tells
from evalsite.api.errors import ApiError
from evalsite.api.queries import Parameter, asked
from evalsite.keeping import Kept
from reviews.api.errors import refusals
from reviews.api.review_shapes import (
    BlindCase,
    DeclineCall,
    Declined,
    DraftCall,
    FactShown,
    ReviewWhole,
    RubricOfReview,
    Saved,
    SubmitCall,
    Submitted,
)
from reviews.assignments.workflow import SeenScores
from reviews.desk import judgement as desk_judgement
from reviews.desk import page as desk_page
from reviews.desk import revision as desk_revision
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.desk.judgement import Judgement
from reviews.desk.queue import next_on_desk, own_review
from reviews.models import Review
from reviews.models.reviews import ReviewStatus
from reviews.workflow.refusals import NeedsReason, Refused, WrongStatus

KEY = Parameter(
    "Idempotency-Key",
    "The same key and body again get the first answer again. Printable characters.",
    schema={"type": "string", "minLength": 1, "maxLength": desk_submission.LONGEST_KEY},
    required=True,
)


@tells({200: ReviewWhole, 204: None})
def review_next(request: Call) -> Response:
    """The next review to do, whole; 204 when there is none."""
    asked(request, ())
    waiting = next_on_desk(request.user)
    if waiting is None:
        return Response(status=HTTPStatus.NO_CONTENT)
    return Response(shown(waiting))


@tells({200: ReviewWhole})
def review_one(request: Call, pk: int) -> Response:
    """One's own review: the case as a reviewer may see it, the rubric, and what was said."""
    with told_to_its_owner(request, pk):
        asked(request, ())
    return Response(shown(find_own(request, pk)))


@tells(
    {200: Saved},
    body=DraftCall,
    refuses=refusals(
        WrongStatus, desk_workflow.Incomplete, desk_workflow.NotOpen, desk_workflow.Stale
    ),
)
def review_draft(request: Call, pk: int) -> Response:
    """Save a draft, whole as it stands. Of a submitted review it begins a revision.

    409 with the stored draft, if a later version is stored.
    """
    with told_to_its_owner(request, pk):
        asked(request, ())
        body = body_of(request._request, DraftCall)
        saved = desk_workflow.save_draft(
            review=pk, user=request.user, version=body.version, said=body.said, now=timezone.now()
        )
    return Response(Saved(saved.version, saved.saved_at))


@tells(
    {200: Submitted},
    body=SubmitCall,
    headers=(KEY,),
    refuses=refusals(
        WrongStatus,
        NeedsReason,
        desk_workflow.Incomplete,
        desk_workflow.NotOpen,
        desk_workflow.Stale,
        desk_submission.Incoherent,
        desk_submission.BadKey,
        desk_submission.KeyReused,
        SeenScores,
    ),
)
def review_submit(request: Call, pk: int) -> Response:
    """Submit, or revise what was submitted. 400 names every part that is missing."""
    with told_to_its_owner(request, pk):
        asked(request, ())
        body = body_of(request._request, SubmitCall)
        done = desk_submission.submit(
            review=pk,
            user=request.user,
            key=request.headers.get(KEY.name, ""),
            version=body.version,
            said=body.said,
            coherence=body.coherence,
            reason=body.reason,
            now=timezone.now(),
        )
    return Response(Submitted(done.version, done.submitted_at))


@tells(
    {200: Declined},
    body=DeclineCall,
    refuses=refusals(WrongStatus, NeedsReason, desk_workflow.NotOpen),
)
def review_decline(request: Call, pk: int) -> Response:
    """Give a case back, with a reason. What was written is kept."""
    with told_to_its_owner(request, pk):
        asked(request, ())
        body = body_of(request._request, DeclineCall)
        desk_workflow.decline(
            review=pk, user=request.user, cause=body.cause, reason=body.reason, now=timezone.now()
        )
    return Response(Declined(ReviewStatus.DECLINED))


def find_own(request: Call, pk: int) -> Review:
    """Anybody else's does not exist."""
    mine = own_review(request.user, pk)
    if mine is None:
        raise Http404
    return mine


@contextmanager
def told_to_its_owner(request: Call, pk: int) -> Iterator[None]:
    """What is wrong with a call is told only of one's own review."""
    try:
        yield
    except (ApiError, Refused):
        find_own(request, pk)
        raise


def shown(mine: Review) -> dict[str, Any]:
    """As ReviewWhole, with a part of it that was encoded before."""
    text = mine.release.rubric.text_for(get_language())
    standing = desk_page.find_state(mine, now=timezone.now())
    return {
        "id": mine.pk,
        "code": mine.case.code,
        "status": mine.status,
        "version": mine.version,
        "due_date": mine.release.due_date,
        "saved_at": mine.saved_at,
        "submitted_at": mine.submitted_at,
        "can_be_written": standing.can_be_written,
        "can_be_revised": standing.can_be_revised,
        "needs_reason": standing.needs_reason,
        "sentence": standing.sentence,
        "case": case_for_reviewer(mine.case, text),
        "rubric": RubricOfReview(mine.release.rubric.number, text.language, text.document),
        "draft": desk_judgement.from_data(mine.draft),
        "submitted": submitted(mine),
    }


def submitted(mine: Review) -> Judgement | None:
    return desk_revision.submitted_in(mine) if mine.is_submitted else None


# Neither a case nor a rubric text ever changes under its digest.
_cases = Kept[msgspec.Raw](most=256)


def case_for_reviewer(case: Case, text: RubricText) -> msgspec.Raw:
    language = get_language()
    return _cases.get(
        (case.pk, case.digest, text.digest, language),
        lambda: msgspec.Raw(msgspec.json.encode(blind(case, text, language))),
    )


def in_plain_words(sentence: SafeString) -> str:
    """Without the marks of a page, which name the language of the case's own words."""
    return "".join([html.unescape(strip_tags(sentence))])


def blind(case: Case, text: RubricText, language: str | None) -> BlindCase:
    page = case_display.read(case.itinerary, text.document, language=language)
    source = case.itinerary.source
    derived = (source.derived if source else None) or ()
    return BlindCase(
        code=case.code,
        locale=case.itinerary.locale or "",
        request=case.itinerary.request,
        plan=plan_for_reviewer(case.itinerary),
        facts=[
            FactShown(
                key=fact.key,
                number=fact.number,
                sentence=in_plain_words(fact.sentence),
                question=group.question.key if group.question else None,
                refs=list(fact.refs),
            )
            for group in page.groups
            for fact in group.facts
        ],
        read_from_text=[name for name in FIELDS if case_display.reads(derived, name)],
    )
