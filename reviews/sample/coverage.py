"""How far a pool covers the kinds of the sampling rule, and what comes nearest to the rest."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .pool import Candidate, Wanted

MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Hopeful:
    """A case that may come near a kind. `hints` are tags that were found, but not surely."""

    case_key: str
    tags: frozenset[str]
    hints: frozenset[str] = frozenset()
    is_eligible: bool = True


@dataclass(frozen=True, slots=True)
class Near:
    """A case that would fill the kind if it had these tags too, or if it could be sampled."""

    case_key: str
    missing: tuple[str, ...]
    hinted: tuple[str, ...]
    is_eligible: bool


def counts(pool: Sequence[Candidate], kinds: Sequence[Wanted]) -> dict[str, int]:
    """How many cases may fill each kind."""
    sets = Counter(one.tags for one in pool)
    return {
        kind.key: sum(count for tags, count in sets.items() if tags >= kind.tags) for kind in kinds
    }


def nearest(hopefuls: Iterable[Hopeful], kind: Wanted) -> tuple[Near, ...]:
    """Those that lack the fewest tags first, then those that can be sampled, then hinted ones."""
    near = (
        Near(
            one.case_key,
            tuple(sorted(kind.tags - one.tags)),
            tuple(sorted((kind.tags - one.tags) & one.hints)),
            one.is_eligible,
        )
        for one in hopefuls
        if not kind.tags.isdisjoint(one.tags | one.hints)
        and not (one.is_eligible and one.tags >= kind.tags)
    )
    return tuple(heapq.nsmallest(MOST_NEAR, near, key=_distance))


def _distance(near: Near) -> tuple[int, bool, int, str]:
    return (
        len(near.missing),
        not near.is_eligible,
        len(near.missing) - len(near.hinted),
        near.case_key,
    )
