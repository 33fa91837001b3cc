"""What the desk answers when something cannot be: the reader does not know the release."""

from typing import TypeVar

import msgspec
from django.http import JsonResponse

from evalsite.http import SignedInRequest
from reviews.desk.page import saved_words
from reviews.desk.workflow import Stale
from reviews.errors import Missing, Refused, hide_release

B = TypeVar("B")


class BadBody(Refused):
    """Not what the desk sends."""

    code = "bad_body"
    status = 400


def body_of(request: SignedInRequest, shape: type[B]) -> B:
    try:
        return msgspec.json.decode(request.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        words, _at, path = str(error).partition(" - at `$")
        raise BadBody(Missing(path.strip("`.").replace("[...]", ""), words)) from error


def refused(refusal: Refused) -> JsonResponse:
    """{detail, code, errors}, and with a stale version what is stored."""
    refusal = hide_release(refusal)
    errors = [{"path": one.path, "message": one.message} for one in refusal.problems]
    answer = refusal.document | {"errors": errors}
    if isinstance(refusal, Stale):
        stored = refusal.review
        answer |= {
            "saved_at": stored.saved_at,
            "saved": saved_words(stored.saved_at, stored.version),
        }
    return JsonResponse(answer, status=refusal.status)
