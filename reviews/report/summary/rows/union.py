"""Rows of several tables in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import BigIntegerField, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

Part = tuple[QuerySet[Any], Mapping[str, Combinable]]


def column(value: Combinable | str | int) -> Combinable:
    """A column as it is, or the same text or number in every row."""
    if isinstance(value, Combinable):
        return value
    return Value(value, TextField() if isinstance(value, str) else BigIntegerField())


def as_text(value: Combinable) -> Combinable:
    """A column that holds no text, such as JSON, to stand where other tables have text."""
    return Cast(value, TextField())


def union(*parts: Part) -> Iterator[tuple[Any, ...]]:
    """Rows of several tables, each part with the same columns in the same order."""
    first, *others = (rows.order_by().values_list(*columns.values()) for rows, columns in parts)
    return iter(first.union(*others, all=True))
