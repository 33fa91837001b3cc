"""What a view may rely on after the middleware: a person who is signed in, with known roles."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from evalsite.permissions import Role


class SignedInRequest(HttpRequest):
    user: User
    roles: frozenset[Role]
    htmx: HtmxDetails


def wants_json(request: HttpRequest) -> bool:
    """A script asks, and would make nothing of a page."""
    return request.headers.get("Accept", "").startswith("application/json")
