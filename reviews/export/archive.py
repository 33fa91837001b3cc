"""Write ZIP archives as a stream, and read them within limits.

The same files give the same bytes: an archive has no timestamps. An archive may come from anyone:
nothing is unpacked to disk, sizes are limited, and no name is used as a path.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec

from .records import FileRecord

Content = Iterable[bytes]

# The earliest time in the ZIP format.
NO_TIME = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644 << 16
PORTION = 64 * 1024


# --- Writing --------------------------------------------------------------------------------------


class Buffer:
    """Buffer that the archive writes to. It cannot seek, so sizes follow the files."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: `take` returns everything that was written."""

    def take(self) -> bytes:
        found = b"".join(self.parts)
        self.parts.clear()
        return found


class Archive:
    """Writes an archive and records size and digest of every file.

    `is_large`: a file may exceed 2 GB.
    """

    def __init__(self, *, is_large: bool = False) -> None:
        self.files: list[FileRecord] = []
        self.is_large = is_large
        self._out = Buffer()
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
                if ready := self._out.take():
                    yield ready
        self.files.append(FileRecord(name=name, bytes=size, sha256=digest.hexdigest()))

    def end(self) -> bytes:
        self._zip.close()
        return self._out.take()


def join_parts(parts: Iterable[bytes], size: int = PORTION) -> Iterator[bytes]:
    """Join parts into fewer, larger ones."""
    waiting, count = [], 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= size:
            yield b"".join(waiting)
            waiting, count = [], 0
    if waiting:
        yield b"".join(waiting)


# --- Reading --------------------------------------------------------------------------------------

MEGABYTE = 2**20
# Unpacked sizes of all files together, of one file that is read whole, and of one line. A line may
# hold an event that assigns 100,000 reviews, which takes several megabytes.
MOST_OF_ALL = 2048 * MEGABYTE
MOST_OF_A_DOCUMENT = 512 * MEGABYTE
MOST_OF_A_LINE = 64 * MEGABYTE
MOST_FILES = 2_000

Row = TypeVar("Row", bound=msgspec.Struct)


class NotReadable(Exception):
    """The file cannot be checked at all; the message gives the reason."""


@contextmanager
def refuse_unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotReadable(f"{path}: {error.strerror or error}.") from error
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotReadable(f"{path}: not a ZIP archive that can be read ({error}).") from error


class ArchiveReader:
    """Reads an archive. Every method may raise NotReadable.

    `digests` has the size and the SHA-256 of every file that was read to its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with refuse_unreadable(path):
            self._zip = ZipFile(path)
        self.close = self._zip.close
        self.entries = check_entries(self._zip.infolist())
        self.digests: dict[str, tuple[int, str]] = {}

    def parts(self, name: str) -> Generator[bytes]:
        if name not in self.entries:
            raise NotReadable(f"{name}: not in the archive.")
        digest, size = hashlib.sha256(), 0
        with refuse_unreadable(self.path), self._zip.open(self.entries[name]) as file:
            while part := file.read(4 * PORTION):
                digest.update(part)
                size += len(part)
                yield part
        self.digests[name] = (size, digest.hexdigest())

    def content(self, name: str) -> bytes:
        if name in self.entries and self.entries[name].file_size > MOST_OF_A_DOCUMENT:
            raise NotReadable(f"{name}: too large to be read.")
        return b"".join(self.parts(name))

    def text(self, name: str) -> str:
        try:
            return self.content(name).decode()
        except UnicodeDecodeError as error:
            raise NotReadable(f"{name}: not UTF-8 text.") from error

    def document(self, name: str, shape: type[Row]) -> Row:
        return decode(self.content(name), msgspec.json.Decoder(shape), name)

    def rows(self, name: str, shape: type[Row]) -> Iterator[tuple[str, Row]]:
        """Yield each row with its place, FILE:LINE."""
        decoder = msgspec.json.Decoder(shape)
        with closing(self.lines(name)) as lines:
            for number, line in enumerate(lines, 1):
                place = f"{name}:{number}"
                yield place, decode(line, decoder, place)

    def lines(self, name: str) -> Generator[bytes]:
        rest = b""
        for part in self.parts(name):
            *whole, rest = (rest + part).split(b"\n")
            if len(rest) > MOST_OF_A_LINE:
                raise NotReadable(f"{name}: a line of it is too long.")
            yield from whole
        if rest:
            yield rest


def check_entries(entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    """Return the entries by name. zipfile never reads more of a file than its stated size."""
    if len(entries) > MOST_FILES:
        raise NotReadable(f"The archive has {len(entries)} files; a bundle has far fewer.")
    if sum(entry.file_size for entry in entries) > MOST_OF_ALL:
        raise NotReadable("The archive is too large to be read.")
    found: dict[str, ZipInfo] = {}
    for entry in entries:
        name = entry.filename
        if name in found:
            raise NotReadable(f"{name[:80]}: twice in the archive.")
        if entry.flag_bits & 0x1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotReadable(
                f"{name[:80]}: encrypted or compressed by a method that bundles do not use."
            )
        found[name] = entry
    return found


def decode(data: bytes, decoder: msgspec.json.Decoder[Row], place: str) -> Row:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotReadable(f"{place}: {error}.") from error
    except RecursionError as error:
        raise NotReadable(f"{place}: nested too deeply.") from error
