"""A site that was backed up and restored is the same site, on either engine."""

import stat
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from allauth.socialaccount.models import SocialApp
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from cases.models import Event, Release, Upload
from evalsite import triggers
from evalsite.backup import BackupRefused, back_up, dump, load, restore
from evalsite.backup.archive import Row
from evalsite.backup.tables import write_rows
from evalsite.permissions import Role
from reviews.models import (
    PairAnswer,
    Pairing,
    PairRevision,
    PairSubmission,
    Review,
    Score,
)
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import verify as releases_verify
from reviews.report import summary
from tests.bed import pairs, reviewed, soak
from tests.bed.backups import (
    JSON,
    contents,
    forged,
    in_version_1,
    lines,
    manifest_of,
    packed,
    retold,
    unpacked,
)
from tests.bed.cases import NOW
from tests.bed.databases import connected, empty_database
from tests.conftest import MakeDatabase
from tests.people import PASSWORD, make_person

LAST = ["reviews", "0013_pairings"]
# The tables that it made, if any.
BROUGHT = [
    *("reviews_pairanswer", "reviews_pairrevision", "reviews_pairsubmission"),
    "reviews_pairing",
]


def older(path: Path) -> Path:
    """The same archive as it was before the last migration."""
    files = unpacked(path)
    packed(path, {name: files[name] for name in files if Path(name).stem not in BROUGHT})

    def go_back(manifest: dict[str, Any]) -> None:
        manifest["migrations"].remove(LAST)
        manifest["tables"] = [table for table in manifest["tables"] if table["name"] not in BROUGHT]

    return retold(path, go_back)


def flush() -> None:
    call_command("flush", interactive=False, verbosity=0)


