"""One cell to a value of the format. What cannot be read stays, and is refused later."""

from __future__ import annotations

import re
from typing import Any

from .fields import Field

Cell = str | int | float | bool | None

_WHOLE = re.compile(
    r"(\d{1,9})(?:\.0+)?\s*(?:天|日|days?|人|位|people|persons?|pax)?", re.IGNORECASE
)
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_DATE = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:[ T]00:00(?::00)?)?"
)
_CERTAIN_BREAK = re.compile(r"\s*[;；\n|]\s*")
_BREAK = re.compile(r"\s*[,，、]\s*")
_OVERALL = {
    "pass": "PASS",
    "passed": "PASS",
    "ok": "PASS",
    "true": "PASS",
    "yes": "PASS",
    "通过": "PASS",
    "合格": "PASS",
    "warn": "WARN",
    "warning": "WARN",
    "warnings": "WARN",
    "警告": "WARN",
    "fail": "FAIL",
    "failed": "FAIL",
    "false": "FAIL",
    "no": "FAIL",
    "未通过": "FAIL",
    "不通过": "FAIL",
    "失败": "FAIL",
    "不合格": "FAIL",
}
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def read_value(cell: Cell, field: Field) -> Any:
    """Return the value of a cell that is not empty."""
    if field.kind in ("text", "plan"):
        return as_text(cell).replace("\r\n", "\n").replace("\r", "\n").strip()
    text = as_text(cell).strip()
    if field.kind == "line":
        return " ".join(text.split())
    if field.kind == "token":
        return text.lower()
    if field.kind == "overall":
        return _OVERALL.get(text.lower(), text)
    if field.kind == "date":
        return read_date(text)
    if field.kind in ("list", "one-or-more"):
        found = read_list(text)
        return found[0] if field.kind == "one-or-more" and len(found) == 1 else found
    if isinstance(cell, str):
        return read_whole(text) if field.kind == "whole" else read_number(text)
    return cell


def as_text(cell: Cell) -> str:
    """Return a cell as a text: 3 for a 3 that the workbook keeps as 3.0."""
    return cell if isinstance(cell, str) else str(cell)


def is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def read_whole(text: str) -> int | str:
    found = _WHOLE.fullmatch(text)
    return int(found.group(1)) if found else text


def read_number(text: str) -> float | int | str:
    if not _NUMBER.fullmatch(text):
        return text
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


def read_date(text: str) -> str:
    """Write a date as 2026-02-14. Dates that begin with day or month stay: nobody knows which."""
    found = _DATE.fullmatch(text)
    if not found:
        return text
    year, month, day = found.groups()
    return f"{year}-{int(month):02}-{int(day):02}"


def read_list(text: str) -> list[str]:
    """Split a text at semicolons, bars or line ends; where there are none, at commas."""
    sign = _CERTAIN_BREAK if _CERTAIN_BREAK.search(text) else _BREAK
    return [part for part in sign.split(text) if part]


def split_paragraphs(text: str) -> list[str]:
    """Split at blank lines; where there are none, at every line end."""
    parts = _PARAGRAPH_END.split(text)
    if len(parts) == 1:
        parts = text.split("\n")
    return [part for part in (part.strip() for part in parts) if part]
