"""Every test runs on the engines that it needs, and no test falls between them."""

import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from django import db
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from tests import engines, run
from tests.bed import databases
from tests.conftest import MakeDatabase

HERE: ModuleType = sys.modules[__name__]
Example = Callable[..., None]
Collect = Callable[[Example], pytest.Item]


# --- Examples, which pytest does not collect ------------------------------------------------------


@pytest.fixture
def with_rita(rita: User) -> User:
    return rita


def pure(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None: ...


def asks_later(request: pytest.FixtureRequest) -> None: ...


@pytest.mark.django_db
def marked() -> None: ...


def with_a_row(with_rita: User) -> None: ...


def in_transactions(transactional_db: None) -> None: ...


def served(live_server: LiveServer) -> None: ...


def migrated(migrated_database: MakeDatabase) -> None: ...


def set_up(django_db_setup: None) -> None: ...


@pytest.mark.sqlite
def on_sqlite(rita: User) -> None: ...


@pytest.mark.postgres
def on_postgres(rita: User) -> None: ...


@pytest.mark.postgres
def pure_on_postgres() -> None: ...


@pytest.mark.sqlite
@pytest.mark.postgres
def on_neither() -> None: ...


WITH_A_DATABASE = [marked, with_a_row, in_transactions, served, migrated, set_up]


@pytest.fixture
def collect(request: pytest.FixtureRequest) -> Collect:
    """Makes an item of an example, as pytest would."""

    def make(example: Example) -> pytest.Item:
        item: pytest.Item = pytest.Function.from_parent(
            request.node.parent, name=example.__name__, callobj=example
        )
        return item

    return make


def engines_of(item: pytest.Item) -> list[str]:
    """Where `make test` runs it."""
    engines.mark_tests_without_database([item])
    return [
        engine
        for engine, expression in run.ONLY.items()
        if not item.get_closest_marker(expression.removeprefix("not "))
    ]


# --- The rule -------------------------------------------------------------------------------------


def test_a_test_without_a_database_runs_once(collect: Collect) -> None:
    assert engines_of(collect(pure)) == ["sqlite"]


@pytest.mark.parametrize("example", WITH_A_DATABASE)
def test_a_test_with_a_database_runs_on_both(collect: Collect, example: Example) -> None:
    assert engines_of(collect(example)) == ["sqlite", "postgres"]


@pytest.mark.parametrize("known", [db.connection, db.connections, databases.empty_database])
def test_in_a_module_that_asks_for_the_engine_every_test_runs_on_both(
    collect: Collect, monkeypatch: pytest.MonkeyPatch, known: object
) -> None:
    monkeypatch.setattr(HERE, "known", known, raising=False)
    assert engines_of(collect(pure)) == ["sqlite", "postgres"]


@pytest.mark.parametrize(
    ("example", "engine"),
    [(on_sqlite, "sqlite"), (on_postgres, "postgres"), (pure_on_postgres, "postgres")],
)
def test_a_mark_names_the_only_engine(collect: Collect, example: Example, engine: str) -> None:
    assert engines_of(collect(example)) == [engine]


def test_a_test_that_would_run_on_neither_is_refused(collect: Collect) -> None:
    with pytest.raises(pytest.UsageError, match="on_neither would run on neither engine"):
        engines_of(collect(on_neither))


def test_a_test_that_gets_its_database_late_fails_until_it_is_marked(collect: Collect) -> None:
    late, known = collect(asks_later), collect(marked)
    engines.mark_tests_without_database([late, known])
    engines.refuse_late_database("db", known)
    engines.refuse_late_database("tmp_path", late)
    with pytest.raises(pytest.fail.Exception, match="asks_later uses db: mark it with django_db"):
        engines.refuse_late_database("db", late)


def test_parameters_are_shared_out_to_the_engines_in_turn() -> None:
    found = engines.share_out("desk", ("phone", "dark"), "tablet")
    assert [param.values for param in found] == [("desk",), ("phone", "dark"), ("tablet",)]
    names = [mark.name for param in found for mark in param.marks if not isinstance(mark, str)]
    assert names == ["sqlite", "postgres", "sqlite"]
