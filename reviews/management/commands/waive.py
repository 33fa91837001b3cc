from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.releases import waivers as releases_waivers


class Command(BaseCommand):
    help = "Waive a rule for one release: for what is missing now. The report shows it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument(
            "rule", metavar="RULE", help="kind:KEY, cases, reviews or adjudications"
        )
        parser.add_argument("--reason", default="", metavar="TEXT")
        parser.add_argument(
            "--cases", metavar="A,B,C", help="reviews and adjudications: only these cases"
        )
        add_by(parser)

    def handle(
        self,
        *,
        release: str,
        rule: str,
        reason: str,
        cases: str | None,
        by: str | None,
        **options: Any,
    ) -> None:
        with refusals_in_words():
            releases_waivers.waive(
                release=find_release(release),
                rule=rule,
                reason=reason,
                cases=None if cases is None else [key for key in cases.split(",") if key.strip()],
                user=find_user(by, route="waive"),
                now=timezone.now(),
            )
        self.stdout.write(f"{release}: {rule} is waived.")
