"""What the desk answers when something cannot be: the reader does not know the release."""

from typing import TypeVar

import msgspec
from django.http import JsonResponse

from evalsite.http import SignedInRequest
from reviews.desk.page import saved_words
from reviews.desk.workflow import Stale
from reviews.refusing import STATUS, BadBody, problems_of, stored_in
from reviews.workflow.refusals import Missing, Refused

B = TypeVar("B")


def body_of(request: SignedInRequest, shape: type[B]) -> B:
    try:
        return msgspec.json.decode(request.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        words, _at, path = str(error).partition(" - at `$")
        raise BadBody(Missing(path.strip("`.").replace("[...]", ""), words)) from error


def refused(refusal: Refused) -> JsonResponse:
    """{detail, code, errors}, and with a stale version what is stored."""
    problems = problems_of(refusal)
    answer: dict[str, object] = {
        "detail": " ".join(one.sentence for one in problems),
        "code": refusal.code,
        "errors": [{"path": one.rule, "message": one.sentence} for one in problems],
    }
    if isinstance(refusal, Stale):
        stored = refusal.review
        answer |= stored_in(refusal) | {
            "saved_at": stored.saved_at,
            "saved": saved_words(stored.saved_at, stored.version),
        }
    status = next((code for kind, code in STATUS.items() if isinstance(refusal, kind)), 409)
    return JsonResponse(answer, status=status)
