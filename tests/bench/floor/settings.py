"""The product's settings, less the product."""

from pathlib import Path

from tests.bench.settings import *  # noqa: F403
from tests.bench.settings import MIDDLEWARE as _MIDDLEWARE

INSTALLED_APPS = [
    "tests.bench.floor",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    # Whose middleware is in the list.
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
]
# The permission table knows only our own routes, and only our homes keep anything.
LEFT_OUT = (
    "evalsite.middleware.PermissionMiddleware",
    "tests.bench.forgetting.ForgetWorkMiddleware",
)
MIDDLEWARE = [name for name in _MIDDLEWARE if name not in LEFT_OUT]
ROOT_URLCONF = "tests.bench.floor.views"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
ACCOUNT_ADAPTER = "allauth.account.adapter.DefaultAccountAdapter"
