"""One line of JSON -> plain data, checked. The first problem of a line is its problem."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from .document import Case
from .expectations import described
from .problems import CaseError, _

LONGEST_LINE = 256 * 1024
DEEPEST = 20

_decoder = msgspec.json.Decoder()
_typed = msgspec.json.Decoder(Case)
_encoder = msgspec.json.Encoder()
_sorted = msgspec.json.Encoder(order="deterministic")

# NUL, and escapes of which one is a colon. Halves of characters are refused by the decoder.
_HIDING_ESCAPE = re.compile(rb"\\u00(?:00|3)")
_NOT_A_NUMBER = re.compile(r"(?<![\w\"])-?(NaN|Infinity|nan|inf)(?![\w\"])")
# One space of indent for each level: what is inside level 21, or is an empty level 21 itself.
_TOO_DEEP = re.compile(rb'\n {%d}(?: |(?:"(?:[^"\\]|\\.)*": )?(?:\[\]|\{\}))' % DEEPEST)


class Row(NamedTuple):
    """`text` is the row as compact JSON in the order it came; `digest` does not depend on it."""

    case: Case
    data: dict[str, Any]
    text: str
    digest: str


class Decoded(NamedTuple):
    data: dict[str, Any]
    compact: bytes


def read(line: bytes) -> Row:
    """One row of our own format. Raises CaseError."""
    return checked(decode(line))


def check(data: dict[str, Any]) -> Row:
    """The same for data that a foreign shape was turned into. Raises CaseError."""
    return checked(Decoded(data, _encoder.encode(data)))


def case_from(text: str) -> Case:
    """A stored row, which was checked when it came in."""
    return _typed.decode(text)


def checked(decoded: Decoded) -> Row:
    data, compact = decoded
    if len(compact) > LONGEST_LINE:
        raise CaseError("", TOO_LONG, limit=LONGEST_LINE // 1024, got=_kilobytes(compact))
    try:
        case = _typed.decode(compact)
    except msgspec.ValidationError as error:
        raise described(data, str(error)) from error
    _check_dates(case)
    return Row(case, data, compact.decode(), digest_of(data))


def digest_of(data: dict[str, Any]) -> str:
    """Over the content, whatever the order of its fields."""
    return hashlib.sha256(_sorted.encode(data)).hexdigest()


TOO_LONG = _("the line is longer than %(limit)d KB (%(got)d KB).")


def _kilobytes(line: bytes) -> int:
    return -(-len(line) // 1024)


def decode(line: bytes) -> Decoded:
    """A line as plain data: right size, right characters, no key twice, not too deep."""
    if len(line) > LONGEST_LINE:
        raise CaseError("", TOO_LONG, limit=LONGEST_LINE // 1024, got=_kilobytes(line))
    if b"\x00" in line:
        raise CaseError("", _("contains a NUL character."))
    if b"\\u" in line and _HIDING_ESCAPE.search(line):
        _check_escapes(line)
    try:
        data = _decoder.decode(line)
        compact = _encoder.encode(data)
    except RecursionError as error:
        raise CaseError("", TOO_DEEP, limit=DEEPEST) from error
    except UnicodeDecodeError as error:
        raise CaseError(
            "", _("is not UTF-8 text. Save the file as UTF-8 and try again.")
        ) from error
    except (msgspec.MsgspecError, OverflowError, ValueError) as error:
        if b"\\u" in line:
            _check_escapes(line)
        raise _malformed(line, error) from error
    if type(data) is not dict:
        raise CaseError("", _("must be a JSON object, in braces."))
    # The compact form holds each key once. Only a repeated key makes it hold fewer colons.
    if line.count(b":") != compact.count(b":"):
        _check_repeated_keys(line)
    if _TOO_DEEP.search(msgspec.json.format(compact, indent=1)):
        raise CaseError("", TOO_DEEP, limit=DEEPEST)
    return Decoded(data, compact)


NOT_UTF_8 = _("is not UTF-8 text. Save the file as UTF-8 and try again.")
TOO_DEEP = _("is nested more than %(limit)d levels deep.")


def _check_escapes(line: bytes) -> None:
    """Rare, so that it may be slow: NUL, half characters, and escapes that hide a colon."""
    _check_repeated_keys(line)
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        return  # the decoder says what is wrong
    for text in _strings(plain):
        if "\x00" in text:
            raise CaseError("", _("contains a NUL character."))
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise CaseError("", _("contains half a character (a lone surrogate)."))


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one


def _check_repeated_keys(line: bytes) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, value in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise CaseError("", _("the key “%(key)s” stands twice in one object."), key=twice)
        return found

    try:
        json.loads(line, object_pairs_hook=once)
    except CaseError:
        raise
    except (ValueError, RecursionError):
        return  # the decoder says what is wrong


def _malformed(line: bytes, error: Exception) -> CaseError:
    text = line.decode("utf-8", "replace")
    not_a_number = _NOT_A_NUMBER.search(text)
    if not_a_number and "malformed" in str(error):
        word = not_a_number.group()
        return CaseError("", _("%(word)s is not JSON; write null for “not known”."), word=word)
    if isinstance(error, OverflowError) or "out of range" in str(error) or "Exceeds" in str(error):
        return CaseError("", _("contains a number that is too large."))
    if "truncated" in str(error):
        return CaseError("", _("the line ends in the middle of the JSON text."))
    place = re.search(r"byte (\d+)", str(error))
    at = len(line[: int(place.group(1))].decode("utf-8", "replace")) + 1 if place else 1
    return CaseError("", _("is not JSON (character %(at)d)."), at=at)


def _check_dates(case: Case) -> None:
    """The pattern lets the 30th of February pass; few cases have dates, so this is cheap."""
    days = (case.plan.days if case.plan else None) or ()
    dates = [
        ("request.start_date", case.request.start_date),
        ("request.end_date", case.request.end_date),
        *((f"plan.days[{place}].date", day.date) for place, day in enumerate(days)),
    ]
    for path, date in dates:
        if date is not None:
            try:
                datetime.date.fromisoformat(date)
            except ValueError as error:
                raise CaseError(path, NO_SUCH_DAY, got=date) from error


NO_SUCH_DAY = _("there is no such day as %(got)s.")
