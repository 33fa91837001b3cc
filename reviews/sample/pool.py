"""The pool of a draw: eligible cases with their tags, and the changes between two pools."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import msgspec


class Candidate(NamedTuple):
    """An eligible case. `digest` covers its content, so changing a plan changes the pool."""

    case_key: str
    digest: str
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of the sampling rule, and the tags a case must have to fill it."""

    key: str
    tags: frozenset[str]


Record = list[tuple[str, str, list[str]]]


def build_record(pool: Iterable[Candidate]) -> Record:
    """Sort the pool and list key, content digest and tags of each case."""
    tags: dict[frozenset[str], list[str]] = {}
    return sorted(
        (key, digest, tags.get(own) or tags.setdefault(own, sorted(own)))
        for key, digest, own in pool
    )


def digest_pool(record: Record) -> str:
    """Compute the SHA-256 of the record as compact JSON, so that anyone can repeat it."""
    return hashlib.sha256(msgspec.json.encode(record)).hexdigest()


MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Named:
    """A number of cases and the first of their keys."""

    count: int = 0
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """Differences between two pools.

    `content` are cases whose plan or request changed, `tags` those where only the tags changed.
    """

    new: Named = Named()
    gone: Named = Named()
    content: Named = Named()
    tags: Named = Named()

    def __bool__(self) -> bool:
        return any((self.new.count, self.gone.count, self.content.count, self.tags.count))

    def to_data(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value["count"]}


def compare_pools(before: Iterable[Candidate], after: Iterable[Candidate]) -> Changes:
    was, now = list(before), list(after)
    digests = {candidate.case_key: candidate.digest for candidate in was}
    tags = {candidate.case_key: candidate.tags for candidate in was}
    new, content, other_tags = [], [], []
    for key, digest, own in now:
        if key not in digests:
            new.append(key)
        elif digests[key] != digest:
            content.append(key)
        elif tags[key] != own:
            other_tags.append(key)
    gone = digests.keys() - {candidate.case_key for candidate in now}
    return Changes(
        _count_and_name(new),
        _count_and_name(gone),
        _count_and_name(content),
        _count_and_name(other_tags),
    )


def _count_and_name(keys: Iterable[str]) -> Named:
    ordered = sorted(keys)
    return Named(len(ordered), tuple(ordered[:MOST_NAMED]))
