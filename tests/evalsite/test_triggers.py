"""The triggers: which there are, that migrations carry them along, and that no table is forgotten.

Whatever alters tables runs in a process and on a database of its own: `walk_through_migrations`
is called there, and hands back what it saw.
"""

import json
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import (
    DatabaseError,
    IntegrityError,
    connection,
    connections,
    migrations,
    models,
    transaction,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import Model

from cases.models import Case, CaseTag, Release, Rubric
from evalsite import triggers
from evalsite.permissions import Role
from evalsite.triggers import Trigger
from reviews.models import Closing, Score
from reviews.releases import lifecycle as releases_lifecycle
from tests import servers
from tests.bed import reviewed
from tests.bed.cases import NOW, digest_of, import_lines, lines, make_case, make_release
from tests.bed.databases import believe_tables_empty, server_url
from tests.conftest import MakeDatabase
from tests.people import make_person

# --- After migrate --------------------------------------------------------------------------------


def expected(prefix: str = "") -> dict[str, str]:
    """Return trigger -> table for the triggers whose tables all have this prefix."""
    return {
        trigger.name: trigger.table
        for trigger in triggers.list_triggers(connection.vendor)
        if all(table.startswith(prefix) for table in trigger.columns)
    }


def test_every_trigger_has_a_name_of_its_own() -> None:
    assert len(expected()) == len(triggers.list_triggers(connection.vendor)) > 40


@pytest.mark.django_db
def test_after_migrate_the_triggers_are_those_of_the_module() -> None:
    assert triggers.find_installed(connection) == expected()


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite keeps the statement")
def test_sqlite_has_every_trigger_as_the_module_writes_it() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        stored = dict(cursor.fetchall())
    written = {
        trigger.name: statement
        for trigger in triggers.list_triggers(connection.vendor)
        for statement in list_statements(trigger)
    }
    assert stored == written


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="PostgreSQL keeps a function")
def test_postgresql_has_every_trigger_as_the_module_writes_it() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, prosrc, tgenabled, "
            "replace(pg_get_triggerdef(pg_trigger.oid), current_schema() || '.', '') "
            "FROM pg_trigger JOIN pg_proc ON tgfoid = pg_proc.oid WHERE NOT tgisinternal"
        )
        stored = {name: tuple(rest) for name, *rest in cursor.fetchall()}
    written = {}
    for trigger in triggers.list_triggers(connection.vendor):
        function, statement = list_statements(trigger)
        written[trigger.name] = (function.split("$$")[1], "O", statement)
    assert stored == written


def list_statements(trigger: Trigger) -> list[str]:
    return list(trigger.statements(connection.vendor))


@pytest.mark.django_db
def test_dropped_and_installed_again_they_are_the_same() -> None:
    before = definitions()
    triggers.drop(connection)
    assert definitions() == {}
    triggers.install(connection)
    assert definitions() == before


