"""The database that this test run is about: empty ones for servers, and one without its guards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from evalsite import scratch, triggers


def empty_database(name: str, folder: Path) -> str:
    """The URL of a new, unmigrated database."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{folder / f'{name}.sqlite3'}"
    return scratch.create_database(server_url(), name)


def server_url() -> str:
    """The PostgreSQL server that the tests themselves use."""
    server = settings.DATABASES["default"]
    password = quote(server["PASSWORD"], safe="")
    return f"postgres://{server['USER']}:{password}@{server['HOST']}:{server['PORT']}/postgres"


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
