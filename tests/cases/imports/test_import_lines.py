"""A file becomes numbered lines, and lines become rows, whatever their packing and line ends."""

import errno
import gzip
import io
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import imports
from cases.imports import checking
from cases.itinerary.lines import BOM, Source, Unreadable, numbered_lines
from cases.itinerary.reading import LONGEST_LINE
from tests.bed.cases import lines, make_case, many, refusal_of, source, told

ONE = lines(make_case("yunxi-01")).strip()
TWO = lines(make_case("yunxi-02")).strip()


def numbered(content: bytes, **more: Any) -> list[tuple[int, bytes]]:
    return list(numbered_lines(Source("x", lambda: io.BytesIO(content), **more)))


class Taken(NamedTuple):
    keys: list[str]
    products: dict[str, int]
    versions: dict[str, int]


def taken(*contents: bytes, **options: Any) -> Taken:
    """What was read; everything had to be good."""
    found = imports.check([source(item) for item in contents], imports.Options(**options))
    with found as checked:
        return Taken(
            keys=[row.case_key for row in checked.rows()],
            products=dict(checked.products),
            versions=dict(checked.versions),
        )


def keys_of(*contents: bytes, **options: Any) -> list[str]:
    return taken(*contents, **options).keys


def padded(size: int, key: str = "long") -> bytes:
    """A good row of exactly so many bytes."""
    case = make_case(key, notes_of_the_product="")
    case["notes_of_the_product"] = "x" * (size - len(lines(case).strip()))
    line = lines(case).strip()
    assert len(line) == size
    return line


# --- Line ends, marks and packing -----------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        ONE + b"\n" + TWO + b"\n",
        ONE + b"\n" + TWO,
        ONE + b"\r\n" + TWO + b"\r\n",
        BOM + ONE + b"\n" + TWO,
        BOM + b"\r\n" + ONE + b"\n" + TWO,
        b"\n\n" + ONE + b"\n \t \r\n" + TWO + b"\n\n\n",
        b"  " + ONE + b" \t\n\t" + TWO + b"  ",
        gzip.compress(ONE + b"\n" + TWO, mtime=0),
        gzip.compress(BOM + ONE + b"\r\n\r\n" + TWO + b"\r\n", mtime=0),
        gzip.compress(ONE + b"\n") + gzip.compress(TWO + b"\n"),
        gzip.compress(ONE + b"\n" + TWO, mtime=0) + bytes(512),
    ],
    ids=[
        "plain",
        "no last line end",
        "crlf",
        "mark",
        "a line with only the mark",
        "blank lines",
        "space around rows",
        "gzip",
        "gzip of a mark, crlf and blank lines",
        "two gzip files joined",
        "gzip with padding",
    ],
)
def test_the_same_rows_are_read_in_any_packing(content: bytes) -> None:
    assert [json.loads(line) for _number, line in numbered(content)] == [
        json.loads(ONE),
        json.loads(TWO),
    ]
    assert keys_of(content) == ["yunxi-01", "yunxi-02"]


def test_lines_are_numbered_as_an_editor_numbers_them() -> None:
    assert numbered(b"a\n\n \r\nb\nc") == [(1, b"a"), (4, b"b"), (5, b"c")]
    assert numbered(BOM + b"\n\na") == [(3, b"a")]
    assert numbered(gzip.compress(b"\na\r\n\r\nb")) == [(2, b"a"), (4, b"b")]


def test_only_a_newline_ends_a_line() -> None:
    text = "Yunxi\u2028and\u2029the\x85mill"
    content = json.dumps(make_case("a", request={"text": text}), ensure_ascii=False).encode()
    assert keys_of(content) == ["a"]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b" \r\n\t\n", BOM, gzip.compress(b"", mtime=0), BOM + b"\n"]
)
def test_a_file_without_rows_has_no_lines_and_is_refused(content: bytes) -> None:
    assert numbered(content) == []
    assert told(refusal_of(content)) == ["0: contains no rows."]


