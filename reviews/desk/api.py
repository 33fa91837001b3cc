"""Reviews by call: one's own to read and write, and those of a case for who may see scores.

The calls of the desk (next, draft, submit) come often: they decode and answer with msgspec structs.
A serializer words what is wrong with a body that a struct refuses.
"""

from datetime import date, datetime
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated, Any, Literal

import msgspec
from django.contrib import messages
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django_filters import rest_framework as filters
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from msgspec import UNSET, Meta, UnsetType
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.response import Response

from cases.models import Case
from cases.models.rubrics import RubricText
from cases.releases.queries import find_release
from evalsite.api import parsers
from evalsite.api.errors import BadParameter
from evalsite.api.filters import LONGEST, FilterBackend, FilterSet
from evalsite.api.owned import (
    KEY,
    LARGEST_VERSION,
    OwnerViewSet,
    Saved,
    Submitted,
    Version,
    decode,
)
from evalsite.api.pagination import CursorPagination, RowPagination
from evalsite.api.schema import DocumentedRefusal, ErrorSerializer, refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    DictField,
    ListField,
    Serializer,
    StructField,
    TextField,
    WholeField,
)
from evalsite.api.viewsets import Call
from evalsite.errors import Problem
from evalsite.permissions import Role
from reviews.adjudication.side_by_side import load_reviews
from reviews.adjudication.visibility import LOOKING, look
from reviews.adjudication.workflow import NotAllIn, require_all_in
from reviews.assignments.workflow import ReadsPairs, SeenScores
from reviews.desk import judgement, page, revision, submission, workflow
from reviews.desk.blind import BlindCase, RubricOfReview, show_blind
from reviews.desk.judgement import FLAGS, AnswerEntry, Judgement, ScoreEntry
from reviews.desk.queue import find_next_for_desk, find_own_review
from reviews.errors import (
    LONGEST_REASON,
    REASON_LIMITS,
    NeedsReason,
    Refused,
    WrongStatus,
    hide_release,
)
from reviews.models import Review
from reviews.models.questions import LONGEST_TEXT
from reviews.models.reviews import ReviewStatus
from reviews.questions import workflow as questions

# --- Lists ----------------------------------------------------------------------------------------


class ReviewFilterSet(FilterSet):
    status = filters.ChoiceFilter(
        choices=ReviewStatus.choices, help_text="Of one's own: only those in this status."
    )


class CaseQuerySerializer(Serializer):
    release = TextField(
        max_length=LONGEST,
        required=False,
        help_text="With `case_key`: the reviews of that case, for admins and managers.",
    )
    case_key = TextField(max_length=LONGEST, required=False, help_text="With `release`: the case.")


class OwnReviewSerializer(serializers.Serializer[Review]):
    """`code` is what its case is known by; `opening` is how the request begins."""

    id = serializers.IntegerField()
    status = serializers.CharField()
    version = serializers.IntegerField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    code = serializers.CharField(source="case.code")
    saved_at = serializers.DateTimeField(allow_null=True)
    due_date = serializers.DateField(source="release.due_date", allow_null=True)
    can_be_written = serializers.BooleanField()
    opening = serializers.CharField(source="case.opening")


class ContentField(StructField):
    """What a submitted review says, from rows at hand as `load_reviews` brings them."""

    def to_representation(self, review: Review) -> Judgement:
        return judgement.from_data(
            {
                "scores": {
                    score.metric: {
                        "value": score.value,
                        "rationale": score.rationale,
                        "evidence": score.evidence,
                    }
                    for score in review.scores.all()
                },
                "answers": {
                    answer.item: {
                        "answer": answer.answer,
                        "note": answer.note,
                        "evidence": answer.evidence,
                    }
                    for answer in review.answers.all()
                },
                "comment": review.comment,
                "flags": sorted(flag.kind for flag in review.flags.all()),
            }
        )


class CaseReviewSerializer(serializers.Serializer[Review]):
    """One of the reviews of a case, for those who may see scores."""

    id = serializers.IntegerField()
    status = serializers.CharField()
    version = serializers.IntegerField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    reviewer = serializers.CharField(source="reviewer.username")
    case_key = serializers.CharField(source="case.case_key")
    content = ContentField(Judgement, source="*")


LISTED = PolymorphicProxySerializer(
    component_name="ReviewListed",
    serializers=[OwnReviewSerializer, CaseReviewSerializer],
    resource_type_field_name=None,
)


