"""Count the keys, versions and tags of a file in little memory: rows may be 40 bytes each."""

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cases.itinerary.format import CaseProblem, _
from cases.itinerary.lines import Source

Hashes: TypeAlias = NDArray[np.int64]

MOST_DIFFERENT = 1000
OTHERS = "…"


class Tally(Counter[str]):
    """Counts texts. Beyond MOST_DIFFERENT different ones, new ones are counted together."""

    def note(self, text: str) -> None:
        self[text if text in self or len(self) < MOST_DIFFERENT else OTHERS] += 1


class Keys:
    """Collects keys in eight bytes each, and finds at the end whether any was repeated."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def note(self, key: str, *, source: int, line: int, version: str) -> CaseProblem | None:
        self._hashes.append(hash(key))
        return None

    def find_repeated(self) -> Hashes:
        """Return the hashes that came more than once, sorted, each as often as it was repeated.

        Two different keys in many millions may share a hash, so these are only suspects.
        """
        if len(self._hashes) < 2:
            return np.empty(0, dtype=np.int64)
        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        hashes.sort()
        found: Hashes = hashes[1:][hashes[1:] == hashes[:-1]]
        return found


class Repeats:
    """Finds the lines of the suspected keys in a second pass, at most `most` keys."""

    def __init__(self, sources: Sequence[Source], suspects: Hashes, most: int) -> None:
        self._sources = sources
        self._suspects = suspects
        self._most = most
        self._first: dict[str, tuple[int, int, str]] = {}
        self._reported = 0
        self.versions: set[str] = set()

    def note(self, key: str, *, source: int, line: int, version: str) -> CaseProblem | None:
        """Return the problem if this key came before."""
        if key not in self._first:
            if not self.is_full and self.is_suspect(key):
                self._first[key] = (source, line, version)
            return None
        self._reported += 1
        first_source, first_line, first_version = self._first[key]
        params: dict[str, str | int] = {"key": key, "line": first_line}
        if first_version != version:
            self.versions |= {first_version, version}
            params |= {"one": first_version or "–", "other": version or "–"}
            return CaseProblem("case_key", SEVERAL_VERSIONS, params)
        if first_source != source:
            name = self._sources[first_source].name
            return CaseProblem("case_key", REPEATED_ELSEWHERE, params | {"file": name})
        return CaseProblem("case_key", REPEATED, params)

    def is_suspect(self, key: str) -> bool:
        place = np.searchsorted(self._suspects, hash(key))
        return bool(place < len(self._suspects) and self._suspects[place] == hash(key))

    @property
    def is_full(self) -> bool:
        return len(self._first) >= self._most

    @property
    def unreported(self) -> int:
        """How many repeats were not reported because the room for first lines was full."""
        return len(self._suspects) - self._reported if self.is_full else 0


REPEATED = _("“%(key)s” is already in line %(line)d.")
REPEATED_ELSEWHERE = _("“%(key)s” is already in %(file)s, line %(line)d.")
SEVERAL_VERSIONS = _(
    "“%(key)s” is already in line %(line)d as version %(one)s; here it is version %(other)s. "
    "Choose one version."
)
