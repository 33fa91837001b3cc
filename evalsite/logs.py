"""The log: one JSON object a line. No names, no paths with names in them, no case text."""

import json
import logging
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime

from django.core.exceptions import ImproperlyConfigured

request_id: ContextVar[str] = ContextVar("request_id", default="")

# These quote addresses, hosts and bad bytes of requests in their messages, and those hold names.
QUOTING = ("django.request", "django.security", "gunicorn.error")
# What the code says of itself, not of data: why a server does not start.
ABOUT_THE_CODE = (ImportError, SyntaxError, ImproperlyConfigured)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        request = getattr(record, "request", None)
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            # Django logs a failed answer after our middleware is through with its request.
            "request_id": request_id.get() or getattr(request, "id_in_log", ""),
        }
        fields = getattr(record, "fields", None)
        if fields is not None:
            line |= fields
        else:
            line["message"] = format_message(record)
        if record.exc_info and record.exc_info[1]:
            line["traceback"] = "".join(places(record.exc_info[1]))
        return json.dumps(line)


def format_message(record: logging.LogRecord) -> str:
    if not record.name.startswith(QUOTING):
        return record.getMessage()
    if record.name == "django.request" and isinstance(record.args, tuple) and record.args:
        return str(record.args[0])  # "Internal Server Error"; the path stands behind it
    if record.args:
        return str(record.msg)  # with its placeholders unfilled
    is_about_the_server = record.name == "gunicorn.error" and record.levelno > logging.WARNING
    return str(record.msg) if is_about_the_server else ""


def places(error: BaseException) -> Iterator[str]:
    """Where it broke and which kind of exception, without its words: those quote data."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause:
        yield from places(cause)
    yield from traceback.format_tb(error.__traceback__)
    words = f": {error}" if isinstance(error, ABOUT_THE_CODE) else ""
    yield f"{type(error).__module__}.{type(error).__qualname__}{words}\n"
