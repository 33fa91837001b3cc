from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases import imports
from cases.commands import add_by, find_release, find_user


class Command(BaseCommand):
    help = "Undo one import, newest first, while the release is a draft."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("batch", type=int, metavar="BATCH")
        add_by(parser)

    def handle(self, *, release: str, batch: int, by: str | None, **options: Any) -> None:
        try:
            undone = imports.undo_import(
                release=find_release(release),
                number=batch,
                user=find_user(by, route="import-undo"),
                now=timezone.now(),
            )
        except imports.CannotUndo as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"Import {undone.number} of {release} has been undone.")
