"""Draw an order of all eligible cases from the pool, the rubric and the release name.

There is no random seed that could be chosen. Ranks are digests of public values, so the same pool
gives the same order on any machine, and adding or removing a case leaves the order of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappop, heapreplace

from .matching import Shortage, choose_representatives, find_shortages
from .order import Order, RankName, rank_at
from .pool import Candidate, Wanted


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of cases; lower is better. The shared rank is the same in all releases of a rubric."""

    rubric_digest: str
    release_name: str

    def shared(self, case_key: str) -> bytes:
        return sha256(f"{self.rubric_digest}\0{case_key}".encode()).digest()

    def own(self, case_key: str) -> bytes:
        """Rank by a digest with the release name. NUL separates the parts; none contains it."""
        return sha256(f"{self.rubric_digest}\0{case_key}\0{self.release_name}".encode()).digest()


class Unfillable(Exception):
    """Some kinds cannot each have their own case; `shortages` lists them with their cases."""

    def __init__(self, shortages: Sequence[Shortage]) -> None:
        self.shortages = tuple(shortages)
        super().__init__(f"{len(self.shortages)} shortages")


def draw_order(pool: Iterable[Candidate], kinds: Sequence[Wanted], ranks: Ranks) -> Order:
    """Order every case of the pool; a sample of n is its first n. Raise Unfillable."""
    cases = list(pool)
    keys = [case.case_key for case in cases]
    shared = _sort_best_first(keys, ranks.shared)
    fitting = _list_fitting(cases, shared, kinds)
    by_key = {
        kind.key: [keys[row] for row in rows[: len(kinds)]]
        for kind, rows in zip(kinds, fitting, strict=True)
    }
    missing = find_shortages(by_key)
    if missing:
        raise Unfillable(missing)
    chosen = choose_representatives(by_key)
    rows_of = {keys[row]: row for rows in fitting for row in rows[: len(kinds)]}
    rows = [rows_of[chosen[kind.key]] for kind in kinds]
    taken_by = list(range(len(kinds)))
    own = _sort_best_first(keys, ranks.own)
    queues: dict[RankName, list[list[int]]] = {
        "shared": [*fitting, shared],
        "own": [*_list_fitting(cases, own, kinds), own],
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


def _sort_best_first(keys: Sequence[str], rank: Callable[[str], bytes]) -> list[int]:
    digests = [rank(key) for key in keys]
    return sorted(range(len(keys)), key=digests.__getitem__)


def _list_fitting(
    cases: Sequence[Candidate], rows: Iterable[int], kinds: Sequence[Wanted]
) -> list[list[int]]:
    """List the cases of each kind, in the order of the rows.

    Most cases share their tags, so the kinds are looked up once for each set of tags.
    """
    found: list[list[int]] = [[] for _ in kinds]
    lists: dict[frozenset[str], list[list[int]]] = {}
    for row in rows:
        tags = cases[row].tags
        own = lists.get(tags)
        if own is None:
            own = lists[tags] = [
                found[place] for place, kind in enumerate(kinds) if tags >= kind.tags
            ]
        for rows_of_kind in own:
            rows_of_kind.append(row)
    return found


def _add_extras(
    queues: dict[RankName, list[list[int]]], kinds: int, rows: list[int], taken_by: list[int]
) -> None:
    """Add the rest one case at a time, alternating between the shared and the own rank.

    The queues hold, for each rank, the cases of each kind and, as the last queue, all cases.
    """
    # An iterator never returns to a case that was taken.
    waiting_in = {rank: [iter(queue) for queue in of_rank] for rank, of_rank in queues.items()}
    count_of_cases = len(queues["own"][-1])
    is_taken = bytearray(count_of_cases)
    for row in rows:
        is_taken[row] = 1
    # The kind with the fewest cases comes first, ties in rubric order, the queue of all cases last.
    waiting = [(1, place) for place in range(kinds)]
    waiting.append((count_of_cases + 1, kinds))
    while len(rows) < count_of_cases:
        count, place = waiting[0]
        for row in waiting_in[rank_at(len(rows) + 1, kinds)][place]:
            if not is_taken[row]:
                break
        else:
            # No case is left for this kind, by either rank.
            heappop(waiting)
            continue
        is_taken[row] = 1
        rows.append(row)
        taken_by.append(place)
        if place < kinds:
            heapreplace(waiting, (count + 1, place))
