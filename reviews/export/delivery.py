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


# How often a file is begun anew before everybody has to wait for it.
TRIES = 3


def delivered(release: Release, make: Maker) -> Iterator[bytes]:
    """A closed release cannot change, so its file is sent as it is written.

    One that can is written aside first, and anew if anything happened meanwhile: every act is an
    event. Where it never is quiet, its row is held, which every act waits for.
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

    return written_aside(write)


def fill(file: IO[bytes], parts: Iterable[bytes]) -> None:
    file.seek(0)
    file.truncate()
    for part in parts:
        file.write(part)


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
