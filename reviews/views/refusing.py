"""What the desk answers when something cannot be: the reader does not know the release."""

from typing import TypeVar

import msgspec
from django.http import JsonResponse
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from reviews.workflow import asking, submitting
from reviews.workflow.refusals import Missing, NeedsReason, Refused, WrongStatus
from reviews.workflow.reviewing import Incomplete, NoSuchReview, Stale

B = TypeVar("B")


class BadBody(Refused):
    """Not what the desk sends."""

    code = "bad_body"


def body_of(request: SignedInRequest, shape: type[B]) -> B:
    try:
        return msgspec.json.decode(request.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        words, _at, path = str(error).partition(" - at `$")
        raise BadBody(Missing(path.strip("`.").replace("[...]", ""), words)) from error


# Anything else is a conflict with what is stored.
STATUS: dict[type[Refused], int] = {
    NoSuchReview: 404,
    Incomplete: 400,
    NeedsReason: 400,
    BadBody: 400,
    submitting.BadKey: 400,
    asking.NoSuchSubject: 400,
    asking.NeedsWords: 400,
}


def refused(refusal: Refused) -> JsonResponse:
    """{detail, code, errors}, and with a stale version what is stored."""
    problems = problems_of(refusal)
    answer: dict[str, object] = {
        "detail": " ".join(one.sentence for one in problems),
        "code": refusal.code,
        "errors": [{"path": one.rule, "message": one.sentence} for one in problems],
    }
    if isinstance(refusal, Stale):
        answer |= {
            "version": refusal.review.version,
            "draft": refusal.review.draft,
            "is_submitted": refusal.review.is_submitted,
        }
    status = next((code for kind, code in STATUS.items() if isinstance(refusal, kind)), 409)
    return JsonResponse(answer, status=status)


def problems_of(refusal: Refused) -> list[Missing]:
    """What is said of a release names it; a reviewer never learns the name."""
    if isinstance(refusal, WrongStatus):
        return [Missing("", _("This review is closed. You can read it, but nothing can change."))]
    if isinstance(refusal, NeedsReason):
        return [Missing("reason", sentence) for sentence in refusal.sentences]
    return refusal.missing
