"""Authenticate by a token in the header, or by the session of a browser."""

from typing import Any

import knox.auth
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework import authentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from evalsite.accounts import tokens
from evalsite.api.errors import BadToken, FormExpired
from evalsite.models import ApiToken


class TokenAuthentication(knox.auth.TokenAuthentication):  # type: ignore[misc]
    """knox parses the header; the token is found by its digest."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        now = timezone.now()
        found = tokens.find(token.decode("utf-8", "replace"), now=now)
        if found is None:
            raise BadToken(gettext("This token is unknown, expired or revoked."))
        tokens.note_use(found, now=now)
        return found.user, found


class SessionAuthentication(authentication.SessionAuthentication):
    """Ignores the session in cross-site requests, because a first look at scores is an event."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if request.headers.get("Sec-Fetch-Site") == "cross-site":
            return None
        return super().authenticate(request)

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except PermissionDenied as refusal:
            sentence = gettext("You signed in again after this page was opened. Reload the page.")
            raise FormExpired(sentence) from refusal
