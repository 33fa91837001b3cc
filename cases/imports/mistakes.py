"""What a file that cannot be imported is instead, in one sentence."""

import codecs
import json
import zlib
from contextlib import closing
from typing import Any

from cases.itinerary.format import CaseProblem, _
from cases.itinerary.lines import Source, unpacked

HEAD_SIZE = 64 * 1024
# Larger documents are not read as a whole to be recognised.
LARGEST_DOCUMENT = 8 * 1024**2
MOST_ROWS = 5
LONGEST_ROW = 160

IMAGE = _("this is a picture; cases come as lines of JSON, as CSV or as a workbook.")
PDF = _("this is a PDF; cases come as lines of JSON, as CSV or as a workbook.")
WEB_PAGE = _("this is a web page; cases come as lines of JSON, as CSV or as a workbook.")
XML = _("this is XML; cases come as lines of JSON, as CSV or as a workbook.")
NOT_TEXT = _("this is no text file and no workbook.")
REPORT = _("this is a check report: choose it under Checks, beside the cases.")
ARRAY = _("this is a JSON array; write each case on a line of its own, without brackets.")
ONE_OBJECT = _("this is one JSON object over several lines; write each case on one line.")
RUBRIC = _("this is a rubric: publish it under Rubrics.")

_SIGNATURES = (
    (b"%PDF-", PDF),
    (b"\x89PNG", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"GIF8", IMAGE),
    (b"BM", IMAGE),
    (b"SQLite format 3", NOT_TEXT),
    (b"\x7fELF", NOT_TEXT),
    (b"MZ", NOT_TEXT),
)
_TEXT_SIGNATURES = (("<!doctype html", WEB_PAGE), ("<html", WEB_PAGE), ("<?xml", XML))


def read_head(source: Source, size: int = HEAD_SIZE) -> bytes:
    """Return the beginning of a file, unpacked; as much as can be read of a damaged one."""
    try:
        with closing(source.open()) as file, closing(unpacked(file)) as stream:
            return stream.read(size)
    except (OSError, EOFError, zlib.error):
        return b""


def recognise(head: bytes) -> CaseProblem | None:
    """Name a file that is never a list of cases, by its first bytes."""
    # A PDF may begin with a few other bytes; pictures and programs do not.
    is_binary = b"\x00" in head[:1024] and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
    for signature, sentence in _SIGNATURES:
        if head.startswith(signature) and (is_binary or len(signature) > 2):
            return CaseProblem("", sentence, {})
    text = head[:1024].decode("utf-8-sig", "replace").lstrip().lower()
    for beginning, sentence in _TEXT_SIGNATURES:
        if text.startswith(beginning):
            return CaseProblem("", sentence, {})
    return None


def name_mistake(source: Source) -> CaseProblem | None:
    """Name a whole document where lines were expected; None if it may be lines with mistakes."""
    content = read_head(source, LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        return None
    content = content.removeprefix(codecs.BOM_UTF8).strip()
    if content.startswith(b"# ") and b"\n## " in content:
        return CaseProblem("", RUBRIC, {})
    if content[:1] not in (b"{", b"["):
        return None
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, list):
        return CaseProblem("", ARRAY, {})
    if is_report(document):
        return CaseProblem("", REPORT, {})
    return CaseProblem("", ONE_OBJECT, {}) if b"\n" in content else None


def is_report(document: dict[str, Any]) -> bool:
    cases = document.get("cases")
    if not isinstance(cases, list) or not cases:
        return False
    return all(isinstance(case, dict) and "id" in case and "checks" in case for case in cases)


def read_first_rows(source: Source) -> list[str]:
    """Return the first lines of a text file, cut; none of a file that is no text."""
    head = read_head(source, HEAD_SIZE)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = head.decode("utf-16", "replace")
    elif b"\x00" in head or recognise(head):
        return []
    else:
        text = head.decode("utf-8-sig", "replace")
    rows = [row.strip()[: LONGEST_ROW + 1] for row in text.splitlines() if row.strip()]
    return [row if len(row) <= LONGEST_ROW else f"{row[:LONGEST_ROW]}…" for row in rows[:MOST_ROWS]]
