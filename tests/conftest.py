"""The people of the tests: rita, omar and wei review, ada administers, mina manages, sam is a
stranger with an account and no role, root is a superuser."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from _pytest import main
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache, caches
from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.test import Client, TransactionTestCase
from django.utils import translation
from hypothesis import settings as hypothesis
from pytest_django import DjangoDbBlocker

from cases.models import Rubric
from evalsite.permissions import Role
from reviews.home.queries import forget_work
from reviews.report.summary.queries import stored_summary
from tests import engines, servers
from tests.bed import databases, replay, soak
from tests.bed.cases import shipped
from tests.bed.databases import copy_database, empty_database, server_url, without_triggers
from tests.people import PASSWORD, AsUser, make_person, sign_in

MakeDatabase = Callable[[str, Path], str]

# Of every property that names no number of examples itself. `make test` says of one state of the
# code the same each time; `make soak` draws other examples in each run.
hypothesis.register_profile(
    "bed",
    max_examples=soak.size(short=50, long=1000),
    derandomize=not soak.SOAKING,
    deadline=None,  # no test is about time: how long one takes depends on what else is running
)
hypothesis.load_profile("bed")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    engines.mark_tests_without_database(items)
    # File by file: pytest-django would take those with transactions out and run them last.
    places = {item: place for place, item in enumerate(items)}
    yield
    items.sort(key=places.__getitem__)


def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> None:
    if isinstance(request.node, pytest.Item):
        engines.refuse_late_database(fixturedef.argname, request.node)


def pytest_cmdline_main(config: pytest.Config) -> int | pytest.ExitCode | None:
    """A worker of pytest-xdist runs inside a frame with room for all the frames of its calls.

    CPython maps 16 KB whenever calls go deeper than it has room for, and unmaps them when they
    return: where calls go up and down around that depth, this took an eighth of the time.
    """
    return run_with_room(config) if hasattr(config, "workerinput") else None


def run_with_room(config: pytest.Config) -> int | pytest.ExitCode:
    return main.pytest_cmdline_main(config)


run_with_room.__code__ = run_with_room.__code__.replace(co_stacksize=20_000)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through all of it for garbage took a sixteenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@contextmanager
def restore_after_transactions(rows: replay.Rows) -> Iterator[None]:
    """After a transactional test the tables hold these rows and no other.

    Such a test ends with a flush. On SQLite it deletes row by row, which the triggers refuse. On
    PostgreSQL it truncates, which is a hundred times slower and runs into deadlocks with requests
    of a browser that was just closed. And Django makes content types and permissions anew, with
    other keys than those in the rows of a later test.
    """
    flush = type(connection.ops).execute_sql_flush
    tear_down = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def past_the_triggers(ops: BaseDatabaseOperations, statements: list[str]) -> None:
        with transaction.atomic():  # one commit, not one a trigger
            if connection.vendor == "sqlite":
                with without_triggers():
                    flush(ops, statements)
            else:
                delete_every_row()

    def tear_down_and_restore(case: TransactionTestCase) -> None:
        tear_down(case)
        with transaction.atomic():
            cache.clear()  # a table that Django has no model of, with the limits on guessing
            replay.lay_down(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "django.core.management.commands.flush.emit_post_migrate_signal", lambda *_, **__: None
        )
        patch.setattr(type(connection.ops), "execute_sql_flush", past_the_triggers)
        patch.setattr(TransactionTestCase, "_fixture_teardown", tear_down_and_restore)
        yield


def delete_every_row() -> None:
    """In one request."""
    deletes = [f"DELETE FROM {connection.ops.quote_name(table)}" for table in all_tables()]
    with connection.cursor() as cursor:
        cursor.execute("; ".join([databases.PAST_TRIGGERS, *deletes]))


def all_tables() -> list[str]:
    return connection.introspection.django_table_names(only_existing=True, include_views=False)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database that was migrated and has no rows of ours. Nobody writes to it."""
    if url := os.environ.get(databases.MIGRATED):
        yield url
        return
    url = empty_database(f"migrated_{os.getpid()}", tmp_path_factory.getbasetemp())
    yield databases.migrate(url)
    if connection.vendor == "postgresql":
        servers.drop_database(server_url(), urlsplit(url).path[1:])


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, migrated: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """In place of pytest-django's: each process has a copy of a database that is migrated once."""
    path = urlsplit(copy_database(migrated, f"test_{os.getpid()}", settings.VAR_TESTS)).path
    name = path if connection.vendor == "sqlite" else path[1:]
    connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = name
    with django_db_blocker.unblock():
        written_by_migrations = replay.rows_in(all_tables())
    with restore_after_transactions(written_by_migrations):
        yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            tell_who_is_left()
            connection.close()
            connection.close_pool()  # type: ignore[attr-defined]
            servers.drop_database(server_url(), name)
        else:
            connection.close()
            for part in Path(name).parent.glob(f"{Path(name).name}*"):
                part.unlink()


def tell_who_is_left() -> None:
    """Such as a thread that a test left behind."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state, query FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for state, query in cursor.fetchall():
            print(f"\na connection was left, {state}: {query}", file=sys.stderr)


@pytest.fixture(autouse=True)
def english() -> None:
    """A request in another language leaves that language on for whoever comes after it."""
    translation.activate("en")


@pytest.fixture(autouse=True)
def nothing_is_kept_of_another_test() -> None:
    """Releases of two tests may have the same key and the same events."""
    caches["reports"].clear()
    stored_summary.cache_clear()
    forget_work()


@pytest.fixture
def rita(db: None) -> User:
    return make_person("rita", Role.REVIEWER)


@pytest.fixture
def omar(db: None) -> User:
    return make_person("omar", Role.REVIEWER)


@pytest.fixture
def ada(db: None) -> User:
    return make_person("ada", Role.ADMIN)


@pytest.fixture
def mina(db: None) -> User:
    return make_person("mina", Role.MANAGER)


@pytest.fixture
def sam(db: None) -> User:
    return make_person("sam")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password=PASSWORD)


@pytest.fixture
def rubric(db: None) -> Rubric:
    """The shipped rubric as version 1, in English and Chinese."""
    return shipped()


@pytest.fixture(scope="session")
def migrated_database(migrated: str) -> MakeDatabase:
    """`migrated_database(name, folder)`: the URL of a new one, a copy of one that was migrated."""
    return partial(copy_database, migrated)


@pytest.fixture
def as_user() -> AsUser:
    def signed_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            sign_in(client, user)
        return client

    return signed_in
