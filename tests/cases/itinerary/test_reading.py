"""One line of a file: what is taken, and what is said about the rest."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.itinerary import reading
from cases.itinerary.format import CaseError
from tests.bed import soak

EXAMPLES = soak.size(short=30, long=5000)


def line(**fields: Any) -> bytes:
    case = {"case_key": "lisbon", "request": {"text": "Three days in Lisbon"}}
    return json.dumps(case | fields, ensure_ascii=False).encode()


def request(**fields: Any) -> bytes:
    return line(request={"text": "Three days in Lisbon"} | fields)


def item(**fields: Any) -> bytes:
    return line(plan={"status": "done", "days": [{"items": [fields]}]})


def complaint(text: bytes) -> str:
    with pytest.raises(CaseError) as caught:
        reading.read(text)
    return str(caught.value)


def test_a_key_and_a_request_are_enough() -> None:
    row = reading.read(line())
    assert row.case.case_key == "lisbon"
    assert row.case.request.text == "Three days in Lisbon"
    assert row.case.plan is None


def test_a_row_is_kept_with_every_field_in_the_order_it_came() -> None:
    text = '{"zeta":1,"case_key":"k","request":{"text":"里斯本","novel":[1,{"b":2.50,"a":null}]}}'
    assert reading.read(text.encode()).text == text.replace("2.50", "2.5")


def test_the_digest_depends_on_what_is_said_and_not_on_the_order_or_the_spaces() -> None:
    one = reading.read(b'{"case_key": "k", "request": {"text": "a", "days": 2}}')
    same = reading.read(b'{"request":{"days":2,"text":"\\u0061"},"case_key":"k"}')
    other = reading.read(b'{"case_key": "k", "request": {"text": "a", "days": 3}}')
    assert one.digest == same.digest
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{}", "case_key: is required."),
        (b'{"case_key": "k"}', "request: is required."),
        (b'{"case_key": "k", "request": {}}', "request.text: is required."),
        (request(text=" \n"), "request.text: must not be empty."),
        (line(case_key=""), "case_key: must not be empty."),
        (line(case_key=7), "case_key: must be a text, got 7."),
        (line(case_key="k" * 201), "case_key: must have at most 200 characters, got 201."),
        (
            line(case_key="a\nb"),
            'case_key: must be one line without control characters, got "a\\nb".',
        ),
        (request(days="three"), "request.days: must be a whole number of at least 1, got 'three'."),
        (request(days=0), "request.days: must be a whole number of at least 1, got 0."),
        (request(days=True), "request.days: must be a whole number of at least 1, got true."),
        (request(people=100_001), "request.people: must be at most 100000, got 100001."),
        (
            request(start_date="14.2.2026"),
            "request.start_date: must be a date such as 2026-02-14, got '14.2.2026'.",
        ),
        (request(end_date="2026-02-30"), "request.end_date: there is no such day as 2026-02-30."),
        (
            request(pace="slow"),
            "request.pace: must be one of intensive, moderate, relaxed; got 'slow'.",
        ),
        (request(must_visit="Belém"), "request.must_visit: must be a list, got 'Belém'."),
        (request(avoid=["x", 3]), "request.avoid[1]: must be a text, got 3."),
        (
            request(destination=3),
            "request.destination: must be a text or a list of texts, got 3.",
        ),
        (request(budget=500), "request.budget: must be an object, got 500."),
        (
            request(budget={"amount": "500"}),
            "request.budget.amount: must be a number, got '500'.",
        ),
        (item(start="9:00"), "plan.days[0].items[0].start: must be a time such as 09:30"),
        (item(start="09:00\n"), "plan.days[0].items[0].start: must be a time such as 09:30"),
        (line(case_key="k\n"), "case_key: must be one line without control characters"),
        (line(case_key="a\x01b"), "case_key: must be one line without control characters"),
        (item(end=9), "plan.days[0].items[0].end: must be a time such as 09:30, got 9."),
        (item(kind="fly"), "plan.days[0].items[0].kind: must be one of hotel, meal, other,"),
        (
            item(buffer_minutes=-1),
            "plan.days[0].items[0].buffer_minutes: must be a number of at least 0, got -1.",
        ),
        (item(transport={"from": 3}), "plan.days[0].items[0].transport.from: must be a text"),
        (line(plan=[]), "plan: must be an object, got []."),
        (line(plan={"days": [{"day": -1}]}), "plan.days[0].day: must be a whole number from 0"),
        (
            line(automated_checks={"a": {"status": "pass"}, "b": {"status": "ok"}}),
            "automated_checks.b.status: must be one of fail, pass, warn; got 'ok'.",
        ),
        (line(automated_checks={"a": 3}), "automated_checks.a: must be an object, got 3."),
        (
            line(automated_summary={"status": "PASS", "score": 1.1}),
            "automated_summary.score: must be a number from 0 to 1, got 1.1.",
        ),
        (line(automated_summary={}), "automated_summary.status: is required."),
        (line(schema="itinerary-case/2"), "schema: must be itinerary-case/1, got"),
        (line(locale="zh_CN"), "locale: must be a language such as zh-CN or en, got 'zh_CN'."),
        (line(tags=[" "]), "tags[0]: must not be empty."),
        (line(translations={"en": "x"}), "translations.en: must be an object, got 'x'."),
        (
            line(plan={"budget": {"breakdown": {"food": 1, "beds": "two"}}}),
            "plan.budget.breakdown.beds: must be a number, got 'two'.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_path_of_the_field(text: bytes, said: str) -> None:
    assert complaint(text).startswith(said)


def test_a_long_value_is_cut_in_the_sentence() -> None:
    assert len(complaint(request(days="x" * 5000))) < 150


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[1]", "must be a JSON object, in braces."),
        (b'"text"', "must be a JSON object, in braces."),
        (b"{'case_key': 'k'}", "is not JSON (character 2)."),
        (b'{"case_key": "k",}', "is not JSON"),
        (line()[:-1], "the line ends in the middle of the JSON text."),
        (line() + line(), "is not JSON"),
        (b'{"case_key": "k", "n": NaN}', "NaN is not JSON; write null for “not known”."),
        (b'{"case_key": "k", "n": -Infinity}', "-Infinity is not JSON"),
        (b'{"case_key": "k", "n": 1e400}', "contains a number that is too large."),
        (b'{"case_key": "k", "n": ' + b"9" * 5000 + b"}", "contains a number that is too large."),
        ('{"case_key": "北京"}'.encode("gbk"), "is not UTF-8 text."),
        (b'{"case_key": "k\x00"}', "contains a NUL character."),
        (b'{"case_key": "k\\u0000"}', "contains a NUL character."),
        (b'{"case_key": "k\\ud83d"}', "contains half a character"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "the key “c” appears twice in one object."),
        (b'{"a" : 1, "a" : 2}', "the key “a” appears twice in one object."),
        (b'{"a": "\\u0022:", "b": 1, "b": 2}', "the key “b” appears twice in one object."),
        (b'{"a": 1, "\\u0061": 2}', "the key “a” appears twice in one object."),
    ],
)
def test_a_line_that_cannot_be_read_gets_its_own_sentence(text: bytes, said: str) -> None:
    assert complaint(text).startswith(said)


def test_a_line_of_31_500_keys_names_the_one_that_comes_again() -> None:
    keys = [chr(number) for number in range(0x1000, 0x1000 + 31_500)]
    text = "{" + ",".join(f'"{key}":1' for key in [*keys, "京"]) + "}"
    assert complaint(text.encode()) == "the key “京” appears twice in one object."


class Counted(str):
    """A key that counts how often it is compared with another."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str(self) == str(other)

    __hash__ = str.__hash__


