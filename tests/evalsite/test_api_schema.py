"""The OpenAPI document describes the calls, and its page works offline."""

import re
from contextlib import redirect_stderr
from functools import cache
from io import StringIO
from typing import Any

import jsonschema_rs
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from drf_spectacular.validation import validate_schema
from pytest_django import Settings

from cases.rubrics import api as rubrics
from evalsite.api import docs, parsers
from evalsite.api.schema import HEADERS
from evalsite.errors import Refusal
from evalsite.permissions import ROUTES, is_for_scripts, is_public
from reviews.adjudication import workflow as adjudication_workflow
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import workflow as desk_workflow
from reviews.errors import Refused
from reviews.pairings import reading as pairings_reading
from reviews.sample import amendments
from tests.bed.api import by
from tests.bed.routes import all_routes

pytestmark = pytest.mark.sqlite

UNTOLD = {"api-schema", "api-docs"}


@cache
def made() -> tuple[dict[str, Any], str]:
    """Return the schema and the warnings while building it, once for all tests."""
    with redirect_stderr(StringIO()) as said:
        found = docs.make_document()
    return found, said.getvalue()


def test_the_schema_is_valid_and_tells_of_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    found, said = made()
    # The same specification, read by the validator of schemathesis: a hundredth of the time.
    monkeypatch.setattr(
        "drf_spectacular.validation.jsonschema.validate",
        lambda instance, schema: jsonschema_rs.validate(schema, instance),
    )
    validate_schema(found)  # type: ignore[no-untyped-call]
    told = {
        (path.replace("{", "<").replace("}", ">"), method.upper())
        for path, methods in found["paths"].items()
        for method in methods
    }
    routes = {
        (re.sub(r"<\w+:", "<", route.path), method)
        for route in all_routes({})
        if is_for_scripts(route.name) and route.name not in UNTOLD
        for method in ROUTES[route.name]
    }
    assert len(told) == len(routes)
    assert said == ""  # neither a warning nor a guess


def test_every_call_tells_how_it_is_refused() -> None:
    for path, methods in made()[0]["paths"].items():
        for method, call in methods.items():
            statuses = set(call["responses"])
            assert call["summary"], path
            is_open = is_public("api-token") and path.endswith("/auth/token/")
            assert {"400", "405", "429", "500", "503"} <= statuses, (path, method)
            assert is_open or {"401", "403", "404"} <= statuses, (path, method)
            if "requestBody" in call:
                assert {"413", "415"} <= statuses, (path, method)


# --- Codes ----------------------------------------------------------------------------------------

# What only pages can run into: they send what no call can.
OF_PAGES = {
    Refused,
    adjudication_workflow.NoSuchFlag,
    assignments_workflow.NotMoved,
    assignments_workflow.NotAssigned,
    adjudication_workflow.FlagJudged,
    amendments.NoSuchCause,
    assignments_workflow.NoOneCan,
    assignments_workflow.PlanChanged,
    desk_workflow.NoSuchCause,
    desk_workflow.NoSuchReview,
    pairings_reading.NoSuchPairing,
}


def test_every_code_that_is_raised_is_told_and_no_other() -> None:
    told = {code for codes in codes_told().values() for code in codes}
    assert told == {kind.code for kind in kinds_of(Refusal) - OF_PAGES}


def codes_told() -> dict[tuple[str, str], set[str]]:
    """Return (operation, status) -> the documented codes."""
    found, _said = made()
    schemas = found["components"]["schemas"]
    codes = {}
    for methods in found["paths"].values():
        for call in methods.values():
            for status, response in call["responses"].items():
                if int(status) >= 400:
                    name = response["content"]["application/json"]["schema"]["$ref"]
                    schema = schemas[name.rpartition("/")[2]]
                    shapes = schema.get("anyOf", [schema])
                    codes[call["operationId"], status] = {
                        code for shape in shapes for code in shape["properties"]["code"]["enum"]
                    }
    return codes


def kinds_of(kind: type[Refusal]) -> set[type[Refusal]]:
    below = set(kind.__subclasses__())
    return below.union(*(kinds_of(subclass) for subclass in below))


def test_what_chance_does_not_reach_is_told_too(
    ada: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def away(*_args: object) -> None:
        raise OperationalError

    def broken(*_args: object) -> None:
        raise ZeroDivisionError

    script = by(ada)
    answers = [("release_open", script.send("DELETE", "releases/", b""))]
    answers += [("release_open", script.post("releases/", {}, content_type="text/plain"))]
    monkeypatch.setattr(parsers, "LARGEST_JSON", 1)
    answers += [("release_open", script.post("releases/", {"name": "x"}))]
    for fault in (away, broken):
        monkeypatch.setattr(rubrics, "find_version", fault)
        answers += [("rubric_version", script.get("rubrics/1/"))]
    settings.API_CALLS = 0
    answers += [("rubric_list", script.get("rubrics/"))]
    assert [answer.status_code for _call, answer in answers] == [405, 415, 413, 503, 500, 429]
    told = codes_told()
    for call, answer in answers:
        assert answer.json()["code"] in told[call, str(answer.status_code)]
        if answer.status_code in HEADERS:
            assert HEADERS[answer.status_code][0] in answer


def test_anybody_reads_the_schema_and_its_page(db: None) -> None:
    client = Client()
    schema = client.get("/api/schema/")
    assert schema.json()["openapi"].startswith("3.1")
    page = client.get("/api/docs/")
    assert page.status_code == 200
    assert "Content-Security-Policy" in page
    assert page["Cross-Origin-Opener-Policy"] == "same-origin"
    text = page.content.decode()
    assert "<style" not in text
    assert re.findall(r"https?://", text) == []
    assert re.findall(r"<script(?! src=)", text) == []
    script = client.get("/api/docs/?script=")
    assert "/api/schema/" in script.content.decode()
