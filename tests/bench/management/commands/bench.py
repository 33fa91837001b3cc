import os
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from tests import servers
from tests.bench import (
    PASSWORD_VARIABLE,
    draw_ours,
    export_ours,
    import_ours,
    seeding,
    summary_ours,
)
from tests.bench.report import table, write_lines
from tests.bench.run import Plan, machine, run

AMOUNTS = ("reviewers", "releases", "cases", "reviews", "waiting", "pairings", "seed")
# Rounds by the number of cases.
IMPORTS = {1000: 5, 10_000: 3, 100_000: 1}
QUICK_IMPORTS = {300: 1, 3000: 1}
# Reviews.
SIZES = [1000, 10_000, 100_000]
QUICK_SIZES = [1000, 10_000]
SUFFIXES = {"k": 1000, "m": 1_000_000}


class Command(BaseCommand):
    help = "Measure what the site costs against a minimal Django project: docs/bench.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        fill = parts.add_parser("seed", help="fill a scratch database; same seed, same rows")
        fill.add_argument("--db", metavar="URL", help="default: DATABASE_URL")
        fill.add_argument("--reviewers", type=int, default=10)
        fill.add_argument("--releases", type=int, default=0, help="without cases")
        fill.add_argument("--cases", type=int, default=0, help="in a release of their own")
        fill.add_argument(
            "--reviews", type=int, default=0, help="of each case; the cases are in the releases"
        )
        fill.add_argument("--waiting", type=int, default=0, help="more reviews, not begun")
        fill.add_argument("--pairings", type=int, default=0, help="read side by side")
        fill.add_argument("--seed", type=int, default=7)
        one = parts.add_parser("import", help="import a file and print what it cost")
        one.add_argument("file", type=Path)
        one.add_argument("release", help="its name; the release is new")
        drawn = parts.add_parser("draw", help="draw samples of releases, print what each cost")
        drawn.add_argument("release", nargs="+")
        summed = parts.add_parser(
            "summary", help="compute the summary of a release, and as raw SQL"
        )
        summed.add_argument("release")
        written = parts.add_parser("export", help="write files of a release, print what each cost")
        written.add_argument("release")
        written.add_argument("warm_up", help="a small release")
        written.add_argument("--kind", choices=[*export_ours.FILES], action="append", required=True)
        for part in (one, drawn, summed, written):
            part.add_argument("--database-pid", type=int, action="append", default=[])
        for part in (summed, written):
            part.add_argument("--rounds", type=int, default=1)
        go = parts.add_parser("run", help="measure; exit 1 if a goal is missed")
        go.add_argument("--db", choices=["sqlite", "postgres", "both"], default="both")
        go.add_argument("--quick", action="store_true", help="short rounds, some minutes")
        go.add_argument(
            "--rows", type=numbers, help="of lists; default: 10,30,100, with --quick 10,100"
        )
        go.add_argument(
            "--sizes",
            type=numbers,
            help="reviews; default: 1k,10k,100k, with --quick 1k,10k; 1m takes long",
        )
        go.add_argument("--clients", type=numbers, help="default: 1,8,32; with --quick 2")
        go.add_argument("--seed", type=int, default=7)
        go.add_argument("--only", default="", help="operations of sites whose name contains it")

    def handle(self, *, part: str, **options: Any) -> None:
        if part == "seed":
            self.seed(options["db"], {name: options[name] for name in AMOUNTS})
        elif part == "run":
            self.measure(options)
        else:
            self.check_name(connection.settings_dict["NAME"])
            self.stdout.write(cost_of(part, options))

    def seed(self, url: str | None, amounts: dict[str, int]) -> None:
        self.check_name(urlsplit(url).path if url else connection.settings_dict["NAME"])
        password = os.environ.get(PASSWORD_VARIABLE, "")
        if url:
            # This process is bound to its own database already.
            arguments = [f"--{name}={amount}" for name, amount in amounts.items()]
            servers.manage(url, "bench", "seed", *arguments, env={PASSWORD_VARIABLE: password})
            return
        call_command("migrate", verbosity=0)
        seeding.fill(**amounts, password=password)

    def check_name(self, name: str) -> None:
        try:
            seeding.check_name(name)
        except seeding.NotForBench as refusal:
            raise CommandError(str(refusal)) from refusal

    def measure(self, options: dict[str, Any]) -> None:
        quick = options["quick"]
        folder = settings.VAR_DIR / "bench"
        about = machine()
        plan = Plan(
            databases=["sqlite", "postgres"] if options["db"] == "both" else [options["db"]],
            rows=sorted(options["rows"] or ([10, 100] if quick else [10, 30, 100])),
            sizes=sorted(options["sizes"] or (QUICK_SIZES if quick else SIZES)),
            releases=4 if quick else 25,
            clients=options["clients"] or ([2] if quick else [1, 8, 32]),
            rounds=3 if quick else 5,
            start_rounds=1 if quick else 5,
            seconds=0.1 if quick else 2,
            seed=options["seed"],
            folder=folder,
            imports=QUICK_IMPORTS if quick else IMPORTS,
            alpha_cases=100_000 if quick else 1_000_000,
            large_rounds=1 if quick else 3,
            files=["wide", "long"] if quick else [*export_ours.FILES],
            only=options["only"],
        )
        rows = run(plan, say=lambda text: self.stderr.write(text))
        path = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.jsonl"
        write_lines(path, about, rows)
        self.stdout.write(table(rows))
        self.stdout.write(f"Written to {path}")
        missed = [row.name for row in rows if row.passed is False]
        if missed:
            raise CommandError("Missed: " + "; ".join(missed))


def cost_of(part: str, options: dict[str, Any]) -> str:
    """One act in this process, as JSON lines for whoever compares."""
    release, pids = options["release"], options["database_pid"]
    if part == "import":
        return import_ours.measured(options["file"], name=release, database_pids=pids).printed()
    if part == "draw":
        return "\n".join(one.printed() for one in draw_ours.measured(release, database_pids=pids))
    rounds = options["rounds"]
    if part == "summary":
        return summary_ours.measured(release, rounds=rounds, database_pids=pids).printed()
    return export_ours.printed(
        export_ours.measured(
            release,
            warm_up=options["warm_up"],
            kinds=options["kind"],
            rounds=rounds,
            database_pids=pids,
        )
    )


def numbers(text: str) -> list[int]:
    """Such as 10,30 or 1k,1m."""
    return [number(part.strip().lower()) for part in text.split(",")]


def number(text: str) -> int:
    factor = SUFFIXES.get(text[-1:], 1)
    return int(text[:-1] if factor > 1 else text) * factor
