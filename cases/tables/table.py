"""A table: its header, the columns that fill fields, and its rows as cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from cases.itinerary.format import CaseError, CaseProblem, _

from .fields import CHECKS, FROM_REQUEST, KEY, PATHS, PLAN, REQUEST, SAME, Columns, guess, knows
from .grids import Grid, Head, Merged, Row, Unreadable, open_grid
from .values import Cell, as_text, is_blank, read_value, split_paragraphs

NOTHING = _("contains no rows.")
ONLY_A_HEADER = _("contains a header and no rows.")
NO_SUCH_SHEET = _("there is no sheet %(sheet)s. Found: %(found)s.")
NO_SUCH_COLUMN = _("there is no column %(column)s. Found: %(found)s.")
NO_SUCH_FIELD = _("no column can fill this field.")
NO_COLUMN = _("no column is chosen for it. Found: %(found)s.")
PLAN_IS_JSON = _("is JSON, not text. Import such plans as lines of JSON.")

# What the fields of a row say about where they come from.
HOW_CHECKS = "stated for every row when the table was imported"
KEY_LENGTH = 12
MOST_NAMED = 20


class Column(NamedTuple):
    """`name` is unique in its table. `header` is its own cell, without the group above it."""

    place: int
    name: str
    header: str


@dataclass(frozen=True)
class Layout:
    """Where the header of a sheet is. `first` is the number of the first row below it."""

    sheet: str
    columns: list[Column]
    first: int


class Table:
    """One table of a file, with the columns that fill fields.

    `chosen` are columns that somebody chose, now or for an earlier table of the product; what they
    leave open is guessed. Those of an earlier table that this one lacks do not count.
    """

    def __init__(self, grid: Grid, chosen: Columns, remembered: Columns) -> None:
        self._grid = grid
        self.heads = grid.read_heads()
        if not any(head.rows for head in self.heads):
            raise Unreadable(NOTHING)
        self.layout = choose_layout(self.heads, chosen.sheet, remembered.sheet)
        self.guessed = guess((column.name, column.header) for column in self.layout.columns)
        self.fields = self._choose(chosen, remembered)
        self._places = {
            path: column.place
            for path, name in self.fields.items()
            for column in self.layout.columns
            if column.name == name
        }
        self._names = {column.place: column.name for column in self.layout.columns}

    def close(self) -> None:
        self._grid.close()

    @property
    def columns(self) -> Columns:
        """The columns as they are used, to be remembered."""
        sheet = self.layout.sheet if len(self.heads) > 1 else ""
        return Columns(self.fields, sheet)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.layout.columns]

    def _choose(self, chosen: Columns, remembered: Columns) -> dict[str, str]:
        names = set(self.names)
        earlier = {
            path: name
            for path, name in remembered.fields.items()
            if path in PATHS and (name in names or not name or name.startswith(SAME))
        }
        for path, name in chosen.fields.items():
            if path not in PATHS:
                raise CaseError(path, NO_SUCH_FIELD)
            if name and not name.startswith(SAME) and name not in names:
                raise CaseError(path, NO_SUCH_COLUMN, column=name, found=self.list_names())
        stated = earlier | dict(chosen.fields)
        taken = set(stated.values())
        found = {path: name for path, name in self.guessed.items() if name not in taken} | stated
        if not found.get(KEY) and KEY not in stated:
            found[KEY] = FROM_REQUEST
        return {path: found[path] for path in PATHS if path in found}

    def check_columns(self) -> None:
        """Raise CaseError if no column is chosen for what every case needs."""
        for path in (KEY, REQUEST):
            if not self.fields.get(path):
                raise CaseError(path, NO_COLUMN, found=self.list_names())

    def list_names(self) -> str:
        names = self.names
        return ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")

    def read_rows(self) -> Iterator[Row]:
        """Yield the rows below the header. Raises Unreadable."""
        count = 0
        for number, cells in self._grid.read_rows(self.layout.sheet):
            if number >= self.layout.first:
                count += 1
                yield number, cells
        if not count:
            raise Unreadable(ONLY_A_HEADER)

    def read_first_rows(self, most: int) -> list[Row]:
        head = next(head for head in self.heads if head.name == self.layout.sheet)
        return [row for row in head.rows if row[0] >= self.layout.first][:most]

    def describe(self, problem: CaseProblem) -> CaseProblem:
        """Return a problem as the user knows it: the plan is one text."""
        is_plan = problem.path.startswith("plan.days")
        return replace(problem, path=PLAN) if is_plan else problem

    def find_example(self, path: str, most: int) -> str:
        """Return what the first row has for a field, cut."""
        place = self._places.get(path)
        name = self.fields.get(path, "")
        if name.startswith(SAME) and name != FROM_REQUEST:
            return name.removeprefix(SAME)
        rows = self.read_first_rows(1)
        if place is None or not rows or place >= len(rows[0][1]):
            return ""
        text = as_text(rows[0][1][place]).strip()
        return text if len(text) <= most else f"{text[:most]}…"

    def locate(self, number: int, path: str) -> str:
        """Return the cell of a problem, as in Sheet1!C7; empty for a CSV file, which has lines."""
        if not self._grid.is_workbook or not number:
            return ""
        column = name_column(self._places.get(find_field(path), 0))
        return f"{quote_sheet(self.layout.sheet)}!{column}{number}"

    # --- A row ------------------------------------------------------------------------------------

    def convert(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Turn a row into the data of a case. Raises CaseError for a plan that is JSON."""
        values = {
            path: read_value(cell, PATHS[path])
            for path, name in self.fields.items()
            if not is_blank(cell := self._take(cells, path, name))
        }
        derived: list[str] = []
        if self.fields.get(KEY) == FROM_REQUEST and isinstance(values.get(REQUEST), str):
            values[KEY] = make_key(values[REQUEST])
            derived.append(KEY)
        data: dict[str, Any] = {}
        text = values.pop(PLAN, None)
        for path, value in values.items():
            put(data, path, value)
        if text is not None:
            plan = data.setdefault("plan", {})
            plan |= build_plan(text, plan.get("status"))
        self._add_source(data, derived)
        used = self._places.values()
        others = {
            self._names.get(place) or f"[{name_column(place)}]": cell
            for place, cell in enumerate(cells)
            if place not in used and not is_blank(cell)
        }
        return data | ({"other": others} if others else {})

    def _take(self, cells: Sequence[Cell], path: str, name: str) -> Cell:
        if name.startswith(SAME):
            return None if name == FROM_REQUEST else name[len(SAME) :]
        place = self._places.get(path)
        return None if place is None or place >= len(cells) else cells[place]

    def _add_source(self, data: dict[str, Any], derived: list[str]) -> None:
        source: dict[str, Any] = {}
        if self.fields.get(CHECKS, "").startswith(SAME):
            source["checks"] = {"how": HOW_CHECKS}
        if derived:
            source["derived"] = derived
        if source:
            data["source"] = source


