"""The product's settings, with the command `bench` and for a site that is measured."""

from evalsite.settings import *  # noqa: F403
from evalsite.settings import INSTALLED_APPS as _INSTALLED_APPS
from evalsite.settings import MIDDLEWARE as _MIDDLEWARE

INSTALLED_APPS = [*_INSTALLED_APPS, "tests.bench"]
MIDDLEWARE = [
    "tests.bench.counting.SqlCountMiddleware",
    "tests.bench.forgetting.ForgetWorkMiddleware",
    *_MIDDLEWARE,
]

# Limits that one machine does not reach, instead of none: counting attempts is part of the cost.
ACCOUNT_RATE_LIMITS = {
    "login": "1000000/m/ip",
    "login_failed": "1000000/5m/key",
    "login_failed_address": "1000000/5m/ip",
    "login_failed_anywhere": "1000000/5m/key",
}
API_CALLS = 1_000_000
