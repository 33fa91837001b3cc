from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import find_release
from cases.models import Release
from cases.models.releases import Status
from reviews.escapes.workflow import open_for


class Command(BaseCommand):
    help = (
        "Open the escapes of releases that were closed before this Spotcheck recorded them. It can "
        "be repeated: a release that has them stays as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "release", nargs="?", metavar="RELEASE", help="default: every closed release"
        )

    def handle(self, *, release: str | None, **options: Any) -> None:
        closed = Release.objects.filter(status=Status.CLOSED).order_by("created_at", "pk")
        for found in [find_release(release)] if release else closed:
            findings = open_for(release=found, user=None, now=timezone.now())
            if findings is None:
                self.stdout.write(f"{found.name}: nothing to do.")
            else:
                self.stdout.write(f"{found.name}: {len(findings)} findings.")
