"""What is counted of a file, in memory that hardly grows with it: rows may be 40 bytes each."""

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cases.imports.lines import Source
from cases.itinerary.format import CaseProblem, _

Hashes: TypeAlias = NDArray[np.int64]

MOST_DIFFERENT = 1000
OTHERS = "…"


class Tally(Counter[str]):
    """How often each text came; beyond so many different ones they count together."""

    def note(self, text: str) -> None:
        self[text if text in self or len(self) < MOST_DIFFERENT else OTHERS] += 1


class Keys:
    """Which keys came, in eight bytes each. Whether one came again shows at the end."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def meet(self, key: str, *, source: int, line: int, version: str) -> CaseProblem | None:
        self._hashes.append(hash(key))
        return None

    def again(self) -> Hashes:
        """In order, each as often as it came after the first time. Two keys in many millions may
        share one, so it is a suspicion."""
        if len(self._hashes) < 2:
            return np.empty(0, dtype=np.int64)
        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        hashes.sort()
        found: Hashes = hashes[1:][hashes[1:] == hashes[:-1]]
        return found


class Repeats:
    """Where those came that are under suspicion, so many of them at most."""

    def __init__(self, sources: Sequence[Source], again: Hashes, most: int) -> None:
        self._sources = sources
        self._again = again
        self._most = most
        self._first: dict[str, tuple[int, int, str]] = {}
        self._told = 0
        self.versions: set[str] = set()

    def meet(self, key: str, *, source: int, line: int, version: str) -> CaseProblem | None:
        """What is wrong with the key coming now, if it came before."""
        if key not in self._first:
            if not self.is_full and self.may_repeat(key):
                self._first[key] = (source, line, version)
            return None
        self._told += 1
        file, before, one = self._first[key]
        params: dict[str, str | int] = {"key": key, "line": before}
        if one != version:
            self.versions |= {one, version}
            params |= {"one": one or "–", "other": version or "–"}
            return CaseProblem("case_key", SEVERAL_VERSIONS, params)
        if file != source:
            name = self._sources[file].name
            return CaseProblem("case_key", REPEATED_ELSEWHERE, params | {"file": name})
        return CaseProblem("case_key", REPEATED, params)

    def may_repeat(self, key: str) -> bool:
        place = np.searchsorted(self._again, hash(key))
        return bool(place < len(self._again) and self._again[place] == hash(key))

    @property
    def is_full(self) -> bool:
        return len(self._first) >= self._most

    @property
    def untold(self) -> int:
        """Those that came again, and for whose first time there was no room."""
        return len(self._again) - self._told if self.is_full else 0


REPEATED = _("“%(key)s” stands in line %(line)d already.")
REPEATED_ELSEWHERE = _("“%(key)s” stands in %(file)s already, line %(line)d.")
SEVERAL_VERSIONS = _(
    "“%(key)s” stands in line %(line)d already, as version %(one)s; here it is version %(other)s. "
    "Take one version."
)
