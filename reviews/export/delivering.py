"""Handing a file on while it is written, and whole: no review changes between its first row and its
last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

from django.db import transaction

from cases.models import Release

PORTION = 64 * 1024

Maker = Callable[[Release], Iterable[bytes]]


def delivered(release: Release, make: Maker) -> Iterator[bytes]:
    """A closed release cannot change, so its file is sent as it is written.

    One that can is written aside while its row is held, which every act waits for; then it is sent.
    """
    if release.is_closed:
        return iter(make(release))

    def write(file: IO[bytes]) -> None:
        with transaction.atomic():
            for part in make(Release.objects.locked(release)):
                file.write(part)

    return written_aside(write)


def written_aside(write: Callable[[IO[bytes]], None]) -> Iterator[bytes]:
    """What is written into a file that nobody else sees, from its beginning."""
    file = TemporaryFile()  # noqa: SIM115
    try:
        write(file)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return Parts(file)


class Parts:
    """A file in parts; closed behind the last one, or by whoever stops before."""

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
