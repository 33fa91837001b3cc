"""A place in an ordered list, from which it goes on."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q


def beyond(order: Sequence[str], place: Sequence[Any]) -> Q:
    """Everything after a place in this order."""
    condition = Q()
    equal: dict[str, Any] = {}
    for name, value in zip(order, place, strict=True):
        field = name.removeprefix("-")
        step = "lt" if name.startswith("-") else "gt"
        condition |= Q(**equal, **{f"{field}__{step}": value})
        equal[field] = value
    return condition
