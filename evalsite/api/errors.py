"""Turns whatever a call raises into the one shape of every refusal: {detail, code, errors}."""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import msgspec
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings

from evalsite.errors import Problem, Refusal, name_paths

PREFIX = "/api/"
SIGN_IN = {"WWW-Authenticate": "Token"}


# --- Who calls ------------------------------------------------------------------------------------


class NotSignedIn(Refusal):
    status = HTTPStatus.UNAUTHORIZED
    code = "not_signed_in"
    headers = SIGN_IN


class BadToken(Refusal):
    status = HTTPStatus.UNAUTHORIZED
    code = "bad_token"
    headers = SIGN_IN


class Forbidden(Refusal):
    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class ScopeMissing(Refusal):
    status = HTTPStatus.FORBIDDEN
    code = "scope_missing"


class FormExpired(Refusal):
    """A browser's CSRF token is missing or old."""

    status = HTTPStatus.FORBIDDEN
    code = "form_expired"


class TooManyCalls(Refusal):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_calls"


# --- What is called -------------------------------------------------------------------------------


class NotFound(Refusal):
    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class WrongMethod(Refusal):
    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "wrong_method"


class BadRequest(Refusal):
    status = HTTPStatus.BAD_REQUEST
    code = "bad_request"


class BadParameter(Refusal):
    """The query names something that the call does not know."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_parameter"

    @property
    def detail(self) -> str:
        return name_paths(self.problems)


# --- What was sent --------------------------------------------------------------------------------


class UnsupportedMediaType(Refusal):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class BodyTooLarge(Refusal):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"

    def __init__(self, most: int) -> None:
        if most < 1024**2:
            sentence = gettext("The body is larger than %(most)d KB.") % {"most": most // 1024}
        else:
            sentence = gettext("The body is larger than %(most)d MB.") % {"most": most // 1024**2}
        super().__init__(sentence)


class BodyCutOff(Refusal):
    status = HTTPStatus.BAD_REQUEST
    code = "body_cut_off"


class Malformed(Refusal):
    """The body is not text of the kind that its type names."""

    status = HTTPStatus.BAD_REQUEST
    code = "malformed"


class BadBody(Refusal):
    """The body does not have the shape that the call takes."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_body"

    @property
    def detail(self) -> str:
        return name_paths(self.problems)


class Invalid(Refusal):
    """A model or a form refuses the values."""

    status = HTTPStatus.BAD_REQUEST
    code = "invalid"


# --- On our side ----------------------------------------------------------------------------------


class Broken(Refusal):
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "broken"


class DatabaseAway(Refusal):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "database_away"


# --- From exceptions of Django and DRF ------------------------------------------------------------


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER. None for a mistake of ours or a database that is away: Django's
    handler500 answers those."""
    if isinstance(error, exceptions.UnsupportedMediaType):
        error = unsupported_media_type(context["view"])
    refusal = translate(error)
    if refusal is None:
        return None
    return Response(refusal.document, status=refusal.status, headers=dict(refusal.headers))


def translate(error: Exception) -> Refusal | None:
    if isinstance(error, Refusal):
        return error
    for kind, make in TRANSLATED.items():
        if isinstance(error, kind):
            return make(error)
    return None


def unsupported_media_type(view: Any) -> Refusal:
    types = gettext(" or ").join(parser.media_type for parser in view.get_parsers())
    sentence = gettext("Send %(types)s, and say so in Content-Type.")
    return UnsupportedMediaType(sentence % {"types": types})


def not_found(error: Exception) -> Refusal:
    return NotFound(gettext("There is no such thing here."))


def not_signed_in(error: Exception) -> Refusal:
    return NotSignedIn(gettext("Sign in, or send a token: “Authorization: Token …”."))


def forbidden(error: Exception) -> Refusal:
    return Forbidden(gettext("Your role does not include this."))


def wrong_method(error: Exception) -> Refusal:
    return WrongMethod(gettext("This address has no such method."))


def too_large(error: Exception) -> Refusal:
    return BodyTooLarge(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def too_many_calls(error: Any) -> Refusal:
    sentence = gettext("A token may make %(most)d calls a minute. Wait, then try again.")
    refusal = TooManyCalls(sentence % {"most": settings.API_CALLS})
    refusal.headers = {"Retry-After": str(int(error.wait or 0))}
    return refusal


def bad_body(error: exceptions.ValidationError) -> Refusal:
    """What a serializer refuses."""
    return BadBody(*list_problems(error.detail))


def list_problems(detail: Any, path: str = "") -> Iterator[Problem]:
    """The messages of a serializer by their path, such as `scores.cost.evidence[0].ref`."""
    if isinstance(detail, dict):
        for key, part in detail.items():
            yield from list_problems(part, step(path, key))
    elif isinstance(detail, list):
        for place, part in enumerate(detail):
            is_row = isinstance(part, dict | list)
            yield from list_problems(part, f"{path}[{place}]" if is_row else path)
    else:
        yield Problem(path, str(detail))


def step(path: str, key: Any) -> str:
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else str(key)


def invalid(error: ValidationError) -> Refusal:
    """What a model refuses: sentences for each field."""
    if hasattr(error, "error_dict"):
        return Invalid(
            *(
                Problem("" if name == "__all__" else name, sentence)
                for name, sentences in error.message_dict.items()
                for sentence in sentences
            )
        )
    return Invalid(*error.messages)


TRANSLATED: dict[type[Exception], Callable[[Any], Refusal]] = {
    Http404: not_found,
    exceptions.NotFound: not_found,
    exceptions.NotAuthenticated: not_signed_in,
    exceptions.AuthenticationFailed: not_signed_in,
    exceptions.PermissionDenied: forbidden,
    PermissionDenied: forbidden,
    exceptions.MethodNotAllowed: wrong_method,
    exceptions.Throttled: too_many_calls,
    exceptions.ValidationError: bad_body,
    RequestDataTooBig: too_large,
    ValidationError: invalid,
}


# --- Outside of calls -----------------------------------------------------------------------------


def plain_answer(refusal: Refusal) -> HttpResponse:
    """For what goes wrong before a call is reached, or outside of it."""
    return HttpResponse(
        msgspec.json.encode(refusal.document),
        status=refusal.status,
        content_type="application/json",
        headers=dict(refusal.headers),
    )


def is_call(request: HttpRequest) -> bool:
    """Whether the address is one of the API, whose callers cannot read a page."""
    return request.path.startswith(PREFIX)
