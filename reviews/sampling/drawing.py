"""The draw: pool, rubric and release name -> one order of all eligible cases.

There is no seed to shop for. Ranks are digests of what everybody can see, so the same pool gives
the same order on any machine, and one case more or less does not re-roll the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .matching import Shortage, representatives, shortages
from .pool import Candidate, Wanted

RankName = Literal["shared", "own"]


@dataclass(frozen=True, slots=True)
class Pick:
    """`kind` is the key of the kind that took the case; None: no kind had a fitting case left.

    `is_extra`: it came after every kind had its case. `rank` says by which rank it was best.
    """

    case_key: str
    kind: str | None
    is_extra: bool
    rank: RankName


@dataclass(frozen=True, slots=True)
class Ranks:
    """Lower is better. The shared rank is the same in every release of one rubric."""

    rubric_digest: str
    release_name: str

    def shared(self, case_key: str) -> bytes:
        return _digest(self.rubric_digest, case_key)

    def own(self, case_key: str) -> bytes:
        return _digest(self.rubric_digest, case_key, self.release_name)


def _digest(*parts: str) -> bytes:
    """A zero stands between the parts; none of them can hold one."""
    return hashlib.sha256("\0".join(parts).encode()).digest()


class Unfillable(Exception):
    """Some kinds cannot each have a case of their own; `shortages` says which and why."""

    def __init__(self, shortages: Sequence[Shortage]) -> None:
        self.shortages = tuple(shortages)
        super().__init__(f"{len(self.shortages)} shortages")


def draw(pool: Iterable[Candidate], kinds: Sequence[Wanted], ranks: Ranks) -> tuple[Pick, ...]:
    """Every case of the pool, in order; a sample of n is its first n. Raises Unfillable."""
    candidates = sorted(pool, key=lambda one: ranks.shared(one.case_key))
    fitting = {
        kind.key: [one.case_key for one in candidates if one.tags >= kind.tags] for kind in kinds
    }
    missing = shortages(fitting)
    if missing:
        raise Unfillable(missing)
    first = representatives(fitting)
    picks = [Pick(first[kind.key], kind.key, is_extra=False, rank="shared") for kind in kinds]
    return (*picks, *_extras(candidates, kinds, ranks, picks))


def _extras(
    candidates: Sequence[Candidate], kinds: Sequence[Wanted], ranks: Ranks, picks: Sequence[Pick]
) -> Iterator[Pick]:
    """One case at a time; the shared rank and the release's own take turns."""
    taken = {pick.case_key for pick in picks}
    counts = {kind.key: 1 for kind in kinds}
    by_own = sorted(candidates, key=lambda one: ranks.own(one.case_key))
    orders: dict[RankName, _Queues] = {
        "shared": _Queues(candidates, kinds),
        "own": _Queues(by_own, kinds),
    }
    turn: RankName = "shared"
    while len(taken) < len(candidates):
        queues = orders[turn]
        # The kind with the fewest cases so far; Python keeps equals in rubric order.
        for kind in sorted(counts, key=lambda key: counts[key]):
            case_key = queues.best(kind, taken)
            if case_key is not None:
                counts[kind] += 1
                break
        else:
            kind, case_key = None, queues.best(None, taken)
            assert case_key is not None
        taken.add(case_key)
        yield Pick(case_key, kind, is_extra=True, rank=turn)
        turn = "own" if turn == "shared" else "shared"


class _Queues:
    """For each kind its fitting cases, best first; what was taken is skipped once and for all."""

    def __init__(self, ordered: Sequence[Candidate], kinds: Sequence[Wanted]) -> None:
        self._queues: dict[str | None, list[str]] = {
            kind.key: [one.case_key for one in reversed(ordered) if one.tags >= kind.tags]
            for kind in kinds
        }
        self._queues[None] = [one.case_key for one in reversed(ordered)]

    def best(self, kind: str | None, taken: set[str]) -> str | None:
        queue = self._queues[kind]
        while queue and queue[-1] in taken:
            queue.pop()
        return queue[-1] if queue else None
