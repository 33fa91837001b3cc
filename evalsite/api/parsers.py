"""Parse the body of a call: its size is limited, and text must be storable."""

import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from django.http import UnreadablePostError
from django.utils.translation import gettext
from rest_framework.parsers import BaseParser

from evalsite.api.errors import BadBody, BodyCutOff, BodyTooLarge, Malformed
from evalsite.errors import Problem

JSON = "application/json"
NDJSON = "application/x-ndjson"
MARKDOWN = "text/markdown"
LARGEST_JSON = 1024**2
CHUNK_SIZE = 256 * 1024
UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


class JSONParser(BaseParser):
    media_type = JSON

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return decode(self.read(stream, parser_context["request"].META))

    def read(self, stream: Any, meta: Mapping[str, Any]) -> bytes:
        return b"".join(read_chunks(stream, meta, LARGEST_JSON))


class RawJSONParser(JSONParser):
    """Returns the bytes; the call decodes them into its own types, in one pass instead of two."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return self.read(stream, parser_context["request"].META)


class TextParser(BaseParser):
    """Reads a whole UTF-8 text into memory."""

    largest: int

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        meta = parser_context["request"].META
        raw = b"".join(read_chunks(stream, meta, self.largest))
        try:
            text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            sentence = gettext("The file is not UTF-8 text. Save it as UTF-8 and try again.")
            raise Malformed(sentence) from error
        refuse_nul(text, "")
        return text


class FileParser(BaseParser):
    """Writes the body to a temporary file, which the call reads and closes."""

    largest: int

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        file = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            for chunk in read_chunks(stream, parser_context["request"].META, self.largest):
                file.write(chunk)
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file


def read_chunks(stream: Any, meta: Mapping[str, Any], most: int) -> Iterator[bytes]:
    """Yield the body in chunks. Raise BodyTooLarge before more than `most` bytes are read."""
    if read_length(meta) > most:
        raise BodyTooLarge(most)
    read = 0
    try:
        while chunk := stream.read(CHUNK_SIZE):
            read += len(chunk)
            if read > most:
                raise BodyTooLarge(most)
            yield chunk
    except (UnreadablePostError, OSError) as error:
        raise BodyCutOff(gettext("The body was cut off before its end.")) from error


def read_length(meta: Mapping[str, Any]) -> int:
    text = meta.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def decode(raw: bytes) -> Any:
    """Decode JSON. Raise Malformed, or BadBody for a number or character that cannot be stored."""
    try:
        data = msgspec.json.decode(raw)
    except msgspec.ValidationError as error:
        raise BadBody(gettext("contains a number that is too large.")) from error
    except UNREADABLE as error:
        raise Malformed(gettext("The body is not JSON in UTF-8.")) from error
    if b"\\u0000" in raw:
        refuse_nul(data, "")
    return data


def refuse_nul(value: Any, path: str) -> None:
    """Raise BadBody for a NUL character, which PostgreSQL cannot store."""
    if isinstance(value, str) and "\0" in value:
        sentence = gettext("This text contains a character that cannot be stored.")
        raise BadBody(Problem(path, sentence))
    if isinstance(value, dict):
        for name, part in value.items():
            refuse_nul(name, path)
            refuse_nul(part, f"{path}.{name}" if path else name)
    if isinstance(value, list):
        for place, part in enumerate(value):
            refuse_nul(part, f"{path}[{place}]")
