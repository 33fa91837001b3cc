"""Workbooks as Excel wrote them until 2003 (BIFF8 in a compound file), as small as they can be."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SECTOR = 512
# A smaller stream would have to be kept elsewhere.
LEAST_STREAM = 4096
LONGEST_RECORD = 8224
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
GLOBALS, SHEET = 0x0005, 0x0010
GENERAL, DAY = 0, 14
DAY_STYLE = 1


@dataclass(frozen=True)
class Formula:
    """`=1+1` with the value that Excel computed."""

    value: str | float


@dataclass(frozen=True)
class Day:
    """A date as Excel counts it, in days since 1900."""

    number: int


def xls_file(
    rows: list[list[Any]], *, name: str = "Sheet1", merged: tuple[tuple[int, ...], ...] = ()
) -> bytes:
    """`merged`: first row, last row, first column, last column of each, from 0."""
    texts = list(dict.fromkeys(cell for row in rows for cell in row if isinstance(cell, str)))
    sheet = b"".join(write_sheet(rows, {text: n for n, text in enumerate(texts)}, merged))
    shared = record(0x00FC, struct.pack("<II", len(texts), len(texts)) + b"".join(map(long, texts)))
    styles = record(0x00E0, struct.pack("<HH16x", 0, GENERAL))
    styles += record(0x00E0, struct.pack("<HH16x", 0, DAY))
    before = begin(GLOBALS) + record(0x0042, struct.pack("<H", 1200)) + styles
    after = shared + record(0x000A, b"")
    place = len(before) + len(bound(0, name)) + len(after)
    return compound(before + bound(place, name) + after + sheet)


def record(kind: int, data: bytes) -> bytes:
    assert len(data) <= LONGEST_RECORD
    return struct.pack("<HH", kind, len(data)) + data


def begin(kind: int) -> bytes:
    return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 1996, 0, 6))


def bound(place: int, name: str) -> bytes:
    text = name.encode("utf-16-le")
    return record(0x0085, struct.pack("<IBBBB", place, 0, 0, len(name), 1) + text)


def long(text: str) -> bytes:
    return struct.pack("<HB", len(text), 1) + text.encode("utf-16-le")


def write_sheet(
    rows: list[list[Any]], places: dict[str, int], merged: tuple[tuple[int, ...], ...]
) -> Iterator[bytes]:
    yield begin(SHEET)
    wide = max((len(row) for row in rows), default=0)
    yield record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, wide, 0))
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            yield write_cell(number, column, value, places)
    if merged:
        ranges = b"".join(struct.pack("<HHHH", *one) for one in merged)
        yield record(0x00E5, struct.pack("<H", len(merged)) + ranges)
    yield record(0x000A, b"")


def write_cell(row: int, column: int, value: Any, places: dict[str, int]) -> bytes:
    at = struct.pack("<HHH", row, column, DAY_STYLE if isinstance(value, Day) else 0)
    if isinstance(value, str):
        return record(0x00FD, at + struct.pack("<I", places[value]))
    if isinstance(value, Day):
        return record(0x0203, at + struct.pack("<d", value.number))
    if isinstance(value, Formula):
        one_plus_one = b"\x1e\x01\x00\x1e\x01\x00\x03"
        rest = struct.pack("<HIH", 0, 0, len(one_plus_one)) + one_plus_one
        if isinstance(value.value, str):
            computed = record(0x0207, long(value.value))
            return record(0x0006, at + b"\x00\x00\x00\x00\x00\x00\xff\xff" + rest) + computed
        return record(0x0006, at + struct.pack("<d", value.value) + rest)
    return b"" if value is None else record(0x0203, at + struct.pack("<d", value))


# --- The compound file ----------------------------------------------------------------------------


def compound(stream: bytes, *, name: str = "Workbook") -> bytes:
    """A file with one stream: header, table of sectors, directory, and the stream's sectors."""
    size = max(LEAST_STREAM, -(-len(stream) // SECTOR) * SECTOR)
    count = size // SECTOR
    assert count + 2 <= SECTOR // 4, "one table of sectors is enough"
    chain = [FAT, END, *range(3, count + 2), END]
    table = struct.pack("<128I", *chain, *[FREE] * (128 - len(chain)))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, LEAST_STREAM, END, 0, END, 0)
    header += struct.pack("<109I", 0, *[FREE] * 108)
    entries = [entry("Root Entry", 5, END, 0, child=1), entry(name, 2, 2, size)]
    directory = b"".join([*entries, bytes(128), bytes(128)])
    return header + table + directory + stream.ljust(size, b"\x00")


def entry(name: str, kind: int, start: int, size: int, *, child: int = FREE) -> bytes:
    text = f"{name}\x00".encode("utf-16-le")
    links = struct.pack("<III", FREE, FREE, child)
    head = text.ljust(64, b"\x00") + struct.pack("<HBB", len(text), kind, 1) + links
    return head + bytes(36) + struct.pack("<IQ", start, size)
