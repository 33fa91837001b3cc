"""Good files, damaged in one way each, and what must be said about them.

Three good rows; unless a kind of damage is about the whole file, it strikes the second one.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from tests.bed.cases import lines, make_case

KB_256 = 256 * 1024


class Damage(NamedTuple):
    """`says` is "line: path: sentence" of the first problem, or its beginning."""

    name: str
    content: bytes
    says: str

    def __str__(self) -> str:
        return self.name


ROWS = [make_case("yunxi-01"), make_case("yunxi-02"), make_case("yunxi-03")]
GOOD = lines(*ROWS)
FIRST, SECOND, THIRD = GOOD.splitlines()


def second(line: bytes) -> bytes:
    """The good file with another second line."""
    return b"\n".join([FIRST, line, THIRD]) + b"\n"


def edited(old: str, new: str) -> bytes:
    """The good file with something else in its second line."""
    text = SECOND.decode()
    assert text.count(old) >= 1, old
    return second(text.replace(old, new, 1).encode("utf-8", "surrogatepass"))


def with_value(path: str, value: Any) -> dict[str, Any]:
    """The second row with a value at a place such as plan.days[0].items[1].start."""
    row: Any = deepcopy(ROWS[1])
    *way, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    place = row
    for step in way:
        place = place[step]
    place[last] = value
    return dict(row)


def without(path: str) -> bytes:
    row: Any = deepcopy(ROWS[1])
    *way, last = path.split(".")
    place = row
    for step in way:
        place = place[step]
    del place[last]
    return second(lines(row).strip())


def valued(path: str, value: Any) -> bytes:
    return second(lines(with_value(path, value)).strip())


def nested(levels: int, opening: str = "[", closing: str = "]") -> str:
    return opening * levels + closing * levels


def extra(value: str) -> bytes:
    """The second row with one field of its own, as raw JSON."""
    return edited('"tags": []', f'"tags": [], "own": {value}')


def long_row(size: int) -> bytes:
    row = with_value("own", "")
    row["own"] = "字" * ((size - len(lines(row).strip())) // 3)
    row["own"] += "x" * (size - len(lines(row).strip()))
    line = lines(row).strip()
    assert len(line) == size
    return line


# --- The whole file -------------------------------------------------------------------------------

CHINESE = GOOD.decode()
NOT_UTF_8 = "is not UTF-8 text. Save the file as UTF-8 and try again."
UTF_16 = "1: the file is UTF-16. Save it as UTF-8 and try again."
UTF_32 = "1: the file is UTF-32. Save it as UTF-8 and try again."
NOT_TEXT = "this is no text file and no workbook."
ARCHIVE = "this is an archive; unpack it and import the cases in it."
CASES = "cases come as lines of JSON, as CSV or as a workbook."
CUT_GZIP = "the gzip file is damaged or cut off."
PACKED = gzip.compress(GOOD, mtime=0)


def broken_middle(content: bytes) -> bytes:
    middle = len(content) // 2
    return (
        content[:middle]
        + bytes(255 - item for item in content[middle : middle + 8])
        + content[middle + 8 :]
    )


def whole_files() -> Iterator[Damage]:
    yield Damage("no byte at all", b"", "0: contains no rows.")
    yield Damage("blank lines only", b"\n \r\n\t\n\n", "0: contains no rows.")
    yield Damage("only a byte order mark", b"\xef\xbb\xbf", "0: contains no rows.")
    yield Damage("gbk", CHINESE.encode("gbk"), f"1: {NOT_UTF_8}")
    yield Damage("big5", CHINESE.encode("big5", "replace"), f"1: {NOT_UTF_8}")
    yield Damage("utf-16 with a mark", CHINESE.encode("utf-16"), UTF_16)
    yield Damage("utf-16 be with a mark", b"\xfe\xff" + CHINESE.encode("utf-16-be"), UTF_16)
    yield Damage("utf-16 le", CHINESE.encode("utf-16-le"), UTF_16)
    yield Damage("utf-16 be", CHINESE.encode("utf-16-be"), UTF_16)
    yield Damage("utf-32 with a mark", CHINESE.encode("utf-32"), UTF_32)
    yield Damage("utf-32 le", CHINESE.encode("utf-32-le"), UTF_32)
    yield Damage("utf-32 be", CHINESE.encode("utf-32-be"), UTF_32)
    yield Damage("a compressed archive", b"7z\xbc\xaf'\x1c" + bytes(64), f"0: {ARCHIVE}")
    yield Damage("only NULs", bytes(200), f"0: {NOT_TEXT}")
    yield Damage("a rich text", b"{\\rtf1\\ansi Two days}", f"0: this is a Word document; {CASES}")
    yield Damage("words", b"Two days.\nThe pier.\n", f"0: this is plain text; {CASES}")
    yield Damage("a picture", b"\x89PNG\r\n\x1a\n" + bytes(64), "0: this is a picture; ")
    yield Damage("a zip file", b"PK\x03\x04" + bytes(40) + GOOD, "0: the workbook cannot be read")
    yield Damage("a web page", b"<!doctype html>\n<p>Not found</p>\n", "0: this is a web page; ")
    yield Damage("one JSON list", lines_as_list(indent=None), "0: this is a JSON array; write")
    yield Damage("a printed JSON list", lines_as_list(indent=2), "0: this is a JSON array; write")
    yield Damage(
        "one object over many lines",
        json.dumps(ROWS[0], indent=2).encode(),
        "0: this is one JSON object",
    )
    yield Damage("rows joined by a carriage return", GOOD.replace(b"\n", b"\r"), "1: is not JSON")
    yield Damage("cut in the last row", GOOD[:-40], "3: the line ends in the middle of the JSON")
    yield Damage("cut in a character", GOOD[: GOOD.rindex("河".encode()) + 1], "3: ")
    yield Damage("gzip, cut in its header", PACKED[:7], f"1: {CUT_GZIP}")
    yield Damage("gzip, cut in the middle", PACKED[: len(PACKED) // 2], "")
    yield Damage("gzip, cut at its end", PACKED[:-3], f"4: {CUT_GZIP}")
    yield Damage("gzip, wrong checksum", PACKED[:-8] + bytes(8), f"4: {CUT_GZIP}")
    yield Damage("gzip, overwritten in the middle", broken_middle(PACKED), "")
    yield Damage("gzip, text behind it", PACKED + b"and more", f"4: {CUT_GZIP}")
    yield Damage("gzip of damaged rows", gzip.compress(second(b"{")), "2: the line ends in the")
    yield Damage("gzip packed twice", gzip.compress(PACKED, mtime=0), "1: ")
    yield Damage("gzip in name only", b"\x1f\x8b" + GOOD, f"1: {CUT_GZIP}")
    yield Damage(
        "the same key twice", GOOD + SECOND, "4: case_key: “yunxi-02” is already in line 2"
    )


def lines_as_list(indent: int | None) -> bytes:
    return json.dumps(ROWS, indent=indent).encode()


# --- One line -------------------------------------------------------------------------------------

NUL = "2: contains a NUL character."
HALF = "2: contains half a character (a lone surrogate)."
TOO_DEEP = "2: is nested more than 20 levels deep."
TOO_LARGE = "2: contains a number that is too large."
NOT_AN_OBJECT = "2: must be a JSON object, in braces."
ENDS_EARLY = "2: the line ends in the middle of the JSON text."


def twice(key: str) -> str:
    return f"2: the key “{key}” appears twice in one object."


def bad_lines() -> Iterator[Damage]:
    yield Damage("a row cut in the middle", second(SECOND[: len(SECOND) // 2]), "2: ")
    yield Damage("a row without its last brace", second(SECOND[:-1]), ENDS_EARLY)
    yield Damage("a row without its first brace", second(SECOND[1:]), "2: is not JSON")
    yield Damage("a brace too many", second(SECOND + b"}"), "2: is not JSON")
    yield Damage("two rows on one line", second(SECOND + b" " + THIRD), "2: is not JSON")
    yield Damage("a comma behind the row", second(SECOND + b","), "2: is not JSON")
    yield Damage("a comma behind the last field", second(SECOND[:-1] + b",}"), "2: is not JSON")
    yield Damage("a comma behind a list", edited('["wei"]', '["wei",]'), "2: is not JSON")
    yield Damage("no comma between fields", edited('"locale"', '"x": 1 "locale"'), "2: is not JSON")
    yield Damage("single quotes", second(SECOND.replace(b'"', b"'")), "2: is not JSON")
    yield Damage("curly quotes", edited('"locale"', "“locale”"), "2: is not JSON")
    yield Damage("a field name without quotes", edited('"locale"', "locale"), "2: is not JSON")
    yield Damage("a comment", edited('"locale"', '/* here */ "locale"'), "2: is not JSON")
    yield Damage("a line of comment", second(b"// a comment"), "2: is not JSON")
    yield Damage("Python's None", edited("null", "None"), "2: is not JSON")
    yield Damage("a bare word", second(b"yunxi-02"), "2: is not JSON")
    yield Damage("a bad escape", edited("River wall", "River\\wall"), "2: is not JSON")
    yield Damage("half an escape", edited("River wall", "River\\u12"), "2: ")
    yield Damage("a raw tab in a text", edited("River wall", "River\twall"), "2: is not JSON")
    yield Damage("a leading zero", edited('"days": 2', '"days": 02'), "2: is not JSON")
    yield Damage("a plus sign", edited('"days": 2', '"days": +2'), "2: is not JSON")
    yield Damage("a number in hex", edited('"days": 2', '"days": 0x2'), "2: is not JSON")
    yield Damage("a mark before the row", second(b"\xef\xbb\xbf" + SECOND), "2: is not JSON")
    yield Damage("NaN", edited('"score": 0.9', '"score": NaN'), "2: NaN is not JSON; write null")
    yield Damage("Infinity", edited("1800", "Infinity"), "2: Infinity is not JSON; write null")
    yield Damage("minus Infinity", extra("[-Infinity]"), "2: -Infinity is not JSON; write null")
    yield Damage("a list", second(b"[" + SECOND + b"]"), NOT_AN_OBJECT)
    yield Damage("a number", second(b"17"), NOT_AN_OBJECT)
    yield Damage("a text", second(b'"yunxi-02"'), NOT_AN_OBJECT)
    yield Damage("null", second(b"null"), NOT_AN_OBJECT)
    yield Damage("true", second(b"true"), NOT_AN_OBJECT)
    yield Damage(
        "latin-1", edited_bytes(b"River wall", "Ufer über".encode("latin-1")), f"2: {NOT_UTF_8}"
    )
    yield Damage("a byte flipped", edited_bytes("第".encode(), b"\xe7\xac\x6c"), f"2: {NOT_UTF_8}")
    yield Damage("an overlong slash", edited_bytes(b"River", b"Riv\xc0\xafr"), f"2: {NOT_UTF_8}")
    yield Damage("a raw NUL", edited_bytes(b"River", b"Riv\x00r"), NUL)
    yield Damage("a NUL behind the row", second(SECOND + b"\x00"), NUL)
    yield Damage("an escaped NUL", edited("River", "Riv\\u0000r"), NUL)
    yield Damage("an escaped NUL in a field name", extra('{"a\\u0000": 1}'), NUL)
    yield Damage("a lone high surrogate", edited("River", "Riv\\ud83d"), HALF)
    yield Damage("a lone low surrogate", edited("River", "Riv\\uDE00r"), HALF)
    yield Damage("surrogates in the wrong order", edited("River", "\\ude00\\ud83d"), HALF)
    yield Damage("a lone surrogate in a field name", extra('{"\\ud800": 1}'), HALF)
    yield Damage("a raw surrogate", edited("River", "Riv\ud83dr"), f"2: {NOT_UTF_8}")
    yield Damage("a key twice", edited('"tags": []', '"tags": [], "tags": []'), twice("tags"))
    yield Damage(
        "a key twice far apart", second(SECOND[:-1] + b', "case_key": "x"}'), twice("case_key")
    )
    yield Damage(
        "a key twice in the request", edited('"days": 2', '"days": 2, "days": 3'), twice("days")
    )
    yield Damage("a key twice deep inside", extra('[[{"a": {"b": 1, "b": 1}}]]'), twice("b"))
    yield Damage(
        "a key twice, once escaped",
        edited('"tags": []', '"tags": [], "t\\u0061gs": []'),
        twice("tags"),
    )
    yield Damage(
        "a key twice, space before the colon",
        edited('"tags": []', '"tags": [], "tags" : []'),
        twice("tags"),
    )
    yield Damage("a key twice, tabs before both colons", extra('{"a"\t: 1, "a"\t : 2}'), twice("a"))
    yield Damage("a key twice, told by a text", extra('{"a": "\\"b\\":", "a": 2}'), twice("a"))
    yield Damage("an empty key twice", extra('{"": 1, "": 2}'), twice(""))
    yield Damage("21 levels of lists", extra(nested(20)), TOO_DEEP)
    yield Damage("21 levels of objects", extra('{"a":' * 20 + "1" + "}" * 20), TOO_DEEP)
    yield Damage("5,000 levels", extra(nested(5_000)), TOO_DEEP)
    yield Damage("100,000 levels never closed", extra("[" * 100_000), "2: ")
    yield Damage(
        "one byte over 256 KB", second(long_row(KB_256 + 1)), "2: the line is longer than 256 KB"
    )
    yield Damage(
        "a row of 3 MB", second(long_row(3 * 1024**2)), "2: the line is longer than 256 KB"
    )
    yield Damage(
        "a row behind 256 KB of spaces", second(b" " * KB_256 + SECOND), "2: the line is longer"
    )
    yield Damage("1e400", edited("1800", "1e400"), TOO_LARGE)
    yield Damage("a number of 5,000 digits", edited("1800", "7" * 5_000), TOO_LARGE)
    yield Damage("an amount of 400 digits", edited("1800", "7" * 400), "2: request.budget.amount: ")
    yield Damage("an empty object", second(b"{}"), "2: case_key: is required.")
    yield Damage("an object of another kind", second(b'{"name": "River wall"}'), "2: case_key: ")


def edited_bytes(old: bytes, new: bytes) -> bytes:
    assert old in SECOND
    return second(SECOND.replace(old, new, 1))


# --- Fields ---------------------------------------------------------------------------------------

ITEM = "plan.days[0].items[0]"
TEXT = "must be a text, got 7."
NUMBER = "must be a number, got 'x'."
MINUTES = "must be a number of at least 0, got 'x'."
COUNT = "must be a whole number of at least 1, got 'x'."
PLACE = "must be a whole number from 0, got 'x'."
LIST = "must be a list, got 'x'."
OBJECT = "must be an object, got 'x'."
DATE = "must be a date such as 2026-02-14, got 7."
CLOCK = "must be a time such as 09:30, got 7."
TEXTS = "must be a text or a list of texts, got 7."

# A value of another type for every field that has one.
WRONG_TYPES: dict[str, tuple[Any, str]] = {
    "case_key": (7, TEXT),
    "schema": (7, "must be itinerary-case/1, got 7."),
    "id": (7, TEXT),
    "locale": (7, TEXT),
    "release": ("x", OBJECT),
    "release.product": (7, TEXT),
    "release.version": (7, TEXT),
    "release.commit": (7, TEXT),
    "source": ("x", OBJECT),
    "tags": ("x", LIST),
    "produced_by": ("x", LIST),
    "translations": ("x", OBJECT),
    "request": ("x", OBJECT),
    "request.text": (7, TEXT),
    "request.origin": (7, TEXT),
    "request.destination": (7, TEXTS),
    "request.start_date": (7, DATE),
    "request.end_date": (7, DATE),
    "request.days": ("x", COUNT),
    "request.people": ("x", COUNT),
    "request.group_type": (7, "must be one of "),
    "request.budget": ("x", OBJECT),
    "request.budget.amount": ("x", NUMBER),
    "request.budget.currency": (7, TEXT),
    "request.budget.scope": (7, TEXT),
    "request.must_visit": ("x", LIST),
    "request.avoid": ("x", LIST),
    "request.dietary": ("x", LIST),
    "request.mobility": ("x", LIST),
    "request.goals": ("x", LIST),
    "request.pace": (7, "must be one of "),
    "request.transport_preference": (7, TEXTS),
    "request.lodging": (7, TEXTS),
    "plan": ("x", OBJECT),
    "plan.status": (7, "must be one of "),
    "plan.title": (7, TEXT),
    "plan.summary": (7, TEXT),
    "plan.days": ("x", LIST),
    "plan.days[1]": ("x", OBJECT),
    "plan.days[1].day": ("x", PLACE),
    "plan.days[1].date": (7, DATE),
    "plan.days[1].summary": (7, TEXT),
    "plan.days[1].estimated_cost": ("x", NUMBER),
    "plan.days[1].items": ("x", LIST),
    "plan.days[1].items[0]": ("x", OBJECT),
    f"{ITEM}.start": (7, CLOCK),
    f"{ITEM}.end": (7, CLOCK),
    f"{ITEM}.kind": (7, "must be one of "),
    f"{ITEM}.title": (7, TEXT),
    f"{ITEM}.place": (7, TEXT),
    f"{ITEM}.cost": ("x", NUMBER),
    f"{ITEM}.note": (7, TEXT),
    f"{ITEM}.buffer_minutes": ("x", MINUTES),
    f"{ITEM}.transport": ("x", OBJECT),
    f"{ITEM}.transport.mode": (7, TEXT),
    f"{ITEM}.transport.from": (7, TEXT),
    f"{ITEM}.transport.to": (7, TEXT),
    f"{ITEM}.transport.minutes": ("x", MINUTES),
    "plan.budget": ("x", OBJECT),
    "plan.budget.currency": (7, TEXT),
    "plan.budget.total": ("x", NUMBER),
    "plan.budget.breakdown": ("x", OBJECT),
    "plan.budget.breakdown.food": ("x", NUMBER),
    "plan.budget.minimum_feasible": ("x", NUMBER),
    "plan.budget.warning": (7, TEXT),
    "plan.fallbacks": ("x", LIST),
    "plan.fallbacks[0]": ("x", OBJECT),
    "plan.fallbacks[0].day": ("x", PLACE),
    "plan.fallbacks[0].title": (7, TEXT),
    "plan.fallbacks[0].reason": (7, TEXT),
    "plan.fallbacks[0].note": (7, TEXT),
    "plan.notes": ("x", LIST),
    "plan.notes[0]": (7, TEXT),
    "automated_checks": ("x", OBJECT),
    "automated_checks.has_days": ("x", OBJECT),
    "automated_checks.has_days.status": (7, "must be one of "),
    "automated_summary": ("x", OBJECT),
    "automated_summary.status": (7, "must be one of "),
    "automated_summary.score": ("x", "must be a number from 0 to 1, got 'x'."),
}

# Values of the right type that mean nothing.
WRONG_VALUES: dict[str, tuple[str, Any, str]] = {
    "an empty key": ("case_key", "", "must not be empty."),
    "a key of spaces": ("case_key", "   ", "must not be empty."),
    "a key of 201 characters": (
        "case_key",
        "云" * 201,
        "must have at most 200 characters, got 201.",
    ),
    "a key of two lines": ("case_key", "a\nb", "must be one line without control characters"),
    "an empty request": ("request.text", "", "must not be empty."),
    "a request of spaces": ("request.text", " \n\u3000 ", "must not be empty."),
    "no request at all": ("request", None, "must be an object, got null."),
    "another schema": ("schema", "itinerary-case/2", "must be itinerary-case/1, got"),
    "a language in words": ("locale", "en, mostly", "must be a language such as zh-CN or en"),
    "an unknown group": ("request.group_type", "Family", "must be one of "),
    "an unknown pace": ("request.pace", "slow", "must be one of "),
    "an unknown plan status": ("plan.status", "ready", "must be one of "),
    "an unknown kind of item": (f"{ITEM}.kind", "food", "must be one of "),
    "an unknown check status": ("automated_checks.has_days.status", "PASS", "must be one of "),
    "an unknown overall status": ("automated_summary.status", "pass", "must be one of "),
    "the 30th of February": ("request.start_date", "2026-02-30", "there is no such day as"),
    "a 29th of February too many": ("request.end_date", "2027-02-29", "there is no such day as"),
    "a plan on the 31st of April": ("plan.days[0].date", "2026-04-31", "there is no such day as"),
    "a year 0": ("request.start_date", "0000-01-01", "there is no such day as"),
    "a 13th month": ("request.start_date", "2026-13-01", "must be a date such as"),
    "a date in German": ("request.start_date", "14.2.2026", "must be a date such as"),
    "a date with its time": ("request.start_date", "2026-02-14T09:00", "must be a date such as"),
    "a date in full-width digits": (
        "request.start_date",
        "２０２６-02-14",
        "must be a date such as",
    ),
    "25 o'clock": (f"{ITEM}.start", "25:00", "must be a time such as 09:30, got '25:00'."),
    "60 minutes past": (f"{ITEM}.end", "09:60", "must be a time such as 09:30, got '09:60'."),
    "a time in words": (f"{ITEM}.start", "9 am", "must be a time such as 09:30, got '9 am'."),
    "no day at all": ("request.days", 0, "must be a whole number of at least 1, got 0."),
    "a day less than none": ("request.days", -1, "must be a whole number of at least 1, got -1."),
    "half a day": ("request.days", 1.5, "must be a whole number of at least 1, got 1.5."),
    "true as a number": ("request.people", True, "must be a whole number of at least 1, got true."),
    "100,001 days": ("request.days", 100_001, "must be at most 100000, got 100001."),
    "minutes below zero": (f"{ITEM}.buffer_minutes", -5, "must be a number of at least 0, got -5."),
    "a score over 1": ("automated_summary.score", 1.5, "must be a number from 0 to 1, got 1.5."),
    "a tag that is a number": ("tags", ["family", 5], "must be a text, got 5."),
    "a tag of 81 letters": ("tags", ["x" * 81], "must have at most 80 characters, got 81."),
    "a blank tag": ("tags", [" "], "must not be empty."),
    "a person who is a number": ("produced_by", ["wei", 5], "must be a text, got 5."),
    "an amount in words": (
        "plan.budget.breakdown",
        {"tickets": 80, "food": "200"},
        "must be a number",
    ),
    "an amount that is a list": (
        "plan.budget.breakdown",
        {"tickets": [80]},
        "must be a number, got [80].",
    ),
    "a translation that is a text": ("translations", {"en": "Two days"}, "must be an object"),
    "a check that is a text": (
        "automated_checks",
        {"ok": {"status": "pass"}, "x": "pass"},
        "must be an object",
    ),
    "a check without a status": ("automated_checks", {"x": {"evidence": 1}}, "is required."),
    "a list inside a list": ("request.must_visit", [["Paper mill"]], "must be a text"),
}

ENTRIES = {"tags", "produced_by", "translations", "automated_checks", "request.must_visit"}


def bad_fields() -> Iterator[Damage]:
    for path, (value, sentence) in WRONG_TYPES.items():
        yield Damage(f"{path} of another type", valued(path, value), f"2: {path}: {sentence}")
    for name, (path, value, sentence) in WRONG_VALUES.items():
        # A bad entry of a list or an object is named with its own place.
        is_entry = path in ENTRIES or path == "plan.budget.breakdown"
        says = f"2: {path}" if is_entry else f"2: {path}: {sentence}"
        yield Damage(name, valued(path, value), says)
    for path in ("case_key", "request", "request.text", "automated_summary.status"):
        yield Damage(f"{path} left out", without(path), f"2: {path}: is required.")


DAMAGED = [*whole_files(), *bad_lines(), *bad_fields()]

# What is on the right side of each limit.
HARMLESS: dict[str, Callable[[], bytes]] = {
    "exactly 256 KB": lambda: second(long_row(KB_256)),
    "20 levels of lists": lambda: extra(nested(19)),
    "20 levels of objects": lambda: extra('{"a":' * 19 + "1" + "}" * 19),
    "a whole emoji, escaped": lambda: edited("River", "\\ud83d\\ude00"),
    "a backslash before u0000": lambda: edited("River", "\\\\u0000"),
    "the word NaN in a text": lambda: edited("River wall", "NaN, Infinity and -inf"),
    "the same key in two objects": lambda: extra('[{"a": 1}, {"a": 1}, {"b": {"a": 1}}]'),
    "keys that differ by case": lambda: extra('{"a": 1, "A": 2, "ａ": 3}'),
    "a text with a quote and a colon": lambda: edited("River wall", '\\"River\\": wall'),
    "space before every colon": lambda: second(SECOND.replace(b'":', b'" :')),
    "the largest number": lambda: extra("[1e308, -1e308, 18446744073709551615]"),
    "a number of 30 digits": lambda: extra("7" * 30),
    "a key of 200 characters": lambda: valued("case_key", "云" * 200),
    "a tag of 80 letters": lambda: valued("tags", ["x" * 80]),
    "the 29th of February": lambda: valued("request.start_date", "2028-02-29"),
    "24 o'clock": lambda: valued(f"{ITEM}.end", "24:00"),
    "100,000 days": lambda: valued("request.days", 100_000),
    "a score of 0": lambda: valued("automated_summary.score", 0),
    "a score of 1": lambda: valued("automated_summary.score", 1),
    "no plan": lambda: valued("plan", None),
    "empty objects": lambda: valued("plan", {}),
    "a free cost": lambda: valued(f"{ITEM}.cost", -12.5),
    "right-to-left marks": lambda: edited("River wall", "\\u202eRiver\\u2066 wall"),
    "markup": lambda: edited("River wall", "<script>alert(1)</script>"),
}
