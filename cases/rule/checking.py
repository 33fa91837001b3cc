"""Check files of cases against rules, one line at a time, as a pipeline does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from cases.formats import find_shape, recognise_shape
from cases.itinerary import reading
from cases.itinerary.format import CaseError
from cases.itinerary.lines import Source, Unreadable, numbered_lines

from .document import RuleSet
from .hits import Hit, encode_hits, find_hits_by_rule
from .rule import Rule

# The name of a check in `automated_checks`.
PREFIX = "rule:"
_OWN = "itinerary-case"

Outcomes = list[tuple[Rule, tuple[Hit, ...]]]


@dataclass(frozen=True, slots=True)
class Result:
    """A line that was checked. `data` is the case in our own format."""

    line: int
    data: dict[str, Any]
    outcomes: Outcomes

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(hit for _rule, hits in self.outcomes for hit in hits)


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that cannot be read as a case."""

    line: int
    problem: str


def check_file(source: Source, rules: RuleSet) -> Iterator[Result | Unread]:
    """Check each line that is not blank. A line that cannot be read does not end it."""
    number = 0
    try:
        for number, line in numbered_lines(source):
            try:
                yield check_line(number, line, rules)
            except CaseError as error:
                yield Unread(number, str(error))
    except Unreadable as error:
        yield Unread(number + 1, str(error))


def check_line(number: int, line: bytes, rules: RuleSet) -> Result:
    """Read a line as an import does, in any shape that we know, and check it. Raises CaseError."""
    decoded = reading.decode(line)
    shape = recognise_shape(decoded.data) or find_shape(_OWN)
    is_own = shape.name == _OWN
    row = reading.checked(decoded) if is_own else reading.check(shape.convert(decoded.data))
    outcomes = list(find_hits_by_rule(row.case, rules.rules, rules.festival))
    return Result(number, row.data, outcomes)


def write_checks(result: Result) -> bytes:
    """Return the case as a line, with a check for each rule; a hit sets the status to fail."""
    checks = dict(result.data.get("automated_checks") or {})
    checks |= {f"{PREFIX}{rule.key}": summarise(hits) for rule, hits in result.outcomes}
    data = {**result.data, "automated_checks": checks}
    if result.hits:
        data["automated_summary"] = {**(data.get("automated_summary") or {}), "status": "FAIL"}
    return _encoder.encode(data) + b"\n"


def summarise(hits: tuple[Hit, ...]) -> dict[str, Any]:
    """Return the check of one rule, in the case format."""
    if not hits:
        return {"status": "pass"}
    return {"status": "fail", "evidence": msgspec.Raw(encode_hits(hits).encode())}


_encoder = msgspec.json.Encoder()
