"""Helpers for the commands of both apps: find the user, the release and the rubric version."""

from argparse import ArgumentParser
from pathlib import Path

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from cases.models import Release, Rubric
from evalsite.permissions import WRITE, Answer, answer_for, find_rights, find_roles

# Commands print at most this many problems.
MOST_SHOWN = 200


def add_by(parser: ArgumentParser) -> None:
    parser.add_argument("--by", metavar="USER", help="user who acts; default: the command line")


def find_user(username: str | None, *, route: str) -> User | None:
    """Find the user, who must be allowed to do the same on the site, on this route.

    Raises CommandError.
    """
    if username is None:
        return None
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"No active person is called {username}.")
    answer = answer_for(route=route, method=WRITE, signed_in=True, roles=find_roles(user))
    if answer != Answer.ALLOWED:
        takes = " or ".join(sorted((find_rights(route) or {}).get(WRITE, ())))
        raise CommandError(f"{username} may not do this; it needs the role of {takes}.")
    return user


def find_version(number: int) -> Rubric:
    original = Rubric.objects.filter(number=number).first()
    if original is None:
        raise CommandError(f"There is no rubric version {number}.")
    return original


def find_release(name: str) -> Release:
    release = Release.objects.select_related("rubric", "baseline").filter(name=name).first()
    if release is None:
        raise CommandError(f"There is no release called {name}.")
    return release


def find_product(name: str) -> str:
    """Return the name of a product that has a release."""
    if not name or not Release.objects.filter(product=name).exists():
        raise CommandError(f"There is no release of a product called {name}.")
    return name


def read_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.") from error
