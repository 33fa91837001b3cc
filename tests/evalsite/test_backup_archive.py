"""A backup file keeps all values, and a damaged, cut or foreign file is refused."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models import Model
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.models import Event
from evalsite.backup import archive, tables
from evalsite.backup.archive import BackupRefused, Content, Row, new_archive, open_archive
from reviews.models import Review
from tests.bed.backups import JSON, Files, packed, retold, unpacked

MOMENT = datetime(2026, 11, 17, 9, 30, 0, 7, tzinfo=UTC)
NULLABLE: Any = {"null": True}
FIELDS: tables.Fields = {
    "id": models.BigAutoField(primary_key=True),
    "title": models.TextField(**NULLABLE),
    "is_short": models.BooleanField(**NULLABLE),
    "day": models.DateField(**NULLABLE),
    "at": models.DateTimeField(**NULLABLE),
    "notes": models.JSONField(**NULLABLE),
    "map": models.BinaryField(**NULLABLE),
}


def make_row(*values: Any) -> Row:
    return dict(zip(FIELDS, values, strict=True))


ROWS: list[Row] = [
    make_row(
        1, "云溪\t“两日”\n\\", True, date(2026, 5, 12), MOMENT, '{"b": 1, "a": null}', b"\x00\xff"
    ),
    make_row(2**62, "", None, None, None, None, None),
]


def written(path: Path, rows: list[Row] = ROWS) -> Path:
    with path.open("wb") as file, new_archive(file) as writer:
        writer.add("trips", iter(rows), ["notes"])
        writer.finish(
            product="0.1.0", taken_at=MOMENT, engine="sqlite", migrations=[("cases", "0001")]
        )
    return path


def read(path: Path) -> list[Row]:
    with open_archive(path) as opened:
        [table] = opened.manifest.tables
        return [tables.parse_row(FIELDS, row) for row in opened.rows(table)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "site.zip")


# --- What survives --------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(path: Path) -> None:
    assert read(path) == ROWS


def test_the_same_rows_are_the_same_bytes(path: Path, tmp_path: Path) -> None:
    assert written(tmp_path / "again.zip").read_bytes() == path.read_bytes()


def test_a_manifest_tells_where_an_archive_comes_from(path: Path) -> None:
    with open_archive(path) as opened:
        found = opened.manifest
    assert (found.format, found.version, found.product) == ("spotcheck-backup", 2, "0.1.0")
    assert (found.rows, found.taken_at, found.migrations) == (2, MOMENT, [("cases", "0001")])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ANY_ROW = st.builds(
    make_row,
    st.integers(-(2**63), 2**63 - 1),
    TEXT | st.none(),
    st.booleans() | st.none(),
    st.dates() | st.none(),
    st.datetimes(timezones=st.just(UTC)) | st.none(),
    JSON.map(json.dumps) | st.none(),
    st.binary(max_size=20) | st.none(),
)


@settings(max_examples=50)
@given(row=ANY_ROW)
def test_every_value_is_the_same_after_its_line(row: Row) -> None:
    line = msgspec.json.encode(row)
    assert b"\n" not in line
    assert tables.parse_row(FIELDS, msgspec.json.decode(line)) == row


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"b": 1, "a": 2}', '{"a": 2, "b": 1}'),
        ("1e+22", "10000000000000000000000"),
        ("[-0.0]", "[0.0]"),
        ('"\\u4e91"', '"云"'),
    ],
)
def test_what_engines_write_differently_says_the_same(one: str, other: str) -> None:
    assert archive.normalize_json(one) == archive.normalize_json(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[1, 2]", "[2, 1]"),
        ("0.1", "0.10000000000000002"),
        ("9007199254740993", "9007199254740992"),
        ("1e22", "10000000000000000000001"),
        ("null", '"null"'),
        ("true", "1"),
    ],
)
def test_what_differs_does_not_say_the_same(one: str, other: str) -> None:
    assert archive.normalize_json(one) != archive.normalize_json(other)


def test_null_in_json_is_not_an_empty_column() -> None:
    def content(value: str | None) -> str:
        found = Content(["notes"])
        found.add(ROWS[0] | {"notes": value})
        return found.hexdigest()

    assert content("null") != content(None)


# --- What is refused ------------------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b"trips.jsonl") + 40] ^= 1
    path.write_bytes(bytes(data))


def with_files(change: Callable[[Files], Any]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        files = unpacked(path)
        change(files)
        packed(path, files)

    return damage


def with_rows(old: bytes, new: bytes) -> Callable[[Path], None]:
    return with_files(lambda files: files.update({ROWS_FILE: files[ROWS_FILE].replace(old, new)}))


def with_manifest(**changes: Any) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        retold(path, lambda manifest: manifest.update(changes))

    return damage


ROWS_FILE = "tables/trips.jsonl"
DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "nothing there": (Path.unlink, "No such file or directory"),
    "empty": (lambda path: path.write_bytes(b""), "not a Spotcheck backup, or damaged"),
    "cut": (cut, "not a Spotcheck backup, or damaged"),
    "one bit": (flip_a_bit, "not a Spotcheck backup, or damaged"),
    "foreign": (lambda path: packed(path, {"a.txt": b""}), "it has no manifest.json"),
    "a bundle": (
        lambda path: packed(path, {"manifest.json": b'{"format": "spotcheck-bundle/1"}'}),
        "its manifest has another format",
    ),
    "no JSON": (lambda path: packed(path, {"manifest.json": b"{"}), "has another format"),
    "another format": (with_manifest(format="other"), "has another format"),
    "newer": (
        with_manifest(version=3, product="9.0", more=[]),
        "written by a newer Spotcheck (9.0), in format 3",
    ),
    "unknown field": (with_manifest(more=1), "damaged: manifest.json"),
    "a line less": (
        with_files(lambda files: files.update({ROWS_FILE: files[ROWS_FILE].split(b"\n")[0]})),
        "has 1 rows, the manifest says 2",
    ),
    "another value": (with_rows(b'"id":1,', b'"id":3,'), "does not have the SHA-256"),
    "no object": (with_rows(b'{"id":1,', b'["id",1,'), "line 1 of tables/trips.jsonl"),
    "an array": (
        with_files(lambda files: files.update({ROWS_FILE: b"[1]\n"})),
        "line 1 of tables/trips.jsonl: it is not an object",
    ),
    "a file less": (with_files(lambda files: files.pop(ROWS_FILE)), "trips.jsonl is missing"),
    "a file more": (
        with_files(lambda files: files.update({"tables/x.jsonl": b""})),
        "tables/x.jsonl is not in the manifest",
    ),
    "of the first format, without columns": (with_manifest(version=1), "damaged: manifest.json"),
    "of no format at all": (with_manifest(version=0, more=1), "damaged: manifest.json"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_whole_backup_is_refused_in_a_sentence(path: Path, name: str) -> None:
    damage, sentence = DAMAGES[name]
    damage(path)
    with pytest.raises(BackupRefused) as refusal:
        read(path)
    told = str(refusal.value)
    assert told.startswith(str(path))
    assert sentence in told
    assert told.endswith(".")


# --- What is taken --------------------------------------------------------------------------------


def test_every_column_of_every_model_is_taken_but_sessions() -> None:
    taken = tables.list_models()
    found = apps.get_models(include_auto_created=True)
    left_out = {model._meta.db_table for model in found} - taken.keys()
    assert left_out == {Session._meta.db_table}
    of_all_sorts: list[type[Model]] = [User, Permission, Event, Review, User.groups.through]
    for model in of_all_sorts:
        columns = tables.list_fields(taken[model._meta.db_table]).keys()
        assert columns == {field.column for field in model._meta.concrete_fields}


def test_the_columns_that_hold_json_are_known() -> None:
    assert tables.list_json_columns(Event) == ["data"]
    assert tables.list_json_columns(User) == []
