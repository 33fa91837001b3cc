"""API calls for rubrics: every user reads them, admins publish them."""

from http import HTTPStatus
from typing import Any

from django.utils import timezone
from django.utils.translation import get_language, gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from cases import rubric
from cases.models import Rubric
from cases.rubric import Document, RubricError
from cases.rubrics.queries import find_version
from cases.rubrics.workflow import publish
from evalsite.api.errors import BadBody, Malformed
from evalsite.api.pagination import CursorPagination
from evalsite.api.parsers import MARKDOWN, TextParser
from evalsite.api.schema import refuses
from evalsite.api.serializers import StructField
from evalsite.api.viewsets import Call, ViewSet
from evalsite.errors import Problem, Refusal


class BadRubric(Refusal):
    """Lists every bad line of the document."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_rubric"


class RubricSerializer(serializers.Serializer[Rubric]):
    number = serializers.IntegerField()
    title = serializers.SerializerMethodField()
    languages = serializers.SerializerMethodField()
    digest = serializers.CharField()
    metrics = serializers.SerializerMethodField()
    published_at = serializers.DateTimeField()
    published_by = serializers.CharField(source="published_by.username", allow_null=True)

    def get_title(self, version: Rubric) -> str:
        return version.text_for(get_language()).document.title

    def get_languages(self, version: Rubric) -> list[str]:
        return list(version.texts())

    def get_metrics(self, version: Rubric) -> list[str]:
        return [metric.key for metric in version.document.metrics]


class RubricVersionSerializer(RubricSerializer):
    """`text` and `document` are in `language`: the reader's, if there is a translation."""

    language = serializers.CharField()
    text = serializers.CharField()
    document = StructField(Document)

    def to_representation(self, version: Rubric) -> dict[str, Any]:
        found = RubricSerializer().to_representation(version)
        text = version.text_for(get_language())
        return {**found, "language": text.language, "text": text.text, "document": text.document}


class MarkdownParser(TextParser):
    media_type = MARKDOWN
    largest = rubric.LARGEST


class RubricViewSet(ViewSet):
    queryset = Rubric.objects.select_related("published_by").prefetch_related("translations")
    serializer_class = RubricSerializer
    parser_classes = [MarkdownParser]
    pagination_class = CursorPagination
    ordering = ("-number",)
    lookup_field = "number"
    lookup_value_converter = "int"

    @extend_schema(operation_id="rubric_list")
    def list(self, request: Call) -> Response:
        """Rubric versions, the newest first."""
        return self.answer_with_page(self.get_queryset(), RubricSerializer)

    @extend_schema(operation_id="rubric_version", responses=RubricVersionSerializer)
    def retrieve(self, request: Call, number: int) -> Response:
        """One version: its text and the parsed document."""
        return Response(RubricVersionSerializer(find_version(number)).data)

    @extend_schema(
        operation_id="rubric_publish",
        request={MARKDOWN: {"type": "string"}},
        responses={200: RubricVersionSerializer, 201: RubricVersionSerializer},
    )
    @refuses(Malformed, BadBody, BadRubric)
    def create(self, request: Call) -> Response:
        """Publish a document as the next version.

        200: a version with this content already exists. 400 lists every bad line.
        """
        try:
            published = publish(text=request.data, user=request.user, now=timezone.now())
        except RubricError as error:
            problems = [
                Problem("", gettext(problem.message) % problem.params, problem.line)
                for problem in error.problems
            ]
            raise BadRubric(*problems) from error
        version = find_version(published.version.number)
        status = HTTPStatus.CREATED if published.is_new else HTTPStatus.OK
        return Response(RubricVersionSerializer(version).data, status=status)
