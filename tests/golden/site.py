"""Runs the site of any checkout the way `make run` does, on a database and a clock of its own."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path

HOST = "127.0.0.1"
# The moment at which every recorded site starts, whatever the day: a Wednesday.
STARTS_AT = datetime(2026, 11, 18, 9, tzinfo=UTC)
# Holds a sitecustomize.py, which Python imports at start.
FIXED = Path(__file__).resolve().parent / "fixed"
START_SECONDS = 300
STOP_SECONDS = 20
# A person without any role: the demo has none.
STRANGER = "sam"


class StartFailed(Exception):
    """The site did not start; the message ends with what it wrote."""


class Site:
    """The site of a copy of a checkout. Its clock stands still between two starts."""

    def __init__(self, checkout: Path, scratch: Path) -> None:
        self.folder = scratch / "checkout"
        self.log_path = scratch / "log"
        self.database = scratch / "golden.sqlite3"
        self.port = find_free_port()
        self.url = f"http://{HOST}:{self.port}"
        self.now = STARTS_AT
        self.passwords: dict[str, str] = {}
        self._secret_key = secrets.token_urlsafe(64)
        self._process: subprocess.Popen[bytes] | None = None
        copy_checkout(checkout, self.folder)

    @property
    def environment(self) -> dict[str, str]:
        """Inherits little, so that two recordings run with the same settings."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return inherited | {
            "DATABASE_URL": f"sqlite:///{self.database}",
            "PORT": str(self.port),
            "WEB_WORKERS": "1",
            "SECRET_KEY": self._secret_key,
            # A recording makes more calls in its one minute than a script is meant to.
            "API_CALLS_PER_MINUTE": "100000",
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.folder.parent),
            "PYTHONPATH": str(FIXED),
            "PYTHONHASHSEED": "0",
            "GOLDEN_NOW": self.now.isoformat(),
        }

    def start(self) -> None:
        with self.log_path.open("wb") as log:
            self._process = subprocess.Popen(
                ["make", "run"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_until_healthy(self._process)
        if not self.passwords:
            self.passwords = read_passwords(self.log_path.read_text("utf-8"))
            self._add_stranger()

    def stop(self) -> None:
        """End `make` and all that it started: a new session has its first process as its group."""
        if self._process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(STOP_SECONDS)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
            break
        while is_healthy(self.port):
            time.sleep(0.05)
        self._process = None

    def move_clock(self, **forward: float) -> None:
        """Start again at a later moment; data, accounts and sessions stay."""
        self.stop()
        self.now += timedelta(**forward)
        self.start()

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of manage.py on the database of the site."""
        return subprocess.run(
            [".venv/bin/python", "manage.py", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )

    def _wait_until_healthy(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_healthy(self.port):
            if process.poll() is not None:
                said = self.log_path.read_text()
                raise StartFailed(f"`make run` ended with {process.returncode}:\n{said}")
            if time.monotonic() > deadline:
                said = self.log_path.read_text()
                raise StartFailed(f"No answer within {START_SECONDS} s:\n{said}")
            time.sleep(0.1)

    def _add_stranger(self) -> None:
        password = secrets.token_urlsafe(18)
        done = self.manage(
            "shell",
            "--verbosity=0",
            "-c",
            "from django.contrib.auth.models import User; "
            f"User.objects.create_user({STRANGER!r}, password={password!r})",
        )
        if done.returncode != 0:
            raise StartFailed(f"The stranger could not be added:\n{done.stderr}")
        self.passwords[STRANGER] = password


@contextmanager
def running(checkout: Path) -> Iterator[Site]:
    """Start the site of a checkout with the demo in it, and end it afterwards."""
    with tempfile.TemporaryDirectory(prefix="spotcheck-golden-") as scratch:
        site = Site(checkout, Path(scratch))
        try:
            site.start()
            yield site
        finally:
            site.stop()


def copy_checkout(checkout: Path, folder: Path) -> None:
    """Copy what git knows or would add: the checkout itself gets no key, account or database."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=checkout,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = checkout / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (folder / ".venv").symlink_to((checkout / ".venv").resolve())
    # The packages are those of the checkout: `make` must not find them older than their list.
    for requirements in folder.glob("requirements*.txt"):
        os.utime(requirements, (0, 0))


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_healthy(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def read_passwords(printed: str) -> dict[str, str]:
    """Read the demo accounts from what `make run` prints: `name  role  password` on each line."""
    rows = [line.split() for line in printed.splitlines()]
    return {
        row[0]: row[2]
        for row in rows
        if len(row) == 3 and row[1] in ("reviewer", "admin", "manager")
    }
