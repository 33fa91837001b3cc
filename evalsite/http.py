"""What a view may rely on after the middleware: a person who is signed in, with known roles."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from evalsite.permissions import Role


class SignedInRequest(HttpRequest):
    user: User
    roles: frozenset[Role]
    htmx: HtmxDetails


def wants_json(request: HttpRequest) -> bool:
    """A script asks, and would make nothing of a page."""
    return request.headers.get("Accept", "").startswith("application/json")


def remember_language(response: HttpResponse, language: str) -> None:
    """Keep the interface language in a cookie of this browser."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
