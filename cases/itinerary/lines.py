"""Split a file into numbered lines. BOM, CRLF, blank lines and gzip are fine. Memory is small."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO, cast

from cases.itinerary.encodings import UTF_8, guess_encoding, name_encoding
from cases.itinerary.format import CaseError, _
from cases.itinerary.reading import LONGEST_LINE

BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
# Room for a BOM and a line end, and one byte more to see that a line is too long.
MOST_READ = len(BOM) + LONGEST_LINE + 3

# The largest upload, unpacked.
LARGEST_UNPACKED = 256 * 1024**2


@dataclass(frozen=True)
class Source:
    """A file, an upload or a request body, with a name. `open` can be called repeatedly."""

    name: str
    open: Callable[[], BinaryIO]
    most_bytes: int | None = None


class Unreadable(CaseError):
    """The rest of the file cannot be read."""


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield every line that is not blank, without its line end. Raises Unreadable."""
    number = 0
    read = 0
    # A gzip stream leaves the file below it open.
    with closing(source.open()) as file, closing(unpacked(file)) as stream:
        while True:
            number += 1
            is_cut = False
            try:
                line = stream.readline(MOST_READ)
                read += len(line)
                if len(line) == MOST_READ and not line.endswith(b"\n"):
                    skipped, is_cut = skip_rest(stream, source.most_bytes)
                    read += skipped
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise Unreadable("", _("the gzip file is damaged or cut off.")) from error
            if source.most_bytes is not None and read > source.most_bytes:
                raise Unreadable(
                    "",
                    _("the file is larger than %(limit)d MB when unpacked."),
                    limit=source.most_bytes // 1024**2,
                )
            if not line:
                return
            if number == 1:
                line = require_utf_8(line)
            # A line that was cut stays too long, even if much of it is white space.
            line = line if is_cut else line.strip(SPACE)
            if line:
                yield number, line


def unpacked(stream: BinaryIO) -> BinaryIO:
    start = stream.read(2)
    stream.seek(0)
    if start != b"\x1f\x8b":
        return stream
    # Name the mode: GzipFile cannot take it from a stream that is itself a gzip stream.
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb"))


def require_utf_8(line: bytes) -> bytes:
    """Return the first line without a mark. Raises Unreadable if it is UTF-16 or UTF-32."""
    encoding = guess_encoding(line)
    if encoding != UTF_8:
        sentence = _("the file is %(encoding)s. Save it as UTF-8 and try again.")
        raise Unreadable("", sentence, encoding=name_encoding(encoding))
    return line.removeprefix(BOM)


def skip_rest(stream: BinaryIO, limit: int | None) -> tuple[int, bool]:
    """Skip to the end of a line that is too long.

    Returns how much was skipped, and whether it was more than white space.
    """
    skipped, holds_more = 0, False
    while part := stream.readline(1024 * 1024):
        skipped += len(part)
        holds_more = holds_more or bool(part.strip(SPACE))
        if part.endswith(b"\n") or (limit is not None and skipped > limit):
            break
    return skipped, holds_more
