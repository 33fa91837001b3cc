from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from cases.ledger import LedgerBroken
from cases.models import Release
from reviews.releases import verify as releases_verify


class Command(BaseCommand):
    help = (
        "Check that no event of a ledger was changed, cut or slipped in, nor a report or decision."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", nargs="?", metavar="RELEASE", help="default: every release")

    def handle(self, *, release: str | None, **options: Any) -> None:
        releases = [find_release(release)] if release else Release.objects.order_by("name")
        for found in releases:
            try:
                count = releases_verify.verify_ledger(found)
            except LedgerBroken as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{found.name}: {count} events, all in order.")
