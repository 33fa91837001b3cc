"""The log: one JSON object a line. No names, no paths with names in them, no case text."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="")


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request_id": request_id.get(),
        }
        fields = getattr(record, "fields", None)
        if fields is not None:
            line.update(fields)
        else:
            # django.request puts the path behind its reason; paths hold names.
            if record.name == "django.request" and isinstance(record.args, tuple):
                line["message"] = str(record.args[0])
            else:
                line["message"] = record.getMessage()
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
