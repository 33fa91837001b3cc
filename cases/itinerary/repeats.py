"""Notes that nearly every stop of a plan carries, to be shown once instead of at each stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cases.facts.trip import Stop

from .notes import Badge, Notes

# So many stops at least, and of the others one for four of them at most.
FEWEST = 4
SHARE = 0.8
MOST_OTHERS = 3


@dataclass(frozen=True, slots=True)
class Repeat:
    """Words or a badge that are in the notes of `stops`, and not in those of `others`."""

    piece: str | Badge
    is_of_visits: bool
    stops: tuple[Stop, ...]
    others: tuple[Stop, ...]


def find_repeated_notes(stops: Sequence[Stop], notes: Mapping[str, Notes]) -> list[Repeat]:
    """Find what repeats in `notes` (by pointer), among the visits or among all stops.

    Transfers do not count. A few `others` are left out only where their names can be listed.
    """
    visits = [stop for stop in stops if stop.kind == "sight"]
    everything = [stop for stop in stops if stop.kind != "transport"]
    by_piece: dict[str | Badge, list[Stop]] = {}
    for stop in everything:
        pieces: tuple[str | Badge, ...] = (
            *notes[stop.pointer].badges,
            *notes[stop.pointer].words,
        )
        for piece in dict.fromkeys(pieces):
            by_piece.setdefault(piece, []).append(stop)
    found = []
    for piece, carrying in by_piece.items():
        is_of_visits = all(stop.kind == "sight" for stop in carrying)
        among = visits if is_of_visits else everything
        if _is_on_nearly_every(len(carrying), len(among)):
            pointers = {stop.pointer for stop in carrying}
            others = tuple(stop for stop in among if stop.pointer not in pointers)
            found.append(Repeat(piece, is_of_visits, tuple(carrying), others))
    return found


def _is_on_nearly_every(count: int, among: int) -> bool:
    return count >= FEWEST and count >= SHARE * among and among - count <= MOST_OTHERS


def leave_out(notes: Mapping[str, Notes], repeats: Sequence[Repeat]) -> dict[str, Notes]:
    """Return the notes of each stop without what is shown once for all."""
    shown: dict[str, set[str | Badge]] = {}
    for repeat in repeats:
        for stop in repeat.stops:
            shown.setdefault(stop.pointer, set()).add(repeat.piece)
    return {
        pointer: _without(note, shown[pointer]) if pointer in shown else note
        for pointer, note in notes.items()
    }


def _without(note: Notes, pieces: set[str | Badge]) -> Notes:
    return note._replace(
        words=tuple(words for words in note.words if words not in pieces),
        badges=tuple(badge for badge in note.badges if badge not in pieces),
    )
