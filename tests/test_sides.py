"""What `make test` runs on one side only, and that nothing falls between the two."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from django import db
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from tests.bed import databases, servers, sides
from tests.conftest import MakeDatabase, pytest_collection_modifyitems

HERE: ModuleType = sys.modules[__name__]


# --- Examples, which nobody runs ------------------------------------------------------------------


@pytest.fixture
def asking(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("rita")


@pytest.fixture
def with_rita(rita: User) -> User:
    return rita


def plain(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None: ...


@pytest.mark.django_db
def marked() -> None: ...


@sides.ONCE_ON_POSTGRES
def once_on_postgres(rita: User) -> None: ...


@pytest.mark.once("oracle")
def once_on_oracle() -> None: ...


def with_a_row(with_rita: User) -> None: ...


def in_transactions(transactional_db: None) -> None: ...


def served(live_server: LiveServer) -> None: ...


def migrated(migrated_database: MakeDatabase) -> None: ...


def set_up(django_db_setup: None) -> None: ...


def unblocked(django_db_blocker: Any) -> None: ...


def asks_later(request: pytest.FixtureRequest) -> None: ...


def asks_later_still(asking: Any) -> None: ...


WITH_A_DATABASE: list[Callable[..., None]] = [
    *(marked, with_a_row, in_transactions, served),
    *(migrated, set_up, unblocked, asks_later, asks_later_still),
]
Collect = Callable[[Callable[..., None]], pytest.Item]


@pytest.fixture
def collect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Collect:
    """Makes an item of an example, as pytest would, in a module that knows no engine."""
    for name in ("databases", "servers", "db"):
        monkeypatch.delattr(HERE, name)

    def made(example: Callable[..., None]) -> pytest.Item:
        parent = request.node.parent
        item: pytest.Item = pytest.Function.from_parent(
            parent, name=example.__name__, callobj=example
        )
        return item

    return made


# --- The rule -------------------------------------------------------------------------------------


def test_a_test_without_a_database_runs_once(collect: Collect) -> None:
    assert sides.of(collect(plain)) == ("sqlite",)


@pytest.mark.parametrize("example", WITH_A_DATABASE)
def test_a_test_that_may_meet_a_database_runs_on_both_sides(
    collect: Collect, example: Callable[..., None]
) -> None:
    assert sides.of(collect(example)) == sides.SIDES


@pytest.mark.parametrize(
    "known",
    [
        *(db.connection, db.connections, databases, servers),
        *(databases.empty_database, servers.invite, servers.Visitor),
    ],
)
def test_in_a_module_that_knows_engines_every_test_runs_on_both_sides(
    collect: Collect, monkeypatch: pytest.MonkeyPatch, known: object
) -> None:
    monkeypatch.setattr(HERE, "known", known, raising=False)
    assert sides.of(collect(plain)) == sides.SIDES


def test_a_mark_names_the_side(collect: Collect) -> None:
    assert sides.of(collect(once_on_postgres)) == ("postgres",)


def test_of_shared_parameters_each_side_has_every_other() -> None:
    found = sides.shared("desk", ("phone", "dark"), "tablet")
    assert [one.values for one in found] == [("desk",), ("phone", "dark"), ("tablet",)]
    marks = [mark.args for one in found for mark in one.marks]
    assert marks == [("sqlite",), ("postgres",), ("sqlite",)]


def test_the_sides_share_all_tests_and_by_hand_all_run(
    collect: Collect, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples: list[Callable[..., None]] = [plain, once_on_postgres, *WITH_A_DATABASE]
    everything = [collect(one) for one in examples]
    # Whoever watches the hook would count the examples.
    monkeypatch.setattr(pytestconfig.hook, "pytest_deselected", lambda items: None)

    def kept() -> list[pytest.Item]:
        items = list(everything)
        pytest_collection_modifyitems(pytestconfig, items)
        return items

    monkeypatch.delenv(sides.VARIABLE, raising=False)
    assert kept() == everything
    monkeypatch.setenv(sides.VARIABLE, "sqlite")
    on_sqlite = kept()
    monkeypatch.setenv(sides.VARIABLE, "postgres")
    on_postgres = kept()
    assert [one.name for one in everything if one not in on_sqlite] == ["once_on_postgres"]
    assert [one.name for one in everything if one not in on_postgres] == ["plain"]


def test_a_mark_with_the_name_of_no_side_is_refused(collect: Collect) -> None:
    """It would leave its test out of both."""
    with pytest.raises(pytest.UsageError, match="there is no side “oracle”"):
        sides.of(collect(once_on_oracle))
