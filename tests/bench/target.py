"""A running site as the bench sees it: who is signed in, how to ask, which processes it costs."""

import json
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPMessage
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg

from tests.bench import cpu
from tests.bench.counting import ANSWER, ANSWER_WITH, ASK, ASK_WITH, FORGET
from tests.bench.load import Request
from tests.servers import Site

API = "/api/v1"


@dataclass(frozen=True)
class Ask:
    """One request. `who` is signed in before, or has a token; without a name nobody is.

    A body is a form, or JSON as the scripts of a page send it, which may have a key. Who has seen
    the answer before says so; `has_changed`: what is asked for has changed since the last time.
    """

    path: str
    who: str = ""
    method: str = "GET"
    form: Mapping[str, str] = field(default_factory=dict)
    json: str = ""
    key: str = ""
    status: int = 200
    by_token: bool = False
    has_seen: bool = False
    has_changed: bool = False


@dataclass(frozen=True)
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes


class UnexpectedAnswer(Exception):
    """A request that the bench needs before it can measure did not do what it should."""


class Target:
    def __init__(
        self, *, site: Site, database_url: str, database_pids: list[int], password: str
    ) -> None:
        self.site = site
        self.database_url = database_url
        self.database_pids = database_pids
        self.password = password
        self.csrf = secrets.token_hex(16)  # Django takes any 32 letters, the same ones in both
        self.sessions: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        self.tags: dict[tuple[str, str], str] = {}

    def cpu_seconds(self) -> float:
        return cpu.cpu_seconds([self.site.pid, *self.database_pids])

    def rss_bytes(self) -> int:
        return cpu.rss_bytes([self.site.pid])

    def headers(self, ask: Ask) -> dict[str, str]:
        headers = {"Accept-Encoding": "gzip", "Accept-Language": "en"}
        if ask.by_token:
            headers["Authorization"] = f"Token {self.token_of(ask.who)}"
        else:
            session = f"; sessionid={self.session_of(ask.who)}" if ask.who else ""
            headers["Cookie"] = f"csrftoken={self.csrf}{session}"
        if ask.json:
            headers |= {"Content-Type": "application/json", "X-CSRFToken": self.csrf}
        elif ask.method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if ask.has_seen:
            headers["If-None-Match"] = self.tag_of(replace(ask, has_seen=False, status=200))
        if ask.has_changed:
            headers[FORGET] = "1"
        return headers | ({"Idempotency-Key": ask.key} if ask.key else {})

    def body(self, ask: Ask) -> str:
        if ask.json:
            return ask.json
        return urlencode({"csrfmiddlewaretoken": self.csrf, **ask.form}) if ask.form else ""

    def request(self, ask: Ask) -> Request:
        return Request(ask.method, ask.path, self.headers(ask), self.body(ask), ask.status)

    def session_of(self, who: str) -> str:
        if who not in self.sessions:
            answer = self.ask(sign_in(who, self.password))
            cookies = SimpleCookie("; ".join(answer.headers.get_all("Set-Cookie") or []))
            self.sessions[who] = cookies["sessionid"].value
        return self.sessions[who]

    def token_of(self, who: str) -> str:
        if who not in self.tokens:
            said = json.dumps({"username": who, "password": self.password})
            answer = self.ask(Ask(f"{API}/auth/token/", method="POST", json=said, status=201))
            self.tokens[who] = json.loads(answer.body)["token"]
        return self.tokens[who]

    def tag_of(self, ask: Ask) -> str:
        key = ask.who, ask.path
        if key not in self.tags:
            self.tags[key] = str(self.ask(ask).headers["ETag"])
        return self.tags[key]

    def ask(self, ask: Ask, **more_headers: str) -> Answer:
        """Raises UnexpectedAnswer."""
        headers = self.headers(ask) | more_headers
        connection = HTTPConnection("127.0.0.1", self.site.port, timeout=30)
        try:
            connection.request(ask.method, ask.path, self.body(ask) or None, headers)
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        if answer.status != ask.status:
            raise UnexpectedAnswer(
                f"{ask.method} {ask.path} answered {answer.status} instead of {ask.status}:\n"
                f"{self.site.log()[-3000:]}"
            )
        return answer

    def sql_count(self, ask: Ask) -> int:
        return int(self.ask(ask, **{ASK: "1"}).headers[ANSWER])

    def sql_holding(self, ask: Ask, text: str) -> int:
        """How many of the statements that the request takes hold the text."""
        return int(self.ask(ask, **{ASK: "1", ASK_WITH: text}).headers[ANSWER_WITH])

    def rows_in(self, table: str) -> int:
        return rows_in(self.database_url, table)


def rows_in(database_url: str, table: str) -> int:
    [[count]] = asked_of(database_url, f'SELECT count(*) FROM "{table}"')
    return int(count)


def asked_of(database_url: str, question: str) -> list[tuple[Any, ...]]:
    """All rows of an answer, past Django."""
    if database_url.startswith("sqlite:"):
        with closing(sqlite3.connect(urlsplit(database_url).path)) as file:
            return file.execute(question).fetchall()
    with psycopg.connect(database_url) as server:
        return server.execute(question.encode()).fetchall()


def sign_in(who: str, password: str) -> Ask:
    """The same form on both sites; a success leads on."""
    form = {"login": who, "password": password}
    return Ask("/sign-in/", method="POST", form=form, status=302)
