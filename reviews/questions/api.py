"""API of questions about the rubric and of the rulings that answer them."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import CheckedLaterField, Serializer, TruthField, WholeField
from evalsite.api.viewsets import Call, ViewSet
from reviews.models import Question, Ruling
from reviews.models.questions import LONGEST_TEXT
from reviews.questions import workflow

TEXT_LIMITS = {"minLength": 1, "maxLength": LONGEST_TEXT}


class QuestionRulingSerializer(serializers.Serializer[Ruling]):
    """A ruling. The last one of a question is in force; each supersedes the one before it."""

    number = serializers.IntegerField()
    text = serializers.CharField()
    by = serializers.CharField()
    given_at = serializers.DateTimeField()
    look_again = serializers.BooleanField()


class AskedQuestionSerializer(serializers.Serializer[Question]):
    """`subject` is a checklist item (`metric.2`) or a level (`metric:4`)."""

    id = serializers.IntegerField()
    release = serializers.CharField(source="release.name")
    case_key = serializers.CharField(source="case.case_key")
    subject = serializers.CharField()
    text = serializers.CharField()
    asked_by = serializers.CharField(source="asked_by.username")
    asked_at = serializers.DateTimeField()
    rulings = serializers.SerializerMethodField()

    @extend_schema_field(QuestionRulingSerializer(many=True))
    def get_rulings(self, question: Question) -> Any:
        given = sorted(question.rulings.all(), key=lambda ruling: ruling.number)
        return [QuestionRulingSerializer(ruling).data for ruling in given]


class QuestionAnswerSerializer(Serializer):
    """`supersedes` is the number of the ruling in force; null: the question has none."""

    text = CheckedLaterField(limits=TEXT_LIMITS)
    look_again = TruthField(default=False)
    supersedes = WholeField(
        allow_null=True, default=None, min_value=1, max_value=32_000, help_text="From 1 on."
    )


QUESTIONS = (
    Question.objects.select_related("release", "case", "asked_by")
    .defer("case__data")
    .prefetch_related("rulings")
)


class QuestionViewSet(ViewSet):
    queryset = QUESTIONS
    serializer_class = AskedQuestionSerializer
    pagination_class = CursorPagination
    ordering = ("asked_at", "id")
    lookup_field = "pk"
    lookup_value_converter = "int"

    @extend_schema(operation_id="question_list")
    def list(self, request: Call) -> Response:
        """Questions about the rubric with their rulings, the oldest first."""
        return self.answer_with_page(QUESTIONS.all(), AskedQuestionSerializer)

    @extend_schema(
        operation_id="question_answer",
        request=QuestionAnswerSerializer,
        responses=AskedQuestionSerializer,
    )
    @refuses(
        workflow.NeedsWords,
        workflow.NamesTheCase,
        workflow.Answered,
        workflow.NoSuchRuling,
        workflow.Superseded,
        workflow.SaysTheSame,
    )
    @action(detail=True, methods=["post"])
    def answer(self, request: Call, pk: int) -> Response:
        """Answer a question for all reviewers, or supersede the ruling in force.

        The same body again changes nothing. A ruling is never changed: one that is superseded is
        still shown. `look_again` asks reviewers to look at reviews that they can still revise.
        """
        if not Question.objects.filter(pk=pk).exists():
            raise Http404
        body = self.read_body(QuestionAnswerSerializer)
        workflow.answer(question=pk, user=request.user, now=timezone.now(), **body)
        return Response(AskedQuestionSerializer(QUESTIONS.get(pk=pk)).data)
