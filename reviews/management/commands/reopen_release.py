from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.releases import lifecycle as releases_lifecycle


class Command(BaseCommand):
    help = "Reopen a closed release. Its report is kept; its decision becomes void."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--reason", default="", metavar="TEXT")
        add_by(parser)

    def handle(self, *, release: str, reason: str, by: str | None, **options: Any) -> None:
        with refusals_in_words():
            reopened = releases_lifecycle.reopen(
                release=find_release(release),
                reason=reason,
                user=find_user(by, route="release-reopen"),
                now=timezone.now(),
            )
        self.stdout.write(f"{release} is open again, as {reopened.status}.")
