"""Values for backups, the digests that they tell, and backups that were tampered with."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.db.models import Field, ForeignKey
from hypothesis import strategies as st

from evalsite import migrated
from evalsite.backup.archive import Content, normalize_json
from evalsite.backup.tables import list_json_columns, list_models

Files = dict[str, bytes]

# Neither engine takes half of a pair, and PostgreSQL no NUL.
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab云", max_size=2), inner),
    max_leaves=6,
)


def unpacked(path: Path) -> Files:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, files: Files) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def manifest_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(unpacked(path)["manifest.json"])
    return found


def contents(path: Path) -> dict[str, str]:
    """Table -> the digest over what its rows say."""
    return {table["name"]: table["content"] for table in manifest_of(path)["tables"]}


def lines(path: Path, table: str) -> list[Any]:
    return [json.loads(line) for line in unpacked(path)[f"tables/{table}.jsonl"].splitlines()]


def column_pairs(path: Path, table: str, one: str, other: str) -> list[tuple[Any, Any]]:
    return [(row[one], row[other]) for row in lines(path, table)]


def retold(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """The same archive with another manifest."""
    files = unpacked(path)
    manifest = json.loads(files["manifest.json"])
    change(manifest)
    return packed(path, files | {"manifest.json": json.dumps(manifest).encode()})


def forged(path: Path, table: str, rows: list[Any], content: str | None = None) -> Path:
    """With other rows in a table, and a manifest that fits them, but for a `content` of its own."""
    text = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    files = unpacked(path) | {f"tables/{table}.jsonl": text}

    def tell(manifest: dict[str, Any]) -> None:
        for told in manifest["tables"]:
            if told["name"] == table:
                told |= {"rows": len(rows), "sha256": hashlib.sha256(text).hexdigest()}
                told["content"] = content if content is not None else content_of(table, rows)

    return retold(packed(path, files), tell)


def content_of(table: str, rows: list[dict[str, Any]]) -> str:
    """Of rows that are none, nothing: they are refused before it is looked at."""
    try:
        content = Content(list_json_columns(list_models()[table]))
        for row in rows:
            content.add(row)
        return content.hexdigest()
    except (KeyError, TypeError):
        return ""


# --- The first format -----------------------------------------------------------------------------

# As the Spotcheck before wrote it: migrations before they were squashed, rows as arrays, a kind for
# each column. Written down here a second time, so that the reader is held to what there was.
KIND_OF = {
    "AutoField": "integer",
    "BigAutoField": "integer",
    "BinaryField": "binary",
    "BooleanField": "boolean",
    "CharField": "text",
    "DateField": "date",
    "DateTimeField": "datetime",
    "IntegerField": "integer",
    "JSONField": "json",
    "PositiveIntegerField": "integer",
    "PositiveSmallIntegerField": "integer",
    "SmallIntegerField": "integer",
    "TextField": "text",
}


def in_version_1(path: Path, target: Path) -> Path:
    """The same rows in an archive of the first format."""
    files, manifest = unpacked(path), manifest_of(path)
    tables = []
    for name, model in list_models().items():
        columns = [
            {"name": field.column, "kind": kind_of(field)}
            for field in model._meta.local_concrete_fields
        ]
        rows = [[row[column["name"]] for column in columns] for row in lines(path, name)]
        text = b"".join(compact(row) + b"\n" for row in rows)
        files[f"tables/{name}.jsonl"] = text
        said = hashlib.sha256()
        for row in rows:
            said.update(compact(say_the_same(row, columns)) + b"\n")
        tables.append(
            {
                "name": name,
                "key": model._meta.pk.column,
                "columns": columns,
                "rows": len(rows),
                "bytes": len(text),
                "sha256": hashlib.sha256(text).hexdigest(),
                "content": said.hexdigest(),
            }
        )
    single = {key for key, older in migrated.load_replacements().items() if not older}
    migrations = single | migrated.list_replaced()
    manifest |= {"version": 1, "migrations": sorted(migrations), "tables": tables}
    return packed(target, files | {"manifest.json": json.dumps(manifest).encode()})


def kind_of(field: "Field[Any, Any]") -> str:
    while isinstance(field, ForeignKey):
        field = field.target_field
    return KIND_OF[field.get_internal_type()]


def compact(row: list[Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def say_the_same(row: list[Any], columns: list[dict[str, Any]]) -> list[Any]:
    return [
        normalize_json(value) if column["kind"] == "json" and value is not None else value
        for column, value in zip(columns, row, strict=True)
    ]
