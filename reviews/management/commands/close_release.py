from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.releases import lifecycle as releases_lifecycle


class Command(BaseCommand):
    help = "Close a release: store its report and freeze it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument(
            "--waive",
            action="append",
            default=[],
            metavar="RULE",
            help="kind:KEY, cases, reviews or adjudications; may be given several times",
        )
        parser.add_argument("--abandon", action="store_true", help="end it without a verdict")
        parser.add_argument("--reason", default="", metavar="TEXT")
        add_by(parser)

    def handle(self, *, release: str, by: str | None, **options: Any) -> None:
        rules, reason = options["waive"], options["reason"]
        if options["abandon"] and rules:
            raise CommandError("--abandon needs no waiver. Give one of the two.")
        if reason and not (options["abandon"] or rules):
            raise CommandError("--reason goes with --waive or --abandon.")
        route = "release-abandon" if options["abandon"] else "release-close"
        found, user, now = find_release(release), find_user(by, route=route), timezone.now()
        with refusals_in_words():
            if options["abandon"]:
                closing = releases_lifecycle.abandon(
                    release=found, reason=reason, user=user, now=now
                )
            else:
                closing = releases_lifecycle.close(
                    release=found, waived=rules, reason=reason, user=user, now=now
                )
        word = "abandoned" if closing.is_abandoned else "closed"
        self.stdout.write(f"{release} is {word}. Report {closing.digest}, ledger {closing.head}.")
