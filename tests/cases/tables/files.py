"""Tables of invented cases, as files."""

import csv
import io
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
