"""API of the disagreements of a release and their agreed scores."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from cases.releases.queries import find_release
from evalsite.api.pagination import RowPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    DictField,
    ListField,
    Serializer,
    TextField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.adjudication import workflow
from reviews.adjudication.disagreements import digest_basis
from reviews.adjudication.queries import DisagreementRow, load_unsettled, sort_key
from reviews.adjudication.visibility import LOOKING, look
from reviews.errors import REASON_LIMITS, NeedsReason
from reviews.models import Adjudication


class AdjudicationSerializer(serializers.Serializer[Adjudication]):
    """The agreed scores of a case. `together`: its own reviewers, if they settled it."""

    agreed = serializers.DictField(child=serializers.IntegerField())
    cause = serializers.CharField()
    note = serializers.CharField()
    by = serializers.CharField()
    adjudicated_at = serializers.DateTimeField()
    together = serializers.ListField(child=serializers.CharField())


class DifferenceSerializer(serializers.Serializer[Any]):
    metric = serializers.CharField(source="metric.key")
    low = serializers.IntegerField()
    high = serializers.IntegerField()


class DisagreementSerializer(serializers.Serializer[DisagreementRow]):
    """`state`: waiting, stale (open again), waived or settled.

    `seen` names the reviews as they are now. `is_own`: the caller reviewed the case, so someone
    else has to settle it. `adjudicators` could: they did not review it. If there are none,
    `reviewers` may settle it together once `obstacles` is empty.
    """

    case_key = serializers.CharField(source="case.case_key")
    state = serializers.CharField(source="status.state")
    differences = DifferenceSerializer(many=True)
    seen = serializers.SerializerMethodField()
    is_own = serializers.BooleanField()
    adjudicators = serializers.ListField(child=serializers.CharField(), source="settlers.outsiders")
    reviewers = serializers.ListField(child=serializers.CharField(), source="settlers.participants")
    obstacles = serializers.ListField(child=serializers.CharField(), source="settlers.obstacles")
    adjudication = AdjudicationSerializer(source="status.adjudication", allow_null=True)

    def get_seen(self, row: DisagreementRow) -> str:
        return digest_basis(row.status.disagreement.basis)


class AgreementSerializer(Serializer):
    """A whole level for each listed metric. `seen`: refused if a review changed since.

    `together`: the user names of all reviewers of the case, if they agreed in one sitting. Only
    where everyone who could adjudicate reviewed it; the caller is one of them.
    """

    case_key = TextField(allow_blank=False, max_length=210)
    agreed = DictField(child=WholeField())
    cause = ChoiceField(("rubric-gap", "missed-evidence", "taste", "unclear-case"))
    note = CheckedLaterField(limits=REASON_LIMITS)
    seen = TextField(max_length=64, allow_null=True, default=None)
    together = ListField(child=TextField(max_length=150), max_length=100, default=list)


class AdjudicationViewSet(ViewSet):
    serializer_class = DisagreementSerializer
    pagination_class = RowPagination
    place = staticmethod(sort_key)
    place_types = tuple[int, int, str]

    @extend_schema(operation_id="adjudication_list")
    @refuses(*LOOKING)
    def list(self, request: Call, name: str) -> Response:
        """List the cases whose reviews differ so much that someone has to settle them.

        Unsettled cases come first, then the largest difference. The first call is recorded as an
        event: from then on the caller can neither revise nor be assigned in the release.
        """
        release = find_release(name)
        look(release=release, user=request.user, now=timezone.now())
        rows = load_unsettled(release, release.rubric.document, request.user).rows
        return self.answer_with_page(rows, DisagreementSerializer)

    @extend_schema(
        operation_id="adjudicate",
        request=AgreementSerializer,
        responses={200: AdjudicationSerializer},
    )
    @refuses(
        *LOOKING,
        NeedsReason,
        workflow.BadAgreement,
        workflow.OwnReview,
        workflow.NotTogether,
        workflow.BadParticipants,
        workflow.SettledAlready,
        workflow.NotListed,
        workflow.NotAllIn,
        workflow.ReviewsChanged,
    )
    def create(self, request: Call, name: str) -> Response:
        """Store the agreed scores of a case that the caller did not review.

        With `together`, of a case that its reviewers settled themselves. Each of them counts as
        having seen others' scores: they can neither revise nor be assigned in the release.
        """
        release = find_release(name)
        body = self.read_body(AgreementSerializer)
        now = timezone.now()
        look(release=release, user=request.user, now=now)
        adjudication = workflow.adjudicate(release=release, user=request.user, now=now, **body)
        return Response(AdjudicationSerializer(adjudication).data)
