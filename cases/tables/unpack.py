"""Read a workbook on standard input and print its rows as lines of JSON. A script of its own.

Arguments: the sheet (empty: every visible one), and the most rows to print of each. The reader
keeps a whole sheet in memory, empty cells too, so memory and time are limited here; beyond them
this process dies and nothing else. It imports nothing of ours.
"""

import datetime
import json
import resource
import sys

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

MOST_MEMORY = 1024**3
MOST_SECONDS = 60


def main(sheet: str, most: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(0, "rb") as file:
        try:
            workbook = CalamineWorkbook.from_filelike(file)
        except PasswordError:
            put({"refused": "password"})
            return
    for found in workbook.sheets_metadata:
        is_wanted = found.name == sheet or (not sheet and found.visible == SheetVisibleEnum.Visible)
        if is_wanted and found.typ == SheetTypeEnum.WorkSheet:
            print_sheet(workbook, found.name, most)
    put({"done": True})


def print_sheet(workbook: CalamineWorkbook, name: str, most: int) -> None:
    sheet = workbook.get_sheet_by_name(name)
    put({"sheet": name, "merged": sheet.merged_cell_ranges or []})
    left = most
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        values = [plain(cell) for cell in cells]
        while values and values[-1] == "":
            values.pop()
        if values:
            if not left:
                return
            left -= 1
            put([number, values])


def plain(cell: object) -> object:
    """Return a cell as JSON has it: whole numbers whole, dates and times as texts."""
    if isinstance(cell, datetime.datetime):
        is_day = cell.time() == datetime.time()
        return cell.date().isoformat() if is_day else cell.isoformat(" ", "minutes")
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    if isinstance(cell, datetime.time):
        return cell.isoformat("minutes")
    if isinstance(cell, datetime.timedelta):
        return str(cell)
    if isinstance(cell, float):
        if cell.is_integer() and abs(cell) < 2**53:
            return int(cell)
        return cell if abs(cell) < float("inf") else ""
    return cell


def put(line: object) -> None:
    # Cells with half a character cannot be encoded as UTF-8; escapes keep them for the check.
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
