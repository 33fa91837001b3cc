"""A reader's own pairings by call. Nothing in them names the release or either case."""

from datetime import date, datetime
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Literal

import msgspec
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from msgspec import UNSET, UnsetType
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases.itinerary.blind import plan_for_reviewer, without_dates
from cases.itinerary.format import Plan, Request
from cases.models import Case
from cases.models.rubrics import RubricText
from cases.releases.queries import find_release
from evalsite.api import parsers
from evalsite.api.owned import (
    KEY,
    LARGEST_VERSION,
    OwnerViewSet,
    Saved,
    Submitted,
    Version,
    decode,
)
from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import DocumentedRefusal, ErrorSerializer, refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    DictField,
    ListField,
    Serializer,
    StructField,
    TextField,
    TruthField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.adjudication.visibility import is_blind
from reviews.assignments.workflow import BadPerCase, NotAReviewer, SeenScores
from reviews.comparison.steps import FARTHEST
from reviews.desk import page
from reviews.desk.blind import FactShown, RubricOfReview, list_facts
from reviews.desk.submission import BadKey, KeyReused
from reviews.desk.workflow import Incomplete, NotOpen
from reviews.errors import (
    REASON_LIMITS,
    NeedsReason,
    NotStarted,
    Refused,
    WrongStatus,
    hide_release,
)
from reviews.models import Pairing
from reviews.models.reviews import ReviewStatus
from reviews.pairings import judgement, reading, workflow
from reviews.pairings.judgement import PairJudgement, SideChoice, StepEntry
from reviews.pairings.queries import find_next_pairing, find_own_pairing

SIDES = ("left", "right", "both", "neither")
NEWER = ("no", "left", "right")
LONGEST_USERNAME = 150


class PairingPlanSerializer(Serializer):
    """`reviewers` defaults to every active reviewer, `per_case` to the number of the release."""

    reviewers = ListField(
        child=TextField(allow_blank=False, max_length=LONGEST_USERNAME),
        max_length=1000,
        allow_null=True,
        default=None,
    )
    per_case = WholeField(allow_null=True, default=None, help_text="From 1 to 20.")
    dry_run = TruthField(default=False)


class PairingTakeBackSerializer(Serializer):
    """`reviewers` defaults to everyone."""

    reviewers = ListField(
        child=TextField(allow_blank=False, max_length=LONGEST_USERNAME),
        max_length=1000,
        allow_null=True,
        default=None,
    )
    reason = CheckedLaterField(limits=REASON_LIMITS)


class PairingsTakenBackSerializer(serializers.Serializer[Any]):
    """`taken` counts the readings that were open."""

    taken = serializers.IntegerField()


class NewPairingSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    reader = serializers.CharField(source="username")


class LackingReaderSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    missing = serializers.IntegerField()


class PlannedPairingsSerializer(serializers.Serializer[Any]):
    """`is_written` is false for a dry run."""

    pairings = NewPairingSerializer(many=True)
    missing = LackingReaderSerializer(many=True)
    is_written = serializers.BooleanField()


class ReleasePairingSerializer(serializers.Serializer[Pairing]):
    """Who reads which pair. What they say is in the report.

    `new_side` is null while the caller has something to judge in the release.
    """

    case_key = serializers.CharField(source="case.case_key")
    reader = serializers.CharField(source="reader.username")
    new_side = serializers.SerializerMethodField()
    status = serializers.CharField()
    assigned_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)

    def get_new_side(self, pairing: Pairing) -> str | None:
        if self.context["is_blind"]:
            return None
        return "left" if pairing.is_new_left else "right"


class OwnPairingSerializer(serializers.Serializer[Pairing]):
    id = serializers.IntegerField()
    status = serializers.CharField()
    version = serializers.IntegerField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    saved_at = serializers.DateTimeField(allow_null=True)
    due_date = serializers.DateField(source="release.due_date", allow_null=True)


class PlanShown(msgspec.Struct):
    """One of the two plans, with the facts about it."""

    locale: str
    plan: Plan | None
    facts: list[FactShown]


class PairingWhole(msgspec.Struct):
    """`questions` are asked where the plans differ. `draft` is what the next save goes on from."""

    id: int
    status: str
    version: int
    due_date: date | None
    saved_at: datetime | None
    submitted_at: datetime | None
    can_be_written: bool
    sentence: str
    request: Request
    left: PlanShown
    right: PlanShown
    questions: list[str]
    rubric: RubricOfReview
    draft: PairJudgement
    submitted: PairJudgement | None


class PairDraftBody(msgspec.Struct, forbid_unknown_fields=True):
    """A draft as a whole; it may leave out anything."""

    version: Version
    steps: dict[str, StepEntry] = msgspec.field(default_factory=dict)
    sides: dict[str, SideChoice | None] = msgspec.field(default_factory=dict)
    newer: Literal["no", "left", "right"] | None = None

    @property
    def said(self) -> PairJudgement:
        return PairJudgement(self.steps, self.sides, self.newer)


