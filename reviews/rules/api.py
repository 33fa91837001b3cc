"""API calls for the rules of a product: what is proposed, on trial and adopted."""

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases import rule as pure
from cases.facts import Topic
from cases.models import Rule, RuleState
from cases.rubrics.queries import find_version as find_rubric
from cases.rule.rule import LARGEST, LONGEST_TAG, MOST_TAGS
from cases.rules import workflow as rules_workflow
from cases.rules.queries import export_rules, find_version, require_product
from evalsite.api.filters import FilterBackend, FilterSet
from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    ChoiceField,
    ListField,
    NumberField,
    Serializer,
    TextField,
    TruthField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet
from reviews.backtest import Share
from reviews.rules import workflow
from reviews.rules.trial import Trial, load_trial

LONGEST_WORD = 200
LONGEST_REASON = 500
LARGEST_NUMBER = 2**31 - 1


class RuleFilterSet(FilterSet):
    state = filters.ChoiceFilter(choices=RuleState.choices, help_text="Only in this state.")


class LimitSerializer(serializers.Serializer[pure.Threshold]):
    param = serializers.CharField()
    at_least = serializers.FloatField(allow_null=True)
    at_most = serializers.FloatField(allow_null=True)


class RuleSerializer(serializers.Serializer[Rule]):
    """A version of a rule. `hits`: how many cases it hits; null while they are not counted."""

    product = serializers.CharField()
    key = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.CharField()
    topic = serializers.CharField(source="parsed.topic")
    fact = serializers.CharField(source="parsed.fact")
    thresholds = LimitSerializer(source="parsed.thresholds", many=True)
    tags = serializers.ListField(source="parsed.tags", child=serializers.CharField())
    question = serializers.CharField(source="parsed.question")
    rubric = serializers.IntegerField(source="rubric.number")
    reason = serializers.CharField()
    proposed_at = serializers.DateTimeField()
    by = serializers.CharField()
    digest = serializers.CharField()
    hits = serializers.SerializerMethodField()

    def get_hits(self, version: Any) -> int | None:
        return version.cases_hit if version.counted_at else None


class ShareSerializer(serializers.Serializer[Share]):
    """`low` and `high`: Wilson's 95 % interval."""

    count = serializers.IntegerField()
    total = serializers.IntegerField()
    low = serializers.FloatField(source="interval.low")
    high = serializers.FloatField(source="interval.high")


class FlaggedSerializer(serializers.Serializer[Any]):
    release = serializers.CharField(source="release.name")
    passed = serializers.IntegerField()
    flagged = serializers.IntegerField()


class KindLeftSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField(source="kind.key")
    now = serializers.IntegerField()
    left = serializers.IntegerField()
    is_lost = serializers.BooleanField()


class TrialSerializer(serializers.Serializer[Trial]):
    """The back-test: noes to the rule's own question, by case, with the fact and without.

    It cannot know recall, because only passed cases are read, and readers were not drawn at random
    from the pool. `others_with` and `others_without` are the shares of noes to all other questions.
    """

    advice = serializers.CharField(source="test.advice")
    with_fact = ShareSerializer(source="test.with_fact")
    without_fact = ShareSerializer(source="test.without_fact")
    others_with = serializers.FloatField(source="test.others_with", allow_null=True)
    others_without = serializers.FloatField(source="test.others_without", allow_null=True)
    p_value = serializers.FloatField(source="test.p_value")
    p_value_alike = serializers.FloatField(source="test.p_value_alike")
    closed = serializers.ListField(child=serializers.CharField())
    flagged = FlaggedSerializer(many=True)
    pool = serializers.CharField(source="pool.name", default=None, allow_null=True)
    kinds = KindLeftSerializer(many=True)


class RuleOnTrialSerializer(RuleSerializer):
    trial = TrialSerializer()


class ThresholdSerializer(Serializer):
    param = TextField(max_length=LONGEST_WORD)
    at_least = NumberField(default=None, allow_null=True, min_value=-LARGEST, max_value=LARGEST)
    at_most = NumberField(default=None, allow_null=True, min_value=-LARGEST, max_value=LARGEST)


class ProposeSerializer(Serializer):
    """`rubric` is the number of the version with the question; `key` names the rule of which this
    becomes the next version."""

    topic = ChoiceField([topic.value for topic in Topic])
    fact = TextField(max_length=LONGEST_WORD)
    question = TextField(max_length=LONGEST_WORD)
    rubric = WholeField(min_value=1, max_value=LARGEST_NUMBER)
    thresholds = ListField(child=ThresholdSerializer(), default=[], max_length=20)
    tags = ListField(child=TextField(max_length=LONGEST_TAG), default=[], max_length=MOST_TAGS)
    key = TextField(max_length=LONGEST_WORD, default="")
    reason = TextField(max_length=LONGEST_REASON, default="")


