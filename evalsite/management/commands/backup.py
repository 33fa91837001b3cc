from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalsite.backup import BackupRefused, back_up


class Command(BaseCommand):
    help = "Write a consistent copy of the whole site to one file, while the site is in use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def handle(self, *, out: Path, **options: Any) -> None:
        try:
            manifest = back_up(out)
        except BackupRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(
            f"{out}: {manifest.rows} rows of {len(manifest.tables)} tables, as of "
            f"{manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC. It contains password digests and second "
            "factors: keep it as safe as the database."
        )
