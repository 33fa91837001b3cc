"""Which files there are of a release: their names, their types, and who makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cases.models import Release
from reviews.report import summary
from reviews.report.summary import Summary

from .bundle import bundle_of
from .cells import csv_of
from .delivery import Maker, delivered
from .figures import figures
from .tables import Table, cases, long, report_state, wide
from .workbook import workbook_of

CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True)
class File:
    """`what` is told by its name."""

    what: str
    ending: str
    content_type: str
    make: Maker

    def name_for(self, release: Release) -> str:
        state = "" if release.is_closed else "-PROVISIONAL"
        return f"Spotcheck-{release.name}-{self.what}{state}.{self.ending}"

    def parts(self, release: Release) -> Iterator[bytes]:
        """What is wrong comes to light with the first part, not in the middle of an answer."""
        return delivered(release, self.make)


def summary_text(release: Release) -> Iterator[bytes]:
    """Of a closed release its SHA-256 is the digest that is signed."""
    return iter([summary.load_json(release)])


def of_the_report(release: Release, table: Callable[[Summary, str], Table]) -> Table:
    return table(summary.load(release), report_state(release))


# By the shape that is asked for; the first is what one gets without asking.
TABLES = {
    "wide": File("reviews", "csv", CSV, lambda release: csv_of(wide(release))),
    "long": File("scores-and-answers", "csv", CSV, lambda release: csv_of(long(release))),
    "cases": File("cases", "csv", CSV, lambda release: csv_of(of_the_report(release, cases))),
    "figures": File("figures", "csv", CSV, lambda release: csv_of(of_the_report(release, figures))),
}
WORKBOOK = File(
    "report",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    workbook_of,
)
SUMMARY = File("summary", "json", "application/json", summary_text)
BUNDLE = File("bundle", "zip", "application/zip", bundle_of)
