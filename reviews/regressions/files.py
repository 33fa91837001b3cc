"""The regressions of a release as one file: rows for a pipeline, or the texts of issues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from cases.models import Case, Release
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


@dataclass(frozen=True)
class Shape:
    """A format of regressions: the name and the ending of its files, and how they are written."""

    what: str
    ending: str
    content_type: str
    write: Write

    def file(self, case: Case | None = None) -> File:
        """Return the file of a release, or of one of its cases."""

        def make(release: Release) -> Iterator[bytes]:
            found = Findings(release)
            return self.write(found.load([case.case_key]) if case else found.load_all())

        what = f"{self.what}-{case.code}" if case else self.what
        return File(what, self.ending, self.content_type, make)


# By the name of the format; the first is the default.
SHAPES = {
    "itinerary-case": Shape("regressions", "jsonl", JSON_LINES, write_case_rows),
    "trip-agent": Shape("trip-agent-regressions", "jsonl", JSON_LINES, write_trip_agent_rows),
    "issues": Shape("issues", "md", MARKDOWN, write_issues),
}
ARRAY = Shape("trip-agent-regressions", "json", "application/json", write_trip_agent_array).file()
FILES = {name: shape.file() for name, shape in SHAPES.items()}
