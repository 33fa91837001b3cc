"""Turn every exception of a call into the same JSON: {detail, code, errors}."""

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


# --- Caller ------------------------------------------------------------------------------------


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
    """The CSRF token of a browser is missing or outdated."""

    status = HTTPStatus.FORBIDDEN
    code = "form_expired"


class TooManyCalls(Refusal):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_calls"


# --- Address -------------------------------------------------------------------------------


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
    """A query parameter is unknown or has a wrong value."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_parameter"

    @property
    def detail(self) -> str:
        return name_paths(self.problems)


# --- Body --------------------------------------------------------------------------------


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
    """The body is not valid JSON, NDJSON or Markdown in UTF-8."""

    status = HTTPStatus.BAD_REQUEST
    code = "malformed"


class BadBody(Refusal):
    """The body has missing, unknown or wrong keys."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_body"

    @property
    def detail(self) -> str:
        return name_paths(self.problems)


class Invalid(Refusal):
    """A model or a form refused the values."""

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
    """DRF's EXCEPTION_HANDLER. Returns None for bugs and a lost database, which Django's handler500
    answers."""
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
    """Convert the errors of a serializer."""
    return BadBody(*list_problems(error.detail))


def list_problems(detail: Any, path: str = "") -> Iterator[Problem]:
    """Yield the messages of a serializer with their path: `scores.cost.evidence[0].ref`."""
    if isinstance(detail, dict):
        for key, part in detail.items():
            yield from list_problems(part, extend_path(path, key))
    elif isinstance(detail, list):
        for place, part in enumerate(detail):
            is_row = isinstance(part, dict | list)
            yield from list_problems(part, f"{path}[{place}]" if is_row else path)
    else:
        yield Problem(path, str(detail))


def extend_path(path: str, key: Any) -> str:
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else str(key)


def invalid(error: ValidationError) -> Refusal:
    """Convert the errors of a model."""
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


def build_response(refusal: Refusal) -> HttpResponse:
    """Build a response outside of DRF, for errors before the call is reached."""
    return HttpResponse(
        msgspec.json.encode(refusal.document),
        status=refusal.status,
        content_type="application/json",
        headers=dict(refusal.headers),
    )


def is_call(request: HttpRequest) -> bool:
    """Return whether the request is for the API, whose callers need JSON instead of a page."""
    return request.path.startswith(PREFIX)