class ChooseVersionSerializer(Serializer):
    """`version`: the newest, if left out."""

    version = WholeField(min_value=1, max_value=LARGEST_NUMBER, default=None, allow_null=True)


class AdoptSerializer(ChooseVersionSerializer):
    """`confirm`: adopt it even if it leaves kinds of the sampling rule without candidates."""

    confirm = TruthField(default=False)


class RuleViewSet(ViewSet):
    queryset = Rule.objects.select_related("rubric")
    serializer_class = RuleSerializer
    filter_backends = [FilterBackend]
    filterset_class = RuleFilterSet
    pagination_class = CursorPagination
    ordering = ("id",)
    lookup_field = "key"
    lookup_value_converter = "rule"

    @extend_schema(operation_id="rule_list")
    def list(self, request: Call, product: str) -> Response:
        """All versions of the rules of a product."""
        rules = Rule.objects.of(require_product(product)).with_hits().select_related("rubric")
        return self.answer_with_page(self.filter_queryset(rules), RuleSerializer)

    @extend_schema(operation_id="rule_one", responses=RuleOnTrialSerializer)
    def retrieve(self, request: Call, product: str, key: str) -> Response:
        """The newest version of a rule, with its back-test and what it would do to the sample."""
        version = find_version(require_product(product), key)
        trial = TrialSerializer(load_trial(version)).data
        return Response({**RuleSerializer(version).data, "trial": trial})

    @extend_schema(
        operation_id="rule_propose",
        request=ProposeSerializer,
        responses={200: RuleSerializer, 201: RuleSerializer},
    )
    @refuses(rules_workflow.BadRule, rules_workflow.RuleOnTrial)
    def create(self, request: Call, product: str) -> Response:
        """Propose a rule, and count its hits. 200: there is such a rule already."""
        product = require_product(product)
        body = self.read_body(ProposeSerializer)
        proposed = rules_workflow.propose(
            product=product,
            definition=pure.Definition(
                topic=Topic(body["topic"]),
                fact=body["fact"],
                question=body["question"],
                thresholds=tuple(pure.Threshold(**limit) for limit in body["thresholds"]),
                tags=tuple(body["tags"]),
            ),
            rubric=find_rubric(body["rubric"]),
            key=body["key"],
            reason=body["reason"],
            user=request.user,
            now=timezone.now(),
        )
        status = HTTPStatus.CREATED if proposed.is_new else HTTPStatus.OK
        return self.answer_with_version(proposed.rule, status)

    @extend_schema(
        operation_id="rule_watch", request=ChooseVersionSerializer, responses=RuleSerializer
    )
    @refuses(rules_workflow.CannotMove)
    @action(detail=True, methods=["post"])
    def shadow(self, request: Call, product: str, key: str) -> Response:
        """Watch a proposed rule: its hits are counted, and it blocks nothing."""
        return self.move(product, key, RuleState.SHADOW)

    @extend_schema(operation_id="rule_adopt", request=AdoptSerializer, responses=RuleSerializer)
    @refuses(rules_workflow.CannotMove, workflow.LeavesKindsEmpty)
    @action(detail=True, methods=["post"])
    def adopt(self, request: Call, product: str, key: str) -> Response:
        """Adopt a version, and retire the one that was adopted before."""
        product = require_product(product)
        body = self.read_body(AdoptSerializer)
        version = find_version(product, key, version=body["version"])
        adopted = workflow.adopt(
            version=version, confirm=body["confirm"], user=request.user, now=timezone.now()
        )
        return self.answer_with_version(adopted)

    @extend_schema(
        operation_id="rule_retire", request=ChooseVersionSerializer, responses=RuleSerializer
    )
    @refuses(rules_workflow.CannotMove)
    @action(detail=True, methods=["post"])
    def retire(self, request: Call, product: str, key: str) -> Response:
        """Retire a version: its hits are no longer counted, and it leaves `rules.json`."""
        return self.move(product, key, RuleState.RETIRED)

    @extend_schema(operation_id="rule_export", responses={200: OpenApiTypes.OBJECT})
    @action(detail=False)
    def export(self, request: Call, product: str) -> HttpResponse:
        """`rules.json`: the adopted rules, for `spotcheck_ci.py check`."""
        document = export_rules(require_product(product))
        return HttpResponse(document, content_type="application/json")

    def move(self, product: str, key: str, to: RuleState) -> Response:
        product = require_product(product)
        body = self.read_body(ChooseVersionSerializer)
        version = find_version(product, key, version=body["version"])
        moved = rules_workflow.move(
            version=version, to=to, user=self.request.user, now=timezone.now()
        )
        return self.answer_with_version(moved)

    def answer_with_version(self, version: Rule, status: int = HTTPStatus.OK) -> Response:
        found = find_version(version.product, version.key, version=version.version)
        return Response(RuleSerializer(found).data, status=status)
