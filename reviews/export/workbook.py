"""Write a release as a workbook: the report's first screen, figures, cases, reviews, and about it.

Rows go to temporary files one by one, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from math import ceil
from typing import IO, Any
from unicodedata import east_asian_width

import xlsxwriter
from django.utils.translation import gettext

from cases.models import Release
from reviews.report import summary, verdict
from reviews.report.sentences import describe_word, own_names, translate_reason
from reviews.report.summary import Summary, serialize
from reviews.report.verdict import Verdict

from .code import read_code_version
from .delivery import write_aside
from .figures import build_figure_table
from .first_sheet import Line, list_lines
from .pairs import build_reading_table, has_readings
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
# Of the first sheet: widths of its columns, and how many characters fit beside the first.
FIRST_COLUMN, OTHER_COLUMNS, MOST_COLUMNS = 30, 11, 13
MOST_BESIDE = 108
LINE_HEIGHT = 15
TONES = {"": "#1B2023", "good": "#1D6B37", "bad": "#A3261D", "open": "#7A5200"}
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
        head = {"bold": True, "bg_color": "#E8ECF1", "bottom": 1}
        self.head = book.add_format(head)
        self.wrapped_head = book.add_format({**head, "text_wrap": True, "valign": "top"})
        self.top = book.add_format({"text_wrap": True, "valign": "top"})
        self.plain = book.add_format()
        self.title = book.add_format({"bold": True, "font_size": 15})
        self.heading = book.add_format({"bold": True, "font_size": 12})
        self.label = book.add_format({"font_color": "#555F66", "valign": "top"})
        self.number = book.add_format({"num_format": "0.0##", "valign": "top"})
        word = {"bold": True, "font_size": 18}
        self.words = {
            tone: book.add_format({**word, "font_color": colour}) for tone, colour in TONES.items()
        }
        # How many texts were longer than a cell can be.
        self.cut = 0

    def write(self, release: Release, found: Summary) -> None:
        is_abandoned = release.closings.standing().filter(is_abandoned=True).exists()
        decided = verdict.decide(found, is_abandoned=is_abandoned)
        self.report(list_lines(release, found, decided))
        self.table("Figures", build_figure_table(found, name_report_state(release)))
        self.table("Cases", build_case_table(found, name_report_state(release)))
        self.table("Reviews", build_wide_table(release))
        if has_readings(release):
            self.table("Side by side", build_reading_table(release))
        # Last, because only now we know whether a text was cut.
        about = self.book.add_worksheet("About")
        about.set_column(0, 0, 28)
        about.set_column(1, 1, 90, self.top)
        for place, (name, value) in enumerate(self.about(release, found, decided)):
            self.cell(about, place, 0, name, self.head)
            self.cell(about, place, 1, value, self.top)

    def report(self, lines: Iterable[Line]) -> None:
        sheet = self.book.add_worksheet("Report")
        sheet.set_column(0, 0, FIRST_COLUMN)
        sheet.set_column(1, MOST_COLUMNS - 1, OTHER_COLUMNS)
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        for number, line in enumerate(lines):
            if line.style in ("head", "figures"):
                self.figures(sheet, number, line)
            else:
                self.words_of(sheet, number, line)

    def figures(self, sheet: Any, row: int, line: Line) -> None:
        if line.style == "head":
            sheet.set_row(row, 2 * LINE_HEIGHT)
        for column, value in enumerate(line.cells):
            form = self.number if isinstance(value, float) else self.top
            if line.style == "head":
                form = self.wrapped_head
            self.cell(sheet, row, column, value, form)

    def words_of(self, sheet: Any, row: int, line: Line) -> None:
        """Write a row of words; what is beside the first cell may take several lines."""
        first, beside = [*line.cells, "", ""][:2]
        height = count_lines(str(beside)) * LINE_HEIGHT
        sheet.set_row(row, {"word": 26, "title": 22}.get(line.style, height))
        forms = {"title": self.title, "heading": self.heading}
        self.cell(sheet, row, 0, first, forms.get(line.style, self.label))
        if not beside:
            return
        form = self.words[line.tone] if line.style == "word" else self.top
        sheet.merge_range(row, 1, row, MOST_COLUMNS - 1, "", form)
        self.cell(sheet, row, 1, beside, form)

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

    def about(
        self, release: Release, found: Summary, decided: Verdict
    ) -> Iterable[tuple[str, Cell]]:
        names = own_names(found)
        word = describe_word(decided.word, decided.conditions, names)
        sentence = translate_reason(decided.sentence, names)
        state = gettext("final") if release.is_closed else gettext("PROVISIONAL")
        reviews = gettext("%(count)d of %(wanted)d reviews are in") % {
            "count": found.reviews_counted,
            "wanted": found.reviews_wanted,
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


def count_lines(text: str) -> int:
    """Estimate how many lines a text takes beside the first column of the first sheet."""
    wide = sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
    return max(1, ceil(wide / MOST_BESIDE))


def find_digest(release: Release, found: Summary) -> str:
    """Return the digest of the report; for a closed release that of the stored one."""
    if not release.is_closed:
        return serialize(found)[1]
    digest: str = release.closings.newest().values_list("digest", flat=True).get()
    return digest
