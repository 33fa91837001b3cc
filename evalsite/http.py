"""Requests and responses as views use them."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from evalsite.permissions import Role

# Characters of an Idempotency-Key.
LONGEST_KEY = 200


class SignedInRequest(HttpRequest):
    """A request that passed the middleware: the user is signed in and their roles are known."""

    user: User
    roles: frozenset[Role]
    htmx: HtmxDetails


def wants_json(request: HttpRequest) -> bool:
    """Return whether the request comes from a script, which cannot use a page."""
    return request.headers.get("Accept", "").startswith("application/json")


def remember_language(response: HttpResponse, language: str) -> None:
    """Store the interface language in a cookie."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
