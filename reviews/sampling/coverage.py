"""How far a pool covers the kinds of the sampling rule, and what comes nearest to the rest."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .pool import Candidate, Wanted

MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Near:
    """A case that would fit if it had these tags too."""

    case_key: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindCoverage:
    """`fitting` counts the cases that may fill the kind, `filled_by` are those that do."""

    kind: str
    fitting: int
    filled_by: tuple[str, ...]
    nearest: tuple[Near, ...]

    @property
    def is_filled(self) -> bool:
        return bool(self.filled_by)


def coverage(
    pool: Sequence[Candidate], kinds: Sequence[Wanted], sample: Mapping[str, str | None]
) -> tuple[KindCoverage, ...]:
    """`sample` says for each sampled case which kind took it. One look at the pool for a kind."""
    return tuple(
        KindCoverage(
            kind.key,
            sum(one.tags >= kind.tags for one in pool),
            tuple(key for key, taken_by in sample.items() if taken_by == kind.key),
            nearest(pool, kind),
        )
        for kind in kinds
    )


def nearest(pool: Sequence[Candidate], kind: Wanted) -> tuple[Near, ...]:
    """Cases with some of the tags, those that lack the fewest first."""
    lacking = (
        (len(kind.tags - one.tags), one.case_key, one.tags)
        for one in pool
        if not kind.tags.isdisjoint(one.tags) and not one.tags >= kind.tags
    )
    return tuple(
        Near(case_key, tuple(sorted(kind.tags - tags)))
        for _count, case_key, tags in heapq.nsmallest(MOST_NEAR, lacking, key=lambda one: one[:2])
    )
