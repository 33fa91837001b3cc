"""The API of results: summary, verdict, comparison and files, each with an ETag for polling."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.response import Response

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.api.filters import LONGEST
from evalsite.api.parsers import JSON, MARKDOWN, NDJSON
from evalsite.api.schema import StructSchema, header, refuses
from evalsite.api.serializers import ChoiceField, Serializer, SwitchField, TextField
from evalsite.api.viewsets import Call, ViewSet
from evalsite.errors import Refusal
from reviews.adjudication.visibility import LOOKING, look
from reviews.errors import NotClosed, NotStarted, require_closed
from reviews.export.files import BUNDLE, TABLES, WORKBOOK, File
from reviews.export.tools import TOOLS
from reviews.regressions.files import FILES
from reviews.releases.gate import build_document, load_outcome
from reviews.releases.queries import list_comparable
from reviews.releases.verdict_markdown import format_verdict
from reviews.report import summary
from reviews.report.sentences import names_for, translate_reason
from reviews.report.summary.cache import name_version
from reviews.report.summary.figures import Comparison


class NotComparable(Refusal):
    code = "not_comparable"


class CriterionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    value = serializers.JSONField()
    limit = serializers.JSONField()
    passed = serializers.BooleanField(allow_null=True)
    reason = serializers.CharField()
    cases = serializers.ListField(child=serializers.CharField())
    leads_to = serializers.CharField(allow_null=True)
    would_change = serializers.CharField(allow_null=True)


class FindingSerializer(serializers.Serializer[Any]):
    """A low score, or a question that most reviewers answered with "no", without a `standing`.

    `reason` quotes a reviewer.
    """

    case_key = serializers.CharField()
    subject = serializers.CharField()
    text = serializers.CharField()
    standing = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    case_url = serializers.CharField()


class ActSerializer(serializers.Serializer[Any]):
    """An act that is possible now, and the chance of each word after it.

    `act` is "adjudicate", "next-look" or "review-again"; `size` is the number of cases of the look,
    or of reviews of each case.
    """

    act = serializers.CharField()
    cases = serializers.ListField(child=serializers.CharField())
    size = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    chances = serializers.DictField(child=serializers.FloatField())


class ConditionSerializer(serializers.Serializer[Any]):
    """What qualifies the word; there are at most three, the weightiest first."""

    code = serializers.CharField()
    text = serializers.CharField()


class VerdictSerializer(serializers.Serializer[Any]):
    """`final` is what counts: the signed decision, else the verdict of a closed release.

    An abandoned release has no verdict, and no criteria. Between looks there is no verdict either;
    `look` is the number of the look that is reached or comes next, `looks` the planned sizes.
    """

    release = serializers.CharField()
    verdict = serializers.CharField(allow_null=True)
    sentence = serializers.CharField()
    decision = serializers.CharField(allow_null=True)
    is_against_the_verdict = serializers.BooleanField()
    final = serializers.CharField()
    status = serializers.CharField()
    is_abandoned = serializers.BooleanField()
    provisional = serializers.BooleanField()
    submitted = serializers.IntegerField()
    expected = serializers.IntegerField()
    due_date = serializers.DateField(allow_null=True)
    report_url = serializers.CharField()
    digest = serializers.CharField(allow_null=True)
    rules = serializers.IntegerField()
    look = serializers.IntegerField(allow_null=True)
    looks = serializers.ListField(child=serializers.IntegerField())
    conditions = ConditionSerializer(many=True)
    would_help = ActSerializer(many=True)
    criteria = CriterionSerializer(many=True)
    findings = FindingSerializer(many=True)


class SummarySchema(StructSchema):  # type: ignore[no-untyped-call]
    target_class = "reviews.report.summary.document.Summary"
    prefix = "Summary"


class ComparisonSchema(StructSchema):  # type: ignore[no-untyped-call]
    target_class = "reviews.report.summary.figures.Comparison"
    prefix = "Comparison"


class CompareQuerySerializer(Serializer):
    across = SwitchField(required=False, help_text="Compare across rubric versions.")

    def get_fields(self) -> dict[str, Any]:
        """Add the parameter `with`, which is a keyword in Python."""
        other = TextField(
            max_length=LONGEST,
            required=False,
            help_text="The earlier release; the baseline, if it is left out.",
        )
        return {"with": other, **super().get_fields()}


class VerdictQuerySerializer(Serializer):
    markdown = SwitchField(
        required=False, help_text="As Markdown, for a pull request or step summary."
    )


class RegressionsQuerySerializer(Serializer):
    shape = ChoiceField(tuple(FILES), required=False, help_text="Which rows, or texts of issues.")


class TableQuerySerializer(Serializer):
    shape = ChoiceField(tuple(TABLES), required=False, help_text="Which table.")


KNOWN = header("If-None-Match", "The ETag of an answer: 304 if it would be the same.")
TAG = header("ETag", "To send as If-None-Match.", required=True, response=[200, 304])
NAMED = header("Content-Disposition", "The name of the file.", required=True, response=[200])
FILE = {"type": "string", "format": "binary"}
TASKS = {"type": "array", "items": {"type": "object"}}


class ReportViewSet(ViewSet):
    lookup_field = "name"
    lookup_value_converter = "release"
    query_serializers = {
        "compare": CompareQuerySerializer,
        "verdict": VerdictQuerySerializer,
        "regressions": RegressionsQuerySerializer,
    }

    @extend_schema(
        operation_id="verdict",
        parameters=[KNOWN, TAG],
        responses={
            (200, JSON): VerdictSerializer,
            (200, MARKDOWN): OpenApiTypes.STR,
            304: None,
        },
    )
    @refuses(*LOOKING)
    @action(detail=True)
    def verdict(self, request: Call, name: str) -> HttpResponseBase:
        """The verdict, the decision, and which of them counts. Cheap to poll with If-None-Match.

        Until the release is closed it is provisional. The first look is an event: from then on the
        caller can neither revise a review nor be assigned in this release.
        """
        release = find_looked_at(request, name)
        site = settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")
        is_markdown = self.query.get("markdown", False)

        def make() -> HttpResponseBase:
            document = build_document(load_outcome(release), names_for(release.rubric), site)
            if is_markdown:
                text = format_verdict(document)
                return HttpResponse(text, content_type=f"{MARKDOWN}; charset=utf-8")
            return Response(document)

        what = f"verdict {site} markdown" if is_markdown else f"verdict {site}"
        return answer_once(request, make_tag(release, what), make)

    @extend_schema(
        operation_id="release_summary",
        parameters=[KNOWN, TAG],
        responses={200: summary.Summary, 304: None},
    )
    @refuses(*LOOKING)
    @action(detail=True)
    def summary(self, request: Call, name: str) -> HttpResponseBase:
        """Every figure of the report.

        For a closed release exactly the stored bytes: their SHA-256 is the digest that is signed.
        """
        release = find_looked_at(request, name)
        version = name_version(release)
        return answer_once(
            request,
            make_tag(release, "summary", version),
            lambda: HttpResponse(summary.load_json(release, version), content_type=JSON),
        )

    @extend_schema(
        operation_id="compare", parameters=[KNOWN, TAG], responses={200: Comparison, 304: None}
    )
    @refuses(*LOOKING, NotComparable)
    @action(detail=True)
    def compare(self, request: Call, name: str) -> HttpResponseBase:
        """Two releases of a product on the cases that both have."""
        release = find_looked_at(request, name)
        other = self.query.get("with") or (release.baseline.name if release.baseline else "")
        if other not in [found.name for found in list_comparable(release)]:
            raise Http404
        earlier = find_looked_at(request, other)
        is_across = self.query.get("across", False)
        return answer_once(
            request,
            make_tag(release, f"compare {make_tag(earlier, '')} {is_across}"),
            lambda: Response(compare(release, earlier, across_rubrics=is_across)),
        )

    @extend_schema(
        operation_id="regressions",
        parameters=[KNOWN, TAG, NAMED],
        responses={(200, NDJSON): FILE, (200, MARKDOWN): FILE, 304: None},
    )
    @refuses(NotClosed)
    @action(detail=True)
    def regressions(self, request: Call, name: str) -> HttpResponseBase:
        """What reviewers found in a closed release, each case as a row that can be imported again.

        As cases, as the planner's own test cases, or as the texts of issues.
        """
        release = find_release(name)
        require_closed(release)
        return send_once(request, release, FILES[self.query.get("shape", "itinerary-case")])


def compare(release: Release, earlier: Release, *, across_rubrics: bool) -> Comparison:
    try:
        return summary.compare(
            summary.load(release), summary.load(earlier), across_rubrics=across_rubrics
        )
    except summary.NotComparable as error:
        raise NotComparable(translate_reason(error.reason, {})) from error


class ToolQuerySerializer(Serializer):
    tool = ChoiceField(tuple(TOOLS), help_text="Whose format.")


class FileViewSet(ViewSet):
    lookup_field = "name"
    lookup_value_converter = "release"
    query_serializers = {"csv": TableQuerySerializer, "tool": ToolQuerySerializer}

    @extend_schema(
        operation_id="export_csv",
        parameters=[KNOWN, TAG, NAMED],
        responses={(200, "text/csv"): FILE, 304: None},
    )
    @refuses(*LOOKING)
    @action(detail=True, url_path="export.csv", url_name="export-csv")
    def csv(self, request: Call, name: str) -> HttpResponseBase:
        """Reviews, scores and answers, cases, readings of pairs or figures as CSV."""
        return answer_with_file(request, name, TABLES[self.query.get("shape", "wide")])

    @extend_schema(
        operation_id="export_xlsx",
        parameters=[KNOWN, TAG, NAMED],
        responses={(200, WORKBOOK.content_type): FILE, 304: None},
    )
    @refuses(*LOOKING)
    @action(detail=True, url_path="export.xlsx", url_name="export-xlsx")
    def xlsx(self, request: Call, name: str) -> HttpResponseBase:
        """The report as a workbook."""
        return answer_with_file(request, name, WORKBOOK)

    @extend_schema(
        operation_id="export_zip",
        parameters=[KNOWN, TAG, NAMED],
        responses={(200, BUNDLE.content_type): FILE, 304: None},
    )
    @refuses(*LOOKING)
    @action(detail=True, url_path="export.zip", url_name="export-zip")
    def zip(self, request: Call, name: str) -> HttpResponseBase:
        """Everything behind the report in one archive; `verify_export` recomputes it."""
        return answer_with_file(request, name, BUNDLE)

    @extend_schema(
        operation_id="export_tool",
        parameters=[KNOWN, TAG, NAMED],
        responses={
            (200, NDJSON): FILE,
            (200, JSON): TASKS,
            (200, "application/xml"): FILE,
            304: None,
        },
    )
    @refuses(NotClosed)
    @action(detail=True, url_path="export.tool", url_name="export-tool")
    def tool(self, request: Call, name: str) -> HttpResponseBase:
        """The reviews of a closed release in the format of another tool."""
        release = find_release(name)
        require_closed(release)
        return send_once(request, release, TOOLS[self.query["tool"]])


def answer_with_file(request: Call, name: str, file: File) -> HttpResponseBase:
    release = find_looked_at(request, name)
    if release.is_draft:
        sentence = gettext("%(release)s is still a draft, so there is nothing to export.")
        raise NotStarted(sentence % {"release": release.name})
    return send_once(request, release, file)


def send_once(request: Call, release: Release, file: File) -> HttpResponseBase:
    tag = make_tag(release, f"{file.what} {file.ending}")
    return answer_once(request, tag, lambda: file.respond(release))


# --- What they share ------------------------------------------------------------------------------


def find_looked_at(request: Call, name: str) -> Release:
    """Return the release after recording the caller's first look."""
    release = find_release(name)
    is_first = look(release=release, user=request.user, now=timezone.now())
    # The first look is an event, so read the release again: a tag must not be newer than its body.
    return find_release(name) if is_first else release


def make_tag(release: Release, what: str, version: Sequence[str] | None = None) -> str:
    """Build the ETag; it changes whenever the answer would."""
    parts = "\n".join([what, *(version or name_version(release))])
    return f'"{sha256(parts.encode()).hexdigest()[:32]}"'


def answer_once(request: Call, tag: str, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Answer, or send 304 if the caller has the answer already."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    is_known = "*" in known or tag in [etag.removeprefix("W/") for etag in known]
    response = HttpResponse(status=HTTPStatus.NOT_MODIFIED) if is_known else make()
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
