"""One item of a plan, with every field that the format has for it."""

from __future__ import annotations

from typing import Any


def item(kind: str, **known: Any) -> dict[str, Any]:
    return {
        "start": None,
        "end": None,
        "kind": kind,
        "title": None,
        "place": None,
        "cost": None,
        "note": None,
        "buffer_minutes": None,
        "transport": None,
    } | known
