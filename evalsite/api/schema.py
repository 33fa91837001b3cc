"""The OpenAPI document. drf-spectacular builds it from the viewsets; this module adds every status
and code of the errors that a call can answer."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import msgspec
from drf_spectacular.authentication import SessionScheme
from drf_spectacular.drainage import set_override
from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from evalsite.api import errors
from evalsite.api.parsers import JSON, JSONParser
from evalsite.errors import Refusal

F = TypeVar("F", bound=Callable[..., Any])
REF = "#/components/schemas/{name}"


class ProblemSerializer(serializers.Serializer[Any]):
    """`path` points to the part of the input, empty for all of it. `line` is the line of a file."""

    path = serializers.CharField()
    message = serializers.CharField()
    line = serializers.IntegerField(required=False)


class ErrorSerializer(serializers.Serializer[Any]):
    """`code` is for scripts and never changes; the sentences are for people and are translated."""

    detail = serializers.CharField()
    code = serializers.CharField()
    errors = ProblemSerializer(many=True)  # type: ignore[assignment]


class DocumentedRefusal(NamedTuple):
    """A refusal in the document. The serializer adds keys to the three of every refusal."""

    kind: type[Refusal]
    serializer: type[serializers.Serializer[Any]] = ErrorSerializer


def refuses(*kinds: type[Refusal] | DocumentedRefusal) -> Callable[[F], F]:
    """Declare the refusals of an action, besides those that every call can answer."""

    def mark(function: F) -> F:
        function.refuses = [  # type: ignore[attr-defined]
            kind if isinstance(kind, DocumentedRefusal) else DocumentedRefusal(kind)
            for kind in kinds
        ]
        return function

    return mark


ANYWHERE = (
    errors.BadRequest,
    errors.BadParameter,
    errors.WrongMethod,
    errors.Broken,
    errors.DatabaseAway,
)
TO_USERS = (
    errors.NotSignedIn,
    errors.BadToken,
    errors.Forbidden,
    errors.ScopeMissing,
    errors.NotFound,
    errors.TooManyCalls,
)
TO_BROWSERS_THAT_WRITE = (errors.FormExpired,)
TO_A_BODY = (errors.BodyCutOff, errors.BodyTooLarge, errors.UnsupportedMediaType)
TO_JSON = (errors.Malformed, errors.BadBody)

READING = frozenset(map(DocumentedRefusal, (*ANYWHERE, *TO_USERS)))
WRITING = READING.union(map(DocumentedRefusal, (*TO_BROWSERS_THAT_WRITE, *TO_A_BODY, *TO_JSON)))

DESCRIPTIONS = {
    400: "The input is not valid; `errors` lists every wrong part with its `path`.",
    401: "Not signed in, or the token is not valid.",
    403: "Not allowed for this role or this token.",
    404: "Not found, or not visible to the caller.",
    405: "Every method that is not documented here. HEAD works like GET, without a body.",
    409: "Conflicts with the stored state.",
    413: "The body is too large.",
    415: "The Content-Type is not supported.",
    429: "Too many calls; wait for the seconds in `Retry-After`.",
    500: "An error on our side; find it in the log by `X-Request-ID`.",
    503: "The database is not available; try again after the seconds in `Retry-After`.",
}
# Status -> its header: name, schema and description.
HEADERS: dict[int, tuple[str, dict[str, Any], str]] = {
    401: ("WWW-Authenticate", {"type": "string"}, "How to sign in."),
    405: ("Allow", {"type": "string"}, "The methods of this address."),
    429: ("Retry-After", {"type": "integer", "minimum": 0}, "Seconds."),
    500: ("X-Request-ID", {"type": "string"}, "Identifies this call in the log."),
    503: ("Retry-After", {"type": "integer", "minimum": 0}, "Seconds."),
}
ANSWERS = {
    "200": "Done.",
    "201": "Created.",
    "204": "None left.",
    "304": "Not changed since the version in `If-None-Match`.",
}


class ApiSchema(AutoSchema):
    """Takes summary and description from the docstring, and refusals from `refuses`."""

    view: Any

    def get_summary(self) -> str:
        return self.get_doc().partition("\n")[0].rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]
        more = self.get_doc().partition("\n")[2]
        return "\n".join(line.strip() for line in more.strip().splitlines())

    def get_doc(self) -> str:
        return (self.get_action().__doc__ or "").strip()

    def get_action(self) -> Any:
        return getattr(self.view, self.view.action)

    def get_override_parameters(self) -> list[Any]:
        query = self.view.query_serializers.get(self.view.action)
        return [query] if query else []

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        body = operation.get("requestBody")
        if body and (self.method == "PATCH" or set(body["content"]) != {JSON}):
            body["required"] = True  # spectacular decides by the required fields of the serializer
        for status, response in operation["responses"].items():
            response["description"] = ANSWERS[status]
        refused = self.list_refusals(operation)
        for status in sorted({refusal.kind.status for refusal in refused}):
            own = frozenset(refusal for refusal in refused if refusal.kind.status == status)
            operation["responses"][str(int(status))] = self.describe(operation, int(status), own)
        return operation

    def list_refusals(self, operation: dict[str, Any]) -> list[DocumentedRefusal]:
        kinds: list[type[Refusal]] = [*ANYWHERE]
        if self.view.authentication_classes:
            kinds += TO_USERS
            kinds += TO_BROWSERS_THAT_WRITE if self.method != "GET" else ()
        body = operation.get("requestBody", {}).get("content", {})
        if body:
            kinds += TO_A_BODY
        if body and any(issubclass(parser, JSONParser) for parser in self.view.parser_classes):
            kinds += TO_JSON
        return [*map(DocumentedRefusal, kinds), *getattr(self.get_action(), "refuses", ())]

    def describe(
        self, operation: dict[str, Any], status: int, own: frozenset[DocumentedRefusal]
    ) -> dict[str, Any]:
        name = name_component(operation["operationId"], status, own)
        component = ResolvedComponent(name, ResolvedComponent.SCHEMA, object=name)  # type: ignore[no-untyped-call]
        if component not in self.registry:
            component.schema = self.union(own)
            self.registry.register(component)
        found: dict[str, Any] = {
            "description": DESCRIPTIONS[status],
            "content": {JSON: {"schema": {"$ref": REF.format(name=name)}}},
        }
        if status in HEADERS:
            header, schema, what = HEADERS[status]
            found["headers"] = {header: {"schema": schema, "description": what, "required": True}}
        return found

    def union(self, own: Iterable[DocumentedRefusal]) -> dict[str, Any]:
        """Return one schema for each serializer, with its possible codes."""
        codes: dict[type[serializers.Serializer[Any]], list[str]] = {}
        for refusal in own:
            codes.setdefault(refusal.serializer, []).append(refusal.kind.code)
        shapes = [self.with_codes(shape, sorted(codes[shape])) for shape in sorted(codes, key=str)]
        return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}

    def with_codes(
        self, shape: type[serializers.Serializer[Any]], codes: list[str]
    ) -> dict[str, Any]:
        schema = self.resolve_serializer(shape(), "response").schema
        code = {"type": "string", "enum": codes}
        return {**schema, "properties": {**schema["properties"], "code": code}}


def name_component(operation: str, status: int, own: frozenset[DocumentedRefusal]) -> str:
    for kind, common in (("", READING), ("Writing", WRITING)):
        if own == {refusal for refusal in common if refusal.kind.status == status}:
            return f"{kind}Error{status}"
    return f"{operation.title().replace('_', '')}Error{status}"


def header(name: str, description: str, **more: Any) -> OpenApiParameter:
    """Describe a header of the request or, with `response`, of the response."""
    return OpenApiParameter(
        name, more.pop("schema", str), OpenApiParameter.HEADER, description=description, **more
    )


# --- Structs of msgspec ---------------------------------------------------------------------------


class StructSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Describes a response that is a struct. `prefix` distinguishes parts with the same name."""

    target_class: Any = "msgspec.Struct"
    match_subclasses = True
    prefix = ""

    def get_name(self, auto_schema: AutoSchema, direction: str) -> str:
        # A struct may be a part of another one; both give the same component.
        set_override(self.target, "suppress_collision_warning", True)
        name: str = read_schema(self.target)[0]["$ref"].rpartition("/")[2]
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        ref, parts = read_schema(self.target, self.prefix)
        own = parts.pop(ref["$ref"].rpartition("/")[2])
        register(auto_schema, parts)
        return dict(own)


class StructFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = "evalsite.api.serializers.StructField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        schema, parts = read_schema(self.target.struct)
        register(auto_schema, parts)
        return schema


def read_schema(struct: Any, prefix: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of a struct, and name -> schema of those that it refers to."""
    template = REF.replace("{name}", prefix + "{name}")
    [schema], parts = msgspec.json.schema_components([struct], ref_template=template)
    return schema, {prefix + name: part for name, part in parts.items()}


def register(auto_schema: AutoSchema, parts: dict[str, Any]) -> None:
    for name, schema in parts.items():
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema
        )
        auto_schema.registry.register_on_missing(component)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "evalsite.api.authentication.TokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token `, followed by a token from the account page.",
        }


class BrowserScheme(SessionScheme):  # type: ignore[no-untyped-call]
    target_class = "evalsite.api.authentication.SessionAuthentication"
    name = "session"
    priority = 1
