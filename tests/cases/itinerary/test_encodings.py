"""The encoding of a text by its first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.itinerary.encodings import UTF_8, decode_head, guess_encoding, name_encoding

TEXT = 'Case,Request\r\na,"Two days, 湖边 🙂"\r\n'
UNMARKED = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", *UNMARKED])
def test_an_encoding_is_known_by_its_mark_or_by_its_nuls(encoding: str) -> None:
    assert guess_encoding(TEXT.encode(encoding)) == encoding
    assert decode_head(TEXT.encode(encoding)) == TEXT


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\xef\xbb\xbfCase,Request",
        TEXT.encode(),
        TEXT.encode("gb18030"),
        b'{"a": "x\x00y"}\n',
        bytes(100),
        b"PK\x03\x04" + bytes(40),
        b"\x00\x00,\x00",
    ],
)
def test_what_shows_no_other_encoding_is_utf_8(head: bytes) -> None:
    assert guess_encoding(head) == UTF_8


def test_encodings_have_the_names_that_people_know() -> None:
    assert [name_encoding(name) for name in ("utf-16", "utf-32-be", UTF_8)] == [
        "UTF-16",
        "UTF-32",
        "UTF-8",
    ]


@given(st.text(st.sampled_from("abc ,;山水🙂\n"), min_size=1), st.sampled_from(UNMARKED))
def test_a_text_with_a_separator_is_read_in_its_own_encoding(text: str, encoding: str) -> None:
    whole = f"Case,{text}"
    assert decode_head(whole.encode(encoding)) == whole


@given(st.binary(max_size=300))
def test_any_bytes_have_a_beginning_that_can_be_shown(head: bytes) -> None:
    assert isinstance(decode_head(head), str)
