"""Rows of several tables in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import BigIntegerField, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

Part = tuple[QuerySet[Any], Mapping[str, Combinable]]


def text(value: Combinable | str | int = "") -> Combinable:
    """A column of text, whatever it holds."""
    return Cast(value if isinstance(value, Combinable) else Value(value), TextField())


def number(value: Combinable | str | int = 0) -> Combinable:
    return Cast(value if isinstance(value, Combinable) else Value(value), BigIntegerField())


def union(*parts: Part) -> Iterator[tuple[Any, ...]]:
    """Rows of several tables, each part with the same columns in the same order."""
    first, *others = (rows.order_by().values_list(*columns.values()) for rows, columns in parts)
    return iter(first.union(*others, all=True))
