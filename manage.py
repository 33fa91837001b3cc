#!/usr/bin/env python
"""Commands for people at a terminal. The server (evalsite/wsgi.py) reads only the environment."""

import os
import sys
import traceback
from pathlib import Path

import environ


def main() -> None:
    # `make run` keeps its secret key here; whoever types a command after it should not have to
    # repeat it. Variables that are already set win.
    made_by_make_run = Path(__file__).parent / "var" / "env"
    if made_by_make_run.exists():
        environ.Env.read_env(str(made_by_make_run))
    if sys.argv[1:2] == ["bench"]:
        # The bench is no part of the product: only its own settings know the command.
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.settings"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def gate() -> None:
    """To a pipeline 1 and 2 are answers, so a gate that cannot even start ends with 3."""
    try:
        main()
    except SystemExit as end:
        # The command's own answers are of a kind of their own.
        sys.exit(3) if type(end) is SystemExit and end.code else sys.exit(end.code)
    except BaseException:
        traceback.print_exc()
        sys.exit(3)


if __name__ == "__main__":
    gate() if sys.argv[1:2] == ["gate"] else main()
