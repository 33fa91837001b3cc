"""Calls of the HTTP API, as a script makes them."""

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from evalsite.accounts import tokens as accounts_tokens
from evalsite.models import Scope

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

JSON = "application/json"
NDJSON = "application/x-ndjson"


def token_of(user: User, *scopes: Scope, **changes: Any) -> str:
    """One that may be used for everything, unless scopes are named."""
    values: dict[str, Any] = {
        "name": "CI",
        "scopes": scopes or tuple(Scope),
        "lasts": timedelta(days=1),
        "now": timezone.now(),
    }
    return accounts_tokens.make(user=user, **(values | changes))[1]


class Script:
    """Whoever calls: by a token, by the session of a browser, or as nobody."""

    def __init__(self, token: str = "", *, session: User | None = None, language: str = "") -> None:
        self.client = Client(raise_request_exception=False)
        if session is not None:
            self.client.force_login(session)
        self.headers = {"Authorization": f"Token {token}"} if token else {}
        if language:
            self.headers["Accept-Language"] = language

    def get(self, address: str, **headers: str) -> "Response":
        return self.send("GET", address, b"", content_type="", **headers)

    def post(self, address: str, body: Any = None, **more: str) -> "Response":
        return self.send("POST", address, body, **more)

    def put(self, address: str, body: Any = None, **more: str) -> "Response":
        return self.send("PUT", address, body, **more)

    def patch(self, address: str, body: Any = None, **more: str) -> "Response":
        return self.send("PATCH", address, body, **more)

    def send(
        self, method: str, address: str, body: Any, *, content_type: str = JSON, **headers: str
    ) -> "Response":
        sent = body if isinstance(body, bytes) else json.dumps({} if body is None else body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.generic(
            method,
            f"/api/v1/{address}",
            sent,
            content_type=content_type,
            headers=self.headers | named,
        )


def by(user: User, *scopes: Scope) -> Script:
    return Script(token_of(user, *scopes))


def problems(response: "Response") -> dict[str, str]:
    """The sentences of a refusal, by their path."""
    return {one["path"]: one["message"] for one in response.json()["errors"]}


def code(response: "Response") -> tuple[int, str]:
    return response.status_code, response.json()["code"]
