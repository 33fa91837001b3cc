import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import add_by, find_release, find_user
from reviews.commands import refusals_in_words
from reviews.models import Draw, SampledCase
from reviews.sample import workflow as sample_workflow
from reviews.sample.reasons import explain_draw
from reviews.sample.rule import kind_texts


class Command(BaseCommand):
    help = "Draw the sample of a release by the sampling rule of its rubric."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument(
            "--size", type=int, metavar="N", help="left out: as many as the rubric asks for"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        add_by(parser)

    def handle(self, *, release: str, size: int | None, by: str | None, **options: Any) -> None:
        found = find_release(release)
        with refusals_in_words():
            drawn = sample_workflow.draw(
                release=found, size=size, user=find_user(by, route="draw"), now=timezone.now()
            )
        rows = list(build_rows(drawn))
        if options["json"]:
            answer = {
                "release": found.name,
                "size": drawn.size,
                "pool_digest": drawn.pool_digest,
                "sample": rows,
            }
            self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            f"Draw {drawn.number} of {found.name}: {drawn.size} of {drawn.pool_size} cases."
        )
        for row in rows:
            self.stdout.write(f"{row['kind'] or '-'}\t{row['case_key']}\t{row['reason']}")


def build_rows(drawn: Draw) -> list[dict[str, str]]:
    rows = SampledCase.objects.filter(release=drawn.release_id).standing().in_order()
    order, texts = drawn.order, kind_texts(drawn.release)
    return [
        {
            "case_key": sampled.case.case_key,
            "kind": sampled.kind,
            "origin": sampled.origin,
            "reason": explain_draw(order.at(sampled.place or 1), texts),
        }
        for sampled in rows.with_cases()
    ]
