"""Tables of invented cases, as files."""

import csv
import datetime
import io
import zipfile
from html import escape
from typing import Any

import xlsxwriter

HEADER = ["Case", "Request", "City", "Days", "Budget (CNY)", "Plan", "Check status", "Owner"]


def text_plans(count: int) -> list[list[Any]]:
    """A header and this many cases with plans in plain words, some Chinese."""
    rows: list[list[Any]] = [list(HEADER)]
    for number in range(1, count + 1):
        if number % 3:
            wish = f'Two days by lake {number}, "slowly"; by train'
            plan = f"Day 1: the old pier, then lunch.\n\nDay 2: museum number {number}, slowly."
            more = ["Lakeport", 2, 1200, plan, "pass", "lin"]
        else:
            wish = f"湖边两天，{number} 个人"
            plan = f"第一天：{number} 号码头，午餐。\n\n第二天：博物馆。"
            more = ["湖城", 2, 3000, plan, "通过", "wei"]
        rows.append([f"lake-{number:02}", wish, *more])
    return rows


def csv_file(
    rows: list[list[Any]], *, delimiter: str = ",", encoding: str = "utf-8", end: str = "\r\n"
) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue().encode(encoding)


def workbook(rows: list[list[Any]], *, more: dict[str, list[list[Any]]] | None = None) -> bytes:
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed) as book:
        for name, cells in {"Sheet1": rows, **(more or {})}.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(cells):
                for place, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(number, place, value)
                    elif value is not None:
                        sheet.write(number, place, value)
    return packed.getvalue()


_ODS = "urn:oasis:names:tc:opendocument:xmlns"
_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"


def open_cell(value: Any) -> str:
    """A cell as LibreOffice writes it: each line of a text is a paragraph."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in value.split("\n"))
        return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
    if isinstance(value, datetime.date):
        kind = f'office:value-type="date" office:date-value="{value}"'
    else:
        kind = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"


def open_document(rows: list[list[Any]], more: str = "") -> bytes:
    """An ODS file. `more`: further rows, as XML."""
    cells = "".join(
        f"<table:table-row>{''.join(map(open_cell, row))}</table:table-row>" for row in rows
    )
    spaces = " ".join(f'xmlns:{name}="{_ODS}:{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f'<office:document-content {spaces} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="Sheet1">{cells}{more}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        f'<manifest:manifest xmlns:manifest="{_ODS}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{_SPREADSHEET}"/></manifest:manifest>'
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", _SPREADSHEET)
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    return packed.getvalue()


def document(*names: str, mimetype: str = "") -> bytes:
    """An archive with these parts, as the formats of documents are."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
        if mimetype:
            archive.writestr("mimetype", mimetype)
    return packed.getvalue()
