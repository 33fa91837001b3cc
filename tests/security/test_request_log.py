"""The log has JSON lines with a request id, without names and case text."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
import requests

from tests import servers
from tests.bed.servers import Visitor, execute, invite
from tests.conftest import MakeDatabase

# What is written of a request passes no engine; test_database_away reads the log on both.
pytestmark = pytest.mark.sqlite

REQUEST = "spotcheck.request"


@dataclass(frozen=True)
class Running:
    site: servers.Site
    database_url: str

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.site.log().splitlines()]

    def lines_about(self, answer: requests.Response) -> list[dict[str, Any]]:
        """Return the lines with the id of an answer; all are written before it is sent."""
        wanted = answer.headers["X-Request-ID"]
        return [line for line in self.lines() if line["request_id"] == wanted]


@pytest.fixture(scope="module")
def running(
    migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    database_url = migrated_database("request_log", tmp_path_factory.mktemp("request_log"))
    invite(database_url, rita="reviewer", ada="admin")
    with servers.site(database_url=database_url, wsgi="tests.bed.breaking_site") as site:
        yield Running(site, database_url)


@pytest.fixture(scope="module")
def ada(running: Running) -> Iterator[Visitor]:
    with Visitor(running.site.url) as visitor:
        visitor.sign_in("ada")
        yield visitor


def send(running: Running, raw: bytes) -> bytes:
    """Send bytes that no client library would send; return the beginning of the answer."""
    with socket.create_connection(("127.0.0.1", running.site.port), timeout=120) as connection:
        connection.sendall(raw)
        return connection.recv(4096)


def test_each_request_has_one_line_with_the_id_of_its_answer(
    running: Running, ada: Visitor
) -> None:
    answers = [
        ada.get("/people/rita/"),
        ada.get("/people/nobody/"),
        ada.get("/no/such/page"),
        ada.get("/static/spotcheck/site.css"),
        ada.post("/language/", {"language": "en"}),
        ada.get("/healthz"),
    ]
    assert len({answer.headers["X-Request-ID"] for answer in answers}) == len(answers)
    for answer in answers:
        (line,) = running.lines_about(answer)
        assert (line["logger"], line["level"]) == (REQUEST, "INFO")
        assert line["status"] == answer.status_code
        assert line["method"] == answer.request.method
        assert line["ms"] >= 0
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])


def test_the_line_names_the_route_and_the_number_of_the_person(
    running: Running, ada: Visitor
) -> None:
    (line,) = running.lines_about(ada.get("/people/rita/?q=rita"))
    query = "SELECT id FROM auth_user WHERE username = 'ada'"
    assert line["route"] == "people/<str:username>/"
    assert [(line["user"],)] == execute(running.database_url, query)
    with Visitor(running.site.url) as stranger:
        (line,) = running.lines_about(stranger.get("/people/rita/"))
    assert (line["status"], line["user"]) == (302, None)


def test_an_exception_carries_the_id_that_the_person_was_shown(
    running: Running, ada: Visitor
) -> None:
    answer = ada.get("/")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.text
    trouble, request = running.lines_about(answer)
    assert (trouble["level"], trouble["logger"]) == ("ERROR", "django.request")
    assert trouble["message"] == "Internal Server Error"
    assert "breaking_site.py" in trouble["traceback"]
    assert "ValueError" in trouble["traceback"]
    assert "KeyError" in trouble["traceback"]
    assert (request["status"], request["route"]) == (500, "")


# Requests that contain a name; most of them fail.
def read_a_page(running: Running, ada: Visitor) -> None:
    assert ada.get("/people/rita/").status_code == 200
    assert ada.get("/people/?q=rita").status_code == 200


def break_a_page(running: Running, ada: Visitor) -> None:
    assert ada.get("/", {"Referer": f"{running.site.url}/people/rita/"}).status_code == 500


def miss_a_page(running: Running, ada: Visitor) -> None:
    assert ada.get("/people/rita/nothing/").status_code == 404
    assert ada.get("/people/rita").status_code == 301


def send_a_form_without_its_token(running: Running, ada: Visitor) -> None:
    lost = {"X-CSRFToken": ""}
    assert ada.post("/people/rita/deactivate/", headers=lost).status_code == 403
    origin = {"Origin": "http://rita.example"}
    assert ada.post("/people/rita/deactivate/", headers=origin).status_code == 403


def sign_in_wrongly(running: Running, ada: Visitor) -> None:
    with Visitor(running.site.url) as visitor:
        visitor.sign_in("rita", "rita's password")


def name_another_host(running: Running, ada: Visitor) -> None:
    assert ada.get("/people/rita/", {"Host": "rita.example"}).status_code == 400


def send_too_many_fields(running: Running, ada: Visitor) -> None:
    fields = {f"rita{number}": "rita" for number in range(1001)}
    assert ada.post("/people/rita/", fields).status_code == 400


def speak_bad_http(running: Running, ada: Visitor) -> None:
    assert b" 400 " in send(running, b"GET /people/rita/\x01 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert b" 400 " in send(running, b"GET /people/rita/ HTTP/1.1\r\nrita x: 1\r\n\r\n")
    assert b" 400 " in send(running, b"RITA\x7f /people/rita/ HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(
    "act",
    [
        read_a_page,
        break_a_page,
        miss_a_page,
        send_a_form_without_its_token,
        sign_in_wrongly,
        name_another_host,
        send_too_many_fields,
        speak_bad_http,
    ],
)
def test_no_line_holds_a_name_or_case_text(
    act: Callable[[Running, Visitor], None], running: Running, ada: Visitor
) -> None:
    before = len(running.site.log())
    act(running, ada)
    written = running.site.log()[before:]
    assert written
    assert "rita" not in written.lower()
    assert "Beijing" not in written
    assert not re.search(r"\bada\b", written)


def test_every_line_is_json_also_those_of_the_server_below(running: Running, ada: Visitor) -> None:
    speak_bad_http(running, ada)
    for line in running.site.log().splitlines():
        assert {"time", "level", "logger", "request_id"} <= json.loads(line).keys()


FORGED = '{"time": "now", "level": "ERROR", "logger": "forged", "request_id": "0"}'


def test_nothing_in_a_request_can_write_a_line_of_its_own(running: Running, ada: Visitor) -> None:
    before = len(running.lines())
    escaped = quote(f"\r\n{FORGED}\n\u2028{FORGED}")
    headers = {
        "X-Request-ID": "forged-0000",
        "User-Agent": FORGED,
        "Referer": FORGED,
        "X-Forwarded-For": FORGED,
    }
    answers = [
        ada.get(f"/{escaped}", headers),
        ada.get(f"/people/{escaped}/", headers),
        ada.get(f"/people/?q={escaped}&page={escaped}", headers),
        ada.get("/", headers),
        ada.post("/sign-in/", {"login": FORGED, "password": f"\n{FORGED}"}, headers),
        ada.get("/people/", {"Host": FORGED}),
    ]
    for answer in answers:
        assert answer.headers["X-Request-ID"] != "forged-0000"
    written = running.lines()[before:]
    assert len([line for line in written if line["logger"] == REQUEST]) == len(answers)
    assert "forged" not in json.dumps(written)
    assert "\u2028" not in running.site.log()
