"""A database from before the squash is migrated or refused."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from cases.models import Release
from evalsite import migrated, triggers
from evalsite.migrated import Migration
from tests.bed import reviewed
from tests.bed.cases import database_digest

# As a database of the last Spotcheck before has them recorded.
BEFORE: set[Migration] = {
    ("evalsite", "0001_shared_cache"),
    ("evalsite", "0002_api_tokens"),
    ("evalsite", "0003_tokens_end_with_their_password"),
    ("cases", "0001_initial"),
    ("cases", "0002_rubrics_are_immutable"),
    ("cases", "0003_releases_and_cases"),
    ("cases", "0004_life_of_a_release"),
    ("cases", "0005_triggers_look_by_keys"),
    ("cases", "0006_triggers_hold_ways_around"),
    ("reviews", "0001_initial"),
    ("reviews", "0002_groups"),
    ("reviews", "0003_samples_reviews_outcomes"),
    ("reviews", "0004_triggers_hold_more"),
    ("reviews", "0005_assignments_questions_rulings"),
    ("reviews", "0006_remember_the_last_digest"),
    ("reviews", "0007_find_work_among_years_of_it"),
    ("reviews", "0008_remember_mirror_looks"),
    ("reviews", "0009_summaries_stand_last"),
}
SQUASHED: set[Migration] = {
    ("evalsite", "0001_squashed_0003"),
    ("cases", "0001_squashed_0006"),
    ("reviews", "0001_squashed_0009"),
    ("reviews", "0002_squashed_groups"),
}


def ours(found: set[Migration]) -> set[Migration]:
    return {migration for migration in found if migration[0] in ("evalsite", "cases", "reviews")}


def go_back(*without: Migration) -> None:
    """Record the migrations of the older Spotcheck, except some, instead of the squashed ones.

    Later ones stay recorded: their columns are there.
    """
    recorder = MigrationRecorder(connection)
    for app, name in SQUASHED | BEFORE:
        recorder.record_unapplied(app, name)
    for app, name in sorted(BEFORE - {*without}):
        recorder.record_applied(app, name)


@pytest.fixture
def old_site(db: None) -> Release:
    release = reviewed.drawn()
    go_back()
    return release


def test_the_squashed_migrations_replace_all_that_there_were_and_nothing_else() -> None:
    assert ours(set(migrated.list_on_disk())) >= SQUASHED
    assert ours(set(migrated.list_replaced())) == BEFORE


def test_migrating_an_old_database_records_and_does_nothing_else(old_site: Release) -> None:
    assert migrated.find_missing(connection) == SQUASHED
    assert migrated.find_unknown(connection) == set()
    later = ours(migrated.find_applied(connection)) - BEFORE
    rows, rules = database_digest(), triggers.find_installed(connection)
    said = StringIO()
    call_command("migrate", stdout=said, skip_checks=False)
    assert "No migrations to apply." in said.getvalue()
    assert "not yet reflected in a migration" not in said.getvalue()
    assert migrated.find_missing(connection) == set()
    assert ours(migrated.find_applied(connection)) == BEFORE | SQUASHED | later
    assert (database_digest(), triggers.find_installed(connection)) == (rows, rules)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "last",
    [
        ("evalsite", "0003_tokens_end_with_their_password"),
        ("cases", "0006_triggers_hold_ways_around"),
        ("reviews", "0009_summaries_stand_last"),
    ],
    ids="-".join,
)
def test_an_old_database_that_lacks_a_migration_is_refused(last: Migration) -> None:
    """Django itself would silently apply nothing."""
    go_back(last)
    with pytest.raises(CommandError, match=r"lacks migrations whose files are gone") as refusal:
        call_command("migrate", skip_checks=False, verbosity=0)
    assert ".".join(last) in str(refusal.value)
    assert "docs/operations.md" in str(refusal.value)
    applied = ours(migrated.find_applied(connection))
    assert applied & (BEFORE | SQUASHED) == BEFORE - {last}


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_a_state_is_translated_only_where_it_is_whole() -> None:
    assert migrated.translate(BEFORE) == SQUASHED
    assert migrated.translate(SQUASHED) == SQUASHED
    last = ("cases", "0006_triggers_hold_ways_around")
    cut = migrated.translate(BEFORE - {last})
    assert ("cases", "0001_squashed_0006") not in cut
    assert ("cases", "0005_triggers_look_by_keys") in cut
    assert cut >= SQUASHED - {("cases", "0001_squashed_0006")}
