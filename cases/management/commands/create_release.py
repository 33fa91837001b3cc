from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases.commands import add_by, find_release, find_user, find_version
from cases.models import Rubric
from cases.releases import workflow as releases_workflow


class Command(BaseCommand):
    help = "Open a release, as a draft."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--product", metavar="P", help="default: the product of the baseline")
        parser.add_argument("--rubric", type=int, metavar="N", help="default: the newest version")
        parser.add_argument(
            "--per-case", type=int, default=2, metavar="K", help="how many reviews a case gets"
        )
        parser.add_argument("--baseline", metavar="NAME", help="a release to compare with")
        parser.add_argument("--due", metavar="DATE", help="such as 2026-12-24")
        add_by(parser)

    def handle(self, *, name: str, by: str | None, **options: Any) -> None:
        user = find_user(by, route="release-new")
        rubric = (
            Rubric.objects.newest()
            if options["rubric"] is None
            else find_version(options["rubric"])
        )
        if rubric is None:
            raise CommandError("There is no rubric yet. Publish one first: load_rubric FILE.md")
        baseline = find_release(options["baseline"]) if options["baseline"] else None
        product = options["product"]
        if product is None:
            product = baseline.product if baseline else ""
        try:
            release = releases_workflow.create(
                name=name,
                product=product,
                rubric=rubric,
                reviews_per_case=options["per_case"],
                baseline=baseline,
                due_date=read_date(options["due"]),
                user=user,
                now=timezone.now(),
            )
        except ValidationError as error:
            lines = [
                f"{field}: {sentence}" if field != "__all__" else sentence
                for field, sentences in error.message_dict.items()
                for sentence in sentences
            ]
            raise CommandError("\n".join(lines)) from error
        self.stdout.write(
            f"Release {release.name} is open as a draft: rubric version {rubric.number}, "
            f"{release.reviews_per_case} reviews per case."
        )


def read_date(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"--due: must be a date such as 2026-12-24, got '{text}'.") from error
