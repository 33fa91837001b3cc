"""What a file that cannot be imported is instead, in one sentence."""

import codecs
import json
import re
import zlib
from contextlib import closing
from typing import Any

from cases.itinerary.encodings import UTF_8, decode_head, guess_encoding
from cases.itinerary.format import CaseProblem, _
from cases.itinerary.lines import Source, unpacked
from cases.tables.fields import REQUEST, guess, normal
from cases.tables.grids import OLE, SLIDES, WORD, ZIP, looks_like_a_table

HEAD_SIZE = 64 * 1024
SUMMARY_SCHEMA = "spotcheck-summary/"
# Larger documents are not read as a whole to be recognised.
LARGEST_DOCUMENT = 8 * 1024**2
MOST_ROWS = 5
LONGEST_ROW = 160
# Fewer words are rather a line of JSON with a mistake.
LEAST_WORDS = 3

IMAGE = _("this is a picture; cases come as lines of JSON, as CSV or as a workbook.")
PDF = _("this is a PDF; cases come as lines of JSON, as CSV or as a workbook.")
WEB_PAGE = _("this is a web page; cases come as lines of JSON, as CSV or as a workbook.")
XML = _("this is XML; cases come as lines of JSON, as CSV or as a workbook.")
NOT_TEXT = _("this is no text file and no workbook.")
REPORT = _("this is a check report: choose it under Checks, beside the cases.")
ARRAY = _("this is a JSON array; write each case on a line of its own, without brackets.")
ONE_OBJECT = _("this is one JSON object over several lines; write each case on one line.")
PROSE = _("this is plain text; cases come as lines of JSON, as CSV or as a workbook.")
RUBRIC = _("this is a rubric: publish it under Rubrics.")
ARCHIVE = _("this is an archive; unpack it and import the cases in it.")
SUMMARY = _("this is the summary of a report and has no cases to import.")
RATINGS = _("these are ratings, not cases; reviewers score in Spotcheck, nothing is imported.")

_SIGNATURES = (
    (b"%PDF-", PDF),
    (b"\x89PNG", IMAGE),
    (b"\xff\xd8\xff", IMAGE),
    (b"GIF8", IMAGE),
    (b"BM", IMAGE),
    (b"{\\rtf", WORD),
    (b"SQLite format 3", NOT_TEXT),
    (b"Rar!", ARCHIVE),
    (b"7z\xbc\xaf", ARCHIVE),
    (b"BZh", ARCHIVE),
    (b"\xfd7zXZ", ARCHIVE),
    (b"\x28\xb5\x2f\xfd", ARCHIVE),
    (b"PAR1", NOT_TEXT),
    (b"\x7fELF", NOT_TEXT),
    (b"MZ", NOT_TEXT),
)
# The format of a tar archive, and where it says so.
TAR, TAR_AT = b"ustar", 257
# Columns that only ratings have, and those of cases, which may have ratings as well.
_RATERS = {"rater", "reviewer", "annotator", "labeler", "评审员", "评分人", "标注员"}
_RATED = {"score", "rating", "value", "label", "分数", "评分", "打分"}
# The streams of older documents.
_OLE = (
    ("WordDocument".encode("utf-16-le"), WORD),
    ("PowerPoint Document".encode("utf-16-le"), SLIDES),
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
    # Short signatures may also begin a text.
    is_binary = b"\x00" in head[:1024] and guess_encoding(head) == UTF_8
    for signature, sentence in _SIGNATURES:
        if head.startswith(signature) and (is_binary or len(signature) > 2):
            return CaseProblem("", sentence, {})
    if head[TAR_AT:].startswith(TAR):
        return CaseProblem("", ARCHIVE, {})
    if is_binary and is_mostly_nul(head[:1024]):
        return CaseProblem("", NOT_TEXT, {})
    text = head[:1024].decode("utf-8-sig", "replace").lstrip().lower()
    for beginning, sentence in _TEXT_SIGNATURES:
        if text.startswith(beginning):
            return CaseProblem("", sentence, {})
    return None


def is_mostly_nul(head: bytes) -> bool:
    """Return whether a file has too many NULs for a damaged text; a workbook may have them."""
    return head.count(0) > len(head) // 10 and not head.startswith((ZIP, OLE))


def name_mistake(source: Source) -> CaseProblem | None:
    """Name a whole document where lines were expected; None if it may be lines with mistakes."""
    content = read_head(source, LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        return None
    if content.startswith(OLE):
        return next((CaseProblem("", what, {}) for name, what in _OLE if name in content), None)
    content = content.removeprefix(codecs.BOM_UTF8).strip()
    if content.startswith(b"# ") and b"\n## " in content:
        return CaseProblem("", RUBRIC, {})
    if has_ratings(content):
        return CaseProblem("", RATINGS, {})
    if content[:1] not in (b"{", b"["):
        return CaseProblem("", PROSE, {}) if is_prose(content) else None
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, list):
        return CaseProblem("", ARRAY, {})
    if is_report(document):
        return CaseProblem("", REPORT, {})
    if str(document.get("schema", "")).startswith(SUMMARY_SCHEMA):
        return CaseProblem("", SUMMARY, {})
    return CaseProblem("", ONE_OBJECT, {}) if b"\n" in content else None


def is_prose(content: bytes) -> bool:
    """Return whether a text has words, but neither a line of JSON nor columns."""
    head = content[:HEAD_SIZE]
    if head.startswith(ZIP) or guess_encoding(head) != UTF_8 or looks_like_a_table(head):
        return False
    return b"{" not in content and len(content.split()) >= LEAST_WORDS


def has_ratings(content: bytes) -> bool:
    """Return whether the first line names a rater and a score, but no request."""
    line = content.partition(b"\n")[0].decode("utf-8", "replace")
    if line.startswith("{"):
        try:
            names = set(json.loads(line))
        except (ValueError, RecursionError):
            return False
        return "reviewer" in names and "request" not in names
    names = {normal(name.strip('" ')) for name in re.split("[,;\t]", line)}
    return bool(names & _RATERS and names & _RATED) and REQUEST not in guess(
        (name, "") for name in names
    )


def is_report(document: dict[str, Any]) -> bool:
    cases = document.get("cases")
    if not isinstance(cases, list) or not cases:
        return False
    return all(isinstance(case, dict) and "id" in case and "checks" in case for case in cases)


def read_first_rows(source: Source) -> list[str]:
    """Return the first lines of a text file, cut; none of a file that is no text."""
    head = read_head(source, HEAD_SIZE)
    text = decode_head(head)
    if "\x00" in text or recognise(head):
        return []
    rows = [row.strip()[: LONGEST_ROW + 1] for row in text.splitlines() if row.strip()]
    return [row if len(row) <= LONGEST_ROW else f"{row[:LONGEST_ROW]}…" for row in rows[:MOST_ROWS]]