def definitions() -> dict[str, str]:
    """Return the definitions of triggers and, on PostgreSQL, of their functions."""
    query = (
        "SELECT proname, pg_get_functiondef(pg_proc.oid) FROM pg_proc "
        "WHERE pronamespace = current_schema()::regnamespace AND prorettype = 'trigger'::regtype "
        "UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger "
        "WHERE NOT tgisinternal"
        if connection.vendor == "postgresql"
        else "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return dict(cursor.fetchall())


@pytest.mark.django_db
def test_a_missing_and_a_foreign_trigger_would_be_seen() -> None:
    """Shows that the comparisons above can fail."""
    [trigger] = [
        trigger
        for trigger in triggers.list_triggers(connection.vendor)
        if trigger.name == "reviews_score_stays_closed_insert"
    ]
    with connection.cursor() as cursor:
        on_table = f" ON {trigger.table}" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER {trigger.name}{on_table}")
    assert expected().items() - triggers.find_installed(connection).items() == {
        (trigger.name, trigger.table)
    }


# --- No table is forgotten ------------------------------------------------------------------------

EVERY_ACT = {"INSERT", "UPDATE", "DELETE"}

# Tables that belong to a release and can change while it is closed: what is refused always, and why
# the rest is not.
NOT_WHILE_CLOSED: dict[str, tuple[set[str], str]] = {
    "cases_release": ({"UPDATE", "DELETE"}, "its ledger goes on, and its status after a reopening"),
    "cases_event": ({"UPDATE", "DELETE"}, "reopening and signing append to a closed release"),
    "cases_batch": (set(), "a note on an import; the cases themselves are guarded"),
    "cases_replaced": (set(), "what an undo would need; undoing is refused after the start"),
    "cases_rulehit": (set(), "computed: a rule proposed later is counted there as well"),
    "cases_upload": (set(), "a file that waits for its preview; goes after a day"),
    "reviews_closing": ({"UPDATE", "DELETE"}, "reopening marks it; its report is held always"),
    "reviews_decision": ({"UPDATE", "DELETE"}, "signing and voiding happen on a closed release"),
    "reviews_lastlook": (set(), "who has read how far"),
    "reviews_sighting": (
        {"UPDATE", "DELETE"},
        "a command adds those of releases closed before there were any; its digest is in a ledger",
    ),
    "reviews_mirrorlook": (set(), "reviewers look when the release is closed"),
    "reviews_noticecursor": (set(), "moves with every event that a team was told of"),
    "reviews_question": (set(), "an admin may answer after the closing"),
    "reviews_reminder": (set(), "one a day; the event of each is in the ledger"),
    "reviews_ruling": ({"UPDATE", "DELETE"}, "given once, whenever; belongs to the rubric"),
}


def tables_of_a_release() -> set[str]:
    """Return the tables whose rows belong to a release, directly or through other tables."""
    ours = [
        *apps.get_app_config("cases").get_models(),
        *apps.get_app_config("reviews").get_models(),
    ]
    found: set[type[Model]] = {Release}
    while more := {model for model in ours if model not in found and points_to(model) & found}:
        found |= more
    return {model._meta.db_table for model in found}


def points_to(model: type[Model]) -> set[Any]:
    return {field.related_model for field in model._meta.get_fields() if field.many_to_one} | {
        field.related_model
        for field in model._meta.get_fields()
        if field.one_to_one and field.concrete
    }


def test_every_table_of_a_release_is_guarded_or_named_with_the_reason_why_not() -> None:
    guarded = {
        trigger.table
        for trigger in triggers.list_triggers(connection.vendor)
        if trigger.rule.while_closed
    }
    of_a_release = tables_of_a_release()
    assert {"cases_casetag", "reviews_score", "cases_replaced"} <= of_a_release
    assert of_a_release == guarded | NOT_WHILE_CLOSED.keys()
    assert guarded & NOT_WHILE_CLOSED.keys() == {"cases_release"}
    assert all(reason for _acts, reason in NOT_WHILE_CLOSED.values())


def test_a_guarded_table_refuses_every_act() -> None:
    acts: dict[str, set[str]] = {table: set() for table in tables_of_a_release()}
    for trigger in triggers.list_triggers(connection.vendor):
        if trigger.table in acts and trigger.rule.name != "names_its_release":
            acts[trigger.table] |= {trigger.act} & set(trigger.rule.acts)
    for table, found in acts.items():
        assert found == NOT_WHILE_CLOSED.get(table, (EVERY_ACT, ""))[0], table


def test_every_column_that_is_frozen_is_there() -> None:
    """A rule with a column that no table has would silently not be installed."""
    tables = {model._meta.db_table: model for model in apps.get_models()}
    for rule in triggers.RULES:
        for table in rule.tables:
            columns = {field.column for field in tables[table]._meta.concrete_fields}
            assert columns >= set(rule.frozen), table


def test_of_a_closed_release_only_what_must_go_on_can_change() -> None:
    [rule] = [rule for rule in triggers.RULES if rule.tables == ("cases_release",) and rule.frozen]
    columns = {field.column for field in Release._meta.concrete_fields}
    going_on = {"status", "archived_at", "ledger_length", "ledger_head"}
    assert columns - set(rule.frozen) == going_on


def test_what_cannot_be_deleted_cannot_go_by_another_way_either() -> None:
    """TRUNCATE on PostgreSQL, REPLACE by any unique key on SQLite."""
    acts = {(trigger.table, trigger.act) for trigger in triggers.list_triggers(connection.vendor)}
    kept = {table for rule in triggers.RULES if "DELETE" in rule.acts for table in rule.tables}
    ways = ["TRUNCATE"] if connection.vendor == "postgresql" else ["INSERT", "UPDATE"]
    assert {(table, way) for table in kept for way in ways} <= acts
    tables = {model._meta.db_table: model for model in apps.get_models()}
    for table in kept - {"cases_case", *while_closed()}:
        assert set(triggers.KEYS[table]) == keys_of(tables[table]), table
    assert keys_of(Case) == {*triggers.KEYS["cases_case"], ("release_id", "case_key")}


def while_closed() -> set[str]:
    """Their keys contain a case or a review, which belongs to the closed release."""
    [rule] = [
        rule for rule in triggers.RULES if "reviews_score" in rule.tables and rule.while_closed
    ]
    return {*rule.tables, "cases_casetag"}


def keys_of(model: type[Model]) -> set[tuple[str, ...]]:
    """Return the unique keys of a model besides its id, with the columns of their conditions."""
    columns = {field.name: field.column for field in model._meta.concrete_fields}
    alone: set[tuple[str, ...]] = {
        (str(field.column),)
        for field in model._meta.fields
        if field.unique and not field.primary_key
    }
    together = {
        (
            *(columns[name] for name in constraint.fields),
            *(name for name, _ in condition_of(constraint)),
        )
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    }
    return alone | together


def condition_of(constraint: models.UniqueConstraint) -> list[Any]:
    return list(constraint.condition.children) if constraint.condition else []


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite keeps no plan")
def test_no_row_that_is_written_makes_the_database_go_through_a_table(rubric: Rubric) -> None:
    """Even if a scan is faster now: the plan is kept while the table grows."""
    release = make_release(rubric=rubric)
    believe_tables_empty()
    tags = [f"tag-{number}" for number in range(60)]
    import_lines(release, lines(make_case("a", tags=tags), make_case("b", tags=tags)))
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'cases_case'")
        [[scans]] = cursor.fetchall()
    assert CaseTag.objects.count() >= 120
    assert scans < 20


# --- Back and forth, in a database of its own -----------------------------------------------------


# Only the apps that the triggers are about: with all of them the steps take twice as long.
IN_A_PROCESS = """
import django, gc, json
from django.conf import settings
from evalsite import settings as ours
own = {name: getattr(ours, name) for name in dir(ours) if name.isupper()}
own["INSTALLED_APPS"] = [
    "evalsite", "cases", "reviews", "knox",
    "django.contrib.auth", "django.contrib.contenttypes",
]
settings.configure(**own)
django.setup()
from tests.evalsite import test_triggers
gc.set_threshold(100_000)  # models of every state are much to look through, and little of it goes
print(json.dumps(test_triggers.walk_through_migrations()))
"""


@pytest.fixture(scope="module")
def walked(
    migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Run the migrations in another process, and return what it recorded."""
    url = migrated_database("migrated_triggers", tmp_path_factory.mktemp("triggers"))
    found: dict[str, Any] = json.loads(servers.run_python(url, "-c", IN_A_PROCESS))
    return found


def outcome_of(act: Callable[[], object]) -> str:
    """Return the error, or an empty string."""
    try:
        act()
    except Exception as error:
        # SQLite's editor answers with the keys that are broken by then; what came first counts.
        cause: BaseException = error
        while isinstance(cause.__context__, DatabaseError):
            cause = cause.__context__
        return f"{type(cause).__name__}: {cause}"
    return ""


def migrate(*target: str) -> str:
    return outcome_of(lambda: call_command("migrate", *target, verbosity=0))


def walk_through_migrations() -> dict[str, Any]:
    """Run in the process of `walked`. Record for each step its error and the state after it."""
    seen: dict[str, Any] = {}

    def step(name: str, *target: str) -> None:
        wrong = migrate(*target)
        seen[name] = [wrong, triggers.find_installed(connection), definitions()]

    step("fresh")
    fill()
    seen["rows"] = digest_of_rows()
    seen["altered"] = alter_guarded_tables()
    name = put_by()
    step("without reviews", "reviews", "zero")
    seen["rows kept"] = digest_of_rows()
    step("with reviews again", "reviews")
    seen["refusals"] = refusals_in_the_closed_release()
    turn_to(name)
    step("without both", "cases", "zero")
    step("with both again")
    return seen


def put_by() -> str:
    """Copy the database and return the name of the copy."""
    name = str(connection.settings_dict["NAME"])
    copy = f"{name}_copy"
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [copy])
    else:
        turn_to(name)  # PostgreSQL copies no database that is in use
        servers.create_database(server_url(), copy, template=name)
    return copy


def turn_to(name: str) -> None:
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict["NAME"] = name


def fill() -> None:
    """Create a closed release, an open one and a draft, with rows in nearly every guarded table."""
    people = [make_person(name, Role.REVIEWER) for name in ("rita", "omar")]
    for name in ("closed-1", "reviewing-1"):
        release = reviewed.started(name)
        reviewed.review_all(release, *people)
        if name == "closed-1":
            releases_lifecycle.close(release=release, user=None, now=NOW)
    reviewed.drawn("draft-1")


def digest_of_rows() -> str:
    """Digest the rows that stay when the app `reviews` is migrated back."""
    columns = {
        "cases_release": "name, status, rubric_id, ledger_length, ledger_head",
        "cases_event": "release_id, number, digest",
        "cases_case": "release_id, case_key, code, digest",
        "cases_casetag": "case_id, tag, origin",
    }
    rows: list[Any] = []
    with connection.cursor() as cursor:
        for table, names in columns.items():
            cursor.execute(f"SELECT {names} FROM {table} ORDER BY id")
            found = cursor.fetchall()
            assert found
            rows += found
    return digest_of(rows)


def refusals_in_the_closed_release() -> list[str]:
    """Try a statement on each of three tables that must be refused, and one that must pass."""
    closed, other = (Release.objects.get(name=name) for name in ("closed-1", "reviewing-1"))
    statements = [
        f"UPDATE cases_case SET locale = 'xx' WHERE release_id = {closed.pk}",
        f"UPDATE cases_release SET product = 'x' WHERE id = {closed.pk}",
        f"DELETE FROM cases_event WHERE release_id = {other.pk}",
        f"UPDATE cases_case SET locale = 'xx' WHERE release_id = {other.pk}",
    ]
    return [refusal_of(statement) for statement in statements]


def refusal_of(statement: str) -> str:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            transaction.set_rollback(True)
    except IntegrityError as refusal:
        return str(refusal).splitlines()[0]
    return ""


def check_step(walked: dict[str, Any], name: str, prefix: str | None = "") -> None:
    """Check that the step worked and left the expected triggers on tables with this prefix."""
    wrong, installed, stored = walked[name]
    assert wrong == "", name
    wanted = expected(prefix) if prefix is not None else {}
    assert installed == wanted, name
    # On PostgreSQL each has a function besides.
    count = 2 if connection.vendor == "postgresql" else 1
    assert len(stored) == count * len(wanted), name
    if prefix == "":
        assert stored == walked["fresh"][2]


def test_migrating_a_fresh_database_installs_them_all(walked: dict[str, Any]) -> None:
    check_step(walked, "fresh")


def test_the_reviews_go_and_come_back_beside_the_cases_of_a_closed_release(
    walked: dict[str, Any],
) -> None:
    check_step(walked, "without reviews", "cases_")
    assert walked["rows kept"] == walked["rows"]
    check_step(walked, "with reviews again")
    assert walked["refusals"] == AS_THEY_SHOULD_BE


@pytest.mark.django_db
def test_of_a_closing_the_summary_is_the_last_column() -> None:
    """SQLite reads through a large column to reach those after it, for each row of a list."""
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, "reviews_closing")
    assert columns[-1].name == "summary"


def test_back_to_zero_with_rows_of_a_closed_release_nothing_is_left(
    walked: dict[str, Any],
) -> None:
    check_step(walked, "without both", None)


def test_migrated_to_zero_and_back_they_are_all_there(walked: dict[str, Any]) -> None:
    check_step(walked, "with both again")


AS_THEY_SHOULD_BE = [
    "The release is closed, so its cases cannot be changed.",
    "A closed release cannot be changed.",
    "An event of the ledger cannot be changed or removed.",
    "",
]


# --- A later migration ----------------------------------------------------------------------------


# One that every trigger names, one that some do, and two that none does but their own.
ALTERED: list[type[Model]] = [Release, Case, Score, Closing]


def alter_guarded_tables() -> dict[str, Any]:
    """In the process of `walked`: a column more for each table, with the two and without.

    Without, only on SQLite, which copies the table.
    """
    ways: dict[str, tuple[list[Any], list[Any]]] = {
        "with both": ([triggers.DROP], [triggers.INSTALL]),
    }
    if connection.vendor == "sqlite":
        ways |= {"without drop": ([], [triggers.INSTALL]), "with neither": ([], [])}
    return {
        model._meta.db_table: {way: altering(model, *both) for way, both in ways.items()}
        for model in ALTERED
    }


def altering(model: type[Model], first: list[Any], last: list[Any]) -> list[Any]:
    """What a migration says that adds a column, whether the triggers are whole after it; and the
    same of taking it back. Nothing of it stays."""
    # A default makes SQLite copy the table.
    column = migrations.AddField(
        model._meta.model_name or "", "extra", models.IntegerField(default=0)
    )

    class Later(migrations.Migration):
        operations = [*first, column, *last]

    migration = Later("9999_later", model._meta.app_label)
    before, count = definitions(), model._default_manager.count()
    said: list[Any] = []
    for change in (migration.apply, migration.unapply):
        said += [outcome_of(partial(carry_out, change)), definitions() == before]
        if said[-2]:
            break
    assert model._default_manager.count() == count
    if definitions() != before:
        triggers.drop(connection)
        triggers.install(connection)
    return said


@cache
def state_of_the_models() -> ProjectState:
    """Return the state after all migrations, cached because building it takes long."""
    state = MigrationLoader(connection).project_state()
    assert state.apps
    return state


def carry_out(change: Callable[[ProjectState, Any], object]) -> None:
    try:
        with connection.schema_editor(atomic=True) as editor:
            change(state_of_the_models().clone(), editor)
    except Exception:
        if connection.vendor == "sqlite":
            # The editor looks for broken keys before it rolls back, fails at that too, and leaves
            # the transaction open; `migrate` ends there, and SQLite rolls back.
            connection.connection.close()
            del connections["default"]
        raise


@pytest.fixture
def altered(walked: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = walked["altered"]
    assert found.keys() == {model._meta.db_table for model in ALTERED}
    return found


def test_a_migration_that_drops_first_and_installs_last_works(altered: dict[str, Any]) -> None:
    for table, tried in altered.items():
        assert tried["with both"] == ["", True, "", True], table


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL does not copy the table")
def test_a_migration_that_does_not_drop_first_fails_on_sqlite(altered: dict[str, Any]) -> None:
    for table, tried in altered.items():
        assert tried["without drop"][0].startswith("OperationalError"), table
    assert "no such table: main.cases_release" in altered["cases_release"]["without drop"][0]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL does not copy the table")
def test_a_migration_that_forgets_both_fails_or_is_seen_by_the_comparison(
    altered: dict[str, Any],
) -> None:
    """SQLite silently drops the triggers of a table with the table."""
    for table, tried in altered.items():
        wrong, is_whole, *_rest = tried["with neither"]
        assert wrong or not is_whole, table
    assert altered["cases_release"]["with neither"][0]
