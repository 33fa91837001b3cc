"""Runs schemathesis over the whole schema as each role: every answer fits it, none is a 5xx.

Every call is rolled back, so that a release closed by one call is open for the next.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connection, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, Response
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.bed import fuzzing, soak

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
Operation = APIOperation[Any, Any, Any, Any]


@schemathesis.serializer(
    "application/x-ndjson",
    "text/markdown",
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.ms-excel",
    "application/vnd.oasis.opendocument.spreadsheet",
)
def as_text(context: Any, value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text.encode("utf-8", "surrogatepass")


_site = get_wsgi_application()


def site(environ: dict[str, Any], start_response: Any) -> Any:
    """Call the application like a server, with the address of the client."""
    return _site({"REMOTE_ADDR": "127.0.0.1", **environ}, start_response)


class Told:
    """The served schema, and a strict copy that allows no additional keys."""

    def __init__(self) -> None:
        self.served = schemathesis.openapi.from_wsgi("/api/schema/", site)
        raw = json.loads(json.dumps(self.served.raw_schema))
        closed = schemathesis.openapi.from_dict(closed_in(raw))
        self.closed = {operation.label: operation for operation in operations_of(closed)}
        self.operations = list(operations_of(self.served))


def operations_of(schema: BaseSchema) -> Iterator[Operation]:
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        yield result.ok()


def closed_in(part: Any) -> Any:
    if isinstance(part, list):
        return [closed_in(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    found = {name: closed_in(entry) for name, entry in part.items()}
    is_object = part.get("type") == "object" and isinstance(part.get("properties"), dict)
    return {"additionalProperties": False, **found} if is_object else found


class Tally:
    def __init__(self) -> None:
        self.tried = 0
        self.bad: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.people: Counter[str] = Counter()
        self.codes: set[str] = set()
        self.done: set[str] = set()

    @property
    def counts(self) -> dict[str, object]:
        return {
            "by_status": {str(status): self.statuses[status] for status in sorted(self.statuses)},
            "by_person": dict(self.people),
            "operations_done": len(self.done),
            "codes": sorted(self.codes),
        }

    def note(self, case: Case[Any], who: str, response: Response, wrong: str) -> None:
        self.tried += 1
        self.statuses[response.status_code] += 1
        self.people[who or "nobody"] += 1
        if response.status_code < 400:
            self.done.add(case.operation.label)
        elif response.headers.get("content-type") == ["application/json"]:
            self.codes.add(response.json()["code"])
        if wrong:
            self.bad.append(f"{who or 'nobody'}: {wrong}")


def wrong_with(case: Case[Any], response: Response, told: Told) -> str:
    try:
        case.validate_response(response, checks=CHECKS)
        told.closed[case.operation.label].validate_response(response)
    except (FailureGroup, Failure) as failure:
        return str(failure)
    return ""


def call(case: Case[Any], token: str) -> Response:
    """Make the call in a transaction that is rolled back."""
    headers = {"Accept-Encoding": "identity"}
    if token:
        headers["Authorization"] = f"Token {token}"
    with transaction.atomic():
        response = case.call(headers=headers)
        transaction.set_rollback(True)
    return response


def fuzz(
    operation: Operation, mode: GenerationMode, who: str, world: fuzzing.World, size: int
) -> Iterator[tuple[Case[Any], Response]]:
    found: list[tuple[Case[Any], Response]] = []

    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        derandomize=not soak.SOAKING,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    def try_case(case: Case[Any], data: st.DataObject) -> None:
        fuzzing.bring_near(case, world, data)
        found.append((case, call(case, world.tokens[who])))

    try:
        try_case()
    except Unsatisfiable:  # of a call without parts nothing can be wrong
        assert not operation.definition.raw.get("parameters")
    yield from found


@pytest.fixture
def one_connection(db: None) -> Iterator[None]:
    """Disconnect signals that would close the connection, and with it the test's rows."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


# A prime, so that a short walk meets everybody, in both modes, on calls all over the schema.
STEP = 29


@pytest.mark.soak
def test_no_answer_is_outside_of_the_schema(one_connection: None) -> None:
    """In the short form, each engine gets its own part of the calls."""
    world, told, tally = fuzzing.lay_down(), Told(), Tally()
    walk = list(product(told.operations, world.tokens, GenerationMode))
    if not soak.SOAKING:
        walk = walk[0 if connection.vendor == "sqlite" else STEP // 2 :: STEP]
    for operation, who, mode in walk:
        for case, response in fuzz(operation, mode, who, world, soak.size(short=2, long=18)):
            tally.note(case, who, response, wrong_with(case, response, told))
    soak.report(
        "calls of schemathesis, by everybody on every operation",
        tried=tally.tried,
        bad=len(tally.bad),
        **tally.counts,
    )
    assert not tally.bad, "\n\n".join(tally.bad[:5])
    if soak.SOAKING:
        assert tally.tried >= 10_000
        assert [
            operation.label for operation in told.operations if operation.label not in tally.done
        ] == []
    else:
        assert {200, 403, 404} <= set(tally.statuses)
