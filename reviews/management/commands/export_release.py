from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from reviews.commands import refusals_in_words
from reviews.export.delivery import write_file
from reviews.export.files import BUNDLE
from reviews.export.tools import TOOLS


class Command(BaseCommand):
    help = (
        "Write everything behind the report of a release into one archive for verify_export, or "
        "the reviews of a closed one in the format of another tool."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")
        parser.add_argument(
            "--format", choices=["bundle", *TOOLS], default="bundle", help="default: bundle"
        )

    def handle(self, *, release: str, out: Path, format: str, **options: Any) -> None:
        found = find_release(release)
        file = TOOLS.get(format, BUNDLE)
        try:
            with refusals_in_words():
                write_file(out, found, file.make)
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}.") from error
        state = "" if found.is_closed else " Provisional: the release is not closed."
        what = "bundle" if file is BUNDLE else f"{format} file"
        self.stdout.write(f"{out}: the {what} of {found.name}.{state}")
