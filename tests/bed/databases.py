"""The databases of a test run: migrated once and copied, empty, or without their guards."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from environ import Env

from evalsite import triggers
from tests import servers

# The URL of a database that was migrated for several processes of pytest; see tests/run.py.
MIGRATED = "SPOTCHECK_MIGRATED"
# On PostgreSQL, until the transaction ends: neither triggers nor foreign keys are asked.
PAST_TRIGGERS = "SET LOCAL session_replication_role = replica"
WITH_TRIGGERS = "SET LOCAL session_replication_role = origin"


def migrate(url: str) -> str:
    """As an operator does it: from nothing, in a process with the settings of the product."""
    servers.manage(url, "migrate", "--verbosity=0")
    return url


def copy_database(url: str, name: str, folder: Path) -> str:
    """The URL of a new one of the same engine, with the same rows."""
    if not url.startswith("sqlite"):
        template = urlsplit(url).path[1:]
        return servers.create_database(server_url(), name_for_worker(name), template=template)
    copied = empty_database(name, folder)
    shutil.copy(urlsplit(url).path, urlsplit(copied).path)
    return copied


def empty_database(name: str, folder: Path) -> str:
    """The URL of a new, unmigrated database."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{folder / f'{name}.sqlite3'}"
    return servers.create_database(server_url(), name_for_worker(name))


def name_for_worker(name: str) -> str:
    """The workers of pytest-xdist share a server, where `create_database` replaces by name."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    return f"{name}_{worker}" if worker else name


def server_url() -> str:
    """The PostgreSQL server that the tests themselves use."""
    server = settings.DATABASES["default"]
    password = quote(server["PASSWORD"], safe="")
    return f"postgres://{server['USER']}:{password}@{server['HOST']}:{server['PORT']}/postgres"


@contextmanager
def connected(url: str, alias: str) -> Iterator[str]:
    """One more database for this process, of either engine; `using` takes its alias."""
    database = Env.db_url_config(url)
    if database["ENGINE"].endswith("sqlite3"):
        pragmas = "PRAGMA journal_mode=WAL; PRAGMA recursive_triggers=ON;"
        database["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "init_command": pragmas}
    known = connections.settings[DEFAULT_DB_ALIAS]
    both = connections.configure_settings({DEFAULT_DB_ALIAS: known, alias: database})
    connections.settings[alias] = both[alias]
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections[alias]
        del connections.settings[alias]


@contextmanager
def without_triggers() -> Iterator[None]:
    """What somebody with the database password can do."""
    connection.check_constraints()  # PostgreSQL drops no trigger while a check is still to come
    triggers.drop(connection)
    try:
        yield
    finally:
        connection.check_constraints()
        triggers.install(connection)


def believe_tables_empty() -> None:
    """As PostgreSQL does, for a while, after it counted rows between a rollback and an import."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE pg_class SET relpages = 1, reltuples = 0 "
                "WHERE relkind = 'r' AND relname ~ '^(cases|reviews)_'"
            )
            cursor.execute("SET LOCAL statement_timeout = '120s'")  # what takes n^4 never ends
