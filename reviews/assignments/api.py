"""API calls on assignments: list, plan, move, withdraw, give back, remind. None shows a score."""

from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.api.filters import LONGEST, FilterBackend, FilterSet
from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ListField,
    Serializer,
    TextField,
    TruthField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.assignments import workflow
from reviews.assignments.reminder import AlreadyReminded, Reminded, remind
from reviews.errors import REASON_LIMITS, Missing, NeedsReason, NoSuchCase, NotStarted, WrongStatus
from reviews.models import Review
from reviews.models.reviews import ReviewStatus
from reviews.questions.workflow import NamesTheCase

LONGEST_KEY = 210
LONGEST_NAME = 150


class AssignmentFilterSet(FilterSet):
    status = filters.ChoiceFilter(
        choices=ReviewStatus.choices, help_text="Only reviews in this status."
    )
    reviewer = filters.CharFilter(
        field_name="reviewer__username",
        max_length=LONGEST,
        help_text="Only those of this person.",
    )


class AssignmentSerializer(serializers.Serializer[Review]):
    """One assignment. The serializer context must hold its `release`."""

    case_key = serializers.CharField(source="case.case_key")
    reviewer = serializers.CharField(source="reviewer.username")
    status = serializers.CharField()
    assigned_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    is_late = serializers.SerializerMethodField()
    declined_for = serializers.CharField()
    decline_reason = serializers.CharField()

    def get_is_late(self, review: Review) -> bool:
        review.release = self.context["release"]
        return review.is_late(timezone.localdate())


class AssignmentPlanSerializer(Serializer):
    """`reviewers` defaults to every active reviewer, `per_case` to the number of the release."""

    reviewers = ListField(
        child=TextField(allow_blank=False, max_length=LONGEST_NAME),
        max_length=1000,
        allow_null=True,
        default=None,
    )
    per_case = WholeField(allow_null=True, default=None, help_text="From 1 to 20.")
    dry_run = TruthField(default=False)


class NewAssignmentSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    reviewer = serializers.CharField(source="username")


class LackingSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    missing = serializers.IntegerField()


class PlannedSerializer(serializers.Serializer[Any]):
    """`is_written` is false for a dry run."""

    assignments = NewAssignmentSerializer(many=True)
    missing = LackingSerializer(many=True)
    is_written = serializers.BooleanField()


