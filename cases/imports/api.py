"""API calls for the cases of a release: a pipeline pushes them, admins and managers list them."""

import io
from http import HTTPStatus
from typing import IO, Any, BinaryIO, cast

import msgspec
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from cases import formats, imports
from cases.case.queries import Filters, matching
from cases.imports.arrays import NotAnArray, as_lines
from cases.imports.storing import refuse_changes, warnings
from cases.itinerary.lines import LARGEST_UNPACKED
from cases.models import Case, CaseTag, Release
from cases.releases.queries import find_release
from cases.rubric import fitted
from cases.tables import TABLE, Columns
from evalsite.api.errors import BadBody, BadParameter
from evalsite.api.filters import LONGEST, FilterBackend, FilterSet
from evalsite.api.pagination import CursorPagination
from evalsite.api.parsers import JSON, NDJSON, FileParser
from evalsite.api.schema import DocumentedRefusal, ErrorSerializer, refuses
from evalsite.api.serializers import ChoiceField, Serializer, SwitchField, TextField
from evalsite.api.viewsets import Call, ViewSet
from evalsite.errors import Problem, Refusal

# One answer lists at most this many lines; it also has the total.
MOST_LISTED = 10_000
LONGEST_COLUMNS = 8_000


class BadLines(Refusal):
    """Lists every bad line. Nothing was written."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_lines"

    def __init__(self, refused: imports.BadFile) -> None:
        self.total = refused.total
        self.versions = refused.versions
        super().__init__(
            *(
                Problem(
                    ".".join(
                        filter(None, [found.cell or str(found.line or ""), found.problem.path])
                    ),
                    gettext(found.problem.message) % found.problem.params,
                    # A problem of the whole file, such as an empty one, has no line.
                    found.line or None,
                )
                for found in refused.problems
            )
        )

    @property
    def detail(self) -> str:
        sentence = ngettext(
            "Nothing was written: %(total)d problem.",
            "Nothing was written: %(total)d problems.",
            self.total,
        )
        return sentence % {"total": self.total}

    @property
    def extra(self) -> dict[str, Any]:
        return {"total": self.total, "versions": self.versions}


class BadLinesSerializer(ErrorSerializer):
    """`total` counts all problems, also those that are not listed. `versions`: keys are repeated
    in several versions; choose one of these with `?version=`."""

    total = serializers.IntegerField()
    versions = serializers.ListField(child=serializers.CharField())


# --- The list -------------------------------------------------------------------------------------

# What the API calls a status -> what the pages call it.
CHECKS = {"PASS": "pass", "WARN": "warn", "FAIL": "fail", "": "none"}


class CaseFilterSet(FilterSet):
    tag = filters.CharFilter(max_length=LONGEST, help_text="Only cases that have this tag.")
    check_status = filters.ChoiceFilter(
        choices=[(name, name) for name in CHECKS],
        empty_label=None,
        help_text="Only cases with this result of the checks; empty: not checked.",
    )
    kind = filters.CharFilter(
        max_length=LONGEST, help_text="Only cases that fit this kind of the sampling rule."
    )
    q = filters.CharFilter(
        max_length=LONGEST, help_text="Only cases with these words in key, code or request."
    )

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.release = release

    def filter_queryset(self, queryset: QuerySet[Case]) -> QuerySet[Case]:
        """Filter as the pages do."""
        release, asked = self.release, self.form.cleaned_data
        kinds = {kind.key for kind in release.rubric.document.sampling.kinds}
        if asked["kind"] not in {"", *kinds}:
            sentence = gettext("The rubric has no kind with this key.")
            raise BadParameter(Problem("kind", sentence))
        found = matching(
            release,
            Filters(
                words=asked["q"].strip(),
                tag=asked["tag"].strip(),
                check=CHECKS[asked["check_status"]] if "check_status" in self.data else "",
                kind=asked["kind"],
                locale="",
                sort="key",
            ),
        )
        return found.without_content().select_related("exclusion")


class CaseSerializer(serializers.Serializer[Case]):
    """`kinds`: the kinds of the sampling rule that the case fits. `excluded`: the reason why it
    cannot be drawn.

    The context has `tags` by case, and the `kinds` of the rubric."""

    case_key = serializers.CharField()
    code = serializers.CharField()
    digest = serializers.CharField()
    check_status = serializers.CharField()
    has_plan = serializers.BooleanField()
    locale = serializers.CharField()
    days = serializers.IntegerField()
    opening = serializers.CharField()
    tags = serializers.SerializerMethodField()
    kinds = serializers.SerializerMethodField()
    excluded = serializers.CharField(source="standing_exclusion.reason", allow_null=True)

    def get_tags(self, case: Case) -> list[str]:
        tags: list[str] = self.context["tags"].get(case.pk, [])
        return tags

    def get_kinds(self, case: Case) -> list[str]:
        return [kind.key for kind in fitted(self.get_tags(case), self.context["kinds"])]


# --- The push -------------------------------------------------------------------------------------


class LinesParser(FileParser):
    media_type = NDJSON
    largest = LARGEST_UNPACKED


class ArrayParser(LinesParser):
    """A JSON array, rewritten as lines."""

    media_type = JSON

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        with super().parse(stream, media_type, parser_context) as body:
            try:
                return as_lines(body)
            except NotAnArray as error:
                raise BadBody(gettext("The body must be a JSON array of cases.")) from error


class TableParser(LinesParser):
    """A CSV file; the rows become cases by their columns."""

    media_type = "text/csv"


class WorkbookParser(TableParser):
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class OldWorkbookParser(TableParser):
    media_type = "application/vnd.ms-excel"


class OpenDocumentParser(TableParser):
    media_type = "application/vnd.oasis.opendocument.spreadsheet"


TABLES = (TableParser, WorkbookParser, OldWorkbookParser, OpenDocumentParser)
TABLE_TYPES = [parser.media_type for parser in TABLES]


class PushQuerySerializer(Serializer):
    dry_run = SwitchField(required=False, help_text="Check and count, write nothing.")
    format = ChoiceField(
        ("auto", *formats.NAMES, TABLE), required=False, help_text="The shape of the rows."
    )
    columns = TextField(
        max_length=LONGEST_COLUMNS,
        required=False,
        help_text="Which columns of a table fill which fields, as a JSON object: "
        '{"request.text": "Request"}. What is left out is as in the last table of the product, '
        "or is guessed.",
    )
    sheet = TextField(max_length=LONGEST, required=False, help_text="The sheet of a workbook.")
    version = TextField(
        max_length=LONGEST,
        required=False,
        help_text="Take only rows whose release version is this.",
    )
    key_from = ChoiceField(("id",), required=False, help_text="The field to take as the key.")


class ImportedSerializer(serializers.Serializer[Any]):
    """`batch` is null when nothing changed, or nothing was to be written."""

    batch = serializers.IntegerField(allow_null=True)
    created = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    warnings = serializers.ListField(child=serializers.CharField())


ROW = {"type": "object", "description": "A case, as docs/case-format.md describes it."}


class CaseViewSet(ViewSet):
    queryset = Case.objects.all()
    serializer_class = CaseSerializer
    filter_backends = [FilterBackend]
    filterset_class = CaseFilterSet
    pagination_class = CursorPagination
    ordering = ("case_key",)
    parser_classes = [LinesParser, ArrayParser, *TABLES]
    query_serializers = {"create": PushQuerySerializer}

    def filterset_kwargs(self) -> dict[str, Any]:
        return {"release": self.release}

    @extend_schema(operation_id="case_list")
    def list(self, request: Call, name: str) -> Response:
        """Cases of a release, by their key."""
        self.release = release = find_release(name)
        cases = Case.objects.of(release).without_content().select_related("exclusion")
        page = self.paginate_queryset(self.filter_queryset(cases)) or []
        context = {
            "tags": CaseTag.objects.names_in(page),
            "kinds": release.rubric.document.sampling.kinds,
        }
        rows: Any = CaseSerializer(page, many=True, context=context)  # type: ignore[arg-type]
        return self.get_paginated_response(rows.data)

    @extend_schema(
        operation_id="case_push",
        request={
            NDJSON: {"type": "string"},
            JSON: {"type": "array", "items": ROW},
            **{media_type: {"type": "string", "format": "binary"} for media_type in TABLE_TYPES},
        },
        responses={200: ImportedSerializer},
    )
    @refuses(BadBody, DocumentedRefusal(BadLines, BadLinesSerializer), imports.CasesFrozen)
    def create(self, request: Call, name: str) -> Response:
        """Push cases into a draft: one JSON object a line, a JSON array, a CSV file or a workbook.

        All of them or none. 400 lists every bad line; the same rows again change nothing. The body
        may have 256 MB, lines may be packed with gzip.
        """
        release = find_release(name)
        options = imports.Options(
            format=self.query.get("format", TABLE if self.sends_table else "auto"),
            may_be_table=self.sends_table,
            version=self.query.get("version"),
            key_from=self.query.get("key_from"),
            columns=self.read_columns(),
            remembered=imports.load_remembered(release),
        )
        is_dry = self.query.get("dry_run", False)
        # The pages show an import under the name of the token that made it.
        source_name = request.auth.name if request.auth else "API"
        try:
            with request.data as lines:
                # Each reader closes its source, so each gets a file object of its own.
                source = imports.Source(source_name, lambda: reopen(lines), LARGEST_UNPACKED)
                with imports.check([source], options, most_problems=MOST_LISTED) as checked:
                    return Response(self.store(checked, release, is_dry=is_dry))
        except imports.BadFile as refused:
            raise BadLines(refused) from refused

    @property
    def sends_table(self) -> bool:
        return self.request.content_type.partition(";")[0].strip() in TABLE_TYPES

    def read_columns(self) -> Columns:
        """Return the columns that the query names. Raises BadParameter."""
        try:
            fields = msgspec.json.decode(self.query.get("columns", "{}"), type=dict[str, str])
        except (msgspec.MsgspecError, RecursionError) as error:
            sentence = gettext("must be a JSON object of texts.")
            raise BadParameter(Problem("columns", sentence)) from error
        return Columns(fields, self.query.get("sheet", ""))

    def store(self, checked: imports.Checked, release: Release, *, is_dry: bool) -> Any:
        if is_dry and not release.is_draft:
            refuse_changes(checked, release)
        outcome: imports.Outcome
        if is_dry:
            outcome = imports.preview(checked, release)
        else:
            outcome = imports.store(
                checked, release=release, user=self.request.user, now=timezone.now()
            )
        return ImportedSerializer(
            {
                "batch": outcome.batch.number if outcome.batch else None,
                "created": outcome.new,
                "changed": outcome.changed,
                "unchanged": outcome.unchanged,
                "warnings": warnings(checked, release),
            }
        ).data


def reopen(lines: IO[bytes]) -> BinaryIO:
    lines.seek(0)
    return cast(BinaryIO, io.BufferedReader(Unclosed(lines)))


class Unclosed(io.RawIOBase):
    """A reader that does not close the underlying file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        part = self._file.read(len(room))
        room[: len(part)] = part
        return len(part)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)
