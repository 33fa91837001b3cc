from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from reviews.releases import verify as releases_verify


class Command(BaseCommand):
    help = "Repeat the draws of a release from their stored pools, and compare."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")

    def handle(self, *, release: str, **options: Any) -> None:
        problems, count = releases_verify.verify_sample(find_release(release))
        if problems:
            raise CommandError("\n".join(problems))
        self.stdout.write(f"{release}: {count} draws, each as the rule gives it.")
