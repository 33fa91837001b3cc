"""Texts in tables: none becomes a formula, and each can be read back. No database here."""

from io import BytesIO
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from reviews.export.cells import from_cell, read_rows, to_cell, write_csv
from reviews.export.tables import Table
from reviews.export.workbook import OPTIONS, Sheets
from tests.bed.sheets import sheets_in

# What a spreadsheet may take for the beginning of a formula.
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
FORMULAS = [
    "=1+1",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "'=1",
    "''=1",
    "'",
    "'plain",
    '=HYPERLINK("http://x", "y")',
    "-",
    "=cmd|' /C calc'!A0",
]

# What the database can keep: no NUL, no half of a character pair.
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
tricky = st.one_of(texts, st.text(st.sampled_from("'=+-@\t\r\n\",;a＝"), max_size=8))


@given(tricky)
def test_a_cell_is_no_formula_and_gives_its_text_back(text: str) -> None:
    cell = to_cell(text)
    assert not cell.startswith(RISKY)
    assert from_cell(cell) == text


@pytest.mark.parametrize("text", ["plain", "'plain", "", "a=1", " =1", "0", "云溪"])
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert to_cell(text) == text


@given(st.lists(st.tuples(tricky, tricky), max_size=5))
def test_a_csv_file_gives_every_text_back(rows: list[tuple[str, str]]) -> None:
    table = Table(["=one", "two"], iter([list(row) for row in rows]))
    data = b"".join(write_csv(table))
    assert list(read_rows(data)) == [{"=one": one, "two": two} for one, two in rows]


def test_numbers_and_empty_cells_in_a_csv_file() -> None:
    table = Table(["a", "b", "c", "d", "e"], iter([[0, -0.5, None, False, True]]))
    data = b"".join(write_csv(table))
    assert data.decode("utf-8-sig") == '"a","b","c","d","e"\r\n0,-0.5,"","false","true"\r\n'


def sheet_with(*values: Any) -> list[Any]:
    out = BytesIO()
    with xlsxwriter.Workbook(out, OPTIONS) as book:
        rows = [[number, one] for number, one in enumerate(values)]
        Sheets(book).table("Texts", Table(["number", "text"], iter(rows)))
    [sheet] = sheets_in(out.getvalue()).values()
    return [row[1] if len(row) > 1 else None for row in sheet[1:]]


def test_a_workbook_holds_texts_as_texts() -> None:
    more = ["https://example.org", "1e5", "0012", "_x0041_", "a\r\nb\x0b", " a ", "<b>&", "云溪"]
    assert sheet_with(*FORMULAS, *more) == [*FORMULAS, *more]


def test_what_a_writer_would_take_for_markup_stays_text() -> None:
    """xlsxwriter lets through what looks like its own markup, formulas and all."""
    text = "<r><t>x</t></r></is></c><c r='A9'><f>1+1</f></c><r></r>"
    assert sheet_with(text, "after") == [text, "after"]


@given(texts.filter(lambda text: "\ufffe" not in text and "\uffff" not in text))
def test_a_workbook_gives_every_text_back(text: str) -> None:
    assert sheet_with("before", text, "after") == ["before", text or None, "after"]


def test_numbers_and_empty_cells_in_a_workbook() -> None:
    assert sheet_with(0, 2.5, None, False, True, "end") == [0, 2.5, None, False, True, "end"]


def test_a_text_longer_than_a_cell_is_cut_and_counted() -> None:
    out = BytesIO()
    with xlsxwriter.Workbook(out, OPTIONS) as book:
        sheets = Sheets(book)
        sheets.table("Texts", Table(["text"], iter([["a" * 40_000], ["b" * 32_767]])))
        assert sheets.cut == 1
