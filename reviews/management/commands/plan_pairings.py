from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.management.commands.assign import names_in
from reviews.pairings import workflow


class Command(BaseCommand):
    help = "Plan who compares which old and new plan. Existing pairings do not change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--reviewers", metavar="A,B,C", help="default: every active reviewer")
        parser.add_argument(
            "--per-case", type=int, metavar="K", help="default: the number of the release"
        )
        parser.add_argument("--dry-run", action="store_true", help="only print the plan")
        add_by(parser)

    def handle(self, *, release: str, by: str | None, **options: Any) -> None:
        wishes: dict[str, Any] = {
            "release": find_release(release),
            "usernames": names_in(options["reviewers"]),
            "per_case": options["per_case"],
            "now": timezone.now(),
        }
        user = find_user(by, route="pairings-plan")
        with refusals_in_words():
            if options["dry_run"]:
                _pairs, plan = workflow.preview_plan(**wishes)
            else:
                plan = workflow.plan_pairings(**wishes, user=user)
        for assignment in plan.assignments:
            self.stdout.write(f"{assignment.case_key}\t{assignment.username}")
        word = "would be assigned" if options["dry_run"] else "assigned"
        counts = f"{len(plan.assignments)} {word}, {plan.missing} missing."
        if plan.missing and not plan.assignments:
            raise CommandError(counts)
        self.stdout.write(counts)