def test_an_empty_file_beside_one_with_rows_does_no_harm() -> None:
    assert keys_of(b"", ONE) == ["yunxi-01"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf_16_is_refused_on_its_first_line(encoding: str) -> None:
    text = (ONE + b"\n" + TWO).decode()
    refusal = refusal_of(text.encode(encoding))
    assert refusal.problems[0].line == 1
    if encoding == "utf-16":
        assert told(refusal) == ["1: the file is UTF-16. Save it as UTF-8 and try again."]


def test_utf_16_with_its_bytes_the_other_way_round_is_named_too() -> None:
    refusal = refusal_of(b"\xfe\xff" + ONE.decode().encode("utf-16-be"))
    assert told(refusal) == ["1: the file is UTF-16. Save it as UTF-8 and try again."]


# --- Long lines -----------------------------------------------------------------------------------


def with_mark(line: bytes) -> bytes:
    return BOM + line


def with_crlf(line: bytes) -> bytes:
    return line + b"\r\n"


def with_both(line: bytes) -> bytes:
    return BOM + line + b"\r\n"


AROUND = pytest.mark.parametrize("around", [bytes, with_mark, with_crlf, with_both])
Around = Callable[[bytes], bytes]


@AROUND
@pytest.mark.parametrize("size", [LONGEST_LINE - 1, LONGEST_LINE])
def test_a_line_of_256_kb_is_taken_whole(around: Around, size: int) -> None:
    [(number, line)] = numbered(around(padded(size)))
    assert (number, len(line)) == (1, size)
    assert keys_of(around(padded(size))) == ["long"]


@AROUND
@pytest.mark.parametrize("more", [1, 2, 3, 4, 5, 6, 100_000])
def test_a_line_of_one_byte_more_is_refused_for_its_length(around: Around, more: int) -> None:
    [sentence] = told(refusal_of(around(padded(LONGEST_LINE + more))))
    assert sentence.startswith("1: the line is longer than 256 KB")


def test_the_line_after_a_long_one_keeps_its_number() -> None:
    content = b"\n".join([ONE, padded(LONGEST_LINE * 3), b"{", padded(LONGEST_LINE + 1), b"["])
    problems = refusal_of(content).problems
    assert [problem.line for problem in problems] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    "line",
    [
        ONE + b" " * LONGEST_LINE + TWO,
        ONE + b"\t" * (LONGEST_LINE * 5) + b"}",
        b" " * (LONGEST_LINE + 100) + ONE,
        b" " * (LONGEST_LINE * 9) + ONE,
    ],
    ids=["a row far behind a row", "a bracket far behind", "far from the left", "very far"],
)
def test_nothing_behind_a_sea_of_spaces_is_lost_in_silence(line: bytes) -> None:
    """Found by this test: what was read of such a line lost its spaces, and the rest was gone."""
    [sentence] = told(refusal_of(ONE.replace(b"yunxi-01", b"first") + b"\n" + line))
    assert sentence.startswith("2: ")


def test_a_long_line_of_spaces_alone_is_a_blank_line() -> None:
    assert keys_of(ONE + b"\n" + b" " * LONGEST_LINE * 3 + b"\n" + TWO) == ["yunxi-01", "yunxi-02"]


# --- Limits of size, and what cannot be unpacked --------------------------------------------------


def test_a_file_may_be_as_large_as_its_limit_and_no_larger() -> None:
    content = ONE + b"\n" + TWO
    assert len(numbered(content, most_bytes=len(content))) == 2
    with pytest.raises(Unreadable, match="larger than 0 MB when unpacked"):
        numbered(content, most_bytes=len(content) - 1)


