"""Who asks: a token in the header, or the session of a browser that is on a page of ours."""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext
from knox.auth import TokenAuthentication
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from evalsite.accounts import tokens as accounts_tokens
from evalsite.api.errors import ApiError
from evalsite.models import ApiToken


class ByToken(TokenAuthentication):  # type: ignore[misc]
    """knox reads the header. The digest is the key of a row, so there is nothing to compare."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        now = timezone.now()
        found = accounts_tokens.find(token.decode("utf-8", "replace"), now=now)
        if found is None:
            raise ApiError(
                HTTPStatus.UNAUTHORIZED,
                "bad_token",
                gettext("This token is not known, has run out, or was revoked."),
                headers={"WWW-Authenticate": "Token"},
            )
        accounts_tokens.note_use(found, now=now)
        return found.user, found


class BySession(SessionAuthentication):
    """A first look at scores is remembered, so no other site may send a browser here to look."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if request.headers.get("Sec-Fetch-Site") == "cross-site":
            return None
        return super().authenticate(request)

    def enforce_csrf(self, request: Request) -> None:
        try:
            # As Django has it: asked for a form, the other one would look for a parser.
            super().enforce_csrf(request._request)  # type: ignore[arg-type]
        except PermissionDenied as refusal:
            sentence = gettext("This page is from before you signed in. Load it again.")
            raise ApiError(HTTPStatus.FORBIDDEN, "form_expired", sentence) from refusal
