"""Stream a consistent file: no review may change between its first row and its last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from django.db import transaction

from cases.models import Release

PORTION = 64 * 1024

Maker = Callable[[Release], Iterable[bytes]]


# How often writing is retried before the release is locked.
TRIES = 3


def deliver(release: Release, make: Maker) -> Iterator[bytes]:
    """Stream the file of a release.

    A closed release cannot change, so its file is streamed directly. Otherwise it is written to a
    temporary file first, and again if an event happened meanwhile. After a few tries the release
    is locked while it is written.
    """
    if release.is_closed:
        return iter(make(release))

    current = Release.objects.select_related("rubric", "baseline")
    current = current.prefetch_related("rubric__translations")

    def write(file: IO[bytes]) -> None:
        for _try in range(TRIES):
            found = current.get(pk=release.pk)
            fill(file, make(found))
            if Release.objects.filter(pk=found.pk, ledger_head=found.ledger_head).exists():
                return
        with transaction.atomic():
            fill(file, make(Release.objects.locked(release)))

    return write_aside(write)


def fill(file: IO[bytes], parts: Iterable[bytes]) -> None:
    file.seek(0)
    file.truncate()
    for part in parts:
        file.write(part)


def write_aside(write: Callable[[IO[bytes]], None]) -> Iterator[bytes]:
    """Write into a temporary file, then stream it from its beginning."""
    file = TemporaryFile()  # noqa: SIM115
    try:
        write(file)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return Parts(file)


def write_file(path: Path, release: Release, make: Maker) -> None:
    """Write the file of a release, completely or not at all. Raises OSError."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            fill(file, deliver(release, make))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class Parts:
    """A file in parts. Closes itself after the last; callers that stop earlier call `close`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.close = file.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        part = b"" if self._file.closed else self._file.read(PORTION)
        if not part:
            self.close()
            raise StopIteration
        return part
