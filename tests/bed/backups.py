"""Values for backups, the digests that they tell, and backups that were tampered with."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from hypothesis import strategies as st

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
    [told] = [held for held in manifest_of(path)["tables"] if held["name"] == table]
    names = [column["name"] for column in told["columns"]]
    places = names.index(one), names.index(other)
    return [(row[places[0]], row[places[1]]) for row in lines(path, table)]


def retold(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """The same archive with another manifest."""
    files = unpacked(path)
    manifest = json.loads(files["manifest.json"])
    change(manifest)
    return packed(path, files | {"manifest.json": json.dumps(manifest).encode()})


def forged(path: Path, table: str, rows: list[Any]) -> Path:
    """With other rows in a table, and a manifest that fits them but for what they say."""
    content = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    files = unpacked(path) | {f"tables/{table}.jsonl": content}

    def tell(manifest: dict[str, Any]) -> None:
        for one in manifest["tables"]:
            if one["name"] == table:
                digest = hashlib.sha256(content).hexdigest()
                one |= {"rows": len(rows), "bytes": len(content), "sha256": digest}

    return retold(packed(path, files), tell)
