from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.releases import lifecycle as releases_lifecycle


class Command(BaseCommand):
    help = "Start the review of a release: freeze cases, tags, rubric and policy."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        add_by(parser)

    def handle(self, *, release: str, by: str | None, **options: Any) -> None:
        with refusals_in_words():
            releases_lifecycle.start(
                release=find_release(release),
                user=find_user(by, route="release-start"),
                now=timezone.now(),
            )
        self.stdout.write(f"The review of {release} has started.")
