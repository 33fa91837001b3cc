"""`make bench`: `manage.py bench run` in a checkout that has no secret key yet."""

import os
import secrets
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.settings"
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(64))
    execute_from_command_line(["manage.py", "bench", "run", *sys.argv[1:]])
