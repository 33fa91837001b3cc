#!/usr/bin/env python
"""Run a management command. The server (evalsite/wsgi.py) does not use this file."""

import os
import sys
import traceback
from pathlib import Path

import environ


def main() -> None:
    # `make run` keeps its secret key here, so that commands need no environment of their own.
    # Variables that are already set win.
    env_file = Path(__file__).parent / "var" / "env"
    if env_file.exists():
        environ.Env.read_env(str(env_file))
    if sys.argv[1:2] == ["bench"]:
        # The bench is not part of the product; only its own settings install the command.
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.settings"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def gate() -> None:
    """Run the gate and exit with 3 if it cannot start: to a pipeline 1 and 2 are verdicts."""
    try:
        main()
    except SystemExit as end:
        # The command's own verdicts are a subclass of SystemExit.
        sys.exit(3) if type(end) is SystemExit and end.code else sys.exit(end.code)
    except BaseException:
        traceback.print_exc()
        sys.exit(3)


if __name__ == "__main__":
    gate() if sys.argv[1:2] == ["gate"] else main()
