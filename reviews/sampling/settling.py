"""Which case of a sample fills which kind, and which case comes in when one goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .matching import augmented
from .pool import Wanted


@dataclass(frozen=True, slots=True)
class Sampled:
    """A case of the sample. `kind` is the one it fills so far; empty: none."""

    case_key: str
    tags: frozenset[str]
    kind: str = ""


def settle(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> dict[str, str]:
    """Case key -> the kind it fills. Cases keep their kind unless another one would go without.

    A case that no kind needs counts for the kind with the fewest cases, as in the draw.
    """
    settled = {
        one.case_key: one.kind if any(_is(one, kind) for kind in kinds) else "" for one in sample
    }
    settled |= _holders(sample, settled, kinds)
    counts = {kind.key: 0 for kind in kinds}
    for taken_by in settled.values():
        if taken_by:
            counts[taken_by] += 1
    for one in sample:
        fitting = [kind.key for kind in kinds if one.tags >= kind.tags]
        if not settled[one.case_key] and fitting:
            fewest = min(fitting, key=lambda key: counts[key])
            settled[one.case_key] = fewest
            counts[fewest] += 1
    return settled


def uncovered(sample: Sequence[Sampled], kinds: Sequence[Wanted]) -> list[str]:
    """The kinds that have no case of their own, in rubric order."""
    kept = {one.case_key: one.kind for one in sample}
    filled = set(_holders(sample, kept, kinds).values())
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


def _is(one: Sampled, kind: Wanted) -> bool:
    return one.kind == kind.key and one.tags >= kind.tags


def _holders(
    sample: Sequence[Sampled], kept: Mapping[str, str], kinds: Sequence[Wanted]
) -> dict[str, str]:
    """Case -> kind: one case for each kind that can have one, moving as few as need be."""
    fitting = {
        kind.key: [one.case_key for one in sample if one.tags >= kind.tags] for kind in kinds
    }
    first: dict[str, str] = {}
    for kind in kinds:
        own = [case for case in fitting[kind.key] if kept.get(case) == kind.key]
        if own:
            first[own[0]] = kind.key
    return augmented(fitting, first)
