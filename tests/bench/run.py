"""The whole run: servers, databases, all operations, one list of rows."""

import os
import platform
import resource
import secrets
import statistics
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from tests import servers
from tests.bench import PASSWORD_VARIABLE, alphas, cpu, draws, exports, plans, summaries
from tests.bench.imports import Imports, copy_database, write_files
from tests.bench.measuring import NOISY, Bench, load_generator, next_of
from tests.bench.operations import (
    REVIEWERS,
    REVIEWS,
    Operation,
    operations,
    pair_operations,
    report,
)
from tests.bench.paired import PAIRED, READ, unread_in
from tests.bench.report import Row
from tests.bench.reviewed import OPEN_RELEASES, reviewed_name
from tests.bench.reviewing import Desks, Sized, waiting_needed
from tests.bench.target import Target

OURS = {"DJANGO_SETTINGS_MODULE": "tests.bench.settings"}
FLOOR = {"DJANGO_SETTINGS_MODULE": "tests.bench.floor.settings"}
FLOOR_WSGI = "tests.bench.floor.wsgi"
START_AT_MOST = 4


@dataclass(frozen=True)
class Plan:
    databases: list[str]
    rows: list[int]  # of lists
    sizes: list[int]  # reviews
    releases: int  # that the reviews are of
    clients: list[int]
    rounds: int
    start_rounds: int
    seconds: float
    seed: int
    folder: Path
    imports: dict[int, int]  # rounds by the number of cases
    alpha_cases: int
    large_rounds: int  # of what is done with a large release
    files: list[str]  # that are written of it
    only: str = ""  # nothing but operations of sites whose name contains it


# Operations by the password, and by the sizes of a small release and a large one.
Choose = Callable[[str, int, int], list[Operation]]


@dataclass(frozen=True)
class Databases:
    """Only ours and the floor's are there from the beginning; the others are copies of ours."""

    ours: str
    floor: str
    raw: str
    pids: list[int]

    def with_reviews(self, count: int) -> str:
        return self.ours.replace("bench_ours", f"bench_reviews_{count}")

    @property
    def with_pairs(self) -> str:
        return self.ours.replace("bench_ours", "bench_pairs")


def run(
    plan: Plan,
    *,
    choose: Choose = operations,
    say: Callable[[str], object] = lambda text: None,
) -> list[Row]:
    rows: list[Row] = []
    plan.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=plan.folder) as place:
        files = write_files(Path(place), [*plan.imports], plan.seed)
        for name in plan.databases:
            with made(name, plan.folder) as databases:
                rows += run_on(name, databases, plan, files, choose, say)
            if name == plan.databases[0] and not plan.only:
                say("warm start")
                rows += warm_start(plan)
    if plan.only:
        return rows
    say(plans.OPERATION)
    rows.append(plans.measure(plan.start_rounds))
    say(alphas.OPERATION)
    rows.append(alphas.measure(plan.alpha_cases, plan.start_rounds, plan.seed))
    return rows


def run_on(
    name: str,
    databases: Databases,
    plan: Plan,
    files: dict[int, Path],
    choose: Choose,
    say: Callable[[str], object],
) -> Iterator[Row]:
    password = secrets.token_urlsafe(24)
    chosen = [
        operation
        for operation in choose(password, plan.rows[-1], max(plan.imports))
        if plan.only in operation.name
    ]
    say(f"{name}: first start")
    yield first_start(name, databases, plan, password)
    say(f"{name}: {', '.join(f'{size:,}' for size in plan.sizes)} reviews")
    add_reviews(databases, plan, password)
    if chosen or not plan.only:
        # Lists are measured in what it imports.
        imports = Imports(name, databases.ours, databases.raw, databases.pids)
        yield from imports.measure(files, plan.imports, say)
    if not plan.only:
        say(f"{name}: {draws.OPERATION}")
        yield from draws.measure(name, databases.ours, [*plan.imports], databases.pids)
    if plan.sizes and not plan.only:
        yield from of_a_large_release(name, databases, plan, say)
    with ExitStack() as stack:
        load = stack.enter_context(load_generator())

        def serve(url: str, wsgi: str = "evalsite.wsgi", env: dict[str, str] = OURS) -> Target:
            site = stack.enter_context(servers.site(database_url=url, env=env, wsgi=wsgi))
            return Target(
                site=site, database_url=url, database_pids=databases.pids, password=password
            )

        ours, floor = serve(databases.ours), serve(databases.floor, FLOOR_WSGI, FLOOR)
        yield from sql_at_every_size(name, ours, chosen, plan, password)
        bench = Bench(name, ours, floor, load, plan.clients, plan.rounds, plan.seconds)
        for operation in chosen:
            say(f"{name}: {operation.name}")
            yield from bench.measure(operation)
        sizes = [
            Sized.of(serve(databases.with_reviews(size)), plan.releases) for size in plan.sizes
        ]
        if sizes:
            desks = Desks(replace(bench, ours=sizes[-1].target), sizes)
            yield from desks.measure(say, plan.only)
        if sizes and "pairs".startswith(plan.only):
            say(f"{name}: pairs")
            target = serve(databases.with_pairs)
            yield from of_pairs(replace(bench, ours=target))


