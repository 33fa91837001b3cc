"""The columns of a table: chosen in words, and remembered for the product with its last import."""

from collections.abc import Iterable
from typing import Any

from cases.itinerary.format import CaseError, _
from cases.models import Batch, Release
from cases.tables import Columns

NOT_A_MAP = _("must be FIELD=COLUMN, such as request.text=Request.")


def pack(columns: Columns) -> dict[str, Any]:
    """Return the columns as they are stored; empty for what was no table."""
    return {"fields": dict(columns.fields), "sheet": columns.sheet} if columns else {}


def unpack(stored: dict[str, Any]) -> Columns:
    return Columns(stored.get("fields", {}), stored.get("sheet", ""))


def load_remembered(release: Release) -> Columns:
    """Return the columns of the product's last table; empty if there was none."""
    stored = Batch.objects.of_tables(release).values_list("columns", flat=True).first()
    return unpack(stored or {})


def read_columns(maps: Iterable[str], sheet: str = "") -> Columns:
    """Read FIELD=COLUMN for each field. FIELD= is no column, FIELD==TEXT the same text for every
    row. Raises CaseError."""
    fields = {}
    for text in maps:
        path, sign, name = text.partition("=")
        if not sign:
            raise CaseError(text, NOT_A_MAP)
        fields[path.strip()] = name.strip()
    return Columns(fields, sheet)
