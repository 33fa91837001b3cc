"""Rubrics: read by everybody, published by admins."""

from http import HTTPStatus

from django.utils import timezone
from django.utils.translation import get_language, gettext
from rest_framework.response import Response

from cases import rubric
from cases.api.shapes import RubricList, RubricShort, RubricVersion
from cases.models import Rubric
from cases.rubrics import workflow as rubrics_workflow
from cases.rubrics.queries import find_version
from evalsite.api.bodies import MARKDOWN, bad_body, require_type, whole
from evalsite.api.endpoints import Call, tells
from evalsite.api.errors import ApiError, Problem
from evalsite.api.paging import PAGING, page_of
from evalsite.api.queries import asked
from evalsite.api.refusals import Refusal


@tells({200: RubricList}, query=PAGING)
def rubric_list(request: Call) -> Response:
    """Rubric versions, the newest first."""
    found = asked(request, PAGING)
    rows = Rubric.objects.select_related("published_by").prefetch_related("translations")
    return Response(
        page_of(request, found, rows, {"-number": int}, lambda here: list(map(short, here)))
    )


@tells({200: RubricVersion})
def rubric_version(request: Call, number: int) -> Response:
    """One version: its text, and what was read from it."""
    asked(request, ())
    return Response(whole_version(find_version(number)))


@tells(
    {200: RubricVersion, 201: RubricVersion},
    body={MARKDOWN: {"type": "string"}},
    refuses=(Refusal(400, "malformed"), Refusal(400, "bad_body"), Refusal(400, "bad_rubric")),
)
def rubric_publish(request: Call) -> Response:
    """Publish a document as the next version.

    200: a version says exactly this already. 400 names every line that is wrong.
    """
    asked(request, ())
    require_type(request._request, MARKDOWN)
    published = rubrics_workflow.publish(
        text=text_of(whole(request._request, rubric.LARGEST)), user=request.user, now=timezone.now()
    )
    status = HTTPStatus.CREATED if published.is_new else HTTPStatus.OK
    return Response(whole_version(find_version(published.version.number)), status=status)


def text_of(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        sentence = gettext("The file is not UTF-8 text. Save it as UTF-8 and try again.")
        raise ApiError(HTTPStatus.BAD_REQUEST, "malformed", sentence) from error
    if "\0" in text:
        raise bad_body(Problem("", gettext("This text holds a character that cannot be stored.")))
    return text


def short(version: Rubric) -> RubricShort:
    return RubricShort(
        number=version.number,
        title=version.text_for(get_language()).document.title,
        languages=list(version.texts()),
        digest=version.digest,
        metrics=[metric.key for metric in version.document.metrics],
        published_at=version.published_at,
        published_by=version.published_by.get_username() if version.published_by else None,
    )


def whole_version(version: Rubric) -> RubricVersion:
    told = short(version)
    text = version.text_for(get_language())
    return RubricVersion(
        number=told.number,
        title=told.title,
        languages=told.languages,
        digest=told.digest,
        metrics=told.metrics,
        published_at=told.published_at,
        published_by=told.published_by,
        language=text.language,
        text=text.text,
        document=text.document,
    )
