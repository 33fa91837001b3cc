"""Read one line of JSON as a case and check it. Only the first problem of a line is reported."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from .format import CLOCK, DATE, LOCALE, ONE_LINE, Case, CaseError, _

LONGEST_LINE = 256 * 1024
DEEPEST = 20

_decoder = msgspec.json.Decoder()
_typed = msgspec.json.Decoder(Case)
_encoder = msgspec.json.Encoder()
_sorted = msgspec.json.Encoder(order="deterministic")

# NUL, and escapes that may be a colon. The decoder refuses halves of characters.
_HIDING_ESCAPE = re.compile(rb"\\u00(?:00|3)")
_NOT_A_NUMBER = re.compile(r"(?<![\w\"])-?(NaN|Infinity|nan|inf)(?![\w\"])")
# With one space of indent for each level: anything inside level 21, or an empty level 21.
_TOO_DEEP = re.compile(rb'\n {%d}(?: |(?:"(?:[^"\\]|\\.)*": )?(?:\[\]|\{\}))' % DEEPEST)


class CheckedCase(NamedTuple):
    """A good row. `text` is compact JSON in the original order; `digest` ignores that order."""

    case: Case
    data: dict[str, Any]
    text: str
    digest: str


class Decoded(NamedTuple):
    data: dict[str, Any]
    compact: bytes


def read(line: bytes) -> CheckedCase:
    """Read and check a row of our own format. Raises CaseError."""
    return checked(decode(line))


def check(data: dict[str, Any]) -> CheckedCase:
    """Check data that was converted from a foreign shape. Raises CaseError."""
    return checked(Decoded(data, _encoder.encode(data)))


def case_from(text: str) -> Case:
    """Decode a stored row, which was checked at import."""
    return _typed.decode(text)


def checked(decoded: Decoded) -> CheckedCase:
    data, compact = decoded
    if len(compact) > LONGEST_LINE:
        raise CaseError("", TOO_LONG, limit=LONGEST_LINE // 1024, got=_kilobytes(compact))
    try:
        case = _typed.decode(compact)
    except msgspec.ValidationError as error:
        raise described(data, str(error)) from error
    _check_dates(case)
    return CheckedCase(case, data, compact.decode(), digest_case(data))


def digest_case(data: dict[str, Any]) -> str:
    """Return the SHA-256 of the content, independent of the order of its fields."""
    return hashlib.sha256(_sorted.encode(data)).hexdigest()


TOO_LONG = _("the line is longer than %(limit)d KB (%(got)d KB).")


def _kilobytes(line: bytes) -> int:
    return -(-len(line) // 1024)


def decode(line: bytes) -> Decoded:
    """Decode a line and check its size, characters, repeated keys and depth. Raises CaseError."""
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
    # The compact form has each key once, so it has fewer colons only if a key is repeated.
    if line.count(b":") != compact.count(b":"):
        _check_repeated_keys(line)
    if _TOO_DEEP.search(msgspec.json.format(compact, indent=1)):
        raise CaseError("", TOO_DEEP, limit=DEEPEST)
    return Decoded(data, compact)


NOT_UTF_8 = _("is not UTF-8 text. Save the file as UTF-8 and try again.")
TOO_DEEP = _("is nested more than %(limit)d levels deep.")


def _check_escapes(line: bytes) -> None:
    """Refuse NUL, half characters and hidden repeated keys. Slow, but rarely needed."""
    _check_repeated_keys(line)
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        return  # the decoder reports the problem
    for text in _strings(plain):
        if "\x00" in text:
            raise CaseError("", _("contains a NUL character."))
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise CaseError("", _("contains half a character (a lone surrogate)."))


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item


def find_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that came before, or None."""
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return None


def _check_repeated_keys(line: bytes) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated = find_repeated(name for name, value in pairs)
        if repeated is not None:
            raise CaseError("", _("the key “%(key)s” appears twice in one object."), key=repeated)
        return dict(pairs)

    try:
        json.loads(line, object_pairs_hook=once)
    except CaseError:
        raise
    except (ValueError, RecursionError):
        return  # the decoder reports the problem


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
    """Refuse days such as 30 February, which the pattern accepts."""
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


_ROOT = inspect.type_info(Case)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
LONGEST_SHOWN = 60

FORMS = {
    DATE: _("must be a date such as 2026-02-14, got %(got)s."),
    CLOCK: _("must be a time such as 09:30, got %(got)s."),
    LOCALE: _("must be a language such as zh-CN or en, got %(got)s."),
    ONE_LINE: _("must be one line without control characters, got %(got)s."),
}


