"""As the bench serves our site, but for passwords: to check one well takes half a second."""

from tests.bench.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
