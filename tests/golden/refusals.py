"""What every call answers to people and bodies that it refuses. Nothing here changes a row."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.golden.normalise import write_json
from tests.golden.recorder import Recorder

JSON = "application/json"
NDJSON = "application/x-ndjson"
MARKDOWN = "text/markdown"
REVIEWER, ADMIN, MANAGER = "wei", "ada", "mina"
EVERYBODY = ("anonymous", "sam", REVIEWER, ADMIN, MANAGER)
# Beyond what a call reads of JSON, and of a rubric.
TOO_LARGE = b'{"comment": "' + b"x" * (1024**2 + 1) + b'"}'
# Closed, so that looking at its scores is no event.
RELEASE = "wayfarer-2026.09"


@dataclass(frozen=True)
class Operation:
    """One call of the API, and what it takes."""

    method: str
    path: str
    body: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}".replace("/", "-").strip("-").replace("--", "-")


READ = [
    "rubrics/",
    "rubrics/{number}/",
    "releases/",
    "releases/{name}/",
    "releases/{name}/cases/",
    "releases/{name}/sample/",
    "releases/{name}/assignments/",
    "releases/{name}/adjudications/",
    "releases/{name}/summary/",
    "releases/{name}/verdict/",
    "releases/{name}/compare/",
    "releases/{name}/export.csv",
    "releases/{name}/export.xlsx",
    "releases/{name}/export.zip",
    "escapes/",
    "products/{product}/rules/",
    "products/{product}/rules/{key}/",
    "products/{product}/rules/export/",
    "reviews/",
    "reviews/next/",
    "reviews/{id}/",
]
WRITTEN = [
    "releases/",
    "releases/{name}/sample/draw/",
    "releases/{name}/sample/swap/",
    "releases/{name}/sample/withdraw/",
    "releases/{name}/start/",
    "releases/{name}/close/",
    "releases/{name}/reopen/",
    "releases/{name}/waive/",
    "releases/{name}/decision/",
    "releases/{name}/assignments/",
    "releases/{name}/assignments/move/",
    "releases/{name}/assignments/withdraw/",
    "releases/{name}/assignments/remind/",
    "releases/{name}/assignments/give-back/",
    "releases/{name}/adjudications/",
    "escapes/move/",
    "products/{product}/rules/",
    "products/{product}/rules/{key}/shadow/",
    "products/{product}/rules/{key}/adopt/",
    "products/{product}/rules/{key}/retire/",
    "reviews/{id}/submit/",
    "reviews/{id}/decline/",
]
OPERATIONS = [
    *(Operation("GET", path) for path in READ),
    *(Operation("POST", path, JSON) for path in WRITTEN),
    Operation("PATCH", "releases/{name}/", JSON),
    Operation("PUT", "reviews/{id}/draft/", JSON),
    Operation("POST", "releases/{name}/cases/", NDJSON),
    Operation("POST", "rubrics/", MARKDOWN),
    Operation("POST", "auth/token/", JSON),
]


def record_refusals(recorder: Recorder) -> None:
    review = recorder.find_review(REVIEWER, RELEASE, "hangzhou-parents-knees")
    for operation in OPERATIONS:
        path = operation.path.format(name=RELEASE, number=1, id=review)
        answers = {
            f"{what} by {person}": describe(recorder, person, operation, sent)
            for person, what, sent in tries(operation, path)
        }
        recorder.write(f"refused/{operation.name}.json", write_json(answers))


@dataclass(frozen=True)
class Sent:
    path: str
    body: bytes | None = None
    content_type: str = JSON
    method: str = ""


def tries(operation: Operation, path: str) -> Iterator[tuple[str, str, Sent]]:
    """Who sends what. Bodies that could be carried out are sent only by those who may not."""
    is_read = operation.method == "GET"
    surprise = b'{"surprise": 1}'
    for person in EVERYBODY:
        if is_read:
            yield person, "an unknown parameter", Sent(f"{path}?surprise=1")
        else:
            kind = operation.body
            yield person, "an unknown key", Sent(path, surprise, kind if kind == JSON else "a/b")
        yield person, "a wrong method", Sent(path, method="DELETE")
    for person in (REVIEWER, ADMIN, MANAGER):
        if "{" in operation.path:
            missing = operation.path.format(name="no-such", number=99, id=999_999)
            body = None if is_read else surprise
            yield person, "no such thing", Sent(missing, body, operation.body or JSON)
        if not is_read:
            yield person, "a wrong type", Sent(path, b"hello", "text/plain")
            yield person, "an unknown parameter", Sent(f"{path}?surprise=1", surprise)
        if operation.body == JSON:
            yield person, "broken JSON", Sent(path, b'{"a": ')
            yield person, "no object", Sent(path, b"[]")
            yield person, "no UTF-8", Sent(path, b'{"a": "\xff"}')
            yield person, "too large a body", Sent(path, TOO_LARGE)
        if operation.body == MARKDOWN:
            yield person, "too large a body", Sent(path, TOO_LARGE, MARKDOWN)
            yield person, "no rubric", Sent(path, "# 空\n".encode(), MARKDOWN)


def describe(recorder: Recorder, person: str, operation: Operation, sent: Sent) -> dict[str, Any]:
    method = sent.method or operation.method
    answer = recorder.people[person].call(
        method,
        sent.path,
        sent.body,
        content_type=sent.content_type,
        headers={"Idempotency-Key": "refused"} if sent.path.endswith("submit/") else None,
    )
    return recorder.describe(method, sent.path, answer)
