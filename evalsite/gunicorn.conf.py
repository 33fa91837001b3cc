"""Settings of gunicorn, for `make run` and for production (docs/operations.md)."""

import os
from pathlib import Path

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
worker_class = "gthread"
workers = int(os.environ.get("WEB_WORKERS", "2"))
threads = int(os.environ.get("WEB_THREADS", "4"))
# The request log is written by our middleware, with route patterns instead of paths.
accesslog = None
loglevel = "warning"
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "evalsite.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"gunicorn.error": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
}
# Otherwise gunicorn 27 opens a socket in the home directory.
control_socket_disable = True
# Only Django decides which forwarded headers to trust (TRUSTED_PROXIES).
forwarded_allow_ips = ""
# Workers report on a file in memory where possible, so that a slow disk does not get them killed.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
