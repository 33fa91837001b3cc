"""Rewrite a JSON array as a file of lines, one element each, so that it is checked like any file.

Memory does not grow with the array. Where the array stops being JSON, the rest is one bad line.

The elements are found with the standard library, not with ijson: its parser does not return them
as they are written (half a character becomes "?", repeated keys and positions are lost), and
ijson 3.6 crashes the process on a number of 5,000 digits.
"""

import codecs
import json
import tempfile
from collections.abc import Iterator
from typing import IO

from cases.itinerary.reading import LONGEST_LINE

PORTION = 1024**2
# An element that is too long for a line is still read to its end, up to this size.
LONGEST_ELEMENT = 4 * LONGEST_LINE
LONGEST_NUMBER = 64
_SPACE = " \t\r\n"
_decoder = json.JSONDecoder()


class NotAnArray(ValueError):
    """The body does not begin with a bracket."""


def as_lines(array: IO[bytes]) -> IO[bytes]:
    """Return an unnamed temporary file with the lines, at its beginning. Raises NotAnArray."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        for element in elements(array):
            # A string in JSON cannot contain a raw line break, so only white space is replaced.
            line = element.replace("\r", " ").replace("\n", " ")
            file.write(line.encode("utf-8", "surrogateescape") + b"\n")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


class Window:
    """The part of the text that is in memory. Bytes that are not UTF-8 are kept as they are."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self.text = ""
        self.at = 0
        self.is_all = False

    def read_more(self) -> None:
        portion = self._stream.read(PORTION)
        self.is_all = not portion
        self.text = self.text[self.at :] + self._decode(portion, final=self.is_all)
        self.at = 0

    def next_character(self) -> str:
        """Skip white space and return the character there; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text) or self.is_all:
                return self.text[self.at : self.at + 1]
            self.read_more()

    def take_element(self) -> str | None:
        """Return the JSON value that begins here, as it is written; None if there is none."""
        while True:
            try:
                _value, end = _decoder.raw_decode(self.text, self.at)
            except (ValueError, RecursionError):
                if self.is_all or len(self.text) - self.at > LONGEST_ELEMENT:
                    return None
            else:
                # A number may continue beyond the window: -12 is the beginning of -12.5.
                if self.is_all or len(self.text) - end > LONGEST_NUMBER:
                    found = self.text[self.at : end]
                    self.at = end
                    return found
            self.read_more()

    def take_rest(self) -> str:
        """Return the text that cannot be read, cut to a length that still shows why."""
        return self.text[self.at : self.at + LONGEST_LINE + 1] or ","


def elements(array: IO[bytes]) -> Iterator[str]:
    window = Window(array)
    if window.next_character() != "[":
        raise NotAnArray
    window.at += 1
    if window.next_character() == "]":
        window.at += 1
    else:
        while True:
            element = window.take_element() if window.next_character() else None
            if element is None:
                yield window.take_rest()
                return
            yield element
            character = window.next_character()
            if character not in (",", "]") or not character:
                yield window.take_rest()
                return
            window.at += 1
            if character == "]":
                break
            window.next_character()
    if window.next_character():
        yield window.take_rest()
