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
    file = TemporaryFile()  # noqa: SIM115
    with transaction.atomic():
        for part in make(Release.objects.locked(release)):
            file.write(part)
    return parts_of(file)


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """From its beginning; the file is closed behind the last part."""
    with file:
        file.seek(0)
        while part := file.read(PORTION):
            yield part
