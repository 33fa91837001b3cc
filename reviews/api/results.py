"""What came out: summary, verdict, comparison and files, each with a tag to ask again cheaply."""

from collections.abc import Callable
from datetime import date
from hashlib import sha256
from http import HTTPStatus
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Max
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from django.utils.translation import get_language, gettext

from cases.models import Release
from cases.releases.queries import find_release
from evalsite.api.bodies import JSON
from evalsite.api.endpoints import Call, tells
from evalsite.api.queries import Parameter, asked, is_on, switch
from evalsite.api.refusals import Refusal
from reviews.api.looking import LOOKING, look
from reviews.export.code import code
from reviews.export.files import BUNDLE, TABLES, WORKBOOK, File
from reviews.models import Ruling
from reviews.releases.gate import build_document, load_outcome
from reviews.releases.queries import comparable
from reviews.report import summary
from reviews.report.sentences import names_for
from reviews.report.summary.changes import Comparison
from reviews.workflow.refusals import NotStarted

KNOWN = Parameter(
    "If-None-Match",
    "The ETag of an answer: 304 if it would be the same.",
    schema={"type": "string"},
)
WITH = Parameter("with", "The earlier release; the baseline, if it is left out.")
ACROSS = switch("across", "Compare across rubric versions.")
SHAPE = Parameter("shape", "Which table.", tuple(TABLES))


class CriterionShape(msgspec.Struct):
    name: str
    value: Any
    limit: Any
    passed: bool | None
    reason: str
    cases: list[str]
    leads_to: str | None
    would_change: str | None


class FindingShape(msgspec.Struct):
    """A low score, or a question that most answered with "no", which has no `standing`.

    `reason` is in a reviewer's words.
    """

    case_key: str
    subject: str
    text: str
    standing: float | None
    reason: str
    case_url: str


class VerdictShape(msgspec.Struct):
    """`final` is what counts: the signed decision, else the verdict of a closed release.

    An abandoned release has no verdict, and no criteria.
    """

    release: str
    verdict: str | None
    sentence: str
    decision: str | None
    is_against_the_verdict: bool
    final: str
    status: str
    is_abandoned: bool
    provisional: bool
    submitted: int
    expected: int
    due_date: date | None
    report_url: str
    digest: str | None
    criteria: list[CriterionShape]
    findings: list[FindingShape]


@tells({200: VerdictShape, 304: None}, headers=(KNOWN,), refuses=LOOKING)
def verdict(request: Call, name: str) -> HttpResponseBase:
    """The verdict, the decision, and which of them counts. Cheap to poll with If-None-Match.

    Until the release is closed it is provisional. The first look is an event: whoever looks can
    from then on neither revise nor be assigned here.
    """
    asked(request, ())
    release = looked_at(request, name)
    site = settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")
    return tagged(
        request,
        tag_of(release, f"verdict {site}"),
        lambda: json_of(build_document(load_outcome(release), names_for(release.rubric), site)),
    )


@tells({200: summary.Summary, 304: None}, headers=(KNOWN,), refuses=LOOKING)
def release_summary(request: Call, name: str) -> HttpResponseBase:
    """Every figure of the report.

    Of a closed release byte for byte what was stored: its SHA-256 is the digest that is signed.
    """
    asked(request, ())
    release = looked_at(request, name)
    return tagged(
        request,
        tag_of(release, "summary"),
        lambda: HttpResponse(summary.standing_text(release), content_type=JSON),
    )


@tells(
    {200: Comparison, 304: None},
    query=(WITH, ACROSS),
    headers=(KNOWN,),
    refuses=(*LOOKING, Refusal(409, "not_comparable")),
)
def compare(request: Call, name: str) -> HttpResponseBase:
    """Two releases of a product on the cases that both have."""
    found = asked(request, (WITH, ACROSS))
    release = looked_at(request, name)
    other = found.get("with") or (release.baseline.name if release.baseline else "")
    if other not in [one.name for one in comparable(release)]:
        raise Http404
    earlier = looked_at(request, other)
    is_across = is_on(found, "across")
    return tagged(
        request,
        tag_of(release, f"compare {tag_of(earlier, '')} {is_across}"),
        lambda: json_of(
            summary.compare(
                summary.standing(release), summary.standing(earlier), across_rubrics=is_across
            )
        ),
    )


# --- Files ----------------------------------------------------------------------------------------

FILE = {"type": "string", "format": "binary"}


@tells({(200, "text/csv"): FILE, 304: None}, query=(SHAPE,), headers=(KNOWN,), refuses=LOOKING)
def export_csv(request: Call, name: str) -> HttpResponseBase:
    """Reviews, scores and answers, cases or figures as CSV."""
    found = asked(request, (SHAPE,))
    return file_of(request, name, TABLES[found.get("shape", "wide")])


@tells({(200, WORKBOOK.content_type): FILE, 304: None}, headers=(KNOWN,), refuses=LOOKING)
def export_xlsx(request: Call, name: str) -> HttpResponseBase:
    """The report as a workbook."""
    asked(request, ())
    return file_of(request, name, WORKBOOK)


@tells({(200, BUNDLE.content_type): FILE, 304: None}, headers=(KNOWN,), refuses=LOOKING)
def export_zip(request: Call, name: str) -> HttpResponseBase:
    """Everything behind the report in one archive; `verify_export` recomputes it."""
    asked(request, ())
    return file_of(request, name, BUNDLE)


def file_of(request: Call, name: str, file: File) -> HttpResponseBase:
    release = looked_at(request, name)
    if release.is_draft:
        sentence = gettext("%(release)s is still a draft, so there is nothing to export.")
        raise NotStarted(sentence % {"release": release.name})
    disposition = f'attachment; filename="{file.name_for(release)}"'
    return tagged(
        request,
        tag_of(release, f"{file.what} {file.ending}"),
        lambda: StreamingHttpResponse(
            file.parts(release),
            content_type=file.content_type,
            headers={"Content-Disposition": disposition},
        ),
    )


# --- What they share ------------------------------------------------------------------------------


def looked_at(request: Call, name: str) -> Release:
    release = find_release(name)
    # The first look is an event. Read whole: a tag must not be newer than what is told under it.
    return find_release(name) if look(request, release) else release


def json_of(document: Any) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(document), content_type=JSON)


def tag_of(release: Release, what: str) -> str:
    """Over all that an answer depends on: every act is an event, here and in the baseline; rulings
    and translations are of the rubric; the rest is in the code."""
    rulings = None
    if not release.is_closed:
        rulings = Ruling.objects.filter(rubric=release.rubric_id).aggregate(last=Max("pk"))["last"]
    baseline = release.baseline.ledger_head if release.baseline else ""
    parts = [what, code().digest, release.name, release.ledger_head, baseline, rulings]
    language = get_language()
    words = ""
    if language != release.rubric.language:
        known = release.rubric.translations.filter(language=language)
        words = known.values_list("digest", flat=True).first() or ""
    told = "\n".join(map(str, [*parts, language, words]))
    return f'"{sha256(told.encode()).hexdigest()[:32]}"'


def tagged(request: Call, tag: str, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """The answer, or that it is the one already known."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    is_known = "*" in known or tag in [one.removeprefix("W/") for one in known]
    response = HttpResponse(status=HTTPStatus.NOT_MODIFIED) if is_known else make()
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
