"""Match kinds and cases, so that each kind gets its own case.

This is a bipartite matching: with first come, first served a case that fits two kinds could leave
one of them empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .pool import Wanted


@dataclass(frozen=True, slots=True)
class Shortage:
    """A set of kinds that together have fewer cases than kinds. `cases` may be empty."""

    kinds: tuple[str, ...]
    cases: tuple[str, ...]


def choose_representatives(fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Give each kind, in order, the best case that still leaves one for each later kind.

    `fitting` has the cases of each kind, best first. There must be no shortage.
    """
    few = _keep_enough(fitting)
    taken: dict[str, str] = {}
    waiting = list(few)
    while waiting:
        kind = waiting.pop(0)
        for case in few[kind]:
            if case in taken.values():
                continue
            rest = {
                other: [free for free in few[other] if free != case and free not in taken.values()]
                for other in waiting
            }
            if len(match_most(rest)) == len(rest):
                taken[kind] = case
                break
    return taken


def find_shortages(fitting: Mapping[str, Sequence[str]]) -> list[Shortage]:
    """Find the sets of kinds that cannot each have their own case; empty if all can."""
    few = _keep_enough(fitting)
    holder = match_most(few)
    matched = set(holder.values())
    found = []
    for kind in few:
        if kind not in matched:
            kinds, cases = _find_competitors(kind, few, holder)
            found.append(
                Shortage(
                    tuple(other for other in few if other in kinds),
                    tuple(sorted(cases)),
                )
            )
    return found


def _keep_enough(fitting: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Keep the n best cases of each of n kinds: the other kinds hold at most n - 1 of them."""
    return {kind: list(cases[: len(fitting)]) for kind, cases in fitting.items()}


def match_most(fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Build a maximum matching (case -> kind) by augmenting paths."""
    holder: dict[str, str] = {}

    def place(kind: str, tried: set[str]) -> bool:
        for case in fitting[kind]:
            if case in tried:
                continue
            tried.add(case)
            if case not in holder or place(holder[case], tried):
                holder[case] = kind
                return True
        return False

    for kind in fitting:
        place(kind, set())
    return holder


def match_cheapest(
    fitting: Mapping[str, Sequence[str]],
    cost: Callable[[str, str], int],
    first: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Build a maximum matching (case -> kind) of least cost; `cost` takes a kind and a case.

    Uses successive shortest augmenting paths; kinds and cases are few. `first` is a matching to
    start from: its kinds stay matched, possibly to another case.
    """
    holder: dict[str, str] = dict(first or {})
    while True:
        held = {kind: case for case, kind in holder.items()}
        distance = {kind: 0 for kind in fitting if kind not in held}
        # Case -> its distance, and the kind it was reached from.
        reached: dict[str, tuple[int, str]] = {}
        is_settled = False
        while not is_settled:
            is_settled = True
            for kind in [kind for kind in fitting if kind in distance]:
                for case in fitting[kind]:
                    far = distance[kind] + cost(kind, case)
                    if held.get(kind) == case or far >= reached.get(case, (far + 1, ""))[0]:
                        continue
                    reached[case] = (far, kind)
                    is_settled = False
                    if case in holder:
                        back = far - cost(holder[case], case)
                        distance[holder[case]] = min(back, distance.get(holder[case], back))
        free = [case for case in reached if case not in holder]
        if not free:
            return holder
        next_case: str | None = min(free, key=lambda case: reached[case][0])
        while next_case is not None:
            taker = reached[next_case][1]
            holder[next_case] = taker
            next_case = held.get(taker)


def _find_competitors(
    kind: str, fitting: Mapping[str, Sequence[str]], holder: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Find the kinds that compete with an unmatched kind, and all their cases."""
    kinds, cases, waiting = {kind}, set[str](), [kind]
    while waiting:
        for case in fitting[waiting.pop()]:
            if case not in cases:
                cases.add(case)
                other = holder[case]
                if other not in kinds:
                    kinds.add(other)
                    waiting.append(other)
    return kinds, cases


@dataclass(frozen=True, slots=True)
class Sampled:
    """A case of the sample. `kind` is the kind it fills so far, or empty.

    A case that is not eligible (excluded after the draw) fills no kind.
    """

    case_key: str
    tags: frozenset[str]
    kind: str = ""
    is_eligible: bool = True

    def fits(self, kind: Wanted) -> bool:
        return self.is_eligible and self.tags >= kind.tags


def settle(
    sample: Sequence[Sampled], kinds: Sequence[Wanted], waived: Collection[str] = ()
) -> dict[str, str]:
    """Decide which kind each case fills (case key -> kind), changing as few as possible.

    Required kinds come first; a waived kind that has a case keeps it. A case that no kind needs
    counts for the kind with the fewest cases, as in the draw.
    """
    fitting = _list_fitting(sample, kinds)
    settled = {
        sampled.case_key: sampled.kind if sampled.case_key in fitting.get(sampled.kind, ()) else ""
        for sampled in sample
    }
    settled |= _match_sample(sample, kinds, waived)
    counts = {kind.key: 0 for kind in kinds}
    for taken_by in settled.values():
        if taken_by:
            counts[taken_by] += 1
    for sampled in sample:
        fits = [kind.key for kind in kinds if sampled.fits(kind)]
        if not settled[sampled.case_key] and fits:
            fewest = min(fits, key=lambda key: counts[key])
            settled[sampled.case_key] = fewest
            counts[fewest] += 1
    return settled


def find_uncovered(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> list[str]:
    """List the kinds that have no case of their own, in rubric order."""
    filled = set(_match_sample(sample, kinds, ()).values())
    return [kind.key for kind in kinds if kind.key not in filled]


def find_helpful(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> set[str]:
    """Find the kinds for which one more case would leave fewer kinds uncovered.

    The new case may help indirectly, by freeing another one.
    """
    now = len(find_uncovered(sample, kinds))
    return {
        kind.key
        for kind in kinds
        if now and len(find_uncovered([*sample, Sampled("", kind.tags)], kinds)) < now
    }


def choose_successor(
    sample: Sequence[Sampled], kinds: Sequence[Wanted], line: Iterable[tuple[str, frozenset[str]]]
) -> str | None:
    """Choose the first case in line with which the sample covers the most kinds."""
    best: tuple[int, str] | None = None
    # Cases that fit the same kinds have the same effect.
    missing_with: dict[frozenset[str], int] = {}
    for case_key, tags in line:
        fits = frozenset(kind.key for kind in kinds if tags >= kind.tags)
        if fits not in missing_with:
            missing_with[fits] = len(find_uncovered([*sample, Sampled(case_key, tags)], kinds))
        missing = missing_with[fits]
        if not missing:
            return case_key
        if best is None or missing < best[0]:
            best = (missing, case_key)
    return best[1] if best else None


def _match_sample(
    sample: Sequence[Sampled], kinds: Sequence[Wanted], waived: Collection[str]
) -> dict[str, str]:
    """Match a case to each kind that can have one (case -> kind), moving as few as possible."""
    has = {sampled.case_key: sampled.kind for sampled in sample}

    def moves(kind: str, case: str) -> int:
        return has[case] not in ("", kind)

    fitting = _list_fitting(sample, kinds)
    required = {key: cases for key, cases in fitting.items() if key not in waived}
    return match_cheapest(fitting, moves, first=match_cheapest(required, moves))


def _list_fitting(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, list[str]]:
    return {
        kind.key: [sampled.case_key for sampled in sample if sampled.fits(kind)] for kind in kinds
    }
