"""The cases of a release: listed, and pushed by a pipeline."""

import io
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, BinaryIO, cast

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.response import Response

from cases import formats, imports
from cases.api.shapes import BadLines, CaseList, CaseShape, Imported
from cases.case.queries import Filters, Words, matching
from cases.imports.arrays import NoArray, as_lines
from cases.imports.lines import LARGEST_UNPACKED
from cases.imports.storing import refuse_changes, warnings
from cases.models import Case, CaseTag, Release
from cases.models.cases import CheckStatus
from cases.releases.queries import find_release
from cases.rubric import fitted
from evalsite.api.bodies import JSON, NDJSON, require_type, spooled
from evalsite.api.endpoints import Call, tells
from evalsite.api.errors import ApiError
from evalsite.api.paging import PAGING, bad_parameter, page_of
from evalsite.api.queries import Parameter, asked, is_on, switch
from evalsite.api.refusals import Refusal

# As many lines as one answer lists; how many there are in all it says too.
MOST_LISTED = 10_000

# What the API calls a status -> what the pages do.
CHECKS = {"PASS": "pass", "WARN": "warn", "FAIL": "fail", "": "none"}
LISTING = (
    *PAGING,
    Parameter("tag", "Only cases that have this tag."),
    Parameter("check_status", "Only cases so checked; empty: not checked.", tuple(CHECKS)),
    Parameter("kind", "Only cases that fit this kind of the sampling rule."),
    Parameter("q", "Only cases with these words in key, code or request."),
)
PUSHING = (
    switch("dry_run", "Check and count, write nothing."),
    Parameter("format", "The shape of the rows.", ("auto", *formats.NAMES)),
    Parameter("version", "Take only rows whose release version is this."),
    Parameter("key_from", "The field to take as the key.", ("id",)),
)


@tells({200: CaseList}, query=LISTING)
def case_list(request: Call, name: str) -> Response:
    """Cases of a release, by their key."""
    found = asked(request, LISTING)
    release = find_release(name)
    kinds = {kind.key for kind in release.rubric.document.sampling.kinds}
    if found.get("kind", "") not in {"", *kinds}:
        raise bad_parameter("kind", gettext("The rubric has no kind of this name."))
    filters = Filters(
        words=found.get("q", "").strip(),
        tag=found.get("tag", "").strip(),
        check=CHECKS[found["check_status"]] if "check_status" in found else "",
        kind=found.get("kind", ""),
        locale="",
        sort="key",
    )
    rows = matching(release, filters).without_content().select_related("exclusion")
    order = {"case_key": Words}
    return Response(page_of(request, found, rows, order, lambda here: shown(release, here)))


def shown(release: Release, cases: list[Case]) -> list[CaseShape]:
    tags = CaseTag.objects.names_in(cases)
    kinds = release.rubric.document.sampling.kinds
    return [
        CaseShape(
            case_key=case.case_key,
            code=case.code,
            digest=case.digest,
            check_status=CheckStatus(case.check_status).value,
            has_plan=case.has_plan,
            locale=case.locale,
            days=case.days,
            opening=case.opening,
            tags=own,
            kinds=[kind.key for kind in fitted(own, kinds)],
            excluded=case.standing_exclusion.reason if case.standing_exclusion else None,
        )
        for case in cases
        for own in [tags.get(case.pk, [])]
    ]


ROW = {"type": "object", "description": "A case, as docs/case-format.md describes it."}


@tells(
    {200: Imported},
    body={NDJSON: {"type": "string"}, JSON: {"type": "array", "items": ROW}},
    query=PUSHING,
    refuses=(
        Refusal(400, "bad_body"),
        Refusal(400, "bad_lines", BadLines),
        Refusal(409, "release_frozen"),
    ),
)
def case_push(request: Call, name: str) -> Response:
    """Push cases into a draft: one JSON object a line, or a JSON array.

    All of them or none. 400 lists every bad line; the same rows again change nothing. The body may
    have 256 MB, lines may be packed with gzip.
    """
    found = asked(request, PUSHING)
    release = find_release(name)
    with lines_sent(request) as lines:
        # Read through a file of its own: whoever has read a source closes it.
        source = imports.Source(name_of(request), lambda: fresh(lines), LARGEST_UNPACKED)
        with imports.check([source], options_in(found), most_problems=MOST_LISTED) as checked:
            return Response(imported(request, release, checked, is_dry=is_on(found, "dry_run")))


def lines_sent(request: Call) -> IO[bytes]:
    sent = require_type(request._request, NDJSON, JSON)
    body = spooled(request._request, LARGEST_UNPACKED)
    if sent == NDJSON:
        return body
    with body:
        try:
            return as_lines(body)
        except NoArray as error:
            sentence = gettext("The body must be a JSON array of cases.")
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad_body", sentence) from error


def fresh(lines: IO[bytes]) -> BinaryIO:
    lines.seek(0)
    return cast(BinaryIO, io.BufferedReader(Unclosed(lines)))


class Unclosed(io.RawIOBase):
    """The file below stays open when this is closed."""

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


def name_of(request: Call) -> str:
    """What an import is called on the pages: the token that brought it."""
    return request.auth.name if request.auth else "API"


def options_in(found: Mapping[str, str]) -> imports.Options:
    return imports.Options(
        format=found.get("format", "auto"),
        version=found.get("version"),
        key_from=found.get("key_from"),
    )


def imported(
    request: Call, release: Release, checked: imports.Checked, *, is_dry: bool
) -> Imported:
    if is_dry and not release.is_draft:
        refuse_changes(checked, release)
    outcome: imports.Outcome
    if is_dry:
        outcome = imports.preview(checked, release)
    else:
        outcome = imports.store(checked, release=release, user=request.user, now=timezone.now())
    return Imported(
        batch=outcome.batch.number if outcome.batch else None,
        created=outcome.new,
        changed=outcome.changed,
        unchanged=outcome.unchanged,
        warnings=list(warnings(checked, release)),
    )
