"""`make run`, in a copy of the checkout: from nothing to a site that the printed people enter."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

from evalsite import scratch
from tests.bed.databases import empty_database

BASE_DIR = Path(__file__).resolve().parents[2]
SOURCE = ["evalsite", "cases", "reviews", "templates", "locale", "manage.py"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in SOURCE:
        source = BASE_DIR / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
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
    except URLError:
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


@pytest.mark.django_db
def test_the_printed_people_sign_in_and_find_first_pages_of_their_own(
    checkout: Path, tmp_path: Path
) -> None:
    database_url = empty_database("start_demo", tmp_path)
    with started(checkout, database_url) as (url, said):
        accounts = printed_accounts(said)
        assert {name: role for name, (role, _password) in accounts.items()} == {
            "rita": "reviewer",
            "omar": "reviewer",
            "wei": "reviewer",
            "ada": "admin",
            "mina": "manager",
        }
        homes = {name: sign_in(url, name, password) for name, (_role, password) in accounts.items()}
    assert "My reviews" in homes["rita"]
    assert "我的评审" in homes["wei"]
    assert "Ready for a release?" in homes["ada"]
    assert "Decisions" in homes["mina"]
    assert "Decisions" not in homes["ada"] + homes["rita"]

    with started(checkout, database_url) as (url, said):
        assert printed_accounts(said) == accounts
        sign_in(url, "ada", accounts["ada"][1])


@pytest.mark.django_db
def test_without_the_demo_it_says_how_to_make_the_first_admin(
    checkout: Path, tmp_path: Path
) -> None:
    database_url = empty_database("start_empty", tmp_path)
    with started(checkout, database_url, DEMO="0") as (_url, said):
        assert printed_accounts(said) == {}
        assert "manage.py createsuperuser" in said
    assert not (checkout / "var" / "demo-accounts.txt").exists()


@pytest.mark.django_db
def test_secrets_are_made_once_and_readable_by_their_owner_alone(
    checkout: Path, tmp_path: Path
) -> None:
    database_url = empty_database("start_secrets", tmp_path)
    with started(checkout, database_url):
        pass
    kept = {name: checkout / "var" / name for name in ("env", "demo-accounts.txt")}
    before = {name: file.read_text() for name, file in kept.items()}
    assert all(file.stat().st_mode & 0o077 == 0 for file in kept.values())
    with started(checkout, database_url):
        pass
    assert {name: file.read_text() for name, file in kept.items()} == before


@pytest.mark.django_db
def test_a_port_in_use_is_said_before_anything_is_written(checkout: Path, tmp_path: Path) -> None:
    database_url = empty_database("start_port", tmp_path)
    with started(checkout, database_url) as (url, _said):
        done = subprocess.run(
            [sys.executable, "-m", "evalsite.start"],
            cwd=checkout,
            env={"PATH": os.environ["PATH"], "PORT": url.rpartition(":")[2]},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "is in use" in done.stderr