class MoveSerializer(Serializer):
    case_key = TextField(allow_blank=False, max_length=LONGEST_KEY)
    to = TextField(allow_blank=False, max_length=LONGEST_NAME)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a Python keyword and cannot be declared as an attribute."""
        giver = TextField(allow_blank=False, max_length=LONGEST_NAME)
        fields = super().get_fields()
        return {"case_key": fields["case_key"], "from": giver, "to": fields["to"]}


class TakeBackSerializer(Serializer):
    case_key = TextField(allow_blank=False, max_length=LONGEST_KEY)
    reviewer = TextField(allow_blank=False, max_length=LONGEST_NAME)
    reason = CheckedLaterField(limits=REASON_LIMITS)


class RemindSerializer(Serializer):
    reviewer = TextField(allow_blank=False, max_length=LONGEST_NAME)


class ReminderSerializer(serializers.Serializer[Reminded]):
    """The reminder of today. `text` is in the language of the person; `mailed` is yes, no (send the
    text yourself) or failed."""

    reviewer = serializers.CharField(source="reminder.reviewer.username")
    by = serializers.CharField(source="reminder.by")
    sent_at = serializers.DateTimeField(source="reminder.sent_at")
    mailed = serializers.CharField()
    text = serializers.CharField()


class GiveBackSerializer(Serializer):
    """`answer` is what the reviewer reads; it names neither the case nor the release."""

    case_key = TextField(allow_blank=False, max_length=LONGEST_KEY)
    reviewer = TextField(allow_blank=False, max_length=LONGEST_NAME)
    answer = CheckedLaterField(limits=REASON_LIMITS)


REVIEWS = Review.objects.select_related("case__sampled", "reviewer").defer(
    "case__data", "draft", "comment", "asked"
)


class AssignmentViewSet(ViewSet):
    queryset = REVIEWS
    serializer_class = AssignmentSerializer
    filter_backends = [FilterBackend]
    filterset_class = AssignmentFilterSet
    pagination_class = CursorPagination
    ordering = ("id",)

    @extend_schema(operation_id="assignment_list")
    def list(self, request: Call, name: str) -> Response:
        """List who has which case, with the status of each review."""
        release = find_release(name)
        rows = self.filter_queryset(REVIEWS.of(release))
        return self.answer_with_page(rows, AssignmentSerializer, release=release)

    @extend_schema(
        operation_id="assignment_plan",
        request=AssignmentPlanSerializer,
        responses={200: PlannedSerializer},
    )
    @refuses(WrongStatus, NotStarted, workflow.NotAReviewer, workflow.BadPerCase)
    def create(self, request: Call, name: str) -> Response:
        """Plan who reviews what, and assign it. Existing assignments do not change."""
        release = find_release(name)
        body = self.read_body(AssignmentPlanSerializer)
        wanted: dict[str, Any] = {
            "release": release,
            "usernames": body["reviewers"],
            "per_case": body["per_case"],
            "now": timezone.now(),
        }
        if body["dry_run"]:
            plan = workflow.preview_plan(**wanted)
        else:
            plan = workflow.assign_by_plan(**wanted, user=request.user)
        planned = {
            "assignments": plan.assignments,
            "missing": plan.shortfalls,
            "is_written": not body["dry_run"],
        }
        return Response(PlannedSerializer(planned).data)

    @extend_schema(
        operation_id="assignment_move", request=MoveSerializer, responses=AssignmentSerializer
    )
    @refuses(
        WrongStatus,
        NotStarted,
        NoSuchCase,
        workflow.NotAReviewer,
        workflow.OnTheCase,
        workflow.NothingOpen,
        workflow.MadeTheCase,
        workflow.SeenScores,
        workflow.ReadsPairs,
    )
    @action(detail=False, methods=["post"])
    def move(self, request: Call, name: str) -> Response:
        """Move a case from one person to another."""
        release = find_release(name)
        body = self.read_body(MoveSerializer)
        review = workflow.move(
            release=release,
            case_key=body["case_key"],
            giver=find_person("from", body["from"]),
            taker=find_person("to", body["to"]),
            user=request.user,
            now=timezone.now(),
        )
        return Response(AssignmentSerializer(review, context={"release": release}).data)

    @extend_schema(
        operation_id="assignment_withdraw",
        request=TakeBackSerializer,
        responses=AssignmentSerializer,
    )
    @refuses(
        WrongStatus,
        NotStarted,
        NeedsReason,
        NoSuchCase,
        workflow.NotAReviewer,
        workflow.NothingOpen,
    )
    @action(detail=False, methods=["post"])
    def withdraw(self, request: Call, name: str) -> Response:
        """Take an unsubmitted review back. Its draft is kept but does not count."""
        release = find_release(name)
        body = self.read_body(TakeBackSerializer)
        reviewer = find_person("reviewer", body["reviewer"])
        workflow.withdraw(
            release=release,
            case_key=body["case_key"],
            reviewer=reviewer,
            reason=body["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return answer_with(release, body["case_key"], reviewer)

    @extend_schema(
        operation_id="assignment_give_back",
        request=GiveBackSerializer,
        responses=AssignmentSerializer,
    )
    @refuses(
        WrongStatus,
        NotStarted,
        NeedsReason,
        NoSuchCase,
        workflow.NotAReviewer,
        workflow.NotDeclined,
        workflow.MadeTheCase,
        workflow.SeenScores,
        workflow.ReadsPairs,
        NamesTheCase,
    )
    @action(detail=False, methods=["post"], url_path="give-back")
    def give_back(self, request: Call, name: str) -> Response:
        """Give a declined case back to its reviewer, with an answer and their draft."""
        release = find_release(name)
        body = self.read_body(GiveBackSerializer)
        reviewer = find_person("reviewer", body["reviewer"])
        workflow.give_back(
            release=release,
            case_key=body["case_key"],
            reviewer=reviewer,
            answer=body["answer"],
            user=request.user,
            now=timezone.now(),
        )
        return answer_with(release, body["case_key"], reviewer)

    @extend_schema(
        operation_id="assignment_remind", request=RemindSerializer, responses=ReminderSerializer
    )
    @refuses(WrongStatus, NotStarted, workflow.NotAReviewer, workflow.NothingOpen, AlreadyReminded)
    @action(detail=False, methods=["post"])
    def remind(self, request: Call, name: str) -> Response:
        """Remind a reviewer of open reviews, by mail if it is configured. Once a day per person."""
        reminded = remind(
            release=find_release(name),
            username=self.read_body(RemindSerializer)["reviewer"],
            link=request.build_absolute_uri(reverse("my-reviews")),
            user=request.user,
            now=timezone.now(),
        )
        return Response(ReminderSerializer(reminded).data)


def answer_with(release: Release, case_key: str, reviewer: User) -> Response:
    review = REVIEWS.of(release).by(reviewer).get(case__case_key=case_key.strip())
    return Response(AssignmentSerializer(review, context={"release": release}).data)


def find_person(path: str, username: str) -> User:
    found = User.objects.filter(username=username).first()
    if found is None:
        sentence = gettext("%(person)s is not an active reviewer.") % {"person": username}
        raise workflow.NotAReviewer(Missing(path, sentence))
    return found
