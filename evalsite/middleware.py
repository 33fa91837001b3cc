"""Middleware of every request: the request log, security headers and the permission table."""

import logging
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.translation import gettext

from evalsite import logs
from evalsite.api.errors import NotSignedIn, build_response
from evalsite.http import wants_json
from evalsite.permissions import (
    Answer,
    Role,
    answer_for,
    is_for_scripts,
    is_public,
    list_methods,
    roles_on,
)

GetResponse = Callable[[HttpRequest], HttpResponseBase]
request_log = logging.getLogger("spotcheck.request")


class RequestLogMiddleware:
    """Logs one line per request: the route instead of the path, the user id instead of the name."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = secrets.token_hex(8)
        request.id_in_log = request_id  # type: ignore[attr-defined]
        token = logs.request_id.set(request_id)
        user_token = logs.user_id.set(None)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = request_id
            match = request.resolver_match
            fields = {
                "method": request.method,
                "route": match.route if match else None,
                "status": response.status_code,
                "ms": round((time.perf_counter() - started) * 1000, 1),
                "user": logs.user_id.get(),
            }
            request_log.info("request", extra={"fields": fields})
            return response
        finally:
            logs.request_id.reset(token)
            logs.user_id.reset(user_token)


class HeadersMiddleware:
    """Turns off browser features that no page needs, and caching for signed-in users.

    Django's SecurityMiddleware sets three of these headers too, but not when it refuses a host.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response["Permissions-Policy"] = (
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
        )
        response.setdefault("X-Content-Type-Options", "nosniff")
        response.setdefault("Referrer-Policy", settings.SECURE_REFERRER_POLICY)
        response.setdefault(
            "Cross-Origin-Opener-Policy", settings.SECURE_CROSS_ORIGIN_OPENER_POLICY
        )
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.setdefault("Cache-Control", "private, no-store")
        return response


class PermissionMiddleware:
    """Checks the table in evalsite/permissions.py before the view runs, so before any query."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        resolved = request.resolver_match
        assert resolved is not None
        assert request.method is not None
        route = resolved.view_name
        if "\0" in request.path or any("\0" in value for value in request.GET.values()):
            raise BadRequest  # PostgreSQL cannot store it
        if is_for_scripts(route):
            return None  # evalsite/api/permissions.py checks the same table
        if is_public(route):
            # Do not read the session: /healthz must answer while the database is down.
            signed_in, roles = False, frozenset[Role]()
        else:
            signed_in, roles = request.user.is_authenticated, roles_on(request)
            logs.user_id.set(request.user.pk)
        match answer_for(route=route, method=request.method, signed_in=signed_in, roles=roles):
            case Answer.ALLOWED:
                return None
            case Answer.SIGN_IN:
                return redirect_to_sign_in(request)
            case Answer.HIDDEN:
                raise Http404
            case Answer.FORBIDDEN:
                raise PermissionDenied
            case Answer.WRONG_METHOD:
                return HttpResponseNotAllowed(list_methods(route))


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    if wants_json(request):
        return build_response(NotSignedIn(gettext("Your session has ended. Sign in again.")))
    url = resolve_url("account_login")
    if request.method in ("GET", "HEAD"):
        url += "?" + urlencode({"next": request.get_full_path()})
    if request.headers.get("HX-Request") == "true":
        # htmx would insert the sign-in page into the fragment that it requested.
        return HttpResponse(status=401, headers={"HX-Redirect": resolve_url("account_login")})
    return HttpResponseRedirect(url)
