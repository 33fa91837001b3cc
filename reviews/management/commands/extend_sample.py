from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.assignments.preview import list_shortfalls
from reviews.commands import refusals_in_words
from reviews.management.commands.assign import names_in
from reviews.sample.extension import Extension, extend, preview_extension


class Command(BaseCommand):
    help = "Go on to the next planned look: the draw's next cases are sampled and assigned."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument(
            "--look", type=int, metavar="N", help="do nothing if look N is taken; default: the next"
        )
        parser.add_argument("--reviewers", metavar="A,B,C", help="default: every active reviewer")
        add_by(parser)

    def handle(self, *, release: str, look: int | None, by: str | None, **options: Any) -> None:
        found, user, now = (
            find_release(release),
            find_user(by, route="sample-extend"),
            timezone.now(),
        )
        with refusals_in_words():
            if look is None:
                look = preview_extension(found).look + 1
            taken = extend(
                release=found,
                look=look,
                usernames=names_in(options["reviewers"]),
                user=user,
                now=now,
            )
        self.tell(taken, found.name)
        for shortfall in list_shortfalls(
            taken.plan, due=found.due_date, today=timezone.localdate(now)
        ):
            self.stdout.write(" ".join([shortfall.title, *shortfall.reasons]))

    def tell(self, taken: Extension, name: str) -> None:
        for case_key, kind in taken.cases:
            self.stdout.write(f"{kind or '-'}\t{case_key}")
        for assignment in taken.assigned:
            self.stdout.write(f"{assignment.case_key}\t{assignment.username}")
        self.stdout.write(
            f"Look {taken.look} of {name}: {taken.size} cases, {len(taken.cases)} of them new, "
            f"{len(taken.assigned)} reviews assigned, {taken.plan.missing} missing."
        )
