"""What was sent: not too large, of the right type, and in the shape that is asked for."""

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from typing import IO, Any, TypeVar

import msgspec
from django.http import HttpRequest, UnreadablePostError
from django.utils.translation import gettext

from evalsite.api.errors import ApiError, Problem

B = TypeVar("B")


def _(message: str) -> str:
    """Marks a sentence for the catalogue; whoever shows it translates it."""
    return message


JSON = "application/json"
NDJSON = "application/x-ndjson"
MARKDOWN = "text/markdown"
LARGEST_JSON = 1024**2
PORTION = 256 * 1024


def body_of(request: HttpRequest, shape: type[B]) -> B:
    """Of a JSON call. Raises ApiError: 400, 413, 415."""
    require_type(request, JSON)
    found: B = decoded(whole(request, LARGEST_JSON), shape)
    return found


def body_or_nothing(request: HttpRequest, shape: type[B]) -> B:
    """Of a call that need not be told anything."""
    is_sent = length_said(request) or request.META.get("HTTP_TRANSFER_ENCODING")
    return body_of(request, shape) if is_sent else shape()


def require_type(request: HttpRequest, *allowed: str) -> str:
    """The type that was sent. Raises ApiError 415."""
    sent = (request.content_type or "").lower()
    if sent not in allowed:
        sentence = gettext("Send %(types)s, and say so in Content-Type.")
        raise ApiError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            sentence % {"types": gettext(" or ").join(allowed)},
        )
    return sent


# --- Reading --------------------------------------------------------------------------------------


def whole(request: HttpRequest, most: int) -> bytes:
    """All of it at once: for what is small."""
    return b"".join(portions(request, most))


def spooled(request: HttpRequest, most: int) -> IO[bytes]:
    """All of it in a file that nobody else can open, read from its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        for portion in portions(request, most):
            file.write(portion)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def portions(request: HttpRequest, most: int) -> Iterator[bytes]:
    """Raises ApiError 413 before more than `most` bytes are kept anywhere."""
    if length_said(request) > most:
        raise too_large(most)
    stream = stream_of(request)
    read = 0
    try:
        while portion := stream.read(PORTION):
            read += len(portion)
            if read > most:
                raise too_large(most)
            yield portion
    except (UnreadablePostError, OSError) as error:
        sentence = gettext("The body ended before its end.")
        raise ApiError(HTTPStatus.BAD_REQUEST, "body_cut_off", sentence) from error


def length_said(request: HttpRequest) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def stream_of(request: HttpRequest) -> Any:
    """Django reads nothing of a body whose length is not said, as when a script pipes it."""
    is_in_chunks = request.META.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
    if is_in_chunks and request.META.get("wsgi.input_terminated"):
        return request.META["wsgi.input"]
    return request


def too_large(most: int) -> ApiError:
    if most < 1024**2:
        sentence = gettext("The body is larger than %(most)d KB.") % {"most": most // 1024}
    else:
        sentence = gettext("The body is larger than %(most)d MB.") % {"most": most // 1024**2}
    return ApiError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", sentence)


# --- Shapes ---------------------------------------------------------------------------------------


def decoded(raw: bytes, shape: Any) -> Any:
    """Raises ApiError 400 with the path of what is wrong, in the language of whoever asks."""
    try:
        found = decoder_of(shape).decode(raw)
    except msgspec.ValidationError as error:
        raise bad_body(in_words(str(error), raw, shape)) from error
    except UNREADABLE as error:
        raise malformed() from error
    if b"\\u0000" in raw:
        refuse_nul(msgspec.json.decode(raw), "")
    return found


UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


@cache
def decoder_of(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


def malformed() -> ApiError:
    return ApiError(HTTPStatus.BAD_REQUEST, "malformed", gettext("The body is not JSON in UTF-8."))


def bad_body(*problems: Problem) -> ApiError:
    return ApiError(HTTPStatus.BAD_REQUEST, "bad_body", *problems, detail=told(problems))


def told(problems: tuple[Problem, ...]) -> str:
    """As the sentences have no subject, with the path before them."""
    return " ".join(f"{one.path}: {one.message}" if one.path else one.message for one in problems)


def refuse_nul(value: Any, path: str) -> None:
    """No database keeps it."""
    if isinstance(value, str) and "\0" in value:
        sentence = gettext("This text holds a character that cannot be stored.")
        raise bad_body(Problem(path, sentence))
    if isinstance(value, dict):
        for name, one in value.items():
            refuse_nul(name, path)
            refuse_nul(one, f"{path}.{name}" if path else name)
    if isinstance(value, list):
        for place, one in enumerate(value):
            refuse_nul(one, f"{path}[{place}]")


# What msgspec calls a type -> what it must be.
MUST_BE = {
    "int": _("must be a whole number."),
    "float": _("must be a number."),
    "str": _("must be a text."),
    "bool": _("must be true or false."),
    "array": _("must be a list."),
    "object": _("must be an object."),
    "date": _("must be a date such as 2026-02-14."),
}
_PATH = re.compile(r" - at `(?:key in )?\$?(.*?)`$")


def in_words(message: str, raw: bytes, shape: Any) -> Problem:
    """msgspec's message in the words of the reader."""
    place = _PATH.search(message)
    path = place.group(1).removeprefix("$").removeprefix(".") if place else ""
    path = with_key(path, message, raw, shape)
    words = message[: place.start()] if place else message
    named = re.match(r"Object (missing required|contains unknown) field `(.*)`", words)
    if named:
        whole_path = f"{path}.{named.group(2)}" if path else named.group(2)
        is_missing = named.group(1).startswith("missing")
        return Problem(
            whole_path, gettext("is required.") if is_missing else gettext("is not known here.")
        )
    return Problem(path, sentence_for(words))


