"""Throw-away servers for tests and the bench: a private PostgreSQL, and the site itself.

Nothing here changes the system or imports Django. Each server has a guard, a small process that
notices when whoever started it is gone, killed too, and then ends the server and removes its files.
"""

from evalsite.scratch.database import create_database, drop_database, postgres
from evalsite.scratch.processes import StartFailed, free_port
from evalsite.scratch.website import Site, environment, manage, run_python, site

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
