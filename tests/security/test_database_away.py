"""The database becomes unavailable and comes back: 503 in between, then normal again."""

import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from select import select
from threading import Thread
from typing import Any, Protocol
from urllib.parse import urlsplit

import psycopg
import pytest
import requests
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from tests import servers
from tests.bed.databases import empty_database, server_url
from tests.bed.servers import Visitor, invite, sqlite_path
from tests.conftest import MakeDatabase


class Database(Protocol):
    url: str

    def take_away(self) -> None: ...

    def bring_back(self) -> None: ...


class SqliteFile:
    """Replace the database file by a folder, as if a disk were mounted there."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.path = sqlite_path(url)
        self.aside = self.path.with_suffix(".aside")

    def take_away(self) -> None:
        self.path.rename(self.aside)
        self.path.mkdir()

    def bring_back(self) -> None:
        shutil.rmtree(self.path)
        self.aside.rename(self.path)


class PostgresServer:
    """PostgreSQL behind a proxy port. Closing the port and ending all connections looks to the site
    like a stopped server."""

    def __init__(self, url: str) -> None:
        self.server_url = url
        self.door = Door(url)
        address = urlsplit(url)
        through = f"{address.username}:{address.password}@127.0.0.1:{self.door.port}"
        self.url = address._replace(netloc=through).geturl()

    def take_away(self) -> None:
        self.door.shut()
        with psycopg.connect(server_url(), autocommit=True) as above:
            ended = above.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [urlsplit(self.url).path.removeprefix("/")],
            )
            assert ended.fetchall(), "the site had no connection"

    def bring_back(self) -> None:
        self.door.open()


class Door:
    """A proxy port to PostgreSQL that can be closed."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.behind = (address.hostname, address.port)
        self.port = servers.free_port()
        self.open()

    def open(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", self.port))
        Thread(target=self.let_in, args=[self.listening], daemon=True).start()

    def shut(self) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept()
        self.listening.close()

    def let_in(self, listening: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listening.accept()
            except OSError:
                return  # shut
            Thread(target=self.pass_on, args=[visitor], daemon=True).start()

    def pass_on(self, visitor: socket.socket) -> None:
        with visitor, socket.create_connection(self.behind) as server:
            other = {visitor: server, server: visitor}
            while True:
                for readable in select(list(other), [], [])[0]:
                    try:
                        received = readable.recv(65536)
                        other[readable].sendall(received)
                    except ConnectionError:
                        return  # ended by either side, which ends it for both
                    if not received:
                        return


def wait_until(is_true: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def database(migrated_database: MakeDatabase, folder: Path) -> Iterator[Database]:
    url = migrated_database("away", folder)
    if connection.vendor == "sqlite":
        yield SqliteFile(url)
        return
    server = PostgresServer(url)
    try:
        yield server
    finally:
        server.door.shut()


@dataclass(frozen=True)
class Outage:
    """The requests while the database was unavailable, and their results."""

    during: dict[str, requests.Response]
    after: dict[str, requests.Response]
    workers_before: set[int]
    workers_after: set[int]
    log: str
    database_url: str


@pytest.fixture(scope="module")
def outage(
    migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outage]:
    with database(migrated_database, tmp_path_factory.mktemp("away")) as taken:
        invite(taken.url, ada="admin")
        with (
            servers.site(database_url=taken.url, threads=8) as site,
            Visitor(site.url) as ada,
            Visitor(site.url) as stranger,
        ):
            ada.sign_in("ada")
            assert ada.is_signed_in
            stranger.get("/sign-in/")
            workers_before = workers_of(site)
            questions: dict[str, Callable[[], requests.Response]] = {
                "sign-in form": lambda: stranger.get("/sign-in/"),
                "signing in": lambda: stranger.sign_in("ada"),
                "page": lambda: ada.get("/people/"),
                "form": lambda: ada.post("/invite/", {"username": "omar"}),
                "page that does not exist": lambda: ada.get("/no/such/page/"),
                "records": lambda: ada.get("/admin/"),
                "healthz": lambda: ada.get("/healthz"),
                "readyz": lambda: ada.get("/readyz"),
                "static file": lambda: ada.get("/static/spotcheck/site.css"),
            }
            taken.take_away()
            try:
                # At once: each waits its seconds for the database.
                with ThreadPoolExecutor(len(questions)) as pool:
                    asked = {name: pool.submit(ask) for name, ask in questions.items()}
                    during = {name: answer.result() for name, answer in asked.items()}
            finally:
                taken.bring_back()
            wait_until(lambda: ada.get("/readyz").status_code == 200, seconds=300)
            after = {
                "page": ada.get("/people/"),
                "signing in": stranger.sign_in("ada"),
                "readyz": ada.get("/readyz"),
            }
            yield Outage(during, after, workers_before, workers_of(site), site.log(), taken.url)


def workers_of(site: servers.Site) -> set[int]:
    children = Path(f"/proc/{site.pid}/task/{site.pid}/children").read_text()
    return {int(pid) for pid in children.split()}


@pytest.mark.parametrize("what", ["signing in", "page", "form", "records"])
def test_what_needs_the_database_is_answered_with_503(what: str, outage: Outage) -> None:
    answer = outage.during[what]
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "The database is not available right now" in answer.text
    assert answer.headers["X-Request-ID"] in answer.text
    assert "'none'" in answer.headers["Content-Security-Policy"]


def test_nobody_is_signed_out_by_it(outage: Outage) -> None:
    assert all("sessionid" not in answer.cookies for answer in outage.during.values())
    assert outage.after["page"].status_code == 200


def test_a_page_that_does_not_exist_is_no_mistake_of_ours_meanwhile(outage: Outage) -> None:
    assert outage.during["page that does not exist"].status_code in (404, 503)


def test_nobody_is_told_of_too_many_attempts(outage: Outage) -> None:
    assert "Too many" not in outage.during["signing in"].text


def test_what_needs_no_database_goes_on(outage: Outage) -> None:
    assert outage.during["sign-in form"].status_code == 200
    assert outage.during["static file"].status_code == 200


def test_the_process_is_healthy_and_not_ready(outage: Outage) -> None:
    assert outage.during["healthz"].status_code == 200
    answer = outage.during["readyz"]
    assert (answer.status_code, answer.json()) == (503, {"status": "database away"})
    assert int(answer.headers["Retry-After"]) > 0


def test_the_same_processes_serve_again_once_it_is_back(outage: Outage) -> None:
    assert outage.workers_before == outage.workers_after
    assert outage.after["signing in"].status_code == 302
    assert outage.after["readyz"].json() == {"status": "ok"}


def test_the_log_tells_which_requests_failed_and_no_password(outage: Outage) -> None:
    lines = [json.loads(line) for line in outage.log.splitlines()]
    about_requests = [line for line in lines if line["logger"] == "django.request"]
    assert about_requests
    assert all(line["request_id"] for line in about_requests)
    failed = {answer.headers["X-Request-ID"] for answer in outage.during.values() if not answer.ok}
    assert failed <= {line["request_id"] for line in about_requests}
    password = urlsplit(outage.database_url).password
    assert password is None or password not in outage.log


@pytest.mark.django_db
def test_readiness_names_the_migrations_that_are_missing() -> None:
    assert Client().get("/readyz").json() == {"status": "ok"}
    last = MigrationRecorder.Migration.objects.filter(app="reviews").order_by("id").last()
    assert last is not None
    last.delete()
    response: Any = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "migrations missing", "missing": [f"reviews.{last.name}"]}


@pytest.mark.sqlite
def test_a_database_that_was_never_migrated_is_not_ready(tmp_path: Path) -> None:
    database_url = empty_database("never_migrated", tmp_path)
    with servers.site(database_url=database_url) as site, Visitor(site.url) as visitor:
        answer = visitor.get("/readyz")
        assert answer.status_code == 503
        assert {"auth.0001_initial", "reviews.0001_squashed_0009"} <= set(answer.json()["missing"])
        assert visitor.get("/healthz").status_code == 200
