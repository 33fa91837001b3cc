"""Our own format, docs/case-format.md: nothing to convert."""

from __future__ import annotations

from typing import Any

from cases.itinerary.format import SCHEMA

from .shape import Shape


def recognises(record: dict[str, Any]) -> bool:
    """Also without its key, so that the reader is told about the key and not about the shape."""
    return (
        "case_key" in record
        or record.get("schema") == SCHEMA
        or isinstance(record.get("request"), dict)
    )


def convert(record: dict[str, Any]) -> dict[str, Any]:
    """The record itself; cases.itinerary.reading.check says what is wrong with it."""
    return record


SHAPE = Shape("itinerary-case", recognises, convert)
