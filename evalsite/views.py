"""Health checks, the CSRF token and error pages."""

import sys

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from evalsite import logs, migrated
from evalsite.api.errors import BadRequest, Broken, DatabaseAway, NotFound, build_response, is_call

RETRY_AFTER_SECONDS = 5
# Not translated, because finding the language may be what failed.
AWAY = DatabaseAway("The database is away. Try again in a few seconds.")
BROKEN = Broken("Something went wrong on our side; X-Request-ID names it.")


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive. The database is not checked."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database is reachable and fully migrated, otherwise 503."""
    try:
        missing = migrated.find_missing(connection)
    except (OperationalError, InterfaceError):
        return not_ready("database away")
    if missing:
        return not_ready("migrations missing", missing=migrated.format_names(missing))
    return JsonResponse({"status": "ok"})


def not_ready(status: str, **more: object) -> HttpResponse:
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return JsonResponse({"status": status, **more}, status=503, headers=headers)


def token(request: HttpRequest) -> HttpResponse:
    """Return a fresh CSRF token to a page that was open while its user signed in elsewhere."""
    return JsonResponse({"token": get_token(request), "user": str(request.user.pk)})


def render_error(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    return render(request, f"{status}.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_call(request):
        return build_response(BadRequest(_("This address is not valid.")))
    return render_bare_error(400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render_error(request, 403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_call(request):
        return build_response(NotFound(_("There is nothing at this address.")))
    return render_error(request, 404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that was opened before signing in, or a browser without cookies."""
    return render_error(request, 403, form_expired=True)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    response = render_bare_error(429)
    response["Retry-After"] = "60"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 or 500. Django calls this inside its except clause, so exc_info is set."""
    is_away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    if is_call(request):
        response = build_response(AWAY if is_away else BROKEN)
    else:
        response = render_bare_error(503 if is_away else 500)
    if is_away:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def render_bare_error(status: int) -> HttpResponse:
    """Render a page without the request, because finding the user may be what failed."""
    page = render_to_string(f"{status}.html", {"request_id": logs.request_id.get()})
    return HttpResponse(page, status=status)
