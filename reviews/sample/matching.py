"""Gives each kind a case of its own: a matching, not a first-come pick."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .pool import Wanted


@dataclass(frozen=True, slots=True)
class Shortage:
    """Kinds that have fewer cases between them than there are kinds. `cases` may be empty."""

    kinds: tuple[str, ...]
    cases: tuple[str, ...]


def representatives(fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Kinds in order each take the best case that still leaves one for each of the rest.

    `fitting` has the cases of each kind, best first. Only called when there is no shortage.
    """
    few = _enough(fitting)
    taken: dict[str, str] = {}
    waiting = list(few)
    while waiting:
        kind = waiting.pop(0)
        for case in few[kind]:
            if case in taken.values():
                continue
            rest = {
                other: [one for one in few[other] if one != case and one not in taken.values()]
                for other in waiting
            }
            if len(largest(rest)) == len(rest):
                taken[kind] = case
                break
    return taken


def shortages(fitting: Mapping[str, Sequence[str]]) -> list[Shortage]:
    """Why not every kind can have its own case; empty when it can."""
    few = _enough(fitting)
    holder = largest(few)
    matched = set(holder.values())
    found = []
    for kind in few:
        if kind not in matched:
            kinds, cases = _reachable(kind, few, holder)
            found.append(
                Shortage(
                    tuple(one for one in few if one in kinds),
                    tuple(sorted(cases)),
                )
            )
    return found


def _enough(fitting: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Of n kinds the others hold at most n - 1 cases: the n best of each kind decide."""
    return {kind: list(cases[: len(fitting)]) for kind, cases in fitting.items()}


def largest(fitting: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A largest matching: case -> kind, by augmenting paths."""
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


def cheapest(
    fitting: Mapping[str, Sequence[str]],
    cost: Callable[[str, str], int],
    first: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Of the largest matchings, case -> kind, one of least cost; `cost` is that of kind and case.

    Successive shortest augmenting paths; kinds and cases are few. `first` is a matching to begin
    with: the kinds in it keep a case, if perhaps another one.
    """
    holder: dict[str, str] = dict(first or {})
    while True:
        held = {kind: case for case, kind in holder.items()}
        distance = {kind: 0 for kind in fitting if kind not in held}
        # Case -> how far, and from which kind.
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
        next_case: str | None = min(free, key=lambda one: reached[one][0])
        while next_case is not None:
            taker = reached[next_case][1]
            holder[next_case] = taker
            next_case = held.get(taker)


def _reachable(
    kind: str, fitting: Mapping[str, Sequence[str]], holder: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """The kinds that compete with one that went without, and all the cases they have."""
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
    """A case of the sample. `kind` is the one it fills so far; empty: none.

    One that is not eligible, because it was excluded after the draw, fills no kind.
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
    """Case key -> the kind it fills. As few cases as need be change the kind they have.

    Kinds that nobody waived come first; one that is waived and has a case all the same keeps it.
    A case that no kind needs counts for the kind with the fewest cases, as in the draw.
    """
    fitting = _fitting(sample, kinds)
    settled = {
        one.case_key: one.kind if one.case_key in fitting.get(one.kind, ()) else ""
        for one in sample
    }
    settled |= _holders(sample, kinds, waived)
    counts = {kind.key: 0 for kind in kinds}
    for taken_by in settled.values():
        if taken_by:
            counts[taken_by] += 1
    for one in sample:
        fits = [kind.key for kind in kinds if one.fits(kind)]
        if not settled[one.case_key] and fits:
            fewest = min(fits, key=lambda key: counts[key])
            settled[one.case_key] = fewest
            counts[fewest] += 1
    return settled


def uncovered(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> list[str]:
    """The kinds that have no case of their own, in rubric order."""
    filled = set(_holders(sample, kinds, ()).values())
    return [kind.key for kind in kinds if kind.key not in filled]


def helpful(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> set[str]:
    """The kinds of which one case more would leave fewer uncovered, by moving others perhaps."""
    now = len(uncovered(sample, kinds))
    return {
        kind.key
        for kind in kinds
        if now and len(uncovered([*sample, Sampled("", kind.tags)], kinds)) < now
    }


def successor(
    sample: Sequence[Sampled], kinds: Sequence[Wanted], line: Iterable[tuple[str, frozenset[str]]]
) -> str | None:
    """The first case in line with which the sample covers all kinds, or as many as can be."""
    best: tuple[int, str] | None = None
    # Cases that fit the same kinds do the same for the sample.
    missing_with: dict[frozenset[str], int] = {}
    for case_key, tags in line:
        fits = frozenset(kind.key for kind in kinds if tags >= kind.tags)
        if fits not in missing_with:
            missing_with[fits] = len(uncovered([*sample, Sampled(case_key, tags)], kinds))
        missing = missing_with[fits]
        if not missing:
            return case_key
        if best is None or missing < best[0]:
            best = (missing, case_key)
    return best[1] if best else None


def _holders(
    sample: Sequence[Sampled], kinds: Sequence[Wanted], waived: Collection[str]
) -> dict[str, str]:
    """Case -> kind: one case for each kind that can have one, moving as few as need be."""
    has = {one.case_key: one.kind for one in sample}

    def moves(kind: str, case: str) -> int:
        return has[case] not in ("", kind)

    fitting = _fitting(sample, kinds)
    required = {key: cases for key, cases in fitting.items() if key not in waived}
    return cheapest(fitting, moves, first=cheapest(required, moves))


def _fitting(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, list[str]]:
    return {kind.key: [one.case_key for one in sample if one.fits(kind)] for kind in kinds}
