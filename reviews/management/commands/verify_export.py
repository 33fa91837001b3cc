from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reviews.export.archive import NotReadable
from reviews.export.code import read_code_version
from reviews.export.verify import verify


def escape(text: str) -> str:
    """Escape control characters, so that text of other people cannot affect a terminal."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


class Command(BaseCommand):
    help = "Recompute everything in a bundle from its rows. Needs no database."
    # The check does not depend on this site.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.zip")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            found = verify(file)
        except NotReadable as error:
            raise CommandError(escape(str(error))) from error
        manifest = found.manifest
        if manifest.code != read_code_version():
            self.stderr.write(
                f"Written by other code ({manifest.code.version}, {manifest.code.digest[:12]}); "
                f"recomputed by {read_code_version().version}, {read_code_version().digest[:12]}."
            )
        if found.problems:
            raise CommandError("\n".join(map(escape, found.problems)))
        counts = ", ".join(f"{name}: {count}" for name, count in found.counts.items())
        self.stdout.write(
            f"{manifest.release} ({manifest.report}): everything fits. {counts}.\n"
            f"Digest of the report: {manifest.summary}"
        )
        if found.older_schema:
            self.stdout.write(
                f"The figures are as stored ({found.older_schema}): an earlier version computed "
                "them by its own rules. Digests, ledger, draws and rows were checked."
            )
        for case_key, people in found.together.items():
            names = ", ".join(people)
            line = f"{case_key}: settled together by its own reviewers: {names}"
            self.stdout.write(escape(line))
        if found.ledger_at_closing:
            self.stdout.write(f"Ledger at closing:    {found.ledger_at_closing}")
        self.stdout.write(f"Ledger by now:        {found.ledger_head}")
