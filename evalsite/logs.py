"""The log: one JSON object per line, without names, paths that contain names, or case text."""

import json
import logging
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime

from django.core.exceptions import ImproperlyConfigured

request_id: ContextVar[str] = ContextVar("request_id", default="")
# Set once the user of the request is known.
user_id: ContextVar[int | None] = ContextVar("user_id", default=None)

# The messages of these loggers quote addresses, hosts and raw bytes, which may contain names.
QUOTING = ("django.request", "django.security", "gunicorn.error")
# Exceptions about the code, not about data: they explain why a server does not start.
ABOUT_THE_CODE = (ImportError, SyntaxError, ImproperlyConfigured)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        request = getattr(record, "request", None)
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            # Django logs an error response after our middleware has finished the request.
            "request_id": request_id.get() or getattr(request, "id_in_log", ""),
        }
        fields = getattr(record, "fields", None)
        if fields is not None:
            line |= fields
        else:
            line["message"] = format_message(record)
        if record.exc_info and record.exc_info[1]:
            line["traceback"] = "".join(format_traceback(record.exc_info[1]))
        return json.dumps(line)


def format_message(record: logging.LogRecord) -> str:
    if not record.name.startswith(QUOTING):
        return record.getMessage()
    if record.name == "django.request" and isinstance(record.args, tuple) and record.args:
        return str(record.args[0])  # "Internal Server Error"; the path is the next argument
    if record.args:
        return str(record.msg)  # with its placeholders unfilled
    is_about_the_server = record.name == "gunicorn.error" and record.levelno > logging.WARNING
    return str(record.msg) if is_about_the_server else ""


def format_traceback(error: BaseException) -> Iterator[str]:
    """Yield the places and the type of an exception, without its message, which may quote data."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause:
        yield from format_traceback(cause)
    yield from traceback.format_tb(error.__traceback__)
    message = f": {error}" if isinstance(error, ABOUT_THE_CODE) else ""
    yield f"{type(error).__module__}.{type(error).__qualname__}{message}\n"
