"""The order that a draw gives: the whole pool, place by place, as it is kept with the draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from .pool import Candidate

RankName = Literal["shared", "own"]


class Entry(NamedTuple):
    """A case at its place; places count from 1. `kind` is the key of the kind that took it.

    An empty kind: none had a fitting case left. `is_extra`: it came after every kind had its case.
    `rank` says by which rank it was the best.
    """

    place: int
    case_key: str
    kind: str
    is_extra: bool
    rank: RankName
    tags: list[str]


class Order(msgspec.Struct, frozen=True, array_like=True):
    """Column by column: a hundred thousand small objects would take longer than the draw.

    `taken_by` and `tags` point into `kinds` and `tag_sets`; past the last kind is none of them.
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
    """Kinds go by the shared rank; extras take turns, the shared rank first."""
    return "own" if place > kinds and (place - kinds) % 2 == 0 else "shared"


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """An order as it is kept: SHA-256 digests as their bytes, which halves what is written."""

    kinds: list[str]
    keys: list[str]
    digests: bytes | list[str]
    taken_by: list[int]
    tags: list[int]
    tag_sets: list[list[str]]


_HEX = 64


def packed(order: Order) -> bytes:
    digests: bytes | list[str] = order.digests
    if all(len(one) == _HEX for one in order.digests):
        digests = bytes.fromhex("".join(order.digests))
    rest = (order.taken_by, order.tags, order.tag_sets)
    return msgspec.msgpack.encode(_Packed(order.kinds, order.keys, digests, *rest))


def unpacked(record: bytes) -> Order:
    """Raises msgspec.MsgspecError."""
    found = msgspec.msgpack.decode(record, type=_Packed)
    digests = found.digests
    if isinstance(digests, bytes):
        text = digests.hex()
        digests = [text[start : start + _HEX] for start in range(0, len(text), _HEX)]
    return Order(found.kinds, found.keys, digests, found.taken_by, found.tags, found.tag_sets)