class PairSubmitBody(msgspec.Struct, forbid_unknown_fields=True):
    """With `version` alone the stored draft is submitted."""

    version: Version
    steps: dict[str, StepEntry] | UnsetType = UNSET
    sides: dict[str, SideChoice | None] | UnsetType = UNSET
    newer: Literal["no", "left", "right"] | UnsetType | None = UNSET

    @property
    def said(self) -> PairJudgement | None:
        parts = {name: getattr(self, name) for name in ("steps", "sides", "newer")}
        given = {name: part for name, part in parts.items() if part is not UNSET}
        return PairJudgement(**given) if given else None


class StepSerializer(Serializer):
    step = WholeField(min_value=-FARTHEST, max_value=FARTHEST, allow_null=True, required=False)
    why = TextField(required=False)


class PairDraftSerializer(Serializer):
    """Steps by metric: negative if the left plan is better. Sides by question."""

    version = WholeField(min_value=0, max_value=LARGEST_VERSION)
    steps = DictField(child=StepSerializer(), required=False)
    sides = DictField(child=ChoiceField(SIDES, allow_null=True), required=False)
    newer = ChoiceField(NEWER, allow_null=True, required=False)


class PairDeclineSerializer(Serializer):
    reason = CheckedLaterField(limits=REASON_LIMITS)


class PairDeclinedSerializer(serializers.Serializer[Any]):
    status = serializers.CharField()


class StalePairingSerializer(ErrorSerializer):
    """`version` and `draft` are what is stored."""

    version = serializers.IntegerField()
    draft = StructField(PairJudgement)
    is_submitted = serializers.BooleanField()


STALE = DocumentedRefusal(reading.StalePairing, StalePairingSerializer)


class PairingViewSet(OwnerViewSet):
    queryset = Pairing.objects.all()
    pagination_class = CursorPagination
    ordering = ("-id",)
    lookup_value_converter = "int"

    def hide(self, error: Exception) -> Exception:
        return hide_release(error) if isinstance(error, Refused) else error

    def find_own(self, pk: int) -> Pairing | None:
        return find_own_pairing(self.request.user, pk)

    @extend_schema(operation_id="pairing_list", responses=OwnPairingSerializer)
    def list(self, request: Call) -> Response:
        """One's own pairings."""
        rows = Pairing.objects.by(request.user).select_related("release").defer("draft")
        return self.answer_with_page(rows, OwnPairingSerializer)

    @extend_schema(operation_id="pairing_next", responses={200: PairingWhole, 204: None})
    @action(detail=False)
    def next(self, request: Call) -> Response:
        """The next pair to read, whole; 204 when there is none."""
        waiting = find_next_pairing(request.user)
        if waiting is None:
            return Response(status=HTTPStatus.NO_CONTENT)
        return Response(show(waiting))

    @extend_schema(operation_id="pairing_one", responses=PairingWhole)
    def retrieve(self, request: Call, pk: int) -> Response:
        """One's own pairing: a request, two plans for it, the rubric, and what was said."""
        mine = self.find_own(pk)
        if mine is None:
            raise Http404
        return Response(show(mine))

    @extend_schema(operation_id="pairing_draft", request=PairDraftBody, responses=Saved)
    @refuses(WrongStatus, Incomplete, NotOpen, STALE)
    @action(detail=True, methods=["put"], parser_classes=[parsers.RawJSONParser])
    def draft(self, request: Call, pk: int) -> Response:
        """Save a draft, whole as it is. Of a submitted pairing it begins a revision.

        409 with the stored draft, if a later version is stored.
        """
        body = decode(request.data, PairDraftBody, PairDraftSerializer)
        saved = reading.save_draft(
            pairing=pk, user=request.user, version=body.version, said=body.said, now=timezone.now()
        )
        sentence = page.describe_saved(saved.saved_at, saved.version)
        return Response(Saved(saved.version, saved.saved_at, sentence))

    @extend_schema(
        operation_id="pairing_submit",
        request=PairSubmitBody,
        responses=Submitted,
        parameters=[KEY],
    )
    @refuses(WrongStatus, Incomplete, NotOpen, STALE, BadKey, KeyReused, SeenScores)
    @action(detail=True, methods=["post"], parser_classes=[parsers.RawJSONParser])
    def submit(self, request: Call, pk: int) -> Response:
        """Submit, or revise what was submitted. 400 names every part that is missing."""
        body = decode(request.data, PairSubmitBody, PairDraftSerializer)
        done = reading.submit(
            pairing=pk,
            user=request.user,
            key=request.headers.get(KEY.name, ""),
            version=body.version,
            said=body.said,
            now=timezone.now(),
        )
        return Response(Submitted(done.version, done.submitted_at))

    @extend_schema(
        operation_id="pairing_decline",
        request=PairDeclineSerializer,
        responses=PairDeclinedSerializer,
    )
    @refuses(WrongStatus, NeedsReason, NotOpen)
    @action(detail=True, methods=["post"])
    def decline(self, request: Call, pk: int) -> Response:
        """Decline to compare two plans, with a reason. What was written is kept."""
        body = self.read_body(PairDeclineSerializer)
        reading.decline(pairing=pk, user=request.user, now=timezone.now(), **body)
        return Response({"status": ReviewStatus.DECLINED})


