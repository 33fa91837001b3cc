"""Temporary servers for tests and the bench: a private PostgreSQL, and the site itself.

Nothing here changes the system or imports Django. Each server has a guard, a small process that
ends the server and removes its files when the process that started it is gone, even by kill -9.
"""

from tests.servers.database import create_database, drop_database, postgres
from tests.servers.processes import StartFailed, free_port
from tests.servers.website import Site, environment, manage, run_python, site

__all__ = [
    "Site",
    "StartFailed",
    "create_database",
    "drop_database",
    "environment",
    "free_port",
    "manage",
    "postgres",
    "run_python",
    "site",
]
