"""What a shape of record has to offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """`convert` gives data in itinerary-case/1, or raises CaseError with a path into the record."""

    name: str
    recognises: Callable[[dict[str, Any]], bool]
    convert: Callable[[dict[str, Any]], dict[str, Any]]
