"""The order of a draw: every case of the pool with its place, as it is stored with the draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from .pool import Candidate

RankName = Literal["shared", "own"]


class Entry(NamedTuple):
    """A case and its place, counted from 1. `kind` is the key of the kind that took it.

    `kind` is empty if no kind had a fitting case left. `is_extra` means that every kind had its
    case already. `rank` is the rank by which the case was the best.
    """

    place: int
    case_key: str
    kind: str
    is_extra: bool
    rank: RankName
    tags: list[str]


class Order(msgspec.Struct, frozen=True, array_like=True):
    """The order, stored by column: creating 100,000 small objects takes longer than the draw.

    `taken_by` and `tags` are indexes into `kinds` and `tag_sets`; an index past the last kind
    means no kind.
    """

    kinds: list[str]
    keys: list[str]
    digests: list[str]
    taken_by: list[int]
    tags: list[int]
    tag_sets: list[list[str]]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Entry]:
        return (self.at(place) for place in range(1, len(self) + 1))

    def at(self, place: int) -> Entry:
        row = place - 1
        return Entry(
            place=place,
            case_key=self.keys[row],
            kind=(*self.kinds, "")[self.taken_by[row]],
            is_extra=row >= len(self.kinds),
            rank=rank_at(place, len(self.kinds)),
            tags=self.tag_sets[self.tags[row]],
        )

    def first(self, size: int) -> list[Entry]:
        return [self.at(place) for place in range(1, min(size, len(self)) + 1)]

    def find(self, case_key: str) -> Entry | None:
        return self.at(self.keys.index(case_key) + 1) if case_key in self.keys else None

    def pool(self) -> list[Candidate]:
        sets = [frozenset(tags) for tags in self.tag_sets]
        return [
            Candidate(key, digest, sets[own])
            for key, digest, own in zip(self.keys, self.digests, self.tags, strict=True)
        ]


def rank_at(place: int, kinds: int) -> RankName:
    """Kinds use the shared rank; extras alternate, beginning with the shared rank."""
    return "own" if place > kinds and (place - kinds) % 2 == 0 else "shared"


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """An order as it is stored, with SHA-256 digests as bytes, which halves its size."""

    kinds: list[str]
    keys: list[str]
    digests: bytes | list[str]
    taken_by: list[int]
    tags: list[int]
    tag_sets: list[list[str]]


_HEX = 64


def pack(order: Order) -> bytes:
    digests: bytes | list[str] = order.digests
    if all(len(digest) == _HEX for digest in order.digests):
        digests = bytes.fromhex("".join(order.digests))
    rest = (order.taken_by, order.tags, order.tag_sets)
    return msgspec.msgpack.encode(_Packed(order.kinds, order.keys, digests, *rest))


def unpack(record: bytes) -> Order:
    """Read a stored order. Raise msgspec.MsgspecError."""
    found = msgspec.msgpack.decode(record, type=_Packed)
    digests = found.digests
    if isinstance(digests, bytes):
        text = digests.hex()
        digests = [text[start : start + _HEX] for start in range(0, len(text), _HEX)]
    return Order(found.kinds, found.keys, digests, found.taken_by, found.tags, found.tag_sets)
