"""API calls that start, close, reopen, waive and sign."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases.releases.queries import find_release
from cases.releases.serializers import ReleaseSerializer
from evalsite.api.parsers import JSON
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    ListField,
    Serializer,
    TextField,
    TruthField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.adjudication.visibility import StillJudging
from reviews.errors import REASON_LIMITS, NeedsReason, NotClosed, NotStarted, WrongStatus
from reviews.models import Closing, Decision, Waiver
from reviews.releases import lifecycle, waivers
from reviews.releases.decision import CannotSign, sign

LONGEST_RULE = 200
LONGEST_DIGEST = 64
LONGEST_KEY = 210


class NothingSerializer(Serializer):
    """An empty body."""


NOTHING = {JSON: {"type": "object", "properties": {}, "additionalProperties": False}}


class ReasonSerializer(Serializer):
    reason = CheckedLaterField(limits=REASON_LIMITS)


class CloseSerializer(Serializer):
    """`waive` lists rules to waive first, for one reason. `abandon` ends it without a verdict."""

    waive = ListField(child=TextField(max_length=LONGEST_RULE), max_length=1000, default=list)
    abandon = TruthField(default=False)
    reason = TextField(default="")


class ClosingSerializer(serializers.Serializer[Closing]):
    """`digest` is that of the stored report; a decision refers to it."""

    release = serializers.CharField(source="release.name")
    status = serializers.CharField(source="release.status")
    closing = serializers.IntegerField(source="number")
    digest = serializers.CharField()
    closed_at = serializers.DateTimeField()
    is_abandoned = serializers.BooleanField()


class WaiveSerializer(Serializer):
    """`rule`: kind:KEY, cases, reviews or adjudications."""

    rule = TextField(max_length=LONGEST_RULE)
    reason = CheckedLaterField(limits=REASON_LIMITS)
    cases = ListField(
        child=TextField(allow_blank=False, max_length=LONGEST_KEY),
        allow_null=True,
        allow_empty=False,
        max_length=waivers.MOST_CHOSEN,
        default=None,
        help_text="For reviews and adjudications: only these case keys.",
    )


class WaiverSerializer(serializers.Serializer[Waiver]):
    rule = serializers.CharField()
    covers = serializers.DictField()
    reason = serializers.CharField()
    by = serializers.CharField()
    waived_at = serializers.DateTimeField()


class DecideSerializer(Serializer):
    """`digest` names the report that was read; it defaults to the current one."""

    decision = ChoiceField(("ship", "do-not-ship"))
    reason = CheckedLaterField(limits=REASON_LIMITS)
    digest = TextField(max_length=LONGEST_DIGEST, allow_null=True, default=None)


class DecisionSerializer(serializers.Serializer[Decision]):
    decision = serializers.CharField()
    reason = serializers.CharField()
    by = serializers.CharField()
    decided_at = serializers.DateTimeField()
    digest = serializers.CharField(source="closing.digest")
    is_against_the_verdict = serializers.BooleanField(source="is_against")


class LifecycleViewSet(ViewSet):
    lookup_field = "name"
    lookup_value_converter = "release"

    @extend_schema(operation_id="release_start", request=NOTHING, responses=ReleaseSerializer)
    @refuses(WrongStatus, lifecycle.CannotStart)
    @action(detail=True, methods=["post"])
    def start(self, request: Call, name: str) -> Response:
        """Start the review: from here on cases, tags, rubric and policy are frozen."""
        release = find_release(name)
        self.read_body(NothingSerializer)
        started = lifecycle.start(release=release, user=request.user, now=timezone.now())
        return Response(ReleaseSerializer(started).data)

    @extend_schema(
        operation_id="release_close", request=CloseSerializer, responses=ClosingSerializer
    )
    @refuses(WrongStatus, NotStarted, NeedsReason, StillJudging, lifecycle.CannotClose)
    @action(detail=True, methods=["post"])
    def close(self, request: Call, name: str) -> Response:
        """Close the release and store its report, or abandon it.

        409 lists everything that is still missing, with the rule that can be waived.
        """
        release = find_release(name)
        body = self.read_body(CloseSerializer)
        act: dict[str, Any] = {
            "release": release,
            "reason": body["reason"],
            "user": request.user,
            "now": timezone.now(),
        }
        if body["abandon"]:
            closing = lifecycle.abandon(**act)
        else:
            closing = lifecycle.close(**act, waived=body["waive"])
        return Response(ClosingSerializer(closing).data)

    @extend_schema(
        operation_id="release_reopen", request=ReasonSerializer, responses=ReleaseSerializer
    )
    @refuses(NotClosed, NeedsReason)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Call, name: str) -> Response:
        """Reopen a closed release: its report is kept, its decision becomes void."""
        release = find_release(name)
        body = self.read_body(ReasonSerializer)
        opened = lifecycle.reopen(
            release=release, reason=body["reason"], user=request.user, now=timezone.now()
        )
        return Response(ReleaseSerializer(opened).data)

    @extend_schema(
        operation_id="release_waive", request=WaiveSerializer, responses=WaiverSerializer
    )
    @refuses(
        WrongStatus,
        NeedsReason,
        StillJudging,
        waivers.NoSuchRule,
        waivers.NotByCase,
        waivers.NothingToWaive,
    )
    @action(detail=True, methods=["post"])
    def waive(self, request: Call, name: str) -> Response:
        """Waive a rule with a reason. The waiver covers only what is missing now.

        With `cases` it covers these and what an earlier waiver covers.
        """
        release = find_release(name)
        body = self.read_body(WaiveSerializer)
        waiver = waivers.waive(release=release, user=request.user, now=timezone.now(), **body)
        return Response(WaiverSerializer(waiver).data)

    @extend_schema(
        operation_id="release_decide", request=DecideSerializer, responses=DecisionSerializer
    )
    @refuses(NotClosed, NeedsReason, CannotSign)
    @action(detail=True, methods=["post"])
    def decision(self, request: Call, name: str) -> Response:
        """Sign the stored report of a closed release."""
        release = find_release(name)
        body = self.read_body(DecideSerializer)
        if body["digest"] is None:
            present = release.closings.standing().values_list("digest", flat=True)
            body["digest"] = present.first() or ""
        signed = sign(release=release, user=request.user, now=timezone.now(), **body)
        return Response(DecisionSerializer(signed).data)
