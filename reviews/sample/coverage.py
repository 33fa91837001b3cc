"""Count the cases that fit each kind, and find the cases that nearly fit."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .pool import Candidate, Wanted

MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Hopeful:
    """A case that may nearly fit a kind. `hints` are weakly detected tags."""

    case_key: str
    tags: frozenset[str]
    hints: frozenset[str] = frozenset()
    is_eligible: bool = True


@dataclass(frozen=True, slots=True)
class Near:
    """A case that would fill the kind if it had the missing tags, or if it were eligible."""

    case_key: str
    missing: tuple[str, ...]
    hinted: tuple[str, ...]
    is_eligible: bool


def count_fitting(pool: Sequence[Candidate], kinds: Sequence[Wanted]) -> dict[str, int]:
    """Count the cases that fit each kind."""
    sets = Counter(candidate.tags for candidate in pool)
    return {
        kind.key: sum(count for tags, count in sets.items() if tags >= kind.tags) for kind in kinds
    }


def find_nearest(hopefuls: Iterable[Hopeful], kind: Wanted) -> tuple[Near, ...]:
    """Sort by fewest missing tags, then eligible cases first, then most hinted tags."""
    near = (
        Near(
            hopeful.case_key,
            tuple(sorted(kind.tags - hopeful.tags)),
            tuple(sorted((kind.tags - hopeful.tags) & hopeful.hints)),
            hopeful.is_eligible,
        )
        for hopeful in hopefuls
        if not kind.tags.isdisjoint(hopeful.tags | hopeful.hints)
        and not (hopeful.is_eligible and hopeful.tags >= kind.tags)
    )
    return tuple(heapq.nsmallest(MOST_NEAR, near, key=_distance))


def _distance(near: Near) -> tuple[int, bool, int, str]:
    return (
        len(near.missing),
        not near.is_eligible,
        len(near.missing) - len(near.hinted),
        near.case_key,
    )
