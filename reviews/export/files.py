"""The files of a release: their names, content types and writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.http import StreamingHttpResponse

from cases.models import Release
from reviews.report import summary
from reviews.report.summary import Summary

from .bundle import write_bundle
from .cells import write_csv
from .delivery import Maker, deliver
from .figures import build_figure_table
from .pairs import build_reading_table
from .tables import Table, build_case_table, build_long_table, build_wide_table, name_report_state
from .workbook import write_workbook

CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True)
class File:
    """A file of a release. `what` is part of its name."""

    what: str
    ending: str
    content_type: str
    make: Maker

    def name_for(self, release: Release) -> str:
        state = "" if release.is_closed else "-PROVISIONAL"
        return f"Spotcheck-{release.name}-{self.what}{state}.{self.ending}"

    def parts(self, release: Release) -> Iterator[bytes]:
        """Stream the file. Errors occur before the first part, not in the middle of a response."""
        return deliver(release, self.make)

    def respond(self, release: Release) -> StreamingHttpResponse:
        disposition = f'attachment; filename="{self.name_for(release)}"'
        return StreamingHttpResponse(
            self.parts(release),
            content_type=self.content_type,
            headers={"Content-Disposition": disposition},
        )


def write_summary(release: Release) -> Iterator[bytes]:
    """Return the summary as JSON. For a closed release its SHA-256 is the signed digest."""
    return iter([summary.load_json(release)])


def build_report_table(release: Release, table: Callable[[Summary, str], Table]) -> Table:
    return table(summary.load(release), name_report_state(release))


# By the shape in the query; the first is the default.
TABLES = {
    "wide": File("reviews", "csv", CSV, lambda release: write_csv(build_wide_table(release))),
    "long": File(
        "scores-and-answers", "csv", CSV, lambda release: write_csv(build_long_table(release))
    ),
    "cases": File(
        "cases",
        "csv",
        CSV,
        lambda release: write_csv(build_report_table(release, build_case_table)),
    ),
    "readings": File(
        "side-by-side", "csv", CSV, lambda release: write_csv(build_reading_table(release))
    ),
    "figures": File(
        "figures",
        "csv",
        CSV,
        lambda release: write_csv(build_report_table(release, build_figure_table)),
    ),
}
WORKBOOK = File(
    "report",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    write_workbook,
)
SUMMARY = File("summary", "json", "application/json", write_summary)
BUNDLE = File("bundle", "zip", "application/zip", write_bundle)