def of_pairs(bench: Bench) -> Iterator[Row]:
    """Pages of pairs and the report, in review; then closing the release, and its report."""
    url, name = bench.ours.database_url, bench.database
    for operation in pair_operations(unread_in(url), PAIRED):
        yield from bench.measure(operation)
    spent = cpu_of(bench.ours.database_pids, partial(close_release, url, PAIRED))
    yield Row(name, "closing with pairs", f"CPU s, {READ} read, with starting Django", ours=spent)
    yield from bench.measure(report("report with pairs, closed", PAIRED, cpu_at_most=10))


def close_release(database_url: str, name: str) -> None:
    servers.manage(database_url, "close_release", name, env=OURS)


def of_a_large_release(
    name: str, databases: Databases, plan: Plan, say: Callable[[str], object]
) -> Iterator[Row]:
    """The first in the database with the most reviews; the newest closed one is small."""
    url, pids = databases.with_reviews(plan.sizes[-1]), databases.pids
    large, small = reviewed_name(1), reviewed_name(plan.releases - OPEN_RELEASES)
    say(f"{name}: {summaries.OPERATION}")
    yield summaries.measure(name, url, large, plan.large_rounds, pids)
    say(f"{name}: {exports.OPERATION}")
    yield from exports.measure(
        name,
        url,
        large,
        warm_up=small,
        kinds=plan.files,
        rounds=plan.large_rounds,
        database_pids=pids,
    )


@contextmanager
def made(name: str, folder: Path) -> Iterator[Databases]:
    if name == "sqlite":
        with tempfile.TemporaryDirectory(dir=folder) as place:
            yield Databases(
                f"sqlite:///{place}/bench_ours.sqlite3",
                f"sqlite:///{place}/bench_floor.sqlite3",
                f"sqlite:///{place}/bench_raw.sqlite3",
                [],
            )
    else:
        with servers.postgres(durable=True) as server:
            ours = servers.create_database(server, "bench_ours")
            floor = servers.create_database(server, "bench_floor")
            raw = servers.create_database(server, "bench_raw")
            yield Databases(ours, floor, raw, [postmaster(server)])


