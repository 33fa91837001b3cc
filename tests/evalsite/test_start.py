"""`make run` in a fresh checkout gives a site that the printed accounts can sign in to."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
from django.db import connection

from tests import servers
from tests.bed.databases import empty_database
from tests.bed.servers import execute
from tests.conftest import MakeDatabase

BASE_DIR = Path(__file__).resolve().parents[2]
SOURCE = ["evalsite", "cases", "reviews", "templates", "locale", "manage.py"]
Process = subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("checkout")
    for name in SOURCE:
        source = BASE_DIR / name
        if source.is_dir():
            shutil.copytree(source, copy / name)
        else:
            shutil.copy(source, copy / name)
    subprocess.run([sys.executable, "-m", "evalsite.catalogue"], cwd=copy, check=True)
    return copy


@pytest.fixture
def checkout(copied: Path) -> Path:
    return unused(copied)


def unused(checkout: Path) -> Path:
    """Return the checkout without data, but with the compiled catalogues of `make install`."""
    for path in (checkout / "var").iterdir():
        if path.name != "locale":
            path.unlink()
    return checkout


@contextmanager
def started(checkout: Path, database_url: str, **more: str) -> Iterator[tuple[str, str, Process]]:
    """Start the site; yield its address, its output and the process."""
    port = str(servers.free_port())
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {"DATABASE_URL": database_url, "PORT": port, "WEB_WORKERS": "1", **more}
    said = checkout / "said"
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "evalsite.start"],
            cwd=checkout,
            env=environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: f"Spotcheck is at {url}" in said.read_text(), process, said)
        yield url, said.read_text(), process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(120)


@contextmanager
def served(checkout: Path, database_url: str) -> Iterator[tuple[str, str]]:
    """Start the site and wait until it answers."""
    with started(checkout, database_url) as (url, said, process):
        wait_until(lambda: answers(f"{url}/readyz"), process, checkout / "said")
        yield url, said


def wait_until(is_so: Callable[[], bool], process: Process, said: Path) -> None:
    deadline = time.monotonic() + 300
    while not is_so():
        assert process.poll() is None, said.read_text()
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        with build_opener().open(url, timeout=60) as response:
            return bool(response.status == 200)
    except OSError:  # refused, or too slow to answer yet
        return False


def sign_in(url: str, username: str, password: str) -> str:
    """Sign in and return the home page."""
    browser: OpenerDirector = build_opener(HTTPCookieProcessor(CookieJar()))
    form = browser.open(f"{url}/sign-in/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
    assert token
    fields = {"csrfmiddlewaretoken": token[1], "login": username, "password": password}
    with browser.open(f"{url}/sign-in/", urlencode(fields).encode()) as response:
        assert response.url == f"{url}/", f"{username} was not let in"
        return str(response.read().decode())


def printed_accounts(said: str) -> dict[str, tuple[str, str]]:
    rows = re.findall(r"^(\w+)  (reviewer|admin|manager)  (\S{15,})$", said, re.MULTILINE)
    return {name: (role, password) for name, role, password in rows}


@dataclass(frozen=True)
class Start:
    """What one `make run` with the demo showed."""

    accounts: dict[str, tuple[str, str]]
    passwords: list[tuple[Any, ...]]
    files: dict[str, str]
    modes: dict[str, int]


@dataclass(frozen=True)
class Starts:
    first: Start
    homes: dict[str, str]
    second: Start


@pytest.fixture(scope="module")
def starts(
    copied: Path, migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Starts:
    """The first start, on nothing, and the second one in the same place.

    On PostgreSQL, for which there are steps to take before, the tables are there already.
    """
    checkout = unused(copied)
    make = empty_database if connection.vendor == "sqlite" else migrated_database
    database_url = make("start_demo", tmp_path_factory.mktemp("start"))
    with served(checkout, database_url) as (url, said):
        accounts = printed_accounts(said).items()
        homes = {name: sign_in(url, name, password) for name, (_role, password) in accounts}
    first = seen(checkout, database_url, said)
    with served(checkout, database_url) as (_url, said):
        pass
    return Starts(first, homes, second=seen(checkout, database_url, said))


def seen(checkout: Path, database_url: str, said: str) -> Start:
    kept = {name: checkout / "var" / name for name in ("env", "demo-accounts.txt")}
    return Start(
        accounts=printed_accounts(said),
        passwords=execute(database_url, "SELECT username, password FROM auth_user ORDER BY 1"),
        files={name: file.read_text() for name, file in kept.items()},
        modes={name: file.stat().st_mode for name, file in kept.items()},
    )


def test_the_printed_people_sign_in_and_find_first_pages_of_their_own(starts: Starts) -> None:
    assert {name: role for name, (role, _password) in starts.first.accounts.items()} == {
        "rita": "reviewer",
        "omar": "reviewer",
        "wei": "reviewer",
        "ada": "admin",
        "mina": "manager",
    }
    homes = starts.homes
    assert homes.keys() == starts.first.accounts.keys()
    assert "My reviews" in homes["rita"]
    assert "我的评审" in homes["wei"]
    assert "For you to do" in homes["ada"]
    assert "What a verdict is based on" in homes["mina"]
    assert "What a verdict is based on" not in homes["ada"] + homes["rita"]


def test_a_second_start_prints_the_same_people_and_lets_them_in_as_before(starts: Starts) -> None:
    assert starts.second.accounts == starts.first.accounts
    assert starts.second.passwords == starts.first.passwords


def test_secrets_are_made_once_and_readable_by_their_owner_alone(starts: Starts) -> None:
    assert all(mode & 0o077 == 0 for mode in starts.first.modes.values())
    assert starts.second.files == starts.first.files


@pytest.mark.sqlite
def test_without_the_demo_it_says_how_to_make_the_first_admin(
    checkout: Path, migrated_database: MakeDatabase, tmp_path: Path
) -> None:
    database_url = migrated_database("start_empty", tmp_path)
    with started(checkout, database_url, DEMO="0") as (_url, said, _process):
        assert printed_accounts(said) == {}
        assert "manage.py createsuperuser" in said
    assert not (checkout / "var" / "demo-accounts.txt").exists()


@pytest.mark.sqlite
def test_a_port_in_use_is_said_before_anything_is_written(checkout: Path, tmp_path: Path) -> None:
    database = tmp_path / "untouched.sqlite3"
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = subprocess.run(
            [sys.executable, "-m", "evalsite.start"],
            cwd=checkout,
            env={
                "PATH": os.environ["PATH"],
                "PORT": str(other.getsockname()[1]),
                "DATABASE_URL": f"sqlite:///{database}",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "is in use" in done.stderr
    assert not database.exists()