def described(data: dict[str, Any], message: str) -> CaseError:
    """Turn the message of a ValidationError over this data into a sentence with its path."""
    missing = re.match(r"Object missing required field `(.+?)`", message)
    found = re.search(r"at `\$(.*?)`$", message)
    path, value, expected = _walk(data, found.group(1) if found else "")
    if missing:
        name = missing.group(1)
        return CaseError(f"{path}.{name}" if path else name, _("is required."))
    template, params = _expectation(expected, value)
    return CaseError(path, template, **params)


def _walk(data: Any, steps: str) -> tuple[str, Any, inspect.Type]:
    path, value, expected = "", data, _ROOT
    for name, place in _STEP.findall(steps):
        if name:
            struct = _option(expected, inspect.StructType)
            field = next(field for field in struct.fields if field.encode_name == name)
            value, expected = value[name], field.type
            path = f"{path}.{name}" if path else name
        elif place == "...":
            expected = _option(expected, inspect.DictType).value_type
            key, value = _bad_entry(value, expected)
            path = f"{path}.{key}"
        else:
            expected = _option(expected, inspect.ListType).item_type
            value = value[int(place)]
            path = f"{path}[{place}]"
    return path, value, expected


def _option(expected: inspect.Type, wanted: type) -> Any:
    """Return the alternative of a union that has this type."""
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    return next(option for option in options if isinstance(option, wanted))


def _bad_entry(entries: dict[str, Any], expected: inspect.Type) -> tuple[str, Any]:
    """Find the entry that msgspec refused; it does not say which."""
    for key, value in entries.items():
        if not _is_valid(value, expected):
            return key, value
    raise AssertionError("msgspec refused an entry that is valid")


def _is_valid(value: Any, expected: inspect.Type) -> bool:
    shape: Any = expected.cls if isinstance(expected, inspect.StructType) else _plain_type(expected)
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=shape)
    except msgspec.ValidationError:
        return False
    return True


def _plain_type(expected: inspect.Type) -> Any:
    """Return the type of values in a dictionary of the format."""
    if isinstance(expected, inspect.DictType):
        return dict[str, Any]
    return float | None


def _expectation(expected: inspect.Type, value: Any) -> tuple[str, dict[str, str | int]]:
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    named = [option for option in options if not isinstance(option, inspect.NoneType)]
    got: dict[str, str | int] = {"got": shown(value)}
    kinds = {type(option) for option in named}
    if kinds == {inspect.StrType, inspect.ListType}:
        return _("must be a text or a list of texts, got %(got)s."), got
    wanted = named[0]
    most = getattr(wanted, "le", None)
    if most is not None and most > 1 and type(value) in (int, float) and value > most:
        return _("must be at most %(most)d, got %(got)s."), got | {"most": int(most)}
    if isinstance(wanted, inspect.IntType):
        if wanted.ge == 0:
            return _("must be a whole number from 0, got %(got)s."), got
        return _("must be a whole number of at least 1, got %(got)s."), got
    if isinstance(wanted, inspect.FloatType):
        if wanted.le == 1:
            return _("must be a number from 0 to 1, got %(got)s."), got
        if wanted.ge == 0:
            return _("must be a number of at least 0, got %(got)s."), got
        return _("must be a number, got %(got)s."), got
    if isinstance(wanted, inspect.LiteralType):
        values = ", ".join(map(str, wanted.values))
        if len(wanted.values) == 1:
            return _("must be %(values)s, got %(got)s."), got | {"values": values}
        return _("must be one of %(values)s; got %(got)s."), got | {"values": values}
    if isinstance(wanted, inspect.ListType):
        return _("must be a list, got %(got)s."), got
    if isinstance(wanted, inspect.DictType | inspect.StructType):
        return _("must be an object, got %(got)s."), got
    if isinstance(wanted, inspect.StrType):
        return _text_expectation(wanted, value, got)
    raise AssertionError(f"no words for {wanted}")


def _text_expectation(
    wanted: inspect.StrType, value: Any, got: dict[str, str | int]
) -> tuple[str, dict[str, str | int]]:
    if isinstance(value, str):
        if not value.strip():
            return _("must not be empty."), {}
        if wanted.max_length and len(value) > wanted.max_length:
            lengths: dict[str, str | int] = {"most": wanted.max_length, "length": len(value)}
            return _("must have at most %(most)d characters, got %(length)d."), lengths
    elif wanted.pattern not in (DATE, CLOCK):
        return _("must be a text, got %(got)s."), got
    return FORMS[wanted.pattern or ""], got


def shown(value: Any) -> str:
    """Return a value as it is written in the file, cut to fit a sentence."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.isprintable():
        text = f"'{value}'"
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
