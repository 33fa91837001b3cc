"""Write a release as a workbook with a sheet each for the report, figures, cases and reviews.

Rows go to temporary files one by one, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

import xlsxwriter
from django.utils.translation import gettext

from cases.models import Release
from reviews.report import summary, verdict
from reviews.report.sentences import describe_word, own_names, translate_reason
from reviews.report.summary import Summary, serialize

from .code import read_code_version
from .delivery import write_aside
from .figures import build_figure_table
from .tables import Cell, Table, build_case_table, build_wide_table, name_report_state

# Texts stay texts, whatever they look like.
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}
NO_TIME = datetime(1980, 1, 1, tzinfo=UTC)
WIDEST = 40
# Not allowed in XML, but not control characters.
NO_CHARACTERS = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})
CUT = -2


def write_workbook(release: Release) -> Iterator[bytes]:
    """Write the whole file, then stream it."""
    found = summary.load(release)

    def write(file: IO[bytes]) -> None:
        with xlsxwriter.Workbook(file, OPTIONS) as book:
            book.set_properties({"title": f"Spotcheck {release.name}", "created": NO_TIME})
            Sheets(book).write(release, found)

    return write_aside(write)


class Sheets:
    def __init__(self, book: Any) -> None:
        self.book = book
        self.head = book.add_format({"bold": True, "bg_color": "#E8ECF1", "bottom": 1})
        self.top = book.add_format({"text_wrap": True, "valign": "top"})
        self.plain = book.add_format()
        # How many texts were longer than a cell can be.
        self.cut = 0

    def write(self, release: Release, found: Summary) -> None:
        about = self.book.add_worksheet("About")
        self.table("Figures", build_figure_table(found, name_report_state(release)))
        self.table("Cases", build_case_table(found, name_report_state(release)))
        self.table("Reviews", build_wide_table(release))
        # Last, because only now we know whether a text was cut.
        about.set_column(0, 0, 28)
        about.set_column(1, 1, 90, self.top)
        for place, (name, value) in enumerate(self.about(release, found)):
            self.cell(about, place, 0, name, self.head)
            self.cell(about, place, 1, value, self.top)

    def table(self, name: str, table: Table) -> None:
        sheet = self.book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, title in enumerate(table.columns):
            sheet.set_column(column, column, min(WIDEST, max(10, len(title) + 2)))
        for column, title in enumerate(table.columns):
            self.cell(sheet, 0, column, title, self.head)
        for number, row in enumerate(table.rows, 1):
            for column, value in enumerate(row):
                self.cell(sheet, number, column, value)

    def cell(self, sheet: Any, row: int, column: int, value: Cell, form: Any = None) -> None:
        if isinstance(value, bool):
            sheet.write_boolean(row, column, value, form)
        elif isinstance(value, int | float):
            sheet.write_number(row, column, value, form)
        elif value:
            self.text(sheet, row, column, value.translate(NO_CHARACTERS), form)

    def text(self, sheet: Any, row: int, column: int, text: str, form: Any) -> None:
        if text.startswith("<r>") and text.endswith("</r>"):
            # xlsxwriter would take this for its own markup and write it unescaped.
            sheet.write_rich_string(row, column, self.plain, text[0], self.plain, text[1:])
        elif sheet.write_string(row, column, text, form) == CUT:
            self.cut += 1

    # --- About ----------------------------------------------------------------------------------

    def about(self, release: Release, found: Summary) -> Iterable[tuple[str, Cell]]:
        names = own_names(found)
        is_abandoned = release.closings.standing().filter(is_abandoned=True).exists()
        decided = verdict.decide(found, is_abandoned=is_abandoned)
        word = describe_word(decided.word, decided.conditions, names)
        sentence = translate_reason(decided.sentence, names)
        state = gettext("final") if release.is_closed else gettext("PROVISIONAL")
        reviews = gettext("%(count)d of %(wanted)d reviews are in") % {
            "count": found.reviews_in,
            "wanted": found.reviews_expected,
        }
        yield gettext("Release"), found.release
        yield gettext("Product"), found.product
        yield gettext("Report"), f"{state}: {reviews}"
        yield gettext("Verdict"), f"{word}. {sentence}" if word else sentence
        for decision in release.decisions.filter(voided_at=None):
            signed = f"{decision.get_decision_display()} ({decision.by}): {decision.reason}"
            yield gettext("Decision"), signed
        yield gettext("Baseline"), found.baseline or "–"
        yield gettext("Rubric version"), found.rubric
        yield gettext("Digest of the report"), find_digest(release, found)
        yield (
            gettext("Computed by"),
            f"Spotcheck {read_code_version().version}, {read_code_version().digest[:12]}",
        )
        for metric in found.metrics:
            yield metric.metric, metric.name
        for question in found.checklist:
            yield question.item, question.text
        if self.cut:
            yield (
                gettext("Cut"),
                gettext(
                    "%(count)d texts are longer than a cell can be. The CSV file has them whole."
                )
                % {"count": self.cut},
            )


def find_digest(release: Release, found: Summary) -> str:
    """Return the digest of the report; for a closed release that of the stored one."""
    if not release.is_closed:
        return serialize(found)[1]
    digest: str = release.closings.newest().values_list("digest", flat=True).get()
    return digest