# --- One review -----------------------------------------------------------------------------------


class ReviewWhole(msgspec.Struct):
    """`draft` is what the next save goes on from. `submitted`: what counts, if it was submitted."""

    id: int
    code: str
    status: str
    version: int
    due_date: date | None
    saved_at: datetime | None
    submitted_at: datetime | None
    can_be_written: bool
    can_be_revised: bool
    needs_reason: bool
    sentence: str
    case: BlindCase
    rubric: RubricOfReview
    draft: Judgement
    submitted: Judgement | None


# --- Writing --------------------------------------------------------------------------------------

# More than can have passed is cut, not refused: a save must not fail for it.
Seconds = Annotated[int, Meta(ge=0, le=LARGEST_VERSION)]
FlagKinds = list[Literal["harmful", "broken"]]


class DraftBody(msgspec.Struct, forbid_unknown_fields=True):
    """A draft as a whole; it may leave out anything. `active_seconds`: how long the page of the
    review was used so far; only its owner learns it."""

    version: Version
    scores: dict[str, ScoreEntry] = msgspec.field(default_factory=dict)
    answers: dict[str, AnswerEntry] = msgspec.field(default_factory=dict)
    comment: str = ""
    flags: FlagKinds = msgspec.field(default_factory=list)
    active_seconds: Seconds = 0

    @property
    def said(self) -> Judgement:
        return Judgement(self.scores, self.answers, self.comment, self.flags)


class SubmitBody(msgspec.Struct, forbid_unknown_fields=True):
    """With `version` alone the stored draft is submitted. `coherence` answers, by metric, how a
    score goes with its checklist; a revision says its `reason`."""

    version: Version
    scores: dict[str, ScoreEntry] | UnsetType = UNSET
    answers: dict[str, AnswerEntry] | UnsetType = UNSET
    comment: str | UnsetType = UNSET
    flags: FlagKinds | UnsetType = UNSET
    coherence: dict[str, Annotated[str, Meta(max_length=LONGEST_REASON)]] = msgspec.field(
        default_factory=dict
    )
    reason: str = ""
    active_seconds: Seconds = 0

    @property
    def said(self) -> Judgement | None:
        parts = {name: getattr(self, name) for name in ("scores", "answers", "comment", "flags")}
        given = {name: part for name, part in parts.items() if part is not UNSET}
        return Judgement(**given) if given else None


class EvidenceSerializer(Serializer):
    kind = ChoiceField(("stop", "fact", "quote"))
    ref = TextField()
    text = TextField(required=False)


class ScoreSerializer(Serializer):
    value = WholeField(allow_null=True, required=False)
    rationale = TextField(required=False)
    evidence = ListField(child=EvidenceSerializer(), required=False)


class AnswerSerializer(Serializer):
    answer = ChoiceField(("yes", "no", "na"), allow_null=True, required=False)
    note = TextField(required=False)
    evidence = ListField(child=EvidenceSerializer(), required=False)


class DraftSerializer(Serializer):
    version = WholeField(min_value=0, max_value=LARGEST_VERSION)
    scores = DictField(child=ScoreSerializer(), required=False)
    answers = DictField(child=AnswerSerializer(), required=False)
    comment = TextField(required=False)
    flags = ListField(child=ChoiceField(FLAGS), required=False)
    active_seconds = WholeField(min_value=0, max_value=LARGEST_VERSION, required=False)


class SubmitSerializer(DraftSerializer):
    coherence = DictField(child=TextField(max_length=LONGEST_REASON), required=False)
    reason = TextField(required=False)


class VersionSerializer(Serializer):
    version = WholeField(min_value=0, max_value=LARGEST_VERSION)


class DiscardedSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    sentence = serializers.CharField()


class AskSerializer(Serializer):
    """`subject`: a checklist item (`metric.2`) or a level (`metric:4`)."""

    subject = TextField()
    text = CheckedLaterField(limits={"minLength": 1, "maxLength": LONGEST_TEXT})


class AskedSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField()


class DeclineSerializer(Serializer):
    reason = CheckedLaterField(limits=REASON_LIMITS)
    cause = ChoiceField(("conflict", "language", "cannot-judge", "broken"), default="cannot-judge")


class DeclinedSerializer(serializers.Serializer[Any]):
    status = serializers.CharField()


