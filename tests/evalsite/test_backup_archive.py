"""The file of a backup: what survives it, and that a damaged, cut or foreign one is refused."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.models import Event
from evalsite.backup import archive, tables
from evalsite.backup.archive import About, Column, Refused, Row, Table, Tally, Writing, opened
from reviews.models import Review
from tests.bed.backups import JSON, Files, packed, retold, unpacked

MOMENT = datetime(2026, 11, 17, 9, 30, 0, 7, tzinfo=UTC)
TRIPS = Table(
    name="trips",
    key="id",
    columns=[
        Column("id", "integer"),
        Column("title", "text"),
        Column("is_short", "boolean"),
        Column("day", "date"),
        Column("at", "datetime"),
        Column("notes", "json"),
        Column("map", "binary"),
    ],
)
ROWS: list[Row] = [
    (1, "云溪\t“两日”\n\\", True, date(2026, 5, 12), MOMENT, '{"b": 1, "a": null}', b"\x00\xff"),
    (2**62, "", None, None, None, None, None),
]
ABOUT = About(product="0.1.0", taken_at=MOMENT, engine="sqlite", migrations=[("cases", "0001")])


def written(path: Path, rows: list[Row] = ROWS) -> Path:
    with path.open("wb") as file:
        writing = Writing(file)
        writing.add(TRIPS, iter(rows))
        writing.end(ABOUT)
    return path


def read(path: Path) -> list[Row]:
    with opened(path) as backup:
        backup.check()
        [table] = backup.manifest.tables
        return list(backup.rows(table))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "site.zip")


# --- What survives --------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(path: Path) -> None:
    assert read(path) == ROWS


def test_the_same_rows_are_the_same_bytes(path: Path, tmp_path: Path) -> None:
    assert written(tmp_path / "again.zip").read_bytes() == path.read_bytes()


def test_a_manifest_tells_where_an_archive_comes_from(path: Path) -> None:
    with opened(path) as backup:
        found = backup.manifest
    assert (found.format, found.version, found.product) == ("spotcheck-backup", 1, "0.1.0")
    assert (found.rows, found.taken_at, found.migrations) == (2, MOMENT, [("cases", "0001")])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ANY_ROW = st.tuples(
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
    line = Tally(TRIPS).add(row)
    assert line.count(b"\n") == 1
    assert archive.decoder(TRIPS)(line) == row


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
    assert archive.in_one_form(one) == archive.in_one_form(other)


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
    assert archive.in_one_form(one) != archive.in_one_form(other)


def test_null_in_json_is_not_an_empty_column() -> None:
    def content(value: str | None) -> str:
        tally = Tally(TRIPS)
        tally.add((*ROWS[0][:5], value, None))
        return tally.content()

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


def with_table(**changes: Any) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        retold(path, lambda manifest: manifest["tables"][0].update(changes))

    return damage


ROWS_FILE = "tables/trips.jsonl"
DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "nothing there": (Path.unlink, "No such file or directory"),
    "empty": (lambda path: path.write_bytes(b""), "not a backup of Spotcheck, or a damaged one"),
    "cut": (cut, "not a backup of Spotcheck, or a damaged one"),
    "one bit": (flip_a_bit, "not a backup of Spotcheck, or a damaged one"),
    "foreign": (lambda path: packed(path, {"a.txt": b""}), "it has no manifest.json"),
    "a bundle": (
        lambda path: packed(path, {"manifest.json": b'{"format": "spotcheck-bundle/1"}'}),
        "its manifest is of another kind",
    ),
    "no JSON": (lambda path: packed(path, {"manifest.json": b"{"}), "of another kind"),
    "another format": (with_manifest(format="other"), "of another kind"),
    "newer": (
        with_manifest(version=2, product="9.0", more=[]),
        "written by a newer Spotcheck (9.0), in format 2",
    ),
    "unknown field": (with_manifest(more=1), "damaged: manifest.json"),
    "a line less": (
        with_files(lambda files: files.update({ROWS_FILE: files[ROWS_FILE].split(b"\n")[0]})),
        "has 1 rows, the manifest says 2",
    ),
    "another value": (with_rows(b"[1,", b"[3,"), "does not have the SHA-256"),
    "a text for a number": (with_rows(b"[1,", b'["1",'), "line 1 of tables/trips.jsonl"),
    "a file less": (with_files(lambda files: files.pop(ROWS_FILE)), "trips.jsonl is missing"),
    "a file more": (
        with_files(lambda files: files.update({"tables/x.jsonl": b""})),
        "tables/x.jsonl is not in the manifest",
    ),
    "no known kind": (
        with_table(columns=[{"name": "id", "kind": "colour"}]),
        "trips.id is of no known kind",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_whole_backup_is_refused_in_a_sentence(path: Path, name: str) -> None:
    damage, sentence = DAMAGES[name]
    damage(path)
    with pytest.raises(Refused) as refusal:
        read(path)
    told = str(refusal.value)
    assert told.startswith(str(path))
    assert sentence in told
    assert told.endswith(".")


# --- What is taken --------------------------------------------------------------------------------


def test_every_column_of_every_model_is_taken_but_sessions() -> None:
    taken = {table.name: table for table in tables.tables()}
    models = apps.get_models(include_auto_created=True)
    left_out = {one._meta.db_table for one in models} - taken.keys()
    assert left_out == {Session._meta.db_table}
    for model in (User, Permission, Event, Review, User.groups.through):
        columns = {column.name for column in taken[model._meta.db_table].columns}
        assert columns == {field.column for field in model._meta.concrete_fields}
    assert {column.kind for one in taken.values() for column in one.columns} == {*archive.TYPE_OF}


def test_a_foreign_key_is_of_the_kind_of_what_it_points_to() -> None:
    [event] = [one for one in tables.tables() if one.name == "cases_event"]
    assert Column("release_id", "integer") in event.columns
    assert event.key == "id"
