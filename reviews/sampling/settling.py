"""Which case of a sample fills which kind, and which case comes in when one goes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .matching import cheapest
from .pool import Wanted


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
