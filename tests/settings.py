"""The product's settings, with N+1 detection and cheap passwords."""

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "x" * 50)
# An address on which nothing listens: the provider's routes are mounted and its button shown.
os.environ.setdefault("OIDC_SERVER_URL", "http://127.0.0.1:9/oidc")
os.environ.setdefault("OIDC_NAME", "Example ID")
os.environ.setdefault("OIDC_CLIENT_ID", "spotcheck")
os.environ.setdefault("LOG_LEVEL", "ERROR")

from evalsite.settings import *  # noqa: F403
from evalsite.settings import BASE_DIR, DATABASES, INSTALLED_APPS, MIDDLEWARE

INSTALLED_APPS = [*INSTALLED_APPS, "tests.bench"]
# Whether a page asks row by row does not depend on the engine, and watching costs an eighth.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    INSTALLED_APPS = [*INSTALLED_APPS, "zeal"]
    MIDDLEWARE = ["zeal.middleware.zeal_middleware", *MIDDLEWARE]
ZEAL_RAISE = True
# Django reads the session twice when somebody signs out.
ZEAL_ALLOWLIST = [
    {"model": "sessions.Session", "field": "get()"},
    # A refused submit remembers in a second transaction what was asked.
    {"model": "cases.Release", "field": "get()"},
    {"model": "reviews.Review", "field": "get()"},
    # A flush empties this table too: Django looks, makes the row, and looks again.
    {"model": "contenttypes.ContentType", "field": "get()"},
]

# Argon2 is meant to be slow; tests/security/test_deployment.py holds that the product uses it.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"

# A real file instead of SQLite's memory: the same locking and journal as in use.
VAR_TESTS = BASE_DIR / "var" / "tests"
VAR_TESTS.mkdir(parents=True, exist_ok=True)

# The pool of the product is for the threads of one server. Here a race of five and the threads of
# a live server, which close when their browser does, ask in one process.
if pool := DATABASES["default"].get("OPTIONS", {}).get("pool"):
    pool["max_size"] = 24

# Looking for static files once for every client of a test would take longer than most tests.
WHITENOISE_AUTOREFRESH = True