def reset_user_sequence() -> None:
    """Reset the sequence of users; a flush alone does not do that on PostgreSQL."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval(pg_get_serial_sequence('auth_user', 'id'), 1, false)")


@pytest.fixture
def site(transactional_db: None) -> Release:
    """Create a closed release reviewed by rita, and the content types of `migrate`."""
    for model in (Release, Review):
        ContentType.objects.get_for_model(model)
    release = reviewed.started(k=1)
    rita = make_person("rita", Role.REVIEWER)
    reviewed.review_all(release, rita)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    return reviewed.current(release)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "site.zip"


def rows() -> dict[str, int]:
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True):
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")
            [found[table]] = cursor.fetchone()
    return found


# --- There and back -------------------------------------------------------------------------------


def test_a_restored_site_is_the_same_site(site: Release, path: Path, tmp_path: Path) -> None:
    Client().force_login(User.objects.get(username="rita"))
    digest = site.closings.get().digest
    back_up(path)
    flush()
    restore(path)
    back_up(again := tmp_path / "again.zip")
    assert contents(again) == contents(path)
    assert manifest_of(path)["engine"] == connection.vendor
    assert Session.objects.count() == 0
    release = Release.objects.get(name=site.name)
    assert releases_verify.verify_ledger(release) == site.ledger_length > 5
    assert releases_verify.verify_sample(release) == ([], 1)
    assert release.closings.get().digest == digest
    rita = User.objects.get(username="rita")
    assert rita.check_password(PASSWORD)
    assert [group.name for group in rita.groups.all()] == ["Reviewers"]


def test_pairings_are_restored_as_they_were(
    transactional_db: None, path: Path, tmp_path: Path
) -> None:
    people = [make_person(name, Role.REVIEWER) for name in ("rita", "omar")]
    release = pairs.beside_baseline(*people)
    first, second, *_open = pairs.plan(release)
    pairs.read(pairs.read(first, pairs.prefer_new(first, -2)), pairs.prefer_new(first, 1))
    pairs.read(second, pairs.say(newer="right"))
    before = summary.compute(reviewed.current(release))
    back_up(path)
    flush()
    restore(path)
    back_up(again := tmp_path / "again.zip")
    assert contents(again) == contents(path)
    counts = [
        model.objects.count() for model in (Pairing, PairAnswer, PairRevision, PairSubmission)
    ]
    assert counts[0] == 10
    assert counts[2:] == [1, 3]
    assert counts[1] == 2 * len(reviewed.METRICS)
    release = reviewed.current(Release.objects.get(name=release.name))
    assert summary.compute(release) == before
    assert releases_verify.verify_ledger(release) == release.ledger_length


def test_after_a_restore_the_rules_stand_and_rows_can_be_added(site: Release, path: Path) -> None:
    there = triggers.find_installed(connection)
    back_up(path)
    flush()
    reset_user_sequence()
    restore(path)
    assert triggers.find_installed(connection) == there != {}
    with pytest.raises(DatabaseError, match="The release is closed"):
        Score.objects.update(value=5)
    highest = User.objects.order_by("-pk")[0].pk
    assert make_person("omar", Role.REVIEWER).pk > highest
    assert reviewed.filled("wanderer-2").pk > site.pk


def test_keys_that_point_to_permissions_and_content_types_still_fit(
    transactional_db: None, path: Path
) -> None:
    """A new database would give content types and permissions other keys."""
    flush()
    kind = ContentType.objects.create(pk=77, app_label="cases", model="release")
    may = Permission.objects.create(pk=88, name="x", content_type=kind, codename="change_release")
    editors = Group.objects.create(name="Editors")
    editors.permissions.add(may)
    ada = User.objects.create(username="ada")
    ada.groups.add(editors)
    LogEntry.objects.create(user=ada, content_type=kind, object_id="1", action_flag=CHANGE)
    back_up(path)
    flush()
    other = ContentType.objects.create(app_label="reviews", model="review")
    Permission.objects.create(name="y", content_type=other, codename="view_review")
    Group.objects.create(name="Admins")
    restore(path)
    assert User.objects.get().has_perm("cases.change_release")
    assert LogEntry.objects.get().content_type == kind
    assert ContentType.objects.get_for_model(Release) == kind
    assert Group.objects.get().name == "Editors"


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
MOMENTS = st.datetimes(timezones=st.just(UTC))


@pytest.mark.soak
@settings(
    max_examples=soak.size(short=5, long=200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    people=st.lists(st.tuples(TEXT, MOMENTS | st.none(), st.booleans()), max_size=3),
    events=st.lists(st.tuples(JSON, MOMENTS), max_size=4),
    uploads=st.lists(st.binary(max_size=50), max_size=2),
)
def test_whatever_rows_there_are_they_are_the_same_after_a_restore(
    transactional_db: None,
    tmp_path_factory: pytest.TempPathFactory,
    people: list[Any],
    events: list[Any],
    uploads: list[bytes],
) -> None:
    flush()
    folder = tmp_path_factory.mktemp("backup")
    release = reviewed.filled()
    somebody = User.objects.create(username="somebody")
    User.objects.bulk_create(
        User(username=f"p{place}", first_name=name, last_login=at, is_staff=is_staff)
        for place, (name, at, is_staff) in enumerate(people)
    )
    Event.objects.bulk_create(
        Event(release=release, number=100 + place, kind="x", at=at, data=data)
        for place, (data, at) in enumerate(events)
        if data is not None  # which Django takes for no value at all
    )
    Upload.objects.bulk_create(
        Upload(release=release, created_by=somebody, created_at=NOW, content=content)
        for content in uploads
    )
    told = list(Event.objects.order_by("pk").values_list("data", "at"))
    back_up(folder / "1.zip")
    flush()
    restore(folder / "1.zip")
    back_up(folder / "2.zip")
    assert contents(folder / "2.zip") == contents(folder / "1.zip")
    assert list(Event.objects.order_by("pk").values_list("data", "at")) == told
    assert [bytes(upload.content) for upload in Upload.objects.order_by("pk")] == uploads


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL keeps no order of keys")
def test_the_text_of_a_json_column_stays_as_it_is(transactional_db: None, path: Path) -> None:
    release = reviewed.filled()
    text = '{"b":  1.50, "a": [1e2, 12345678901234567890123]}'
    with connection.cursor() as cursor:
        cursor.execute("UPDATE cases_release SET policy = %s", [text])
        back_up(path)
        flush()
        restore(path)
        cursor.execute("SELECT policy FROM cases_release")
        assert cursor.fetchone() == (text,)
    assert Release.objects.get().name == release.name


def test_a_moment_that_sets_itself_is_not_set_anew(transactional_db: None, path: Path) -> None:
    flush()
    kind = ContentType.objects.create(app_label="cases", model="release")
    user = User.objects.create(username="ada")
    LogEntry.objects.create(
        user=user, content_type=kind, object_id="1", action_flag=CHANGE, action_time=NOW
    )
    back_up(path)
    flush()
    restore(path)
    assert LogEntry.objects.get().action_time == NOW


# --- What is refused ------------------------------------------------------------------------------


def refusal_of(path: Path) -> str:
    """Return the refusal of a restore, which must leave all tables and triggers unchanged."""
    before, rules = rows(), triggers.find_installed(connection)
    with pytest.raises(BackupRefused) as refusal:
        restore(path)
    assert (rows(), triggers.find_installed(connection)) == (before, rules)
    return str(refusal.value)


def test_a_database_with_rows_is_refused(site: Release, path: Path) -> None:
    back_up(path)
    assert "The database is not empty: auth_user has rows." in refusal_of(path)
    flush()
    Group.objects.create(name="Editors")
    assert "auth_group has rows." in refusal_of(path)


def test_rows_that_fit_nothing_leave_nothing_behind(site: Release, path: Path) -> None:
    back_up(path)
    flush()
    memberships = lines(path, "auth_user_groups")
    forged(path, "auth_user_groups", [memberships[0] | {"user_id": 999_999}])
    told = refusal_of(path)
    assert "the database refused these rows" in told
    assert told.endswith("Nothing was restored.")
    assert set(rows().values()) == {0}


def test_a_value_that_the_database_keeps_otherwise_is_refused(
    transactional_db: None, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates an engine that stores another value, for example a rounded one."""
    User.objects.create(username="ada")
    back_up(path)
    flush()

    def write_others(model: type[Model], rows: Iterable[Row], *rest: Any) -> None:
        others = (row | {"username": "eve"} if model is User else row for row in rows)
        write_rows(model, others, *rest)

    monkeypatch.setattr(load, "write_rows", write_others)
    assert "stored other values in auth_user than the backup has" in refusal_of(path)


