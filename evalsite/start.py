"""`make run`: prepare the database and start the server.

One process does both and then becomes gunicorn, so a second start takes only seconds.
"""

import os
import secrets
import socket
import sys
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
ENV_FILE = BASE_DIR / "var" / "env"


def main() -> None:
    os.chdir(BASE_DIR)
    load_environment()
    port = int(os.environ.setdefault("PORT", "8000"))
    refuse_port_in_use(port)
    prepare(with_demo=os.environ.get("DEMO", "1") != "0")
    sys.stdout.write(f"\nSpotcheck is at http://127.0.0.1:{port}  (stop it with Ctrl+C)\n")
    sys.stdout.flush()
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "evalsite/gunicorn.conf.py"]
    os.execv(sys.executable, [*gunicorn, *sys.argv[1:], "evalsite.wsgi"])  # noqa: S606


def load_environment() -> None:
    """Load the secret key of this checkout from var/env, and create it the first time."""
    if not ENV_FILE.exists():
        ENV_FILE.parent.mkdir(exist_ok=True)
        ENV_FILE.touch(mode=0o600)
        ENV_FILE.write_text(f"SECRET_KEY={secrets.token_urlsafe(64)}\n")
    environ.Env.read_env(str(ENV_FILE))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")


def refuse_port_in_use(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            sys.exit(
                f"Port {port} is in use. Stop that program, or use another port: PORT=8001 make run"
            )


def prepare(*, with_demo: bool) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("load_rubric", shipped=True, verbosity=0)
    if with_demo:
        if not User.objects.exists():
            call_command("seed_demo", verbosity=0)
        call_command("seed_demo", accounts_only=True)
    elif not User.objects.filter(is_superuser=True).exists():
        sys.stdout.write(
            "The site is empty. Create the first admin in another terminal:\n"
            "  .venv/bin/python manage.py createsuperuser\n"
            "then sign in and invite people.\n"
        )


if __name__ == "__main__":
    main()
