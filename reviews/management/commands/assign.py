from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import gettext

from cases.commands import add_by, find_release, find_user
from cases.models import Release
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.preview import Preview, build_preview, describe_people
from reviews.commands import refusals_in_words


class Command(BaseCommand):
    help = "Plan who reviews what, and assign it. Existing assignments do not change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("--reviewers", metavar="A,B,C", help="default: every active reviewer")
        parser.add_argument(
            "--per-case", type=int, metavar="K", help="default: the number of the release"
        )
        parser.add_argument("--dry-run", action="store_true", help="only print the plan")
        add_by(parser)

    def handle(self, *, release: str, by: str | None, **options: Any) -> None:
        found, user, now = (
            find_release(release),
            find_user(by, route="assignments-plan"),
            timezone.now(),
        )
        wishes: dict[str, Any] = {
            "release": found,
            "usernames": names_in(options["reviewers"]),
            "per_case": options["per_case"],
            "now": now,
        }
        with refusals_in_words():
            if options["dry_run"]:
                plan = assignments_workflow.preview_plan(**wishes)
            else:
                plan = assignments_workflow.assign_by_plan(**wishes, user=user)
        preview = build_preview(found, plan, now=now)
        if plan.missing and not plan.assignments:
            raise CommandError("\n".join(list_refusals(preview, found, now=now)))
        self.tell(preview, is_written=not options["dry_run"])

    def tell(self, preview: Preview, *, is_written: bool) -> None:
        for assignment in preview.plan.assignments:
            self.stdout.write(f"{assignment.case_key}\t{assignment.username}")
        for shortfall in preview.shortfalls:
            self.stdout.write(" ".join([shortfall.title, *shortfall.reasons]))
        for person in preview.people:
            if person.note:
                self.stdout.write(f"{person.username}: {person.note}")
        word = "assigned" if is_written else "would be assigned"
        self.stdout.write(f"{preview.added} {word}, {preview.plan.missing} missing.")


def list_refusals(preview: Preview, release: Release, *, now: datetime) -> Iterator[str]:
    """Say why nobody can take anything: a line for each person."""
    for username, reasons in describe_people(preview.plan, due=release.due_date, now=now):
        yield f"{username}: {reasons}."
    if not preview.plan.people:
        yield gettext("There is no active reviewer: put people into the group Reviewers.")
    yield f"0 assigned, {preview.plan.missing} missing."


def names_in(words: str | None) -> list[str] | None:
    if words is None:
        return None
    return [name.strip() for name in words.split(",") if name.strip()]