def test_rows_that_the_manifest_does_not_tell_of_are_refused(
    transactional_db: None, path: Path
) -> None:
    User.objects.create(username="ada")
    back_up(path)
    flush()
    [user] = lines(path, "auth_user")
    forged(path, "auth_user", [user | {"username": "eve"}], content="0" * 64)
    assert "auth_user.jsonl does not have the values that the manifest records" in refusal_of(path)


LINES: dict[str, tuple[Any, str]] = {
    "no number": ({"id": "seven"}, "“seven” value must be an integer."),
    "no moment": ({"last_login": "yesterday"}, "“yesterday” value has an invalid format."),
    "of another type": ({"last_login": 7}, "line 1 of tables/auth_user.jsonl: "),
    "a column more": ({"shoe_size": 42}, "it does not have the columns of the table"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_no_row_of_its_table_is_refused(
    transactional_db: None, path: Path, name: str
) -> None:
    change, sentence = LINES[name]
    User.objects.create(username="ada")
    back_up(path)
    flush()
    [user] = lines(path, "auth_user")
    forged(path, "auth_user", [user | change])
    told = refusal_of(path)
    assert "the backup is damaged: line 1 of tables/auth_user.jsonl: " in told
    assert sentence.replace("“", "").replace("”", "") in told.replace("“", "").replace("”", "")


def test_a_number_that_no_column_takes_is_refused(transactional_db: None, path: Path) -> None:
    User.objects.create(username="ada")
    back_up(path)
    flush()
    [user] = lines(path, "auth_user")
    forged(path, "auth_user", [user | {"id": 2**70}])
    assert "the database refused these rows" in refusal_of(path)


def test_another_code_is_refused(transactional_db: None, path: Path) -> None:
    back_up(path)
    flush()
    retold(path, lambda manifest: manifest["migrations"].append(["reviews", "0999_next"]))
    told = refusal_of(path)
    assert (
        "migrations that this one lacks (reviews.0999_next). Restore it with that version." in told
    )


def test_a_backup_without_a_table_is_refused(transactional_db: None, path: Path) -> None:
    back_up(path)
    files = unpacked(path)
    del files["tables/cases_event.jsonl"]
    packed(path, files)

    def forget(manifest: dict[str, Any]) -> None:
        manifest["tables"] = [
            table for table in manifest["tables"] if table["name"] != "cases_event"
        ]

    retold(path, forget)
    assert "it does not have the tables of a site" in refusal_of(path)


def test_only_a_database_with_every_migration_is_backed_up_or_restored(
    transactional_db: None, path: Path
) -> None:
    back_up(path)
    old = older(path)
    assert "older than the migrations of this Spotcheck" in refusal_of(old)
    recorder = MigrationRecorder(connection)
    recorder.record_applied("reviews", "0999_next")
    try:
        with pytest.raises(BackupRefused, match=r"by a newer Spotcheck \(reviews\.0999_next\)"):
            back_up(path.with_name("other.zip"))
    finally:
        recorder.record_unapplied("reviews", "0999_next")
    recorder.record_unapplied(*LAST)
    try:
        with pytest.raises(BackupRefused, match="lacks 1 migrations of this Spotcheck"):
            back_up(path.with_name("other.zip"))
        assert "Run `manage.py migrate` first." in refusal_of(path)
    finally:
        recorder.record_applied(*LAST)
    assert list(path.parent.iterdir()) == [path]


def test_a_bare_database_is_migrated_as_far_as_the_backup_and_no_further(
    migrated_database: MakeDatabase,
    django_db_blocker: DjangoDbBlocker,
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Checks only the plan, because applying it takes seconds."""
    planned: list[tuple[Any, bool]] = []
    with django_db_blocker.unblock():
        with connected(migrated_database("first", tmp_path), "first") as first:
            back_up(path, using=first)
        older(path)

        def plan_only(executor: MigrationExecutor, targets: list[Any]) -> None:
            planned.extend(executor.migration_plan(targets))
            raise BackupRefused("The plan is made.")

        monkeypatch.setattr(MigrationExecutor, "migrate", plan_only)
        with (
            connected(empty_database("bare", tmp_path), "bare") as bare,
            pytest.raises(BackupRefused, match="The plan is made"),
        ):
            restore(path, using=bare)
    told = [tuple(migration) for migration in manifest_of(path)["migrations"]]
    assert tuple(LAST) not in told
    assert sorted((migration.app_label, migration.name) for migration, _ in planned) == told
    assert not any(is_backwards for _, is_backwards in planned)


# What these brought: two columns of a table that no other app points to.
LATER = [
    ["socialaccount", "0004_app_provider_id_settings"],
    ["socialaccount", "0005_socialtoken_nullable_app"],
    ["socialaccount", "0006_alter_socialaccount_extra_data"],
]


def test_an_older_backup_is_restored_into_a_bare_database_and_migrated(
    migrated_database: MakeDatabase, django_db_blocker: DjangoDbBlocker, path: Path, tmp_path: Path
) -> None:
    """The backup is from before the last migrations of an app."""

    def go_back(manifest: dict[str, Any]) -> None:
        manifest["migrations"] = [
            migration for migration in manifest["migrations"] if migration not in LATER
        ]

    with django_db_blocker.unblock():
        with connected(migrated_database("first", tmp_path), "first") as first:
            User.objects.using(first).create(username="ada", last_login=NOW)
            SocialApp.objects.using(first).create(provider="sso", name="Sign-in")
            back_up(path, using=first)
            rules = triggers.find_installed(connections[first])
        before = contents(path)
        [app] = lines(path, "socialaccount_socialapp")
        del app["provider_id"], app["settings"]
        retold(forged(path, "socialaccount_socialapp", [app]), go_back)
        with connected(empty_database("bare", tmp_path), "bare") as bare:
            restore(path, using=bare)
            back_up(tmp_path / "now.zip", using=bare)
            assert triggers.find_installed(connections[bare]) == rules != {}
            assert SocialApp.objects.using(bare).get().provider_id == ""
            assert User.objects.using(bare).create(username="eve").pk > 1
    assert contents(tmp_path / "now.zip") == before


# --- The first format -----------------------------------------------------------------------------


def test_a_backup_in_the_first_format_is_restored(
    site: Release, path: Path, tmp_path: Path
) -> None:
    back_up(path)
    flush()
    old = in_version_1(path, tmp_path / "old.zip")
    assert manifest_of(old)["version"] == 1
    restore(old)
    back_up(again := tmp_path / "again.zip")
    assert contents(again) == contents(path)
    release = Release.objects.get(name=site.name)
    assert releases_verify.verify_ledger(release) == site.ledger_length > 5
    assert release.closings.get().digest == site.closings.get().digest
    with pytest.raises(DatabaseError, match="The release is closed"):
        Score.objects.update(value=5)


def test_a_backup_in_the_first_format_is_restored_into_a_bare_database(
    migrated_database: MakeDatabase, django_db_blocker: DjangoDbBlocker, path: Path, tmp_path: Path
) -> None:
    with django_db_blocker.unblock():
        with connected(migrated_database("first", tmp_path), "first") as first:
            User.objects.using(first).create(username="ada", last_login=NOW)
            back_up(path, using=first)
        with connected(empty_database("bare", tmp_path), "bare") as bare:
            restore(in_version_1(path, tmp_path / "old.zip"), using=bare)
            back_up(tmp_path / "now.zip", using=bare)
    assert contents(tmp_path / "now.zip") == contents(path)


def test_a_backup_of_a_site_that_lacked_an_old_migration_is_refused(
    transactional_db: None, path: Path, tmp_path: Path
) -> None:
    back_up(path)
    flush()
    old = in_version_1(path, tmp_path / "old.zip")
    last = ["reviews", "0009_summaries_stand_last"]
    told = refusal_of(retold(old, lambda manifest: manifest["migrations"].remove(last)))
    assert "the backup lacks some migrations that were squashed since" in told
    assert "reviews.0008_remember_mirror_looks" in told
    assert told.endswith("and upgrade from there: docs/operations.md.")


OLD_DAMAGES: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "a value less": (lambda row: row[:-1], "line 1 of tables/auth_user.jsonl: "),
    "no array": (lambda row: {"id": 1}, "line 1 of tables/auth_user.jsonl: "),
    "no number": (lambda row: ["seven", *row[1:]], "line 1 of tables/auth_user.jsonl: "),
}


@pytest.mark.parametrize("name", OLD_DAMAGES)
def test_a_damaged_backup_in_the_first_format_is_refused(
    transactional_db: None, path: Path, tmp_path: Path, name: str
) -> None:
    change, sentence = OLD_DAMAGES[name]
    User.objects.create(username="ada")
    back_up(path)
    flush()
    old = in_version_1(path, tmp_path / "old.zip")
    forged(old, "auth_user", [change(row) for row in lines(old, "auth_user")])
    assert f"the backup is damaged: {sentence}" in refusal_of(old)


# --- The commands ---------------------------------------------------------------------------------


def test_the_commands_tell_what_they_did(
    site: Release, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", out=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    count = manifest_rows(path)
    assert f"{path}: {count} rows of" in capsys.readouterr().out
    flush()
    call_command("restore", path)
    assert f"{path}: {count} rows of" in capsys.readouterr().out
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", path)


def manifest_rows(path: Path) -> int:
    return sum(table["rows"] for table in manifest_of(path)["tables"])


def test_a_backup_replaces_nothing(transactional_db: None, path: Path) -> None:
    path.write_text("another backup")
    with pytest.raises(CommandError, match="exists already, and a backup never replaces a file"):
        call_command("backup", out=path)
    assert path.read_text() == "another backup"


def test_a_backup_that_fails_leaves_no_file(
    transactional_db: None, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("backup", out=path / "nowhere" / "site.zip")

    def full(*_: Any) -> Iterator[Any]:
        yield from ()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dump, "read_rows", full)
    with pytest.raises(CommandError, match="No space left on device"):
        call_command("backup", out=path)
    assert list(path.parent.iterdir()) == []
