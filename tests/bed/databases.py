"""Empty databases of the engine that this test run is about, for servers of their own."""

from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from evalsite import scratch


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
