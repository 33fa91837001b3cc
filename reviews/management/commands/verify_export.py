from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reviews.export.checks import problems_in
from reviews.export.code import code
from reviews.export.unpacking import NotABundle, unpack


def printable(text: str) -> str:
    """What somebody else wrote, harmless on a terminal."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


class Command(BaseCommand):
    help = "Recompute everything that stands in a bundle from its rows. Needs no database."
    # A checked bundle says nothing of this site.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.zip")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            bundle = unpack(file)
        except NotABundle as error:
            raise CommandError(printable(str(error))) from error
        problems = [printable(one) for one in problems_in(bundle)]
        if bundle.manifest.code != code():
            self.stderr.write(
                f"Written by other code ({bundle.manifest.code.version}, "
                f"{bundle.manifest.code.digest[:12]}); recomputed by {code().version}, "
                f"{code().digest[:12]}."
            )
        if problems:
            raise CommandError("\n".join(problems))
        self.stdout.write(
            f"{bundle.release.name} ({bundle.manifest.report}): everything fits. "
            f"Cases: {len(bundle.cases)}, reviews: {len(bundle.reviews)}, "
            f"draws: {len(bundle.draws)}, events: {len(bundle.events)}.\n"
            f"Digest of the report: {bundle.manifest.summary}"
        )
        for one in bundle.closings:
            if one.reopened_at is None:
                self.stdout.write(f"Ledger at closing:    {one.head}")
        self.stdout.write(f"Ledger by now:        {bundle.release.ledger_head}")