@pytest.mark.parametrize("filling", [b" ", b"\n", b"x", b"{}\n"])
def test_a_small_file_that_unpacks_to_a_huge_one_is_left_at_its_limit(filling: bytes) -> None:
    limit = 1024**2
    content = gzip.compress(filling * (20 * limit // len(filling)), compresslevel=1)
    assert len(content) < limit
    with pytest.raises(Unreadable, match="larger than 1 MB when unpacked"):
        numbered(content, most_bytes=limit)


@pytest.mark.parametrize("size", [3, 10, 12, 60, -9, -8, -1])
def test_a_cut_gzip_file_is_refused_in_words(size: int) -> None:
    problems = refusal_of(gzip.compress(many(3))[:size]).problems
    assert problems[-1].problem.sentence == "the gzip file is damaged or cut off."
    assert 1 <= problems[-1].line <= 4


@settings(max_examples=60, deadline=None)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_gzip_file_with_a_flipped_bit_is_read_right_or_refused(place: int, bit: int) -> None:
    packed = bytearray(gzip.compress(ONE + b"\n" + TWO, mtime=0))
    packed[place % len(packed)] ^= 1 << bit
    with suppress(imports.BadFile):
        assert keys_of(bytes(packed)) == ["yunxi-01", "yunxi-02"]


class BrokenDisk(io.BytesIO):
    """Fails once its content was read."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line:
            raise OSError(errno.EIO, "Input/output error")
        return line


class Pipe(io.BytesIO):
    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation("seek")


def test_a_file_that_breaks_off_while_it_is_read_is_refused_in_words() -> None:
    source = Source("x.jsonl", lambda: BrokenDisk(ONE + b"\n" + TWO))
    with pytest.raises(imports.BadFile) as refusal:
        imports.check([source], imports.Options())
    assert told(refusal.value) == ["3: cannot be read further: Input/output error."]


def test_what_can_be_read_only_once_is_refused_in_words() -> None:
    with pytest.raises(imports.BadFile) as refusal:
        imports.check([Source("-", lambda: Pipe(ONE))], imports.Options())
    assert told(refusal.value) == ["1: cannot be read further: seek."]


# --- Every problem is counted ---------------------------------------------------------------------


def test_every_bad_line_is_reported_with_its_number_and_field() -> None:
    content = lines(
        make_case("a"),
        make_case("b", request={"days": "three"}),
        make_case("c"),
        make_case("d", locale=7),
        make_case("e", automated_summary={"status": "GOOD"}),
    )
    assert told(refusal_of(content + b"oops\n")) == [
        "2: request.days: must be a whole number of at least 1, got 'three'.",
        "4: locale: must be a text, got 7.",
        "5: automated_summary.status: must be one of FAIL, PASS, WARN; got 'GOOD'.",
        "6: is not JSON (character 1).",
    ]


def test_a_line_with_two_mistakes_is_one_problem() -> None:
    bad = make_case("a", request={"days": 0, "people": 0})
    assert len(refusal_of(lines(bad)).problems) == 1


@pytest.mark.parametrize("count", [1, 199, 200, 201, 1234])
def test_the_first_200_problems_are_kept_and_all_are_counted(count: int) -> None:
    refusal = refusal_of(b"{}\n" * count + ONE)
    assert refusal.total == count
    assert [problem.line for problem in refusal.problems] == list(range(1, min(count, 200) + 1))


def test_problems_of_several_files_name_their_file() -> None:
    refusal = refusal_of(ONE, b"\n{", TWO + b"\n[]")
    assert [(problem.source, problem.line) for problem in refusal.problems] == [
        ("2.jsonl", 2),
        ("3.jsonl", 2),
    ]


def test_what_stands_behind_bad_lines_is_checked_too() -> None:
    refusal = refusal_of(b"{\n" + ONE + b"\n" + ONE)
    assert [problem.line for problem in refusal.problems] == [1, 3]


# --- Keys and versions ----------------------------------------------------------------------------


def version(key: str, number: str | None, **more: Any) -> dict[str, Any]:
    return make_case(key, release={"product": "wanderer", "version": number}, **more)


def test_a_repeated_key_is_refused_by_name() -> None:
    refusal = refusal_of(lines(make_case("a"), make_case("b"), make_case("a")))
    assert told(refusal) == ["3: case_key: “a” is already in line 1."]
    assert refusal.versions == []


def test_a_key_that_comes_three_times_is_refused_twice() -> None:
    refusal = refusal_of(lines(*(make_case("a") for _ in range(3))))
    assert [problem.line for problem in refusal.problems] == [2, 3]


def test_a_key_repeated_in_another_file_is_refused_with_the_name_of_the_first() -> None:
    """Found by this test: the line number alone said nothing of the file it belongs to."""
    [sentence] = told(refusal_of(b"\n\n" + ONE, b"\n\n" + ONE))
    assert sentence.startswith("3: case_key: “yunxi-01” is already in ")
    assert "1.jsonl" in sentence


def test_keys_are_compared_to_the_letter() -> None:
    assert keys_of(lines(make_case("a"), make_case("A"), make_case("a "))) == ["a", "A", "a "]


def test_several_versions_of_a_key_need_a_choice() -> None:
    content = lines(version("a", "1"), version("a", "2"), version("b", "2"))
    refusal = refusal_of(content)
    assert refusal.versions == ["1", "2"]
    [sentence] = told(refusal)
    assert sentence.startswith("2: case_key: “a” is already in line 1 as version 1")
    assert keys_of(content, version="1") == ["a"]
    assert keys_of(content, version="2") == ["a", "b"]


def test_two_versions_without_a_repeated_key_need_no_choice() -> None:
    found = taken(lines(version("a", "1"), version("b", "2")))
    assert found.keys == ["a", "b"]
    assert found.versions == {"1": 1, "2": 1}


def test_rows_without_a_version_can_be_chosen_as_well() -> None:
    content = lines(version("a", "1"), make_case("a", release=None), version("b", None))
    assert refusal_of(content).versions == ["", "1"]
    assert keys_of(content, version="") == ["a", "b"]


def test_a_version_that_is_not_there_is_refused_with_those_that_are() -> None:
    refusal = refusal_of(lines(version("a", "1"), version("b", "2")), version="3")
    assert told(refusal) == ["0: no row has version 3. Found: 1, 2."]


def test_a_repeated_key_within_the_chosen_version_is_refused() -> None:
    content = lines(version("a", "1"), version("a", "2"), version("a", "2"))
    assert told(refusal_of(content, version="2")) == ["3: case_key: “a” is already in line 2."]


def test_rows_of_other_versions_are_checked_like_all() -> None:
    content = lines(version("a", "1"), version("b", "2", locale=3))
    assert [problem.line for problem in refusal_of(content, version="1").problems] == [2]


def test_the_id_can_be_the_key_and_the_key_is_kept() -> None:
    content = lines(make_case("a", id="x:1"), make_case("a", id="x:2"))
    assert len(refusal_of(content).problems) == 1
    with imports.check([source(content)], imports.Options(key_from="id")) as checked:
        rows = list(checked.rows())
    assert [row.case_key for row in rows] == ["x:1", "x:2"]
    assert [json.loads(row.data)["other"] for row in rows] == [{"case_key": "a"}] * 2


@pytest.mark.parametrize("other", [{"x": 1}, "words", ["a"], 0])
def test_the_id_as_key_drops_nothing_that_the_row_said(other: Any) -> None:
    content = lines(make_case("a", id="x:1", other=other))
    with imports.check([source(content)], imports.Options(key_from="id")) as checked:
        [row] = checked.rows()
    kept = other if isinstance(other, dict) else {"other": other}
    assert json.loads(row.data)["other"] == {**kept, "case_key": "a"}


@pytest.mark.parametrize("changes", [{"id": None}, {"id": 5}, {"id": ["x"]}])
def test_an_id_that_is_no_text_cannot_be_the_key(changes: dict[str, Any]) -> None:
    [sentence] = told(refusal_of(lines(make_case("a", **changes)), key_from="id"))
    assert sentence.startswith("1: id: must be a text")


def test_repeated_ids_are_refused_as_keys_are() -> None:
    content = lines(make_case("a", id="x"), make_case("b", id="x"))
    assert told(refusal_of(content, key_from="id")) == ["2: case_key: “x” is already in line 1."]


# --- What a row becomes ---------------------------------------------------------------------------


def prepared(**changes: Any) -> checking.Prepared:
    with imports.check([source(lines(make_case(**changes)))], imports.Options()) as checked:
        [row] = checked.rows()
    return row


def test_the_columns_of_a_row() -> None:
    row = prepared(key="云-1", request={"text": "  Two\n\n slow \t days  "})
    assert (row.case_key, row.check_status, row.locale) == ("云-1", "PASS", "zh-CN")
    assert (row.days, row.has_plan, row.plan_status) == (2, True, "done")
    assert row.opening == "Two slow days"
    assert json.loads(row.produced_by) == ["wei"]


def test_the_columns_of_a_row_with_little_in_it() -> None:
    with imports.check(
        [source(lines({"case_key": "a", "request": {"text": "x"}}))], imports.Options()
    ) as checked:
        [row] = checked.rows()
    assert (row.check_status, row.has_plan, row.plan_status) == ("", False, "")
    assert (row.locale, row.days, row.produced_by) == ("", 0, "[]")


@pytest.mark.parametrize(
    ("plan", "has_plan"),
    [
        (None, False),
        ({"status": "done", "days": []}, False),
        ({"status": "done", "days": [{"day": 1, "items": []}]}, False),
        ({"status": "done", "days": [{}, {"items": [{}]}]}, True),
        ({"status": "clarifying"}, False),
        ({"status": None}, False),
    ],
)
def test_a_case_has_a_plan_when_it_is_done_with_an_item(plan: Any, has_plan: bool) -> None:
    assert prepared(plan=plan).has_plan is has_plan


def test_a_row_is_stored_as_it_came_with_its_order_and_its_own_fields() -> None:
    line = '{"zeta": [1, {"b": 2, "a": null}], "request": {"text": "x", "y": 1}, "case_key": "k"}'
    with imports.check([source(line.encode())], imports.Options()) as checked:
        [row] = checked.rows()
    assert row.data == line.replace(": ", ":").replace(", ", ",")


def test_the_digest_does_not_depend_on_order_or_spaces() -> None:
    one = b'{"case_key": "a", "request": {"text": "x", "days": 2}}'
    other = b'{"request":{"days":2,"text":"x"},   "case_key":"a"}'
    with imports.check([source(one)], imports.Options()) as checked:
        [first] = checked.rows()
    with imports.check([source(other)], imports.Options()) as checked:
        [second] = checked.rows()
    assert first.digest == second.digest
    assert first.data != second.data


def test_declared_tags_are_compared_in_lower_case_with_hyphens() -> None:
    row = prepared(tags=["Low_Budget", "low-budget", " Family "])
    declared = [tag.tag for tag in row.tags if tag.origin == "declared"]
    assert declared == ["low-budget", "family"]
    assert {"low-budget", "family"} <= row.standing_tags


def test_a_weak_hint_is_no_tag_that_stands() -> None:
    row = prepared(request={"text": "Two days in Yunxi with my grandmother.", "group_type": None})
    weak = {tag.tag for tag in row.tags if tag.strength == "weak"}
    assert weak
    assert not weak & row.standing_tags


@pytest.mark.parametrize("count", [0, 1, 3])
def test_rows_come_back_from_the_temporary_file_as_often_as_asked(count: int) -> None:
    with imports.check([source(ONE + b"\n" + many(count))], imports.Options()) as checked:
        assert list(checked.rows()) == list(checked.rows())
        assert checked.count == count + 1


def test_the_temporary_file_is_gone_afterwards() -> None:
    with imports.check([source(ONE)], imports.Options()) as checked:
        pass
    assert checked.spool.closed


def test_products_and_versions_are_counted() -> None:
    rows = [version("a", "1"), version("b", "1"), make_case("c", release=None)]
    found = taken(lines(*rows))
    assert found.products == {"wanderer": 2, "": 1}
    assert found.versions == {"1": 2, "": 1}


def test_progress_is_told_row_by_row() -> None:
    counts: list[int] = []
    imports.check([source(many(5))], imports.Options(), progress=counts.append).spool.close()
    assert counts == [1, 2, 3, 4, 5]
