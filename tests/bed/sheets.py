"""Reading a workbook as plainly as can be: sheet -> rows -> cells, and whether any is a formula."""

import re
import zipfile
from io import BytesIO
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")

Value = str | float | bool | None


def sheets_in(data: bytes) -> dict[str, list[list[Value]]]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        names = [one.attrib["name"] for one in book.iter(f"{MAIN}sheet")]
        found = {}
        for number, name in enumerate(names, 1):
            sheet = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
            assert not list(sheet.iter(f"{MAIN}f")), f"{name} has a formula"
            assert not list(sheet.iter(f"{MAIN}hyperlink")), f"{name} has a link"
            found[name] = [row_of(row) for row in sheet.iter(f"{MAIN}row")]
        return found


def row_of(row: ElementTree.Element) -> list[Value]:
    """With the gaps that empty cells leave."""
    cells: list[Value] = []
    for cell in row.iter(f"{MAIN}c"):
        place = column_of(cell.attrib["r"])
        cells += [None] * (place - len(cells))
        cells.append(value_of(cell))
    return cells


def column_of(reference: str) -> int:
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def value_of(cell: ElementTree.Element) -> Value:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        text = "".join(one.text or "" for one in cell.iter(f"{MAIN}t"))
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    content = cell.findtext(f"{MAIN}v")
    if content is None:
        return None
    return content == "1" if kind == "b" else float(content)