def sentence_for(words: str) -> str:
    limit = re.match(r"Expected `(\w+)`.*?([<>]=) (-?[\d.]+)", words)
    if limit:
        return limit_in_words(limit.group(1), limit.group(2), limit.group(3))
    expected = re.match(r"Expected `(\w+)", words)
    if expected and expected.group(1) in MUST_BE:
        return gettext(MUST_BE[expected.group(1)])
    if "RFC3339" in words:
        return gettext(MUST_BE["date"])
    if "enum" in words:
        return gettext("is none of the words that are known here.")
    if "out of range" in words:
        return gettext("contains a number that is too large.")
    return gettext("is not what is asked for here.")


def limit_in_words(kind: str, sign: str, number: str) -> str:
    if kind in ("int", "float"):
        is_upper = sign == "<="
        most, least = gettext("must be at most %(limit)s."), gettext("must be at least %(limit)s.")
        sentence = most if is_upper else least
        return sentence % {"limit": number}
    if sign == ">=":
        return gettext("must not be empty.")
    if kind == "str":
        sentence = gettext("must have at most %(most)s characters.")
    else:
        sentence = gettext("must have at most %(most)s entries.")
    return sentence % {"most": number}


def with_key(path: str, message: str, raw: bytes, shape: Any) -> str:
    """msgspec does not say which entry of an object it means: the one that alone is refused too.

    Alone, without the rest of the body: there may be thousands of them, and of the rest a megabyte.
    That something else is missing then is found only behind what is wrong with the entry.
    """
    before, dots, after = path.partition("[...]")
    if not dots:
        return path
    try:
        holder = msgspec.json.decode(raw)
    except UNREADABLE:  # what follows is worse
        return before
    names = before.split(".")
    for name in names:
        holder = holder[name]
    for key, value in holder.items():
        alone: Any = {key: value}
        for name in reversed(names):
            alone = {name: alone}
        if refusal_of(alone, shape) == message:
            return f"{before}.{key}{after}"
    return before


def refusal_of(data: Any, shape: Any) -> str:
    try:
        decoder_of(shape).decode(msgspec.json.encode(data))
    except msgspec.ValidationError as error:
        return str(error)
    return ""
