import secrets
from argparse import ArgumentParser
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from cases import imports
from cases.models import Case, Release, Rubric
from cases.releases import workflow as releases_workflow
from cases.rubrics.workflow import publish_shipped
from evalsite.permissions import Role
from reviews.demo import scores
from reviews.models.outcomes import DecisionMade
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from reviews.sample import workflow as sample_workflow


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
PRODUCT = "wayfarer"
# Oldest first, with the age of each; each is compared with the one before.
RELEASES = {
    "wayfarer-2026.09": timedelta(days=58),
    "wayfarer-2026.10": timedelta(days=29),
    "wayfarer-2026.11": timedelta(),
}
OLDEST, *_, NEWEST = RELEASES
CASES = Path(__file__).resolve().parents[2] / "demo"


class Command(BaseCommand):
    help = "Fill the site with the demo: rubric, people, releases, reviews. Safe to run twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--accounts-only", action="store_true", help="only print the demo accounts"
        )

    def handle(self, *, accounts_only: bool, **options: Any) -> None:
        if not accounts_only:
            seed(passwords=read_passwords())
        if options["verbosity"] and ACCOUNTS.exists():
            self.stdout.write(ACCOUNTS.read_text("utf-8"), ending="")


def read_passwords() -> dict[str, str]:
    """Read the random passwords, or create them once for this checkout."""
    if not ACCOUNTS.exists():
        lines = [
            f"{person.username}  {person.role}  {secrets.token_urlsafe(15)}\n" for person in PEOPLE
        ]
        ACCOUNTS.parent.mkdir(exist_ok=True)
        ACCOUNTS.touch(mode=0o600)
        ACCOUNTS.write_text("".join(lines), "utf-8")
    rows = (line.split() for line in ACCOUNTS.read_text("utf-8").splitlines())
    return {username: password for username, _role, password in rows}


@transaction.atomic
def seed(*, passwords: dict[str, str]) -> None:
    rubric = publish_shipped(now=timezone.now()).version
    invite(passwords)
    baseline = None
    for name, ago in RELEASES.items():
        known = Release.objects.filter(name=name).first()
        now = timezone.now() - ago
        baseline = known or open_release(name, rubric, baseline, now=now)
        if not known:
            run_release(baseline, now=now)


def open_release(name: str, rubric: Rubric, baseline: Release | None, *, now: datetime) -> Release:
    admin = User.objects.get(username="ada")
    release = releases_workflow.create(
        name=name,
        product=PRODUCT,
        rubric=rubric,
        reviews_per_case=2,
        baseline=baseline,
        due_date=None,
        user=admin,
        now=now,
    )
    file = CASES / f"{name}.jsonl"
    source = imports.Source(file.name, lambda: file.open("rb"))
    with imports.check([source], imports.Options()) as checked:
        imports.store(checked, release=release, user=admin, now=now)
    return release


def run_release(release: Release, *, now: datetime) -> None:
    """Draw, review and close the release, and sign the oldest; the newest stays in review."""
    admin, manager = User.objects.get(username="ada"), User.objects.get(username="mina")
    size = Case.objects.eligible(release).count()
    sample_workflow.draw(release=release, size=size, user=admin, now=now)
    release = releases_lifecycle.start(release=release, user=admin, now=now)
    scores.review(release, now=now)
    if release.name == NEWEST:
        return
    scores.settle(release, now=now)
    closing = releases_lifecycle.close(release=release, user=manager, now=now)
    if release.name == OLDEST:
        sign(
            release=release,
            decision=DecisionMade.DO_NOT_SHIP,
            reason="The plan for Hangzhou sends bad knees up a hill. 先修好再发布。",
            digest=closing.digest,
            user=manager,
            now=now,
        )


def invite(passwords: dict[str, str]) -> None:
    for person in PEOPLE:
        if User.objects.filter(username=person.username).exists():
            continue
        user = people_workflow.invite(
            username=person.username,
            name=person.name,
            email="",
            roles={person.role},
            capacity=20,
            languages=person.languages,
            interface_language=person.interface_language,
        )
        user.set_password(passwords[person.username])
        user.save(update_fields=["password"])