class StaleVersionSerializer(ErrorSerializer):
    """`version` and `draft` are what is stored; `sentence` says when it was saved."""

    version = serializers.IntegerField()
    draft = StructField(Judgement)
    is_submitted = serializers.BooleanField()
    sentence = serializers.CharField()


STALE = DocumentedRefusal(workflow.Stale, StaleVersionSerializer)


class ReviewViewSet(OwnerViewSet):
    queryset = Review.objects.all()
    filter_backends = [FilterBackend]
    filterset_class = ReviewFilterSet
    pagination_class = CursorPagination
    ordering = ("-id",)
    lookup_value_converter = "int"
    query_serializers = {"list": CaseQuerySerializer}

    def handle_exception(self, error: Exception) -> Response:
        response = super().handle_exception(error)
        if isinstance(error, workflow.Stale) and response.status_code == workflow.Stale.status:
            stored = error.review
            response.data["sentence"] = page.describe_saved(stored.saved_at, stored.version)
        return response

    def hide(self, error: Exception) -> Exception:
        return hide_release(error) if isinstance(error, Refused) else error

    def find_own(self, pk: int) -> Review | None:
        return find_own_review(self.request.user, pk)

    # --- Lists ------------------------------------------------------------------------------------

    @extend_schema(operation_id="review_list", responses=LISTED)
    @refuses(*LOOKING, NotAllIn)
    def list(self, request: Call) -> Response:
        """One's own reviews; or those of one case, once all of them are in.

        The first look at others' reviews in a release that is not closed is an event: after it the
        caller can neither revise nor be assigned in it.
        """
        if self.query:
            return self.list_of_case(request)
        rows = self.filter_queryset(Review.objects.by(request.user).for_lists())
        return self.answer_with_page(rows, OwnReviewSerializer)

    def list_of_case(self, request: Call) -> Response:
        if request.roles.isdisjoint({Role.ADMIN, Role.MANAGER}):
            raise PermissionDenied
        for name in ("release", "case_key"):
            if not self.query.get(name):
                raise BadParameter(Problem(name, gettext("is required.")))
        if "status" in request.query_params:
            sentence = gettext("is for one's own reviews; leave it out here.")
            raise BadParameter(Problem("status", sentence))
        release = find_release(self.query["release"])
        cases = Case.objects.of(release).filter(sampled__isnull=False).without_content()
        case = cases.filter(case_key=self.query["case_key"]).first()
        if case is None:
            raise Http404
        look(release=release, user=request.user, now=timezone.now())
        if not release.is_closed:
            require_all_in(release, case.case_key)
        paginator = RowPagination()
        found: Any = paginator.paginate_queryset(load_reviews(case), request, self)
        for review in found:
            review.case = case
        return paginator.get_paginated_response(CaseReviewSerializer(found, many=True).data)

    place_types = tuple[str]

    @staticmethod
    def place(review: Review) -> tuple[str]:
        return (review.reviewer.get_username(),)

    # --- Reading ----------------------------------------------------------------------------------

    @extend_schema(operation_id="review_next", responses={200: ReviewWhole, 204: None})
    @action(detail=False)
    def next(self, request: Call) -> Response:
        """The next review to do, whole; 204 when there is none."""
        waiting = find_next_for_desk(request.user)
        if waiting is None:
            return Response(status=HTTPStatus.NO_CONTENT)
        return Response(show(waiting))

    @extend_schema(operation_id="review_one", responses=ReviewWhole)
    def retrieve(self, request: Call, pk: int) -> Response:
        """One's own review: the case as a reviewer may see it, the rubric, and what was said."""
        mine = find_own_review(request.user, pk)
        if mine is None:
            raise Http404
        return Response(show(mine))

    # --- Writing ----------------------------------------------------------------------------------

    @extend_schema(operation_id="review_draft", request=DraftBody, responses=Saved)
    @refuses(WrongStatus, workflow.Incomplete, workflow.NotOpen, STALE)
    @action(detail=True, methods=["put"], parser_classes=[parsers.RawJSONParser])
    def draft(self, request: Call, pk: int) -> Response:
        """Save a draft, whole as it is. Of a submitted review it begins a revision.

        409 with the stored draft, if a later version is stored.
        """
        body = decode(request.data, DraftBody, DraftSerializer)
        saved = workflow.save_draft(
            review=pk,
            user=request.user,
            version=body.version,
            said=body.said,
            active_seconds=body.active_seconds,
            now=timezone.now(),
        )
        sentence = page.describe_saved(saved.saved_at, saved.version)
        return Response(Saved(saved.version, saved.saved_at, sentence))

    @extend_schema(
        operation_id="review_submit", request=SubmitBody, responses=Submitted, parameters=[KEY]
    )
    @refuses(
        WrongStatus,
        NeedsReason,
        workflow.Incomplete,
        workflow.NotOpen,
        STALE,
        submission.Incoherent,
        submission.BadKey,
        submission.KeyReused,
        SeenScores,
        ReadsPairs,
    )
    @action(detail=True, methods=["post"], parser_classes=[parsers.RawJSONParser])
    def submit(self, request: Call, pk: int) -> Response:
        """Submit, or revise what was submitted. 400 names every part that is missing."""
        body = decode(request.data, SubmitBody, SubmitSerializer)
        done = submission.submit(
            review=pk,
            user=request.user,
            key=request.headers.get(KEY.name, ""),
            version=body.version,
            said=body.said,
            coherence=body.coherence,
            reason=body.reason,
            active_seconds=body.active_seconds,
            now=timezone.now(),
        )
        return Response(Submitted(done.version, done.submitted_at))

    @extend_schema(
        operation_id="review_decline", request=DeclineSerializer, responses=DeclinedSerializer
    )
    @refuses(WrongStatus, NeedsReason, workflow.NotOpen)
    @action(detail=True, methods=["post"])
    def decline(self, request: Call, pk: int) -> Response:
        """Decline to review a case, with a reason. What was written is kept."""
        body = self.read_body(DeclineSerializer)
        workflow.decline(review=pk, user=request.user, now=timezone.now(), **body)
        return Response({"status": ReviewStatus.DECLINED})

    @extend_schema(
        operation_id="review_discard", request=VersionSerializer, responses=DiscardedSerializer
    )
    @refuses(WrongStatus, workflow.NotOpen, STALE)
    @action(detail=True, methods=["post"])
    def discard(self, request: Call, pk: int) -> Response:
        """Give up a revision: the draft says again what was submitted."""
        body = self.read_body(VersionSerializer)
        done = revision.discard(review=pk, user=request.user, version=body["version"])
        sentence = page.confirm_discarded()
        if request.auth is None:
            messages.success(request, sentence)  # the page that the desk loads next shows it
        return Response({"version": done.version, "sentence": sentence})

    @extend_schema(operation_id="review_ask", request=AskSerializer, responses=AskedSerializer)
    @refuses(
        WrongStatus,
        workflow.NotOpen,
        questions.NoSuchSubject,
        questions.NeedsWords,
        questions.NamesTheCase,
    )
    @action(detail=True, methods=["post"])
    def ask(self, request: Call, pk: int) -> Response:
        """Ask about the rubric, not about the case: everybody reads the answer."""
        body = self.read_body(AskSerializer)
        questions.ask(review=pk, user=request.user, now=timezone.now(), **body)
        return Response({"sentence": page.confirm_question()})