def test_a_repeated_key_is_found_without_comparing_each_key_with_each() -> None:
    keys = [Counted(number) for number in range(10_000)]
    Counted.comparisons = 0
    assert reading.find_repeated([*keys, Counted(9_999)]) == "9999"
    # Only keys of the same hash: one pair, and hardly any other.
    assert Counted.comparisons < 100
    assert reading.find_repeated(keys) is None


def test_the_same_key_in_two_objects_is_fine() -> None:
    reading.read(line(extra=[{"a": 1}, {"a": 2}], note='says "a": twice, "a": see'))


@pytest.mark.parametrize("text", ["\\u0000 in words", "\ud7ff", "😀", "a\\ud800"])
def test_words_about_such_characters_are_fine(text: str) -> None:
    assert reading.read(request(text=text)).case.request.text == text


def padded(length: int) -> bytes:
    return line(note="x" * (length - len(line(note=""))))


def test_a_line_may_have_256_kilobytes_and_not_a_byte_more() -> None:
    assert len(padded(reading.LONGEST_LINE)) == 256 * 1024
    reading.read(padded(reading.LONGEST_LINE))
    said = complaint(padded(reading.LONGEST_LINE + 1))
    assert said == "the line is longer than 256 KB (257 KB)."


def nested(levels: int, innermost: str) -> bytes:
    """`levels` counts the row itself."""
    inside = "[" * (levels - 1) + innermost + "]" * (levels - 1)
    return line()[:-1] + b', "deep": ' + inside.encode() + b"}"


@pytest.mark.parametrize("innermost", ["", "1", '"]]"'])
def test_a_row_may_be_20_levels_deep_and_not_one_more(innermost: str) -> None:
    reading.read(nested(20, innermost))
    assert complaint(nested(21, innermost)) == "is nested more than 20 levels deep."


def test_a_very_deep_row_does_no_harm() -> None:
    assert complaint(b"[" * 200_000) == "is nested more than 20 levels deep."


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(extra=st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4), ascii=st.booleans())
def test_whatever_json_stands_in_unknown_fields_is_kept(extra: dict[str, Any], ascii: bool) -> None:
    row = {f"x-{name}": value for name, value in extra.items()}
    row |= {"case_key": "k", "request": {"text": "words"}}
    text = json.dumps(row, ensure_ascii=ascii)
    if "\\u0000" in json.dumps(row):
        return
    found = reading.read(text.encode())
    assert found.data == row
    assert json.loads(found.text) == row


@pytest.mark.soak
@settings(max_examples=EXAMPLES, deadline=None)
@given(place=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused_in_words_and_never_crashes(
    place: int, byte: int
) -> None:
    text = bytearray(request(days=3, must_visit=["Belém", "Sé"], pace="relaxed", start_date=None))
    text[place % len(text)] = byte
    assert what_is_said(bytes(text)) != ""


def what_is_said(text: bytes) -> str | None:
    try:
        reading.read(text)
    except CaseError as error:
        return error.problem.sentence.strip()
    return None
