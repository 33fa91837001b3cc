"""What can be drawn from: eligible cases with their tags, and the kinds that want them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec


class Candidate(NamedTuple):
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
    """The pool in an order of its own: key, digest of the content, tags."""
    tags: dict[frozenset[str], list[str]] = {}
    return sorted(
        (key, digest, tags.get(own) or tags.setdefault(own, sorted(own)))
        for key, digest, own in pool
    )


def digest_of(record: Record) -> str:
    """Over the record as JSON without spaces, so that anybody can compute it."""
    return hashlib.sha256(msgspec.json.encode(record)).hexdigest()
