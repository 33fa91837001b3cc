"""The regressions of a release as one file: rows for a pipeline, or the texts of issues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from cases.models import Release
from reviews.export.files import File

from .issue import write_issue
from .parts import Regression
from .queries import Findings
from .rows import build_case_row, build_trip_agent_row

JSON_LINES = "application/x-ndjson"
MARKDOWN = "text/markdown; charset=utf-8"

Write = Callable[[Iterable[Regression]], Iterator[bytes]]


def write_case_rows(regressions: Iterable[Regression]) -> Iterator[bytes]:
    for regression in regressions:
        yield msgspec.json.encode(build_case_row(regression)) + b"\n"


def write_trip_agent_rows(regressions: Iterable[Regression]) -> Iterator[bytes]:
    for regression in regressions:
        yield msgspec.json.encode(build_trip_agent_row(regression)) + b"\n"


def write_trip_agent_array(regressions: Iterable[Regression]) -> Iterator[bytes]:
    """Write one JSON array, a case on each line: what the planner's own evaluation reads."""
    before = b"[\n"
    for row in write_trip_agent_rows(regressions):
        yield before + row.rstrip()
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def write_issues(regressions: Iterable[Regression]) -> Iterator[bytes]:
    """Write the issues one after the other, with a rule between them."""
    rule = ""
    for regression in regressions:
        yield (rule + write_issue(regression, level=2)).encode()
        rule = "\n---\n\n"


def name_file(ending: str, content_type: str, write: Write, what: str = "regressions") -> File:
    def make(release: Release) -> Iterator[bytes]:
        return write(Findings(release).load_all())

    return File(what, ending, content_type, make)


# By the name of the format; the first is the default.
FILES = {
    "itinerary-case": name_file("jsonl", JSON_LINES, write_case_rows),
    "trip-agent": name_file("jsonl", JSON_LINES, write_trip_agent_rows, "trip-agent-regressions"),
    "issues": name_file("md", MARKDOWN, write_issues, "issues"),
}
ARRAY = name_file("json", "application/json", write_trip_agent_array, "trip-agent-regressions")