class ReleasePairingViewSet(ViewSet):
    queryset = Pairing.objects.all()
    serializer_class = ReleasePairingSerializer
    pagination_class = CursorPagination
    ordering = ("id",)

    @extend_schema(operation_id="release_pairings")
    def list(self, request: Call, name: str) -> Response:
        """List who reads which pair, with the status of each reading."""
        release = find_release(name)
        rows = Pairing.objects.of(release).select_related("case", "reader")
        return self.answer_with_page(
            rows.defer("case__data", "draft"),
            ReleasePairingSerializer,
            is_blind=is_blind(release, request.user),
        )

    @extend_schema(
        operation_id="release_pairings_plan",
        request=PairingPlanSerializer,
        responses={200: PlannedPairingsSerializer},
    )
    @refuses(WrongStatus, NotStarted, workflow.NotPairable, NotAReviewer, BadPerCase)
    def create(self, request: Call, name: str) -> Response:
        """Plan who compares which old and new plan, and assign it. Repeating it adds nothing."""
        release = find_release(name)
        body = self.read_body(PairingPlanSerializer)
        wanted: dict[str, Any] = {
            "release": release,
            "usernames": body["reviewers"],
            "per_case": body["per_case"],
            "now": timezone.now(),
        }
        if body["dry_run"]:
            _pairs, plan = workflow.preview_plan(**wanted)
        else:
            plan = workflow.plan_pairings(**wanted, user=request.user)
        planned = {
            "pairings": plan.assignments,
            "missing": plan.shortfalls,
            "is_written": not body["dry_run"],
        }
        return Response(PlannedPairingsSerializer(planned).data)

    @extend_schema(
        operation_id="release_pairings_take_back",
        request=PairingTakeBackSerializer,
        responses=PairingsTakenBackSerializer,
    )
    @refuses(WrongStatus, NotStarted, NeedsReason)
    @action(detail=False, methods=["post"], url_path="take-back", url_name="take-back")
    def take_back(self, request: Call, name: str) -> Response:
        """Take back open readings, of everyone or of some. Repeating it changes nothing."""
        release = find_release(name)
        body = self.read_body(PairingTakeBackSerializer)
        taken = workflow.take_back(
            release=release,
            usernames=body["reviewers"],
            reason=body["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return Response({"taken": taken})


def show(mine: Pairing) -> dict[str, Any]:
    """As PairingWhole, with plans that were encoded before."""
    text = mine.release.rubric.text_for(get_language())
    new, old = encode_plans(mine, text)
    closed = not mine.release.is_reviewing
    return {
        "id": mine.pk,
        "status": mine.status,
        "version": mine.version,
        "due_date": mine.release.due_date,
        "saved_at": mine.saved_at,
        "submitted_at": mine.submitted_at,
        "can_be_written": not closed and not reading.explain_not_open(mine),
        "sentence": reading.explain_not_open(mine),
        # The two requests are the same, but what they do not state may be left out in one.
        "request": mine.case.itinerary.request,
        "left": new if mine.is_new_left else old,
        "right": old if mine.is_new_left else new,
        "questions": list(reading.list_questions(mine)),
        "rubric": RubricOfReview(mine.release.rubric.number, text.language, text.document),
        "draft": judgement.from_data(mine.draft),
        "submitted": reading.read_submitted(mine) if mine.submitted_at else None,
    }


def encode_plans(mine: Pairing, text: RubricText) -> tuple[msgspec.Raw, msgspec.Raw]:
    """Encode the new plan and the old one. Neither case nor text changes under its digest."""
    digests = (mine.case.digest, mine.old_case.digest, text.digest)
    return _encode_plans(mine.case_id, mine.old_case_id, digests, text, get_language())


@lru_cache(maxsize=256)
def _encode_plans(
    new: int, old: int, digests: tuple[str, ...], text: RubricText, language: str | None
) -> tuple[msgspec.Raw, msgspec.Raw]:
    # Read again: what is kept must not hold on to the whole cases.
    cases = Case.objects.in_bulk([new, old])
    return encode_plan(cases[new], text, language), encode_plan(cases[old], text, language)


def encode_plan(case: Case, text: RubricText, language: str | None) -> msgspec.Raw:
    itinerary = without_dates(case.itinerary)
    facts = list_facts(itinerary, text, language)
    shown = PlanShown(itinerary.locale or "", plan_for_reviewer(itinerary), facts)
    return msgspec.Raw(msgspec.json.encode(shown))
