"""The sides of `make test`: which tests run on SQLite, which on PostgreSQL, most on both.

A test that no engine can change would say the same twice, so one side leaves it out. By hand,
without SPOTCHECK_SIDE, everything runs.
"""

import inspect
import sys
from functools import cache
from itertools import cycle
from types import ModuleType
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from django.db import connection, connections

SIDES = ("sqlite", "postgres")
# On SQLite, beside the two: a browser waits more than it computes.
BROWSER = "browser"
VARIABLE = "SPOTCHECK_SIDE"

# Whoever imports from these starts processes on databases of their own.
BEDS = {"tests.bed.databases", "tests.bed.servers"}
FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup", "migrated_database"}

ONCE_ON_SQLITE = pytest.mark.once("sqlite")
ONCE_ON_POSTGRES = pytest.mark.once("postgres")


def shared(*values: Any) -> list[ParameterSet]:
    """Parameters of what depends on no engine, as the look of a page: each side has every other."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=mark)
        for one, mark in zip(values, cycle((ONCE_ON_SQLITE, ONCE_ON_POSTGRES)), strict=False)
    ]


def of(item: pytest.Item) -> tuple[str, ...]:
    """Where a test runs: as its mark `once` says, or on both, or on the faster side alone."""
    if mark := item.get_closest_marker("once"):
        [side] = mark.args
        if side not in (*SIDES, BROWSER):
            raise pytest.UsageError(f"{item.nodeid}: there is no side “{side}”.")
        return (side,)
    return SIDES if may_meet_a_database(item) else ("sqlite",)


def may_meet_a_database(item: pytest.Item) -> bool:
    """In this process pytest-django refuses whoever has neither its mark nor its fixtures."""
    if not isinstance(item, pytest.Function) or item.get_closest_marker("django_db"):
        return True
    if FIXTURES & set(item.fixturenames) or has_a_door(item):
        return True
    return any(is_about_engines(value) for value in vars(item.module).values())


def has_a_door(item: pytest.Function) -> bool:
    """Whether the test or a fixture of ours may come to one that stands in no signature."""
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    functions = [(item.function, item._fixtureinfo.argnames)]
    functions += [(one.func, one.argnames) for found in fixtures for one in found]
    return any(
        "django_db_blocker" in names or ("request" in names and asks_later(function.__module__))
        for function, names in functions
        if function.__module__.partition(".")[0] == "tests"
    )


@cache
def asks_later(module: str) -> bool:
    return "getfixturevalue" in inspect.getsource(sys.modules[module])


def is_about_engines(value: Any) -> bool:
    if value is connection or value is connections:
        return True
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return name in BEDS
