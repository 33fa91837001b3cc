"""Guesses how the bytes of a text file stand for characters. Pure."""

import codecs
from unicodedata import category

UTF_8 = "utf-8-sig"
# The mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNMARKED = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
# With the bytes in the wrong order, a text has none of these.
_SEPARATORS = frozenset(",;\t\n ")
_NO_CHARACTERS = frozenset({"Cn", "Co", "Cs"})
# So much of a file shows what it is.
_ENOUGH = 4096


def guess_encoding(head: bytes) -> str:
    """Return the encoding that the beginning of a file shows; UTF-8 if it shows no other."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\x00" in head:
        for encoding in _UNMARKED:
            if is_text(head[:_ENOUGH], encoding):
                return encoding
    return UTF_8


def is_text(head: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    if "\x00" in text or not _SEPARATORS.intersection(text):
        return False
    return not any(category(character) in _NO_CHARACTERS for character in text)


def decode_head(head: bytes) -> str:
    """Decode the beginning of a text; a character that is cut at its end is left out."""
    return codecs.getincrementaldecoder(guess_encoding(head))("replace").decode(head)


def name_encoding(encoding: str) -> str:
    """Return the name as people know it: UTF-8, UTF-16 or UTF-32."""
    return encoding.upper()[:6].rstrip("-")
