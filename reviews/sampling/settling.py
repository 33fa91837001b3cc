"""Which case of a sample fills which kind, and which case comes in when one goes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .matching import cheapest
from .pool import Wanted


@dataclass(frozen=True, slots=True)
class Sampled:
    """A case of the sample. `kind` is the one it fills so far; empty: none."""

    case_key: str
    tags: frozenset[str]
    kind: str = ""


def settle(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, str]:
    """Case key -> the kind it fills. As few cases as need be change the kind they have.

    A case that no kind needs counts for the kind with the fewest cases, as in the draw.
    """
    fitting = _fitting(sample, kinds)
    settled = {
        one.case_key: one.kind if one.case_key in fitting.get(one.kind, ()) else ""
        for one in sample
    }
    settled |= _holders(sample, kinds)
    counts = {kind.key: 0 for kind in kinds}
    for taken_by in settled.values():
        if taken_by:
            counts[taken_by] += 1
    for one in sample:
        fits = [kind.key for kind in kinds if one.tags >= kind.tags]
        if not settled[one.case_key] and fits:
            fewest = min(fits, key=lambda key: counts[key])
            settled[one.case_key] = fewest
            counts[fewest] += 1
    return settled


def uncovered(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> list[str]:
    """The kinds that have no case of their own, in rubric order."""
    filled = set(_holders(sample, kinds).values())
    return [kind.key for kind in kinds if kind.key not in filled]


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


def _holders(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, str]:
    """Case -> kind: one case for each kind that can have one, moving as few as need be."""
    has = {one.case_key: one.kind for one in sample}
    return cheapest(_fitting(sample, kinds), lambda kind, case: has[case] not in ("", kind))


def _fitting(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, list[str]]:
    return {kind.key: [one.case_key for one in sample if one.tags >= kind.tags] for kind in kinds}
