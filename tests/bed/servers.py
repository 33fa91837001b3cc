"""What tests of real servers share: people in their database, and a visitor who comes by HTTP."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psycopg
import requests
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from environ import Env

from cases.rubrics.workflow import SHIPPED
from tests import servers
from tests.people import PASSWORD

# Servers on one database share it, as in use.
SECRET_KEY = "only-for-tests-" + "x" * 50


def sqlite_path(database_url: str) -> Path:
    return Path(urlsplit(database_url).path)


def execute(database_url: str, statement: str) -> list[tuple[Any, ...]]:
    """One statement, past the site."""
    if database_url.startswith("sqlite"):
        connection = sqlite3.connect(sqlite_path(database_url), timeout=120)
        try:
            with connection:
                return connection.execute(statement).fetchall()
        finally:
            connection.close()
    with psycopg.connect(database_url) as postgres:
        cursor = postgres.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def invite(database_url: str, **roles_of: str) -> None:
    """People with PASSWORD and an address at example.com, each with one role."""
    servers.manage(
        database_url,
        "shell",
        "--verbosity=0",
        "-c",
        "from reviews.people import workflow as people\n"
        "from evalsite.permissions import Role\n"
        f"for username, role in {roles_of!r}.items():\n"
        "    user = people.invite(username=username, name='', email=username + '@example.com',\n"
        "        roles=[Role(role)], capacity=20, languages=['en'], interface_language='en')\n"
        f"    user.set_password({PASSWORD!r})\n"
        "    user.save()\n",
    )


def manage_in_turn(database_url: str, *commands: Sequence[str]) -> str:
    """Commands of an operator, in one process: to start one takes longer than most of them."""
    return servers.run_python(
        database_url,
        "-c",
        "import django\n"
        "from django.core.management import call_command\n"
        "django.setup()\n"
        f"for command in {[list(one) for one in commands]!r}:\n"
        "    call_command(*command)\n",
    )


Found = TypeVar("Found")


def here(database_url: str, act: Callable[[], Found]) -> Found:
    """An act of the product on the database of a server, in this process, which has started.

    In a thread, because each has connections of its own: the test keeps its database.
    """

    def on_another_connection() -> Found:
        mine = connections[DEFAULT_DB_ALIAS]
        options = {**mine.settings_dict["OPTIONS"]}
        options.pop("pool", None)  # the connections in there are to the database of the test
        other = Env.db_url_config(database_url)
        mine.settings_dict = {**mine.settings_dict, **other, "OPTIONS": options}
        try:
            return act()
        finally:
            mine.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(on_another_connection).result()


def manage_here(database_url: str, *commands: Sequence[str]) -> str:
    """As `manage_in_turn`, where nothing depends on the settings of a server."""
    said = StringIO()

    def in_turn() -> None:
        for command in commands:
            call_command(*command, stdout=said)

    here(database_url, in_turn)
    return said.getvalue()


OPEN_RELEASE = (
    ("load_rubric", str(SHIPPED / "en.md")),
    ("create_release", "wanderer-1", "--product=wanderer"),
)


class Visitor:
    """A browser without scripts: keeps cookies, sends the CSRF token, follows nothing by itself."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy between a test and its server
        self.session.headers.update(headers or {})

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> requests.Response:
        return self.session.get(
            self.url + path, headers=dict(headers or {}), allow_redirects=False, timeout=300
        )

    def post(
        self,
        path: str,
        data: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> requests.Response:
        if "csrftoken" not in self.session.cookies:
            self.get("/sign-in/", headers)
        token = {"X-CSRFToken": self.session.cookies.get("csrftoken") or ""}
        return self.session.post(
            self.url + path,
            data=dict(data or {}),
            headers=token | dict(headers or {}),
            allow_redirects=False,
            timeout=300,
        )

    def sign_in(
        self,
        username: str,
        password: str = PASSWORD,
        headers: Mapping[str, str] | None = None,
    ) -> requests.Response:
        return self.post("/sign-in/", {"login": username, "password": password}, headers)

    @property
    def is_signed_in(self) -> bool:
        return self.get("/account/").status_code == 200