def show(mine: Review) -> dict[str, Any]:
    """As ReviewWhole, with a part of it that was encoded before."""
    text = mine.release.rubric.text_for(get_language())
    state = page.find_state(mine, now=timezone.now())
    return {
        "id": mine.pk,
        "code": mine.case.code,
        "status": mine.status,
        "version": mine.version,
        "due_date": mine.release.due_date,
        "saved_at": mine.saved_at,
        "submitted_at": mine.submitted_at,
        "can_be_written": state.can_be_written,
        "can_be_revised": state.can_be_revised,
        "needs_reason": state.needs_reason,
        "sentence": state.sentence,
        "case": encode_case(mine.case, text),
        "rubric": RubricOfReview(mine.release.rubric.number, text.language, text.document),
        "draft": judgement.from_data(mine.draft),
        "submitted": revision.read_submitted(mine) if mine.is_submitted else None,
    }


def encode_case(case: Case, text: RubricText) -> msgspec.Raw:
    """Neither a case nor a rubric text ever changes under its digest."""
    return _encode_case(case.pk, case.digest, text, text.digest, get_language())


@lru_cache(maxsize=256)
def _encode_case(
    case: int, digest: str, text: RubricText, text_digest: str, language: str | None
) -> msgspec.Raw:
    # Read again: what is kept must not hold on to the whole case.
    return msgspec.Raw(msgspec.json.encode(show_blind(Case.objects.get(pk=case), text, language)))
