from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from cases.ledger import LedgerBroken
from cases.models import Ledger, Release
from reviews.releases import verify as releases_verify


class Command(BaseCommand):
    help = (
        "Check that no event of a ledger was changed, cut or slipped in, nor a report or decision."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name",
            nargs="?",
            metavar="RELEASE",
            help="or a ledger such as product:NAME; default: all of both",
        )

    def handle(self, *, name: str | None, **options: Any) -> None:
        for owner in list_owners(name):
            try:
                count = releases_verify.verify_ledger(owner)
            except LedgerBroken as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{owner.name}: {count} events, all in order.")


def list_owners(name: str | None) -> Iterable[Release | Ledger]:
    if not name:
        return [*Release.objects.order_by("name"), *Ledger.objects.order_by("name")]
    return Ledger.objects.filter(name=name)[:1] or [find_release(name)]
