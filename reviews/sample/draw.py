"""The draw: pool, rubric and release name -> one order of all eligible cases.

There is no seed to shop for. Ranks are digests of what everybody can see, so the same pool gives
the same order on any machine, and one case more or less does not re-roll the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappop, heapreplace

from .matching import Shortage, representatives, shortages
from .order import Order, RankName, rank_at
from .pool import Candidate, Wanted


@dataclass(frozen=True, slots=True)
class Ranks:
    """Lower is better. The shared rank is the same in every release of one rubric."""

    rubric_digest: str
    release_name: str

    def shared(self, case_key: str) -> bytes:
        return sha256(f"{self.rubric_digest}\0{case_key}".encode()).digest()

    def own(self, case_key: str) -> bytes:
        """A zero stands between the parts; none of them can hold one."""
        return sha256(f"{self.rubric_digest}\0{case_key}\0{self.release_name}".encode()).digest()


class Unfillable(Exception):
    """Some kinds cannot each have a case of their own; `shortages` says which and why."""

    def __init__(self, shortages: Sequence[Shortage]) -> None:
        self.shortages = tuple(shortages)
        super().__init__(f"{len(self.shortages)} shortages")


def draw_order(pool: Iterable[Candidate], kinds: Sequence[Wanted], ranks: Ranks) -> Order:
    """Every case of the pool, in order; a sample of n is its first n. Raises Unfillable."""
    cases = list(pool)
    keys = [one.case_key for one in cases]
    shared = _best_first(keys, ranks.shared)
    fitting = _fitting(cases, shared, kinds)
    by_key = {
        kind.key: [keys[row] for row in rows[: len(kinds)]]
        for kind, rows in zip(kinds, fitting, strict=True)
    }
    missing = shortages(by_key)
    if missing:
        raise Unfillable(missing)
    chosen = representatives(by_key)
    rows_of = {keys[row]: row for rows in fitting for row in rows[: len(kinds)]}
    rows = [rows_of[chosen[kind.key]] for kind in kinds]
    taken_by = list(range(len(kinds)))
    own = _best_first(keys, ranks.own)
    queues: dict[RankName, list[list[int]]] = {
        "shared": [*fitting, shared],
        "own": [*_fitting(cases, own, kinds), own],
    }
    _add_extras(queues, len(kinds), rows, taken_by)
    tag_sets: dict[frozenset[str], int] = {}
    return Order(
        kinds=[kind.key for kind in kinds],
        keys=[keys[row] for row in rows],
        digests=[cases[row].digest for row in rows],
        taken_by=taken_by,
        tags=[tag_sets.setdefault(cases[row].tags, len(tag_sets)) for row in rows],
        tag_sets=[sorted(tags) for tags in tag_sets],
    )


def _best_first(keys: Sequence[str], rank: Callable[[str], bytes]) -> list[int]:
    digests = [rank(key) for key in keys]
    return sorted(range(len(keys)), key=digests.__getitem__)


def _fitting(
    cases: Sequence[Candidate], rows: Iterable[int], kinds: Sequence[Wanted]
) -> list[list[int]]:
    """For each kind its cases, in the order of the rows. Most cases share their tags."""
    found: list[list[int]] = [[] for _ in kinds]
    lists: dict[frozenset[str], list[list[int]]] = {}
    for row in rows:
        tags = cases[row].tags
        own = lists.get(tags)
        if own is None:
            own = lists[tags] = [
                found[place] for place, kind in enumerate(kinds) if tags >= kind.tags
            ]
        for one in own:
            one.append(row)
    return found


def _add_extras(
    queues: dict[RankName, list[list[int]]], kinds: int, rows: list[int], taken_by: list[int]
) -> None:
    """One case at a time; the shared rank and the release's own take turns.

    The queues hold, by each rank, the cases of each kind and behind the kinds all cases.
    """
    # What was taken is skipped once and for all.
    waiting_in = {rank: [iter(queue) for queue in of_rank] for rank, of_rank in queues.items()}
    count_of_cases = len(queues["own"][-1])
    is_taken = bytearray(count_of_cases)
    for row in rows:
        is_taken[row] = 1
    # The kind with the fewest cases so far comes first, equals in rubric order, any case last.
    waiting = [(1, place) for place in range(kinds)]
    waiting.append((count_of_cases + 1, kinds))
    while len(rows) < count_of_cases:
        count, place = waiting[0]
        for row in waiting_in[rank_at(len(rows) + 1, kinds)][place]:
            if not is_taken[row]:
                break
        else:
            # A kind without a case has none by the other rank either, and never will.
            heappop(waiting)
            continue
        is_taken[row] = 1
        rows.append(row)
        taken_by.append(place)
        if place < kinds:
            heapreplace(waiting, (count + 1, place))