def postmaster(server_url: str) -> int:
    """The process that started the one that answers us."""
    with psycopg.connect(server_url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        return cpu.parent_of(row[0])


def seed(database_url: str, size: int, plan: Plan, password: str) -> None:
    """As many reviewers, as many releases, and a release of as many cases."""
    arguments = ["bench", "seed", f"--seed={plan.seed}"]
    arguments += [f"--{what}={size}" for what in ("reviewers", "releases", "cases")]
    servers.manage(database_url, *arguments, env={PASSWORD_VARIABLE: password})


def add_reviews(databases: Databases, plan: Plan, password: str) -> None:
    """A database for each number of reviews, all made at once: nothing is measured meanwhile."""
    for size in plan.sizes:
        copy_database(databases.ours, databases.with_reviews(size))
    copy_database(databases.ours, databases.with_pairs)
    with ThreadPoolExecutor() as pool:
        made = [
            pool.submit(seed_reviews, databases.with_reviews(size), size, plan, password)
            for size in plan.sizes
        ]
        made.append(pool.submit(seed_pairs, databases.with_pairs, plan, password))
    for one in made:
        one.result()


def seed_pairs(database_url: str, plan: Plan, password: str) -> None:
    amounts = {"seed": plan.seed, "reviewers": REVIEWERS, "pairings": READ}
    arguments = [f"--{what}={amount}" for what, amount in amounts.items()]
    servers.manage(database_url, "bench", "seed", *arguments, env={PASSWORD_VARIABLE: password})


def seed_reviews(database_url: str, size: int, plan: Plan, password: str) -> None:
    """As many reviews, and more of them that nobody has begun."""
    most, fewest = waiting_needed(plan.clients, plan.rounds, plan.seconds)
    amounts = {
        "seed": plan.seed,
        "reviewers": REVIEWERS,
        "releases": plan.releases,
        "reviews": REVIEWS,
        "cases": -(-size // REVIEWS),
        "waiting": most if size == plan.sizes[-1] else fewest,
    }
    arguments = [f"--{what}={amount}" for what, amount in amounts.items()]
    servers.manage(database_url, "bench", "seed", *arguments, env={PASSWORD_VARIABLE: password})


def first_start(name: str, databases: Databases, plan: Plan, password: str) -> Row:
    """From an empty database to one that is migrated and filled."""

    def fill_floor() -> None:
        env = {PASSWORD_VARIABLE: password}
        servers.run_python(databases.floor, "-m", "tests.bench.floor", env=env)

    ours = cpu_of(databases.pids, lambda: seed(databases.ours, plan.rows[0], plan, password))
    floor = cpu_of(databases.pids, fill_floor)
    return Row(name, "first start", "CPU s, migrated and filled", ours, floor, ours / floor)


def cpu_of(pids: list[int], act: Callable[[], None]) -> float:
    """CPU seconds of what `act` runs in processes that it waits for, and of the database."""
    before = children_seconds() + cpu.cpu_seconds(pids)
    act()
    return children_seconds() + cpu.cpu_seconds(pids) - before


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sql_at_every_size(
    name: str, ours: Target, chosen: list[Operation], plan: Plan, password: str
) -> Iterator[Row]:
    """Lets the database grow from the smallest size, which it has, to the largest."""
    asked = [operation for operation in chosen if operation.sql_equal_with]
    counts: dict[str, dict[int, int]] = {operation.name: {} for operation in asked}
    for size in [*plan.rows, max(plan.imports)]:
        is_import = size not in plan.rows
        if not is_import and size != plan.rows[0]:
            seed(ours.database_url, size, plan, password)
        for operation in asked:
            if operation.at_size or not is_import:
                ask = operation.at_size(size) if operation.at_size else next_of(operation.asks)
                ours.ask(ask)
                counts[operation.name][size] = ours.sql_count(ask)
    for operation in asked:
        found = counts[operation.name].values()
        sizes = ", ".join(f"{size:,}" for size in counts[operation.name])
        yield Row(
            name,
            operation.name,
            f"SQL with {sizes} {operation.sql_equal_with}",
            ours=", ".join(map(str, found)),
            goal="equal",
            passed=len(set(found)) == 1,
        )


def warm_start(plan: Plan) -> Iterator[Row]:
    """CPU until /healthz answers. It does not ask the database, so one without tables will do."""
    with made("sqlite", plan.folder) as databases:
        ours: list[float] = []
        floor: list[float] = []
        for _ in range(plan.start_rounds):
            with servers.site(database_url=databases.ours, env=OURS) as site:
                ours.append(cpu.cpu_seconds([site.pid]))
            with servers.site(database_url=databases.floor, env=FLOOR, wsgi=FLOOR_WSGI) as site:
                floor.append(cpu.cpu_seconds([site.pid]))
    ratios = [a / b for a, b in zip(ours, floor, strict=True)]
    ratio = statistics.median(ratios)
    yield Row(
        "any",
        "warm start",
        "CPU s",
        statistics.median(ours),
        statistics.median(floor),
        ratio,
        goal=f"<= {START_AT_MOST}x",
        passed=ratio <= START_AT_MOST,
        noisy=max(ratios) / min(ratios) > NOISY,
        more={"ratios": ratios},
    )


def machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "python": platform.python_version(),
        "system": platform.platform(),
    }
