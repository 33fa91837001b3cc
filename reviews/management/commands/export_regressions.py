from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_release
from reviews.commands import refusals_in_words
from reviews.errors import require_closed
from reviews.export.delivery import write_file
from reviews.regressions.files import ARRAY, FILES


class Command(BaseCommand):
    help = "Write what reviewers found in a closed release as rows for the pipeline, or as issues."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
        parser.add_argument(
            "--format",
            choices=list(FILES),
            default="itinerary-case",
            help="trip-agent: the planner's own cases, as one JSON array if FILE ends with .json",
        )

    def handle(self, *, release: str, out: Path | None, format: str, **options: Any) -> None:
        found = find_release(release)
        with refusals_in_words():
            require_closed(found)
        if out is None:
            for part in FILES[format].parts(found):
                self.stdout.write(part.decode(), ending="")
            return
        is_array = format == "trip-agent" and out.suffix == ".json"
        file = ARRAY if is_array else FILES[format]
        try:
            write_file(out, found, file.make)
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}.") from error
        self.stdout.write(f"{out}: the regressions of {found.name}.")
