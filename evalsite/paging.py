"""Keyset pagination: continue an ordered list after a given row."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q


def beyond(order: Sequence[str], place: Sequence[Any]) -> Q:
    """Return the condition for all rows that come after `place` in this order."""
    condition = Q()
    equal: dict[str, Any] = {}
    for name, value in zip(order, place, strict=True):
        field = name.removeprefix("-")
        step = "lt" if name.startswith("-") else "gt"
        condition |= Q(**equal, **{f"{field}__{step}": value})
        equal[field] = value
    return condition
