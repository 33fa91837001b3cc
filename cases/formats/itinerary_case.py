"""Our own format (docs/case-format.md), which needs no conversion."""

from __future__ import annotations

from typing import Any

from cases.itinerary.format import SCHEMA

from .shape import Shape


def recognises(record: dict[str, Any]) -> bool:
    """Whether this is our format. A missing key is then reported as such, not as a wrong shape."""
    return (
        "case_key" in record
        or record.get("schema") == SCHEMA
        or isinstance(record.get("request"), dict)
    )


def convert(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record itself; cases.itinerary.reading checks it."""
    return record


SHAPE = Shape("itinerary-case", recognises, convert)
