"""The sample: read it, draw it, and change it by hand."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases.models import Release
from cases.releases.policy import MOST_LOOKS
from cases.releases.queries import find_release
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    Serializer,
    TextField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.assignments.preview import list_shortfalls
from reviews.errors import REASON_LIMITS, NeedsReason, NoSuchCase, NotStarted, WrongStatus
from reviews.models import Draw, SampledCase
from reviews.models.samples import Origin
from reviews.sample import amendments, extension, workflow
from reviews.sample.reasons import explain_draw
from reviews.sample.rule import kind_texts

LONGEST_KEY = 210


class SampledSerializer(serializers.Serializer[Any]):
    """`kind` is empty if the case fills none. `place` is its place in the order of the draw.
    `is_outside`: chosen by hand after the start, outside the plan: read, but never counted."""

    case_key = serializers.CharField()
    kind = serializers.CharField()
    origin = serializers.CharField()
    is_outside = serializers.BooleanField()
    reason = serializers.CharField()
    place = serializers.IntegerField(allow_null=True)


class WithdrawnSerializer(serializers.Serializer[SampledCase]):
    case_key = serializers.CharField(source="case.case_key")
    cause = serializers.CharField()
    reason = serializers.CharField(source="withdrawal_reason")
    withdrawn_at = serializers.DateTimeField()


class SampleSerializer(serializers.Serializer[Any]):
    """`draw`, `size` and `pool_digest` describe the last draw; they are null before the first."""

    release = serializers.CharField()
    draw = serializers.IntegerField(allow_null=True)
    size = serializers.IntegerField(allow_null=True)
    pool_digest = serializers.CharField(allow_null=True)
    sample = SampledSerializer(many=True)
    withdrawn = WithdrawnSerializer(many=True)


class DrawSerializer(Serializer):
    """`size` defaults to the number of cases the rubric asks for."""

    size = WholeField(min_value=1, max_value=1_000_000, allow_null=True, default=None)


class SwapSerializer(Serializer):
    out = TextField(allow_blank=False, max_length=LONGEST_KEY)
    reason = CheckedLaterField(limits=REASON_LIMITS)

    def get_fields(self) -> dict[str, Any]:
        """Add `in`, which is a Python keyword and cannot be declared as an attribute."""
        fields = super().get_fields()
        into = TextField(allow_blank=False, max_length=LONGEST_KEY)
        return {"out": fields["out"], "in": into, "reason": fields["reason"]}


class WithdrawalSerializer(Serializer):
    case_key = TextField(allow_blank=False, max_length=LONGEST_KEY)
    reason = CheckedLaterField(limits=REASON_LIMITS)
    cause = ChoiceField(("broken", "wrong-data", "duplicate"), default="broken")


class ExtensionSerializer(Serializer):
    """`look` is the number of the planned look to go on to."""

    look = WholeField(min_value=2, max_value=MOST_LOOKS)


class NewCaseSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    kind = serializers.CharField()


class AssignedSerializer(serializers.Serializer[Any]):
    case_key = serializers.CharField()
    reviewer = serializers.CharField(source="username")


class UnassignedSerializer(serializers.Serializer[Any]):
    """`missing` counts the reviewers that these cases lack each; `reasons` are sentences."""

    case_keys = serializers.ListField(child=serializers.CharField())
    missing = serializers.IntegerField()
    reasons = serializers.ListField(child=serializers.CharField())


class ExtendedSerializer(serializers.Serializer[Any]):
    """`size` is that of the sample at this look, `cases` those that came in with it."""

    release = serializers.CharField()
    look = serializers.IntegerField()
    size = serializers.IntegerField()
    cases = NewCaseSerializer(many=True)
    assigned = AssignedSerializer(many=True)
    unassigned = UnassignedSerializer(many=True)


class SampleViewSet(ViewSet):
    lookup_field = "name"
    lookup_value_converter = "release"

    @extend_schema(operation_id="sample", responses=SampleSerializer)
    @action(detail=True, url_path="sample", url_name="sample")
    def sample(self, request: Call, name: str) -> Response:
        """The current sample, with the reason why each case is in it."""
        return Response(show_sample(find_release(name)))

    @extend_schema(operation_id="sample_draw", request=DrawSerializer, responses=SampleSerializer)
    @refuses(WrongStatus, workflow.CannotDraw)
    @action(detail=True, methods=["post"], url_path="sample/draw", url_name="sample-draw")
    def draw(self, request: Call, name: str) -> Response:
        """Draw by the sampling rule of the rubric.

        409 names the kinds that cannot be filled. Repeating the same draw creates no new one.
        """
        release = find_release(name)
        body = self.read_body(DrawSerializer)
        workflow.draw(release=release, size=body["size"], user=request.user, now=timezone.now())
        return Response(show_sample(release))

    @extend_schema(operation_id="sample_swap", request=SwapSerializer, responses=SampleSerializer)
    @refuses(
        WrongStatus,
        NeedsReason,
        NoSuchCase,
        amendments.AlreadySampled,
        amendments.NotEligible,
        amendments.HasReviews,
        amendments.PlanFixed,
    )
    @action(detail=True, methods=["post"], url_path="sample/swap", url_name="sample-swap")
    def swap(self, request: Call, name: str) -> Response:
        """Swap a case for another of your choice. The report shows the swap with its reason.

        Only before the start: afterwards the plan of looks is fixed.
        """
        release = find_release(name)
        body = self.read_body(SwapSerializer)
        amendments.swap(
            release=release,
            out=body["out"],
            into=body["in"],
            reason=body["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return Response(show_sample(release))

    @extend_schema(
        operation_id="sample_withdraw", request=WithdrawalSerializer, responses=SampleSerializer
    )
    @refuses(WrongStatus, NotStarted, NeedsReason, NoSuchCase)
    @action(detail=True, methods=["post"], url_path="sample/withdraw", url_name="sample-withdraw")
    def withdraw(self, request: Call, name: str) -> Response:
        """Withdraw a case that should never have been sampled; the next in line comes in.

        A case outside the plan is not replaced.
        """
        release = find_release(name)
        body = self.read_body(WithdrawalSerializer)
        amendments.withdraw(
            release=release,
            case_key=body["case_key"],
            cause=body["cause"],
            reason=body["reason"],
            user=request.user,
            now=timezone.now(),
        )
        return Response(show_sample(release))

    @extend_schema(
        operation_id="sample_extend", request=ExtensionSerializer, responses=ExtendedSerializer
    )
    @refuses(WrongStatus, NotStarted, extension.CannotExtend)
    @action(detail=True, methods=["post"], url_path="sample/extend", url_name="sample-extend")
    def extend(self, request: Call, name: str) -> Response:
        """Go on to a planned look: the next cases of the draw are sampled and assigned.

        Possible when every case of the plan has its reviews. Repeating it changes nothing.
        """
        release = find_release(name)
        body = self.read_body(ExtensionSerializer)
        now = timezone.now()
        taken = extension.extend(release=release, look=body["look"], user=request.user, now=now)
        today = timezone.localdate(now)
        return Response(
            ExtendedSerializer(
                {
                    "release": release.name,
                    "look": taken.look,
                    "size": taken.size,
                    "cases": [{"case_key": key, "kind": kind} for key, kind in taken.cases],
                    "assigned": taken.assigned,
                    "unassigned": list_shortfalls(taken.plan, due=release.due_date, today=today),
                }
            ).data
        )


def show_sample(release: Release) -> Any:
    last = Draw.objects.of(release).order_by("-number").first()
    texts = kind_texts(release)
    rows = list(release.sample.all().in_order().with_cases())
    return SampleSerializer(
        {
            "release": release.name,
            "draw": last.number if last else None,
            "size": last.size if last else None,
            "pool_digest": last.pool_digest if last else None,
            "sample": [
                {
                    "case_key": row.case.case_key,
                    "kind": row.kind,
                    "origin": row.origin,
                    "is_outside": row.is_outside,
                    "reason": explain_draw(last.order.at(row.place), texts)
                    if last and row.place and row.origin != Origin.HAND
                    else row.reason,
                    "place": row.place,
                }
                for row in rows
                if row.withdrawn_at is None
            ],
            "withdrawn": [row for row in rows if row.withdrawn_at is not None],
        }
    ).data
