import secrets
from argparse import ArgumentParser
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from cases.publishing import publish_shipped
from evalsite.permissions import Role
from reviews import people


@dataclass(frozen=True)
class Person:
    username: str
    name: str
    role: Role
    languages: list[str]
    interface_language: str = "en"


PEOPLE = [
    Person("rita", "Rita", Role.REVIEWER, ["en", "zh"]),
    Person("omar", "Omar", Role.REVIEWER, ["en"]),
    Person("wei", "伟", Role.REVIEWER, ["zh", "en"], "zh-hans"),
    Person("ada", "Ada", Role.ADMIN, ["en", "zh"]),
    Person("mina", "Mina", Role.MANAGER, ["en", "zh"]),
]
ACCOUNTS = settings.VAR_DIR / "demo-accounts.txt"


class Command(BaseCommand):
    help = "Fill the site with the demo: the rubric and five people. Safe to run twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--accounts-only", action="store_true", help="only print the demo accounts"
        )

    def handle(self, *, accounts_only: bool, **options: Any) -> None:
        if not accounts_only:
            seed(passwords=kept_passwords())
        if options["verbosity"] and ACCOUNTS.exists():
            self.stdout.write(ACCOUNTS.read_text("utf-8"), ending="")


def kept_passwords() -> dict[str, str]:
    """Random, made once for this checkout; whichever database is seeded gets the same ones."""
    if not ACCOUNTS.exists():
        lines = [f"{one.username}  {one.role}  {secrets.token_urlsafe(15)}\n" for one in PEOPLE]
        ACCOUNTS.parent.mkdir(exist_ok=True)
        ACCOUNTS.touch(mode=0o600)
        ACCOUNTS.write_text("".join(lines), "utf-8")
    rows = (line.split() for line in ACCOUNTS.read_text("utf-8").splitlines())
    return {username: password for username, _role, password in rows}


@transaction.atomic
def seed(*, passwords: dict[str, str]) -> None:
    publish_shipped(now=timezone.now())
    for one in PEOPLE:
        if User.objects.filter(username=one.username).exists():
            continue
        user = people.invite(
            username=one.username,
            name=one.name,
            email="",
            roles={one.role},
            capacity=20,
            languages=one.languages,
            interface_language=one.interface_language,
        )
        user.set_password(passwords[one.username])
        user.save(update_fields=["password"])
