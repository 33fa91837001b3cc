"""`make run`, in a copy of the checkout: from nothing to a site that the printed people enter."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
from django.db import connection

from evalsite import scratch
from tests.bed.databases import empty_database
from tests.bed.sides import ONCE_ON_SQLITE
from tests.conftest import MakeDatabase

BASE_DIR = Path(__file__).resolve().parents[2]
SOURCE = ["evalsite", "cases", "reviews", "templates", "locale", "manage.py"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return made_checkout(tmp_path)


def made_checkout(folder: Path) -> Path:
    copy = folder / "checkout"
    copy.mkdir()
    for name in SOURCE:
        source = BASE_DIR / name
        if source.is_dir():
            shutil.copytree(source, copy / name)
        else:
            shutil.copy(source, copy / name)
    subprocess.run([sys.executable, "-m", "evalsite.catalogue", "compile"], cwd=copy, check=True)
    return copy


@contextmanager
def started(checkout: Path, database_url: str, **more: str) -> Iterator[tuple[str, str]]:
    """Its address, and what it printed before it served."""
    port = str(scratch.free_port())
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
        deadline = time.monotonic() + 60
        while not answers(f"{url}/readyz"):
            assert process.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.05)
        yield url, said.read_text()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def answers(url: str) -> bool:
    try:
        with build_opener().open(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:  # refused, or too slow to answer yet
        return False


def sign_in(url: str, username: str, password: str) -> str:
    """The first page after signing in."""
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
    """What was there to see after one `make run` with the demo."""

    accounts: dict[str, tuple[str, str]]
    homes: dict[str, str]
    files: dict[str, str]
    modes: dict[str, int]


@pytest.fixture(scope="module")
def starts(
    migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> list[Start]:
    """The first start, on nothing, and the second one in the same place.

    On PostgreSQL, for which there are steps to take before, the tables are there already.
    """
    folder = tmp_path_factory.mktemp("start")
    checkout = made_checkout(folder)
    make = empty_database if connection.vendor == "sqlite" else migrated_database
    database_url = make("start_demo", folder)
    return [start(checkout, database_url) for _ in range(2)]


def start(checkout: Path, database_url: str) -> Start:
    with started(checkout, database_url) as (url, said):
        accounts = printed_accounts(said)
        homes = {name: sign_in(url, name, password) for name, (_role, password) in accounts.items()}
    kept = {name: checkout / "var" / name for name in ("env", "demo-accounts.txt")}
    return Start(
        accounts=accounts,
        homes=homes,
        files={name: file.read_text() for name, file in kept.items()},
        modes={name: file.stat().st_mode for name, file in kept.items()},
    )


def test_the_printed_people_sign_in_and_find_first_pages_of_their_own(starts: list[Start]) -> None:
    first, second = starts
    assert {name: role for name, (role, _password) in first.accounts.items()} == {
        "rita": "reviewer",
        "omar": "reviewer",
        "wei": "reviewer",
        "ada": "admin",
        "mina": "manager",
    }
    assert "My reviews" in first.homes["rita"]
    assert "我的评审" in first.homes["wei"]
    assert "Ready for a release?" in first.homes["ada"]
    assert "Decisions" in first.homes["mina"]
    assert "Decisions" not in first.homes["ada"] + first.homes["rita"]
    assert second.accounts == first.accounts


def test_secrets_are_made_once_and_readable_by_their_owner_alone(starts: list[Start]) -> None:
    first, second = starts
    assert all(mode & 0o077 == 0 for mode in first.modes.values())
    assert second.files == first.files


def test_without_the_demo_it_says_how_to_make_the_first_admin(
    checkout: Path, migrated_database: MakeDatabase, tmp_path: Path
) -> None:
    database_url = migrated_database("start_empty", tmp_path)
    with started(checkout, database_url, DEMO="0") as (_url, said):
        assert printed_accounts(said) == {}
        assert "manage.py createsuperuser" in said
    assert not (checkout / "var" / "demo-accounts.txt").exists()


@ONCE_ON_SQLITE
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
