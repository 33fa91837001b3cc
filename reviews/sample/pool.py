"""The pool of a draw: eligible cases with their tags, and what changed between two pools."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

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


def build_record(pool: Iterable[Candidate]) -> Record:
    """The pool in an order of its own: key, digest of the content, tags."""
    tags: dict[frozenset[str], list[str]] = {}
    return sorted(
        (key, digest, tags.get(own) or tags.setdefault(own, sorted(own)))
        for key, digest, own in pool
    )


def digest_pool(record: Record) -> str:
    """Over the record as JSON without spaces, so that anybody can compute it."""
    return hashlib.sha256(msgspec.json.encode(record)).hexdigest()


MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Named:
    """How many cases, and the first of their keys."""

    count: int = 0
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """`content`: the same key with another plan or request. `tags`: only the tags differ."""

    new: Named = Named()
    gone: Named = Named()
    content: Named = Named()
    tags: Named = Named()

    def __bool__(self) -> bool:
        return any((self.new.count, self.gone.count, self.content.count, self.tags.count))

    def to_data(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value["count"]}


def changes_between(before: Iterable[Candidate], after: Iterable[Candidate]) -> Changes:
    was, now = list(before), list(after)
    digests = {one.case_key: one.digest for one in was}
    tags = {one.case_key: one.tags for one in was}
    new, content, other_tags = [], [], []
    for key, digest, own in now:
        if key not in digests:
            new.append(key)
        elif digests[key] != digest:
            content.append(key)
        elif tags[key] != own:
            other_tags.append(key)
    gone = digests.keys() - {one.case_key for one in now}
    return Changes(_named(new), _named(gone), _named(content), _named(other_tags))


def _named(keys: Iterable[str]) -> Named:
    ordered = sorted(keys)
    return Named(len(ordered), tuple(ordered[:MOST_NAMED]))
