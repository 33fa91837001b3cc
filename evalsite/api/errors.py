"""Every refusal has one shape: a sentence, a code that stays, and what is wrong with which part."""

from collections.abc import Mapping
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from rest_framework.response import Response

from evalsite.errors import Problem, Refusal

PREFIX = "/api/"


class Error(msgspec.Struct):
    """`code` is for scripts and stays; the sentences are for people and are translated."""

    detail: str
    code: str
    errors: list[Problem]


class ApiError(Refusal):
    """Ends a call with this answer. `extra` stands beside the three parts."""

    def __init__(
        self,
        status: int,
        code: str,
        *problems: Problem | str,
        detail: str = "",
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self._problems = [Problem("", one) if isinstance(one, str) else one for one in problems]
        self._detail = detail or super().detail
        self._extra = extra or {}
        self.headers = dict(headers or {})
        super().__init__(self._detail)

    @property
    def problems(self) -> list[Problem]:
        return self._problems

    @property
    def detail(self) -> str:
        return self._detail

    @property
    def extra(self) -> Mapping[str, Any]:
        return self._extra


def answer_to(error: Refusal) -> Response:
    return Response(error.document, status=error.status, headers=dict(error.headers))


def plain_answer(error: Refusal) -> HttpResponse:
    """For what goes wrong before a call is reached, or outside of it."""
    return HttpResponse(
        msgspec.json.encode(error.document),
        status=error.status,
        content_type="application/json",
        headers=dict(error.headers),
    )


def is_call(request: HttpRequest) -> bool:
    """Whether a script asks: it would make nothing of a page."""
    return request.path.startswith(PREFIX)
