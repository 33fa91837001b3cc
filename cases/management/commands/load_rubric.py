from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases import rubric
from cases.commands import MOST_SHOWN, add_by, find_user, find_version, read_bytes
from cases.models import Rubric
from cases.rubrics import workflow as rubrics_workflow


class Command(BaseCommand):
    help = "Check a rubric document and publish it as the next version, or as a translation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        languages = [code for code, _name in settings.LANGUAGES]
        parser.add_argument("file", type=Path, metavar="FILE.md", nargs="?")
        parser.add_argument(
            "--shipped",
            action="store_true",
            help="publish the rubric that comes with Spotcheck, if there is none yet",
        )
        parser.add_argument(
            "--translates", type=int, metavar="N", help="add this text to version N"
        )
        parser.add_argument(
            "--language", choices=languages, help="language of the text; detected if left out"
        )
        add_by(parser)

    def handle(self, *, file: Path | None, by: str | None, **options: Any) -> None:
        if options["shipped"] and file is None:
            self.publish_shipped(quietly=not options["verbosity"])
            return
        if file is None or options["shipped"]:
            raise CommandError("Name one FILE.md, or --shipped for the rubric of Spotcheck.")
        text = read_text(file)
        user = find_user(by, route="rubric-new")
        language, number = options["language"], options["translates"]
        now = timezone.now()
        try:
            if number is None:
                published = rubrics_workflow.publish(
                    text=text, language=language, user=user, now=now
                )
            else:
                published = rubrics_workflow.translate(
                    original=find_version(number),
                    text=text,
                    language=language or rubric.detect_language(text),
                    user=user,
                    now=now,
                )
        except rubric.RubricError as error:
            raise CommandError(in_lines(file, error.problems)) from error
        except rubrics_workflow.OtherTextExists as error:
            raise CommandError(str(error)) from error
        for warning in published.warnings:
            self.stderr.write(f"{file}:{warning.line}: warning: {warning.sentence}")
        self.stdout.write(describe(published))

    def publish_shipped(self, *, quietly: bool) -> None:
        if Rubric.objects.exists():
            return
        published = rubrics_workflow.publish_shipped(now=timezone.now())
        if not quietly:
            self.stdout.write(describe(published))


def in_lines(file: Path, problems: Sequence[rubric.RubricProblem]) -> str:
    shown = [f"{file}:{problem.line}: {problem.sentence}" for problem in problems[:MOST_SHOWN]]
    if len(problems) > MOST_SHOWN:
        shown.append(f"{len(problems)} problems in all, the first {MOST_SHOWN} shown.")
    return "\n".join(shown)


def read_text(file: Path) -> str:
    try:
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{file}: not UTF-8 text (byte {error.start + 1}).") from error


def describe(published: rubrics_workflow.Published) -> str:
    document = published.version.document
    what = "published" if published.is_new else "already there, nothing changed"
    counts = ", ".join(
        f"{metric.key} ({len(metric.levels)} levels, {len(metric.checklist)} questions)"
        for metric in document.metrics
    )
    return (
        f"Rubric version {published.version.number} ({published.language}): {what}. "
        f"{len(document.metrics)} metrics: {counts}; "
        f"at least {document.sampling.minimum} cases, {len(document.sampling.kinds)} kinds. "
        f"Digest {published.version.digest}"
    )
