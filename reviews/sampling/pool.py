"""What can be drawn from: eligible cases with their tags, and the kinds that want them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """An eligible case. `digest` is of its content, so a changed plan is another pool."""

    case_key: str
    digest: str
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of the sampling rule, and the tags a case must have to fill it."""

    key: str
    tags: frozenset[str]


Record = list[tuple[str, str, list[str]]]


def record_of(pool: Iterable[Candidate]) -> Record:
    """The pool as it is stored with a draw, in an order of its own."""
    return sorted((one.case_key, one.digest, sorted(one.tags)) for one in pool)


def digest_of(record: Record) -> str:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
