"""Which tests run on SQLite, which on PostgreSQL, and which on both.

`make test` runs `-m "not postgres"` on SQLite and `-m "not sqlite"` on PostgreSQL. A test that uses
a database runs on both, unless it carries one of the two marks; a test that uses none would say the
same twice, and gets the mark `sqlite` when it is collected.
"""

from itertools import cycle
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from django.db import connection, connections

from tests.bed.databases import empty_database

NAMES = ("sqlite", "postgres")
FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup", "migrated_database"}
# A test can ask these about the engine without a fixture.
KNOWN_BY = (connection, connections, empty_database)
WITHOUT_DATABASE = pytest.mark.sqlite(reason="uses no database")


def uses_a_database(item: pytest.Item) -> bool:
    """Without the mark or one of the fixtures pytest-django refuses every query."""
    if item.get_closest_marker("django_db") or not isinstance(item, pytest.Function):
        return True
    known = vars(item.module).values()
    return bool(FIXTURES & set(item.fixturenames)) or any(
        value is engine for value in known for engine in KNOWN_BY
    )


def mark_tests_without_database(items: list[pytest.Item]) -> None:
    for item in items:
        marks = [mark for name in NAMES if (mark := item.get_closest_marker(name))]
        if len(marks) > 1:
            raise pytest.UsageError(f"{item.nodeid} would run on neither engine.")
        if not marks and not uses_a_database(item):
            item.add_marker(WITHOUT_DATABASE)


def refuse_late_database(fixture: str, item: pytest.Item) -> None:
    """A test that gets a database by `getfixturevalue` alone would run on one engine."""
    marks = list(item.iter_markers("sqlite"))
    if fixture in FIXTURES and WITHOUT_DATABASE.mark in marks:
        pytest.fail(f"{item.nodeid} uses {fixture}: mark it with django_db.", pytrace=False)


def share_out(*values: Any) -> list[ParameterSet]:
    """Parameters of a test that no engine can change: every other one on SQLite."""
    marks = cycle((pytest.mark.sqlite, pytest.mark.postgres))
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=mark)
        for value, mark in zip(values, marks, strict=False)
    ]
