from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalsite.backup import BackupRefused, restore


class Command(BaseCommand):
    help = "Restore a backup into an empty database of either engine, completely or not at all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            manifest = restore(file)
        except BackupRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(
            f"{file}: {manifest.rows} rows of {len(manifest.tables)} tables restored, as of "
            f"{manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC. `manage.py verify_ledger` checks them."
        )
