"""Pages that belong to no part of the product: health, the CSRF token, and what went wrong."""

import sys

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from evalsite import logs, migrated
from evalsite.api.errors import BadRequest, Broken, DatabaseAway, NotFound, is_call, plain_answer

RETRY_AFTER_SECONDS = 5
# Not translated: whatever would look for the language may be what is broken.
AWAY = DatabaseAway("The database is away. Try again in a few seconds.")
BROKEN = Broken("Something went wrong on our side; X-Request-ID names it.")


def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing is said of the database."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """The database answers and knows every migration of this code."""
    try:
        missing = migrated.missing(connection)
    except (OperationalError, InterfaceError):
        return not_ready("database away")
    if missing:
        return not_ready("migrations missing", missing=migrated.format_names(missing))
    return JsonResponse({"status": "ok"})


def not_ready(status: str, **more: object) -> HttpResponse:
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return JsonResponse({"status": status, **more}, status=503, headers=headers)


def token(request: HttpRequest) -> HttpResponse:
    """For a page that was open while its person signed in again elsewhere."""
    return JsonResponse({"token": get_token(request), "user": str(request.user.pk)})


def trouble(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    return render(request, f"{status}.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_call(request):
        return plain_answer(BadRequest(_("This address cannot be read.")))
    return bare_trouble(400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return trouble(request, 403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_call(request):
        return plain_answer(NotFound(_("There is nothing at this address.")))
    return trouble(request, 404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form from before signing in, or a browser without cookies; the text stays with Back."""
    return trouble(request, 403, form_expired=True)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    response = bare_trouble(429)
    response["Retry-After"] = "60"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls this inside its except clause, whichever middleware or view broke."""
    is_away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    if is_call(request):
        response = plain_answer(AWAY if is_away else BROKEN)
    else:
        response = bare_trouble(503 if is_away else 500)
    if is_away:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def bare_trouble(status: int) -> HttpResponse:
    """A page without request context: whatever would look for the person may be what is broken."""
    page = render_to_string(f"{status}.html", {"request_id": logs.request_id.get()})
    return HttpResponse(page, status=status)
