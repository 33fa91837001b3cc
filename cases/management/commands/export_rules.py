from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cases.commands import find_product
from cases.rules.queries import export_rules


class Command(BaseCommand):
    help = "Write the adopted rules of a product as rules.json, for a pipeline."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("product", metavar="PRODUCT")
        parser.add_argument("--out", metavar="FILE", type=Path, help="default: standard output")

    def handle(self, *, product: str, out: Path | None, **options: Any) -> None:
        document = export_rules(find_product(product))
        if out is None:
            self.stdout.write(document.decode(), ending="")
            return
        try:
            out.write_bytes(document)
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}.") from error