def put(data: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    for step in way:
        data = data.setdefault(step, {})
    data[last] = value


def build_plan(text: str, status: str | None) -> dict[str, Any]:
    """Return a plan of plain paragraphs: one day without a number, one item for each paragraph.

    Nothing is read into the text, not even its days.
    """
    if text[:1] + text[-1:] in ("{}", "[]") and is_json(text):
        raise CaseError(PLAN, PLAN_IS_JSON)
    items = [{"kind": "other", "note": part} for part in split_paragraphs(text)]
    return {"status": status or "done", "days": [{"items": items}]}


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def make_key(request: str) -> str:
    """Make a key from the words of a request, so that it is the same in every release."""
    words = " ".join(request.split())
    return f"request-{sha256(words.encode('utf-8', 'surrogatepass')).hexdigest()[:KEY_LENGTH]}"


def find_field(path: str) -> str:
    """Return the field that a problem's path is about: tags for tags[2], the plan for its items."""
    name = path.partition("[")[0]
    if name == "plan.days":
        return PLAN
    while name and name not in PATHS:
        name = name.rpartition(".")[0]
    return name


def name_column(place: int) -> str:
    """Return the letters of a column, counted from 0: A, Z, AA."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def quote_sheet(name: str) -> str:
    """Quote a sheet's name as in a formula: 'My cases'!B2."""
    if re.fullmatch(r"\w+", name):
        return name
    return "'" + name.replace("'", "''") + "'"


# --- The header -----------------------------------------------------------------------------------


def choose_layout(heads: list[Head], chosen: str, remembered: str) -> Layout:
    """Choose the sheet: the one that was asked for, else the one with the best known header."""
    filled = [head for head in heads if head.rows]
    named = {head.name: head for head in filled}
    if chosen and chosen not in named:
        raise CaseError("", NO_SUCH_SHEET, sheet=chosen, found=", ".join(named))
    wanted = chosen or (remembered if remembered in named else "")
    found = [find_header(head) for head in ([named[wanted]] if wanted else filled)]
    return max(found, key=lambda pair: pair[0])[1]


def find_header(head: Head) -> tuple[tuple[int, bool], Layout]:
    """Find the row with the most known headers, the first such row if there are several."""
    best: tuple[tuple[int, bool], Layout] | None = None
    for place, (number, cells) in enumerate(head.rows):
        above = head.rows[place - 1] if place else None
        columns = list_columns((number, cells), above, head.merged)
        known = sum(knows(column.name) or knows(column.header) for column in columns)
        # Of two rows that are equally well known, the one below its groups is the header.
        rank = known, any(column.name != column.header for column in columns)
        if best is None or rank > best[0]:
            best = rank, Layout(head.name, columns, number + 1)
    assert best is not None
    return best


def list_columns(row: Row, above: Row | None, merged: list[Merged]) -> list[Column]:
    """Name the columns. A group above, merged over several columns, comes before the header.

    A header that is merged over several rows has its words in the first of them.
    """
    number, cells = row
    groups = spread(above, merged) if above and above[0] == number - 1 else {}
    own = {place: as_text(cell).strip() for place, cell in enumerate(cells)}
    columns: list[Column] = []
    taken: set[str] = set()
    for place in range(max([*own, *groups], default=-1) + 1):
        header = " ".join(own.get(place, "").split())
        group, is_tall = groups.get(place, ("", False))
        if not header and is_tall:
            header, group = group, ""
        name = " / ".join(filter(None, (group, header)))
        if name:
            name = name if name not in taken else f"{name} [{name_column(place)}]"
            taken.add(name)
            columns.append(Column(place, name, header))
    return columns


def spread(row: Row, merged: list[Merged]) -> dict[int, tuple[str, bool]]:
    """Return the words of merged cells of a row by column, and whether they are tall.

    Only groups over several columns, and headers over several rows.
    """
    number, cells = row
    found: dict[int, tuple[str, bool]] = {}
    for (top, left), (bottom, right) in merged:
        if top <= number - 1 <= bottom and left < len(cells):
            words = " ".join(as_text(cells[left]).split())
            is_tall = bottom > number - 1
            if words and (is_tall or right > left):
                found |= dict.fromkeys(range(left, right + 1), (words, is_tall))
    return found


def open_table(
    stream: BinaryIO,
    *,
    chosen: Columns,
    remembered: Columns,
    most_bytes: int | None,
    is_wanted: bool,
) -> Table | None:
    """Open a stream as a table; None if it is none. Raises CaseError."""
    grid = open_grid(stream, most_bytes=most_bytes, is_wanted=is_wanted)
    if grid is None:
        return None
    try:
        return Table(grid, chosen, remembered)
    except BaseException:
        grid.close()
        raise


def describe_columns(fields: Mapping[str, str]) -> str:
    """Return the columns in one line: request.text = Request, plan.text = Plan."""
    return ", ".join(f"{path} = {name.removeprefix(SAME)}" for path, name in fields.items() if name)
