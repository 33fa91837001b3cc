"""A ZIP archive that is sent while it is written. Without a clock: same files, same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from .records import FileRecord

Content = Iterable[bytes]

# The first moment that the format knows.
NO_TIME = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644 << 16
PORTION = 64 * 1024


class Outflow:
    """What an archive writes into. It cannot seek, so sizes come behind the files."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Whoever reads takes what there is."""

    def taken(self) -> bytes:
        found = b"".join(self.parts)
        self.parts.clear()
        return found


class Archive:
    """Remembers size and digest of every file. `is_large`: a file may exceed 2 GB."""

    def __init__(self, *, is_large: bool = False) -> None:
        self.files: list[FileRecord] = []
        self.is_large = is_large
        self._out = Outflow()
        self._zip = ZipFile(self._out, "w", ZIP_DEFLATED)  # type: ignore[call-overload]

    def add(self, name: str, content: Content) -> Iterator[bytes]:
        info = ZipInfo(name, NO_TIME)
        info.compress_type = ZIP_DEFLATED
        info.create_system = 3
        info.external_attr = READABLE
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=self.is_large) as file:
            for part in content:
                file.write(part)
                digest.update(part)
                size += len(part)
                if ready := self._out.taken():
                    yield ready
        self.files.append(FileRecord(name=name, bytes=size, sha256=digest.hexdigest()))

    def end(self) -> bytes:
        self._zip.close()
        return self._out.taken()


def in_portions(parts: Iterable[bytes], size: int = PORTION) -> Iterator[bytes]:
    """The same bytes in fewer, larger parts."""
    waiting, count = [], 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= size:
            yield b"".join(waiting)
            waiting, count = [], 0
    if waiting:
        yield b"".join(waiting)
