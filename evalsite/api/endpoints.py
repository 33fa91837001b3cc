"""A view of one address, made from plain functions: one for each method."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalsite.api.bodies import JSON
from evalsite.api.queries import Parameter
from evalsite.api.refusals import (
    ANYWHERE,
    DESCRIPTIONS,
    HEADERS,
    NEEDS_BODY,
    TO_A_BODY,
    TO_A_BROWSER_THAT_WRITES,
    TO_JSON,
    TO_SOMEBODY,
    Refusal,
    schema_of,
)
from evalsite.models import ApiToken
from evalsite.permissions import Role


class Call(Request):
    """What a function may rely on: somebody with known roles, by a token or a session."""

    user: User
    auth: ApiToken | None
    roles: frozenset[Role]
    _request: HttpRequest


Function = Callable[..., HttpResponseBase]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Told:
    """What the schema tells of a call. `refuses`: beyond what every call can answer with."""

    answers: Mapping[Any, Any]
    body: Mapping[str, Any]
    needs_body: bool
    query: tuple[Parameter, ...]
    headers: tuple[Parameter, ...]
    refuses: tuple[Refusal, ...]


def tells(
    answers: Mapping[Any, Any],
    *,
    body: Mapping[str, Any] | type | None = None,
    needs_body: bool = True,
    query: tuple[Parameter, ...] = (),
    headers: tuple[Parameter, ...] = (),
    refuses: tuple[Refusal, ...] = (),
) -> Callable[[F], F]:
    """`answers` by status: a shape, a schema, or None for nothing. `body`: a shape for JSON, or
    schemas by their type; `needs_body` unless nothing need be said."""
    sent = body if isinstance(body, Mapping) else {JSON: body} if body else {}

    def mark(function: F) -> F:
        function.told = Told(answers, sent, needs_body, query, headers, refuses)  # type: ignore[attr-defined]
        return function

    return mark


class Endpoint(APIView):
    http_method_names = ["get", "head", "post", "put", "patch"]
    finder: Callable[..., object] | None = None

    def perform_authentication(self, request: Request) -> None:
        """Counted as soon as it is known who asks: what is refused is a call, too."""
        super().perform_authentication(request)
        super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Done above."""

    def check_permissions(self, request: Request) -> None:
        """That a method is wrong is told only of what one may know to be there."""
        try:
            super().check_permissions(request)
        except MethodNotAllowed:
            if self.finder is not None:
                self.finder(request, **self.kwargs)
            raise

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """What somebody saw here is kept nowhere on the way."""
        response.setdefault("Cache-Control", "private, no-store")
        return super().finalize_response(request, response, *args, **kwargs)


def endpoint(
    *,
    public: bool = False,
    hidden: bool = False,
    finder: Callable[..., object] | None = None,
    **functions: Function,
) -> Callable[..., HttpResponseBase]:
    """`functions` by method, in lower case. `public`: no matter who asks. `hidden`: the schema
    does not tell of it. `finder` raises Http404 for whoever may not know what is there."""
    members: dict[str, Any] = {
        method: handler_of(method, function, public=public, hidden=hidden)
        for method, function in functions.items()
    }
    if public:
        members["authentication_classes"] = []
    if finder is not None:
        members["finder"] = staticmethod(finder)
    name = "".join(one.__name__.title() for one in functions.values())
    return type(name, (Endpoint,), members).as_view()  # type: ignore[attr-defined, no-any-return]


def handler_of(method: str, function: Function, *, public: bool, hidden: bool) -> Any:
    def handle(view: APIView, request: Request, **parts: Any) -> HttpResponseBase:
        return function(request, **parts)

    handle.__name__ = function.__name__
    handle.__doc__ = function.__doc__
    told = {"exclude": True} if hidden else documented(method, function, public=public)
    return extend_schema(**told)(handle)


# --- What the schema tells ------------------------------------------------------------------------

ANSWERS = {
    HTTPStatus.OK: "It is so now.",
    HTTPStatus.CREATED: "It was made.",
    HTTPStatus.NO_CONTENT: "There is none.",
    HTTPStatus.NOT_MODIFIED: "What was asked for is what is known already.",
}


def documented(method: str, function: Function, *, public: bool) -> dict[str, Any]:
    told: Told = function.told  # type: ignore[attr-defined]
    refused = refusals_of(method, told, public=public)
    statuses = sorted({one.status for one in refused})
    title, _line, more = (function.__doc__ or "").strip().partition("\n")
    return {
        "operation_id": function.__name__,
        "summary": title.rstrip("."),
        "description": "\n".join(line.strip() for line in more.strip().splitlines()),
        "request": told.body or None,
        "responses": {
            **{status: answered(status, shape) for status, shape in told.answers.items()},
            **{
                status: OpenApiResponse(
                    schema_of(function.__name__, status, refused), DESCRIPTIONS[status]
                )
                for status in statuses
            },
        },
        "parameters": [
            *(parameter(one, OpenApiParameter.QUERY) for one in told.query),
            *(parameter(one, OpenApiParameter.HEADER) for one in told.headers),
            *headers_of(told, statuses),
        ],
        "auth": [] if public else None,
        "extensions": {NEEDS_BODY: told.needs_body} if told.body else None,
    }


def refusals_of(method: str, told: Told, *, public: bool) -> list[Refusal]:
    found = [*ANYWHERE, *told.refuses]
    if not public:
        found += TO_SOMEBODY
        found += TO_A_BROWSER_THAT_WRITES if method != "get" else ()
    if told.body:
        found += TO_A_BODY
    if any(isinstance(one, type) for one in told.body.values()):
        found += TO_JSON
    return found


def answered(status: Any, shape: Any) -> OpenApiResponse:
    code = status[0] if isinstance(status, tuple) else status
    return OpenApiResponse(shape, ANSWERS[HTTPStatus(code)])


def headers_of(told: Told, refused: list[int]) -> Iterator[OpenApiParameter]:
    """Those that an answer always has."""
    text = {"type": "string"}
    if HTTPStatus.NOT_MODIFIED in told.answers:
        yield header("ETag", text, "To send as If-None-Match.", [200, 304])
    if any(isinstance(one, tuple) for one in told.answers):
        yield header("Content-Disposition", text, "The name of the file.", [200])
    for status in set(refused).intersection(HEADERS):
        yield header(*HEADERS[status], [status])


def header(name: str, schema: dict[str, Any], what: str, statuses: list[int]) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        schema,
        OpenApiParameter.HEADER,
        required=True,
        description=what,
        response=statuses,
    )


def parameter(one: Parameter, place: Any) -> OpenApiParameter:
    schema: dict[str, Any] = {"type": "string", "maxLength": one.longest}
    if one.choices:
        schema = {"type": "string", "enum": list(one.choices)}
    return OpenApiParameter(
        one.name,
        dict(one.schema or schema),
        place,
        required=one.required,
        description=one.what,
    )
