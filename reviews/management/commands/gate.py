import json
import math
import sys
import time
from argparse import ArgumentTypeError
from textwrap import shorten
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

from cases.commands import find_release
from reviews.models.outcomes import Word
from reviews.releases.gate import Outcome, build_document, load_outcome
from reviews.releases.verdict_markdown import format_verdict
from reviews.report.sentences import join_conditions, own_names, translate_reason

CODES = {Word.GO: 0, Word.NO_GO: 1, Word.HOLD: 1, Word.NOT_ENOUGH_EVIDENCE: 2}
# Exit code for errors, which a pipeline must not mistake for an answer.
NO_ANSWER = 3
BETWEEN_LOOKS = 2.0
LONGEST = 160
MARKS = {True: "ok", False: "FAIL", None: "–"}


class Answered(SystemExit):
    """The gate has an answer; any other end of the command is an error."""


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


class Command(BaseCommand):
    help = (
        "Tell a pipeline whether a release may go: exit 0 GO, 1 NO-GO or HOLD, 2 NOT ENOUGH "
        "EVIDENCE or not closed, 3 no answer. A signed decision sets the code."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="the verdict as a JSON document")
        form.add_argument(
            "--markdown", action="store_true", help="the verdict for a pull request or step summary"
        )
        parser.add_argument(
            "--wait",
            type=seconds,
            default=0.0,
            metavar="SECONDS",
            help="wait so long for the release to be closed",
        )

    def run_from_argv(self, argv: list[str]) -> None:
        try:
            super().run_from_argv(argv)
        except Answered:
            raise
        except SystemExit as end:
            # --help, or the command could not run: argparse exits with 2, Django with 1.
            sys.exit(NO_ANSWER if end.code else 0)
        except Exception as error:  # a pipeline must never read a crash as an answer
            self.stderr.write(f"{type(error).__name__}: {error}")
            sys.exit(NO_ANSWER)

    def handle(self, *, release: str, wait: float, **options: Any) -> NoReturn:
        until = time.monotonic() + wait
        found = find_release(release)
        while not found.is_closed and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, BETWEEN_LOOKS))
            found = find_release(release)
        outcome = load_outcome(found)
        if options["json"]:
            self.stdout.write(json.dumps(build_document(outcome), ensure_ascii=False, indent=2))
        elif options["markdown"]:
            self.stdout.write(format_verdict(build_document(outcome)), ending="")
        else:
            self.stdout.write("\n".join(format_lines(outcome)))
        raise Answered(CODES[outcome.final])


def format_lines(outcome: Outcome) -> list[str]:
    names = own_names(outcome.summary)
    verdict, summary = outcome.verdict, outcome.summary
    found = [headline(outcome)]
    found.append(translate_reason(verdict.sentence, names))
    if verdict.conditions:
        found.append(f"Conditions: {join_conditions(verdict.conditions, names)}")
    if outcome.decision:
        against = ", AGAINST THE VERDICT" if outcome.decision.is_against else ""
        found.append(
            f"Decision: {outcome.decision.decision}{against}, signed by {outcome.decision.by}: "
            f"{one_line(outcome.decision.reason)}"
        )
    found.append(
        f"{summary.reviews_counted} of {summary.reviews_wanted} reviews, "
        f"{summary.evidence.cases} of {len(summary.planned)} cases judged"
    )
    if verdict.criteria:
        found += ["", "Criteria:"]
    found += [
        f"  {MARKS[criterion.passed]:4}  {criterion.name}: "
        f"{translate_reason(criterion.reason, names)}"
        for criterion in verdict.criteria
    ]
    findings = outcome.findings
    if findings:
        found += ["", "Worst findings (case, question, reason):"]
        found += [
            f"  {one_line(finding.case_key)}  {one_line(finding.text)}  "
            f"{one_line(finding.reason) or '–'}"
            for finding in findings
        ]
    return found


def headline(outcome: Outcome) -> str:
    name, word = outcome.release.name, outcome.verdict.word
    if outcome.closing is None:
        return f"{name}: PROVISIONAL, not closed. {f'So far: {word}' if word else 'Between looks.'}"
    if outcome.closing.is_abandoned:
        return f"{name}: abandoned, without a verdict: {outcome.closing.reason}"
    return f"{name}: {word}"


def one_line(text: str) -> str:
    """Replace control characters, so that text of other people cannot affect a terminal."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return shorten(plain, LONGEST, placeholder=" …")
