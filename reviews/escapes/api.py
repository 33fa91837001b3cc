"""API of what got through: the escapes of products, and moving them."""

from typing import Any

from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from evalsite.api.filters import LONGEST, FilterBackend, FilterSet
from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    ListField,
    Serializer,
    TextField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.errors import REASON_LIMITS, NeedsReason
from reviews.escapes import workflow
from reviews.escapes.queries import select_escapes
from reviews.models import Escape
from reviews.models.escapes import LONGEST_RULE, About, EscapeState

LONGEST_PRODUCT = 200
LARGEST_KEY = 2**63 - 1


class EscapeFilterSet(FilterSet):
    product = filters.CharFilter(max_length=LONGEST, help_text="Only those of this product.")
    state = filters.ChoiceFilter(choices=EscapeState.choices, help_text="Only in this state.")
    about = filters.ChoiceFilter(choices=About.choices, help_text="Only about such things.")
    key = filters.CharFilter(
        max_length=LONGEST, help_text="Only about this question, metric or flag."
    )
    case_key = filters.CharFilter(max_length=LONGEST, help_text="Only of this case.")


class SightingSerializer(serializers.Serializer[Any]):
    """A closed release whose report has the finding; `code` is that of its case there."""

    release = serializers.CharField(source="closing.release.name")
    code = serializers.CharField(source="case.code")
    closed_at = serializers.DateTimeField(source="closing.closed_at")
    is_counted = serializers.BooleanField()


class EscapeSerializer(serializers.Serializer[Escape]):
    """A finding against a case of a product.

    `seen` has the releases with it, the oldest first. `came_back`: a later release has it although
    it was fixed or became a rule. `reason`, `by` and `moved_at` are those of the last move.
    """

    id = serializers.IntegerField(source="pk")
    product = serializers.CharField()
    about = serializers.CharField()
    key = serializers.CharField()
    case_key = serializers.CharField()
    state = serializers.CharField()
    rule = serializers.CharField()
    reason = serializers.CharField()
    by = serializers.CharField(source="event.by", default="")
    moved_at = serializers.DateTimeField(source="event.at", default=None, allow_null=True)
    came_back = serializers.BooleanField()
    seen = SightingSerializer(many=True)


class MoveEscapesSerializer(Serializer):
    """`escapes` are ids, all of one product; `rule` is the key of the rule that they became."""

    product = TextField(max_length=LONGEST_PRODUCT)
    escapes = ListField(
        child=WholeField(min_value=1, max_value=LARGEST_KEY), max_length=workflow.MOST_AT_ONCE
    )
    state = ChoiceField(tuple(EscapeState.values))
    reason = CheckedLaterField(limits=REASON_LIMITS)
    rule = TextField(max_length=LONGEST_RULE, default="")


class MovedSerializer(serializers.Serializer[Any]):
    moved = serializers.IntegerField()


class EscapeViewSet(ViewSet):
    queryset = Escape.objects.all()
    serializer_class = EscapeSerializer
    filter_backends = [FilterBackend]
    filterset_class = EscapeFilterSet
    pagination_class = CursorPagination
    ordering = ("id",)

    @extend_schema(operation_id="escape_list")
    def list(self, request: Call) -> Response:
        """List what reviewers found in cases that had passed the automated checks.

        Only what closed releases have now, over all products; a reopened release has none.
        """
        return self.answer_with_page(self.filter_queryset(select_escapes()), EscapeSerializer)

    @extend_schema(
        operation_id="escape_move",
        request=MoveEscapesSerializer,
        responses={200: MovedSerializer},
    )
    @refuses(NeedsReason, workflow.BadState, workflow.NoSuchEscape)
    @action(detail=False, methods=["post"])
    def move(self, request: Call) -> Response:
        """Move escapes of a product to a state, with one reason for all of them."""
        body = self.read_body(MoveEscapesSerializer)
        moved = workflow.move(**body, user=request.user, now=timezone.now())
        return Response(MovedSerializer({"moved": len(moved)}).data)
