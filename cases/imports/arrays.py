"""A JSON array -> one line for each of its elements, so that it is checked as any file is.

Memory does not grow with the array. Where it breaks off, the rest is one bad line.
"""

import codecs
import json
import tempfile
from collections.abc import Iterator
from typing import IO

from cases.itinerary.reading import LONGEST_LINE

PORTION = 1024**2
# A line that is too long is told as such; of an element beyond this only so much is looked at.
MOST_LOOKED_AT = 4 * LONGEST_LINE
LONGEST_NUMBER = 64
_SPACE = " \t\r\n"
_decoder = json.JSONDecoder()


class NoArray(ValueError):
    """It begins with something else."""


def as_lines(array: IO[bytes]) -> IO[bytes]:
    """A file of lines that nobody else can open, read from its beginning. Raises NoArray."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        for element in elements(array):
            # No text in JSON holds a line break as it is, so only spaces are replaced.
            line = element.replace("\r", " ").replace("\n", " ")
            file.write(line.encode("utf-8", "surrogateescape") + b"\n")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


class Window:
    """The part of the text that is looked at. Bytes that are no UTF-8 come out as they were."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self.text = ""
        self.at = 0
        self.is_all = False

    def more(self) -> None:
        portion = self._stream.read(PORTION)
        self.is_all = not portion
        self.text = self.text[self.at :] + self._decode(portion, final=self.is_all)
        self.at = 0

    def next_sign(self) -> str:
        """The next letter that is no space; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text) or self.is_all:
                return self.text[self.at : self.at + 1]
            self.more()

    def element(self) -> str | None:
        """The JSON value that begins here, as it is written. None: there is none."""
        while True:
            try:
                _value, end = _decoder.raw_decode(self.text, self.at)
            except (ValueError, RecursionError):
                if self.is_all or len(self.text) - self.at > MOST_LOOKED_AT:
                    return None
            else:
                # A number may go on behind the window: -12 is the beginning of -12.5.
                if self.is_all or len(self.text) - end > LONGEST_NUMBER:
                    found = self.text[self.at : end]
                    self.at = end
                    return found
            self.more()

    def rest(self) -> str:
        """What cannot be read on, cut to what says why."""
        return self.text[self.at : self.at + LONGEST_LINE + 1] or ","


def elements(array: IO[bytes]) -> Iterator[str]:
    window = Window(array)
    if window.next_sign() != "[":
        raise NoArray
    window.at += 1
    if window.next_sign() == "]":
        window.at += 1
    else:
        while True:
            element = window.element() if window.next_sign() else None
            if element is None:
                yield window.rest()
                return
            yield element
            sign = window.next_sign()
            if sign not in (",", "]") or not sign:
                yield window.rest()
                return
            window.at += 1
            if sign == "]":
                break
            window.next_sign()
    if window.next_sign():
        yield window.rest()
