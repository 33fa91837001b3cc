"""The people of the tests: rita, omar and wei review, ada administers, mina manages, sam is a
stranger with an account and no role, root is a superuser."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations
from django.test import Client
from django.utils import timezone, translation

from cases.models import Rubric
from cases.publishing import publish_shipped
from evalsite.permissions import Role
from tests.bed.databases import without_triggers
from tests.people import PASSWORD, make_person


@pytest.fixture(scope="session", autouse=True)
def flushes_empty_the_database() -> Iterator[None]:
    """After a transactional test every table is empty, whatever the order of the tests.

    SQLite deletes row by row, which the triggers refuse. And Django would make content types and
    permissions anew, with other keys than those that a later test may bring along.
    """
    flush = type(connection.ops).execute_sql_flush

    def past_the_triggers(ops: BaseDatabaseOperations, statements: list[str]) -> None:
        with without_triggers():
            flush(ops, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "django.core.management.commands.flush.emit_post_migrate_signal", lambda *_, **__: None
        )
        if connection.vendor == "sqlite":
            patch.setattr(type(connection.ops), "execute_sql_flush", past_the_triggers)
        yield


@pytest.fixture(autouse=True)
def english() -> None:
    """A request in another language leaves that language on for whoever comes after it."""
    translation.activate("en")


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
    return publish_shipped(now=timezone.now()).version


@pytest.fixture
def as_user() -> Callable[[User | None], Client]:
    def signed_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return signed_in
