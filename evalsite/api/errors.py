"""Every refusal has one shape: a sentence, a code that stays, and what is wrong with which part."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from rest_framework.response import Response

PREFIX = "/api/"


class Problem(msgspec.Struct, omit_defaults=True):
    """`path` leads to the part; empty when the whole is meant. `line` is that of a sent file."""

    path: str = msgspec.field()
    message: str = msgspec.field()
    line: int | None = None


class Error(msgspec.Struct):
    """`code` is for scripts and stays; the sentences are for people and are translated."""

    detail: str
    code: str
    errors: list[Problem]


class ApiError(Exception):
    """Ends a call with this answer. `more` stands beside the three parts."""

    def __init__(
        self,
        status: int,
        code: str,
        *problems: Problem | str,
        detail: str = "",
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.problems = [Problem("", one) if isinstance(one, str) else one for one in problems]
        self.detail = detail or " ".join(in_one(self.problems))
        self.more = more or {}
        self.headers = dict(headers or {})
        super().__init__(self.detail)

    @property
    def document(self) -> dict[str, Any]:
        return {
            "detail": self.detail,
            "code": self.code,
            "errors": self.problems,
            **self.more,
        }


MOST_IN_DETAIL = 20


def in_one(problems: Iterable[Problem]) -> list[str]:
    """The first sentences, each once."""
    return list(dict.fromkeys(one.message for one in problems))[:MOST_IN_DETAIL]


def answer_to(error: ApiError) -> Response:
    return Response(error.document, status=error.status, headers=error.headers)


def plain_answer(error: ApiError) -> HttpResponse:
    """For what goes wrong before a call is reached, or outside of it."""
    return HttpResponse(
        msgspec.json.encode(error.document),
        status=error.status,
        content_type="application/json",
        headers=error.headers,
    )


def is_call(request: HttpRequest) -> bool:
    """Whether a script asks: it would make nothing of a page."""
    return request.path.startswith(PREFIX)
