import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from cases import formats, imports
from cases.commands import MOST_SHOWN, add_by, find_release, find_user, read_bytes
from cases.formats import check_report
from cases.imports.storing import refuse_changes, warnings
from cases.imports.tally import REPEATED, REPEATED_ELSEWHERE
from cases.itinerary.format import CaseError
from cases.tables import TABLE, Columns, describe_columns


class Command(BaseCommand):
    help = "Load cases into a release: all rows or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--format", choices=["auto", *formats.NAMES, TABLE], default="auto")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="the column of a table that fills a field; =TEXT is the same text for every row",
        )
        parser.add_argument("--sheet", default="", help="the sheet of a workbook")
        parser.add_argument(
            "--version", metavar="V", help="take only rows whose release version is V"
        )
        parser.add_argument("--key-from", choices=["id"], help="take this field as the key")
        parser.add_argument(
            "--checks", type=Path, metavar="REPORT.json", help="automated checks, joined by key"
        )
        parser.add_argument("--dry-run", action="store_true", help="check and count, write nothing")
        add_by(parser)

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Let our `--version V` replace Django's option of that name."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def handle(self, *, files: list[Path], by: str | None, **options: Any) -> None:
        release = find_release(options["release"])
        user = find_user(by, route="import")
        wanted = imports.Options(
            format=options["format"],
            version=options["version"],
            key_from=options["key_from"],
            report=read_report(options["checks"]),
            columns=read_maps(options["map"], options["sheet"]),
            remembered=imports.load_remembered(release),
        )
        progress = self.progress_bar()
        try:
            with imports.check(
                [open_source(file) for file in files], wanted, progress=progress("Checked")
            ) as checked:
                found = imports.preview(checked, release)
                if not options["dry_run"]:
                    outcome = imports.store(
                        checked,
                        release=release,
                        user=user,
                        now=timezone.now(),
                        progress=progress("Stored"),
                    )
                elif not release.is_draft:
                    refuse_changes(checked, release)
        except imports.BadFile as refusal:
            raise CommandError(in_lines(refusal)) from refusal
        except imports.CasesFrozen as refusal:
            raise CommandError(str(refusal)) from refusal
        if self.stderr.isatty():
            self.stderr.write("")
        if checked.columns:
            self.stdout.write(f"Columns: {describe_columns(checked.columns.fields)}.")
        for warning in warnings(checked, release):
            self.stderr.write(f"warning: {warning}")
        counts = "{0.new} new, {0.changed} changed, {0.unchanged} unchanged".format
        if options["dry_run"]:
            self.stdout.write(f"{counts(found)}. Nothing was written (--dry-run).")
        elif outcome.batch:
            self.stdout.write(f"{counts(outcome)}. Import {outcome.batch.number}.")
        else:
            self.stdout.write(f"{counts(outcome)}. Nothing changed.")

    def progress_bar(self) -> Any:
        """Return a function that shows progress on a terminal, and nothing elsewhere."""
        is_terminal = self.stderr.isatty()

        def bar(what: str) -> Any:
            def show(count: int) -> None:
                if is_terminal and count % 500 == 0:
                    self.stderr.write(f"\r{what} {count:,} rows", ending="")
                    self.stderr.flush()

            return show

        return bar


def open_source(file: Path) -> imports.Source:
    try:
        file.open("rb").close()
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.") from error
    # The database cannot store a name that is not UTF-8.
    name = os.fsencode(file).decode("utf-8", "replace")
    return imports.Source(name, lambda: file.open("rb"))


def read_maps(maps: list[str], sheet: str) -> Columns:
    try:
        return imports.read_columns(maps, sheet)
    except CaseError as error:
        raise CommandError(f"--map {error}") from error


def read_report(file: Path | None) -> check_report.Report | None:
    if file is None:
        return None
    try:
        return check_report.read(read_bytes(file))
    except CaseError as error:
        raise CommandError(f"{file}: {error}") from error


def in_lines(refusal: imports.BadFile) -> str:
    shown = [
        f"{found.source}:{found.cell or found.line}: {found.problem}"
        if found.line
        else f"{found.source}: {found.problem}"
        for found in refusal.problems[:MOST_SHOWN]
    ]
    if refusal.total > len(shown):
        shown.append(f"{refusal.total} problems in all, the first {len(shown)} shown.")
    if refusal.first_rows:
        shown += ["It begins:", *(f"  {row}" for row in refusal.first_rows)]
    if refusal.versions:
        versions = ", ".join(version or "''" for version in refusal.versions)
        shown.append(f"Choose one version with --version: {versions}.")
    elif any(found.problem.message in (REPEATED, REPEATED_ELSEWHERE) for found in refusal.problems):
        shown.append("If the rows are identified by their id, use --key-from id.")
    shown.append("Nothing was written.")
    return "\n".join(shown)
