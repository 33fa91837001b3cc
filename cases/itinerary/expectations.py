"""From msgspec's words for a mistake to ours: what the field must be, and what was found."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
from msgspec import inspect

from .document import CLOCK, DATE, LOCALE, ONE_LINE, Case
from .problems import CaseError, _

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
            field = next(one for one in struct.fields if one.encode_name == name)
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
    """The one alternative of a union that goes further down."""
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    return next(one for one in options if isinstance(one, wanted))


def _bad_entry(entries: dict[str, Any], expected: inspect.Type) -> tuple[str, Any]:
    """msgspec does not say which entry of a dictionary it means."""
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
    """The types that stand as values in the dictionaries of the format."""
    if isinstance(expected, inspect.DictType):
        return dict[str, Any]
    return float | None


def _expectation(expected: inspect.Type, value: Any) -> tuple[str, dict[str, str | int]]:
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    named = [one for one in options if not isinstance(one, inspect.NoneType)]
    got: dict[str, str | int] = {"got": shown(value)}
    kinds = {type(one) for one in named}
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
        values = ", ".join(str(one) for one in wanted.values)
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
    """A value as it stood in the file, cut to what fits a sentence."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.isprintable():
        text = f"'{value}'"
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
