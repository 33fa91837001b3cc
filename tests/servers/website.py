"""The site under gunicorn, with settings that nobody else uses."""

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.servers.processes import (
    HOST,
    STOP_SECONDS,
    TEMPORARY,
    StartFailed,
    end,
    free_port,
    guarded,
    kill_group,
    port_is_free,
    wait_until,
)

BASE_DIR = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Site:
    url: str
    pid: int
    log_path: Path
    process: "subprocess.Popen[bytes]"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def kill(self) -> None:
        """kill -9 of the server and its workers; returns when their port is free again."""
        kill_group(self.pid)
        self.process.wait(STOP_SECONDS)
        deadline = time.monotonic() + STOP_SECONDS
        while not port_is_free(self.port) and time.monotonic() < deadline:
            time.sleep(0.01)


@contextmanager
def site(
    *,
    database_url: str,
    workers: int = 1,
    threads: int = 4,
    env: Mapping[str, str] | None = None,
    wsgi: str = "evalsite.wsgi",
    port: int | None = None,
) -> Iterator[Site]:
    """The site as `make run` serves it, on a database that is migrated already."""
    port = port or free_port()
    if not port_is_free(port):
        raise StartFailed(f"Port {port} is in use.")
    variables = environment(database_url) | {
        "PORT": str(port),
        "WEB_WORKERS": str(workers),
        "WEB_THREADS": str(threads),
    }
    command = [sys.executable, "-m", "gunicorn", "-c", "evalsite/gunicorn.conf.py", wsgi]
    folder = Path(tempfile.mkdtemp(prefix="spotcheck-site-", dir=TEMPORARY))
    log_path = folder / "log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=BASE_DIR,
            env=variables | dict(env or {}),
            start_new_session=True,
        )
    # A new session has the pid of its first process as the number of its group.
    with guarded('kill -KILL "-$1"; rm -rf "$2"', str(process.pid), str(folder)):
        try:
            wait_until(lambda: is_healthy(port), process, log_path)
            yield Site(f"http://{HOST}:{port}", process.pid, log_path, process)
        finally:
            process.terminate()
            end(process)


def environment(database_url: str) -> dict[str, str]:
    """What the site runs with. Little is inherited: tests have settings of their own."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return inherited | {
        "ALLOWED_HOSTS": HOST,
        "DATABASE_URL": database_url,
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "SECRET_KEY": secrets.token_urlsafe(64),
    }


def is_healthy(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=30)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def run_python(database_url: str, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """Run Python on a database and return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=BASE_DIR,
        env=environment(database_url) | dict(env or {}),
    )
    if done.returncode != 0:
        raise StartFailed(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def manage(database_url: str, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    return run_python(database_url, "manage.py", *arguments, env=env)
