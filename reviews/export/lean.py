"""The stored summary of a release, read with as little memory as it takes.

Its remarks, all that reviewers wrote, are most of a large summary, and no table or verdict asks for
them. And its text comes as bytes: Python keeps Chinese text at twice the size.
"""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from typing import Any, get_type_hints

import msgspec
from django.db.models import BinaryField, Func
from django.db.models.sql.compiler import SQLCompiler

from cases.models import Release
from reviews import summary
from reviews.summary import SCHEMA, OtherSchema, Summary

LEFT_OUT = "remarks"

_hints = get_type_hints(Summary)
_names = [one.name for one in fields(Summary) if one.name != LEFT_OUT]
_Lean = make_dataclass("_Lean", [(name, _hints[name]) for name in _names], frozen=True)


class _Schema(msgspec.Struct):
    schema: str


class Utf8(Func):
    """A text as its bytes."""

    output_field = BinaryField()
    template = "CONVERT_TO(%(expressions)s, 'UTF8')"

    def as_sqlite(self, compiler: SQLCompiler, connection: Any, **context: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="CAST(%(expressions)s AS BLOB)", **context
        )


def stored(release: Release) -> bytes:
    """The summary that a closed release was closed with, byte for byte."""
    return bytes(release.closings.standing().values_list(Utf8("summary"), flat=True).get())


def read(text: bytes) -> Summary:
    """As `summary.read`, without remarks. Raises OtherSchema."""
    schema = msgspec.json.decode(text, type=_Schema).schema
    if schema != SCHEMA:
        raise OtherSchema(schema)
    found: Any = msgspec.json.decode(text, type=_Lean)
    return Summary(**{name: getattr(found, name) for name in _names}, remarks=())


def standing(release: Release) -> Summary:
    """As `summary.standing`."""
    if not release.is_closed:
        return summary.of(release)
    try:
        return read(stored(release))
    except OtherSchema:
        return summary.of(release)
