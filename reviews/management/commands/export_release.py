from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from reviews.export import bundle
from reviews.export.delivery import write_file


class Command(BaseCommand):
    help = "Write everything behind the report of a release into one archive for verify_export."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE.zip")

    def handle(self, *, release: str, out: Path, **options: Any) -> None:
        found = find_release(release)
        try:
            write_file(out, found, bundle.write_bundle)
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}.") from error
        state = "" if found.is_closed else " Provisional: the release is not closed."
        self.stdout.write(f"{out}: the bundle of {found.name}.{state}")
