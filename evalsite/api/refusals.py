"""What the schema tells of refusals: by status every code that a call can answer with."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from evalsite.api.errors import Error

REF = "#/components/schemas/{name}"
# On its way through spectacular.
NEEDS_BODY = "x-needs-body"


class Refusal(NamedTuple):
    """`shape` tells what stands beside the three parts of every refusal."""

    status: int
    code: str
    shape: type[Error] = Error


# What every call can answer with, then what beyond it.
ANYWHERE = (
    Refusal(400, "bad_request"),
    Refusal(400, "bad_parameter"),
    Refusal(405, "wrong_method"),
    Refusal(500, "broken"),
    Refusal(503, "database_away"),
)
TO_SOMEBODY = (
    Refusal(401, "not_signed_in"),
    Refusal(401, "bad_token"),
    Refusal(403, "forbidden"),
    Refusal(403, "scope_missing"),
    Refusal(404, "not_found"),
    Refusal(429, "too_many_calls"),
)
TO_A_BROWSER_THAT_WRITES = (Refusal(403, "form_expired"),)
TO_A_BODY = (
    Refusal(400, "body_cut_off"),
    Refusal(413, "body_too_large"),
    Refusal(415, "unsupported_media_type"),
)
TO_JSON = (Refusal(400, "malformed"), Refusal(400, "bad_body"))

READING = frozenset(ANYWHERE + TO_SOMEBODY)
WRITING = frozenset(READING.union(TO_A_BROWSER_THAT_WRITES, TO_A_BODY, TO_JSON))

DESCRIPTIONS = {
    400: "What was sent cannot be used; `errors` names what is wrong by its `path`. Of a body that "
    "does not have the shape that is asked for it names the first such part, of a review that is "
    "submitted, of cases and of a rubric every part.",
    401: "Nobody is signed in, or the token does not stand.",
    403: "Not with this role, or not with this token.",
    404: "There is no such thing, or not for whoever asks.",
    405: "What any method gets that is not told of here. HEAD answers as GET does, without a body.",
    409: "What is stored stands against it.",
    413: "The body is too large.",
    415: "The body is of another type than those named.",
    429: "Too often; `Retry-After` says how long to wait.",
    500: "Something is wrong on our side; `X-Request-ID` names it.",
    503: "The database is away; `Retry-After` says when to try again.",
}
# Status -> the header that comes with it, and what it says.
HEADERS: dict[int, tuple[str, dict[str, Any], str]] = {
    401: ("WWW-Authenticate", {"type": "string"}, "How to sign in."),
    405: ("Allow", {"type": "string"}, "The methods of this address."),
    429: ("Retry-After", {"type": "integer", "minimum": 0}, "Seconds."),
    500: ("X-Request-ID", {"type": "string"}, "By which the log knows this call."),
    503: ("Retry-After", {"type": "integer", "minimum": 0}, "Seconds."),
}


def schema_of(call: str, status: int, refusals: Iterable[Refusal]) -> dict[str, Any]:
    """Of the answers with this status. Its title is its name among the components."""
    own = [one for one in refusals if one.status == status]
    shapes = dict.fromkeys(one.shape for one in own)
    found = [
        with_codes(shape, sorted(one.code for one in own if one.shape is shape)) for shape in shapes
    ]
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    return {**schema, "title": title_of(call, status, frozenset(own))}


def title_of(call: str, status: int, own: frozenset[Refusal]) -> str:
    for kind, common in (("", READING), ("Writing", WRITING)):
        if own == {one for one in common if one.status == status}:
            return f"{kind}Error{status}"
    return f"{call.title().replace('_', '')}Error{status}"


def with_codes(shape: type[Error], codes: list[str]) -> dict[str, Any]:
    [whole], parts = msgspec.json.schema_components([shape], ref_template=REF)
    schema = parts[whole["$ref"].rpartition("/")[2]]
    code = {"type": "string", "enum": codes}
    return {**schema, "properties": {**schema["properties"], "code": code}}


def named(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with every refusal among its components and referred to by name, and with what
    spectacular does not ask: whether a body may be left out."""
    schemas = document["components"]["schemas"]
    shapes = (Error, *Error.__subclasses__())
    for name, schema in msgspec.json.schema_components(shapes, ref_template=REF)[1].items():
        schemas.setdefault(name, schema)
    for methods in document["paths"].values():
        for call in methods.values():
            if NEEDS_BODY in call:
                call["requestBody"]["required"] = call.pop(NEEDS_BODY)
            for status, response in call["responses"].items():
                if int(status) in DESCRIPTIONS:
                    [media] = response["content"].values()
                    title = media["schema"]["title"]
                    schemas[title] = media["schema"]
                    media["schema"] = {"$ref": REF.format(name=title)}
    return document
