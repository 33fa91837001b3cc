"""The bench measures correctly, uses only its own databases, and fails when a goal is missed."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from functools import partial
from http.client import HTTPMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from cases.models import Batch, Case, CaseTag, Event, Release, Rubric
from reviews.models import Absence, Pairing, Reviewer
from tests import servers
from tests.bed.api import token_of
from tests.bed.databases import empty_database, server_url, without_triggers
from tests.bench import (
    alphas,
    cpu,
    draws,
    exports,
    imports,
    itineraries,
    load,
    measuring,
    paired,
    plans,
    report,
    reviewing,
    seeding,
    summaries,
    weight,
)
from tests.bench import run as bench_run
from tests.bench.cost import Cost
from tests.bench.counting import SqlCountMiddleware
from tests.bench.export_ours import Exported
from tests.bench.measuring import Bench, load_generator
from tests.bench.operations import (
    FLOOR_CALL,
    FLOOR_CALL_SUBMIT,
    FLOOR_LIST,
    FLOOR_PAGE,
    FLOOR_SUBMIT,
    Operation,
    desk_operations,
    operations,
)
from tests.bench.reviewed import WAITING
from tests.bench.reviewing import Desks, Sized, waiting_needed
from tests.bench.run import FLOOR, FLOOR_WSGI, OURS, Databases, Plan, postmaster, run
from tests.bench.stock import Stock
from tests.bench.summary_ours import Summed
from tests.bench.target import Answer, Ask, Target
from tests.conftest import MakeDatabase
from tests.people import make_groups

PASSWORD = "correct horse battery staple"


def tiny_plan(folder: Path, **changes: Any) -> Plan:
    plan = Plan(
        databases=["sqlite"],
        rows=[3],
        sizes=[10, 20],
        releases=4,
        clients=[2],
        rounds=2,
        start_rounds=1,
        seconds=0.05,
        seed=7,
        folder=folder,
        imports={5: 1},
        alpha_cases=1000,
        large_rounds=1,
        files=["wide"],
    )
    return replace(plan, **changes)


def one_row(operation: str) -> report.Row:
    return report.Row("sqlite", operation, "CPU s", 1)


@contextmanager
def no_site(**what: Any) -> Iterator[Any]:
    """A fake for a running site."""
    yield SimpleNamespace(pid=os.getpid(), port=1)


@pytest.mark.sqlite
def test_a_run_goes_through_all_its_parts_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives(*operations: str) -> Any:
        return lambda *_, **__: iter(map(one_row, operations))

    filled: list[str] = []
    for name, act in {
        "first_start": lambda *_: one_row("first start"),
        "add_reviews": lambda *_: filled.append("reviews"),
        "of_a_large_release": gives("summary", "export"),
        "sql_at_every_size": gives("SQL at every size"),
        "of_pairs": gives("pairs"),
        "write_files": lambda *_: {},
    }.items():
        monkeypatch.setattr(bench_run, name, act)
    monkeypatch.setattr(imports.Imports, "measure", gives("import"))
    monkeypatch.setattr(draws, "measure", gives("draw"))
    monkeypatch.setattr(plans, "measure", lambda *_: one_row("plan"))
    monkeypatch.setattr(alphas, "measure", lambda *_: one_row("alpha"))
    monkeypatch.setattr(Bench, "measure", lambda _bench, operation: [one_row(operation.name)])
    monkeypatch.setattr(Sized, "of", lambda target, _releases: SimpleNamespace(target=target))
    monkeypatch.setattr(Desks, "measure", gives("desks"))
    monkeypatch.setattr(servers, "site", no_site)
    rows = run(tiny_plan(tmp_path), choose=lambda *_: [Operation("home", FLOOR_PAGE, FLOOR_PAGE)])
    assert [row.operation for row in rows] == [
        "first start",
        "import",
        "draw",
        "summary",
        "export",
        "SQL at every size",
        "home",
        "desks",
        "pairs",
        "warm start",
        "plan",
        "alpha",
    ]
    assert filled == ["reviews"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sqlite
def test_starting_costs_what_the_processes_took(tmp_path: Path) -> None:
    databases = Databases("sqlite:///ours", "sqlite:///floor", "", [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers, "manage", lambda *_, **__: spend(0.4))
        patch.setattr(servers, "run_python", lambda *_, **__: spend(0.1))
        row = bench_run.first_start("sqlite", databases, tiny_plan(tmp_path), PASSWORD)
    assert row.quantity == "CPU s, migrated and filled"
    assert isinstance(row.ours, float)
    assert 0.4 <= row.ours < 2
    assert row.ratio is not None
    assert row.ratio > 1


def spend(seconds: float) -> None:
    program = f"import time\nwhile time.process_time() < {seconds}: pass"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_raw_import_writes_what_ours_wrote_and_a_draw_has_all_of_it(
    migrated_database: MakeDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = migrated_database("bench_ours", tmp_path)
    raw = empty_database("bench_raw", tmp_path)
    with one_process(ours) as manage:
        monkeypatch.setattr(servers, "manage", lambda _url, *command: manage(*command))
        raw_and_ours(ours, raw, tmp_path)


COMMANDS = """
import django, json, sys
from django.core.management import call_command
from django.db import connection
django.setup()
for line in sys.stdin:
    call_command(*json.loads(line))
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # PostgreSQL copies no database that is in use
    print(flush=True)
"""


@contextmanager
def one_process(url: str) -> Iterator[Callable[..., str]]:
    """Runs several commands in one process, because starting Django takes longer than each."""
    with subprocess.Popen(
        [sys.executable, "-c", COMMANDS],
        env=servers.environment(url) | OURS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        commands, answers = process.stdin, process.stdout

        def manage(*command: str) -> str:
            commands.write(json.dumps(command) + "\n")
            commands.flush()
            return "".join(iter(answers.readline, "\n"))

        yield manage


def raw_and_ours(ours: str, raw: str, tmp_path: Path) -> None:
    servers.manage(ours, "bench", "seed", "--reviewers=0")
    pids = [] if connection.vendor == "sqlite" else [postmaster(server_url())]
    name = "postgres" if pids else "sqlite"
    files = imports.write_files(tmp_path, [5], seed=7)
    both = imports.Imports(name, ours, raw, pids)
    rows = list(both.measure(files, {5: 1}, say=lambda text: None))
    assert [row.quantity for row in rows] == [
        "cases per CPU s, 5 cases",
        "rows of cases_case",
        "rows of cases_casetag",
    ]
    assert rows[1].ours == 5
    assert [row.passed for row in rows if row.goal == "equal"] == [True, True]
    assert [cost["cases"] for cost in rows[0].more["ours"] + rows[0].more["raw"]] == [5, 5]
    assert all(cost["cpu_seconds"] > 0 for cost in rows[0].more["raw"])
    [drawn] = draws.measure(name, ours, [5], pids)
    assert drawn.quantity == "CPU s, 5 cases"
    assert drawn.passed


def fake_rows(*, passed: bool) -> list[report.Row]:
    return [report.Row("sqlite", "home", "SQL", 9, 3, goal="<= 8", passed=passed)]


@pytest.fixture
def bench_folder(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path / "bench"


@pytest.mark.sqlite
def test_a_missed_goal_is_an_error_that_names_it(
    bench_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "tests.bench.management.commands.bench.run", lambda plan, say: fake_rows(passed=False)
    )
    with pytest.raises(CommandError, match="Missed: sqlite: home: SQL") as error:
        call_command("bench", "run", "--quick")
    assert error.value.returncode == 1
    assert "sqlite: home: SQL | 9" in capsys.readouterr().out


@pytest.mark.sqlite
def test_a_run_that_reaches_its_goals_writes_json_lines(
    bench_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tests.bench.management.commands.bench.run", lambda plan, say: fake_rows(passed=True)
    )
    call_command("bench", "run", "--quick")
    [file] = bench_folder.iterdir()
    machine, row = map(json.loads, file.read_text().splitlines())
    assert machine["cores"] == os.cpu_count()
    assert (row["operation"], row["ours"], row["passed"]) == ("home", 9, True)


@pytest.mark.parametrize("name", ["spotcheck.sqlite3", "bench_mine/real.sqlite3"])
def test_a_database_of_another_name_is_refused_and_not_made(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    with pytest.raises(CommandError, match=r"is called “.*\.sqlite3”.*begins with “bench_”"):
        call_command("bench", "seed", "--db", f"sqlite:///{path}")
    assert not path.exists()


@pytest.mark.sqlite
def test_an_operator_has_the_command_though_the_product_does_not(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/spotcheck.sqlite3"
    assert servers.environment(url)["DJANGO_SETTINGS_MODULE"] == "evalsite.settings"
    with pytest.raises(servers.StartFailed, match="begins with “bench_”"):
        servers.manage(url, "bench", "seed")
    with pytest.raises(servers.StartFailed, match="Unknown command"):
        servers.manage(url, "help", "bench")


@pytest.mark.parametrize("name", ["bench_x", "/somewhere/bench_x.sqlite3"])
def test_a_bench_database_is_accepted(name: str) -> None:
    seeding.check_name(name)


def test_the_configured_database_is_refused_too(db: None) -> None:
    assert not str(connection.settings_dict["NAME"]).startswith("bench_")
    with pytest.raises(CommandError, match="begins with “bench_”"):
        call_command("bench", "seed")
    assert not User.objects.exists()


def rows_now() -> list[Any]:
    people = User.objects.order_by("username").values_list(
        "username", "first_name", "password", "date_joined", "last_login", "groups__name"
    )
    reviewers = Reviewer.objects.order_by("user__username").values_list(
        "user__username", "capacity", "languages", "interface_language"
    )
    absences = Absence.objects.order_by("reviewer__user__username").values_list(
        "reviewer__user__username", "first_date", "last_date"
    )
    rubrics = Rubric.objects.values_list("number", "digest", "published_at")
    releases = Release.objects.order_by("name").values_list("name", "created_at", "baseline__name")
    # Codes are drawn by chance each time.
    cases = Case.objects.order_by("release__name", "case_key").values_list("case_key", "data")
    return [*people, *reviewers, *absences, *rubrics, *releases, *cases]


def seeded(*, reviewers: int, seed: int) -> list[Any]:
    Release.objects.update(baseline=None)
    with without_triggers():
        for model in (Case, Batch, Event, Release, User):
            model._default_manager.all().delete()
    seeding.fill(reviewers=reviewers, seed=seed, password=PASSWORD, cases=3, releases=4)
    return rows_now()


def test_the_same_seed_gives_the_same_rows(db: None) -> None:
    once = seeded(reviewers=20, seed=7)
    assert seeded(reviewers=20, seed=7) == once
    assert seeded(reviewers=20, seed=8) != once
    assert Absence.objects.exists()


def test_a_database_that_grows_equals_one_made_that_large(db: None) -> None:
    at_once = seeded(reviewers=20, seed=7)
    seeded(reviewers=5, seed=7)
    seeding.fill(reviewers=20, seed=7, password=PASSWORD, cases=3, releases=4)
    assert rows_now() == at_once


def test_seeded_people_sign_in_only_with_a_password_that_was_given(db: None) -> None:
    seeding.fill(reviewers=1, seed=7, password="")
    assert not User.objects.get(username=seeding.ADMIN).has_usable_password()
    User.objects.all().delete()
    seeding.fill(reviewers=1, seed=7, password=PASSWORD)
    assert User.objects.get(username=seeding.reviewer_name(1)).check_password(PASSWORD)


def test_no_other_database_gets_an_import(db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="begins with “bench_”"):
        call_command("bench", "import", str(tmp_path / "cases.jsonl"), "bench-1-1")


def lines(count: int, *, seed: int = 7) -> list[str]:
    return [json.dumps(case) for case in itineraries.itineraries(count=count, seed=seed)]


def test_the_same_seed_gives_the_same_itineraries_and_more_of_them_begin_alike() -> None:
    assert lines(20) == lines(20)
    assert lines(5) == lines(20)[:5]
    assert lines(20, seed=8) != lines(20)
    assert len(set(lines(20))) == 20


def test_itineraries_come_in_both_languages_and_give_the_detectors_work(
    rubric: Rubric, tmp_path: Path
) -> None:
    seeding.add_cases(200, seed=7)
    cases = Case.objects.all()
    assert cases.count() == 200
    assert {case.locale for case in cases} == {"zh-CN", "en-GB"}
    assert {case.check_status for case in cases} == {"PASS", "WARN", "FAIL"}
    assert {case.has_plan for case in cases} == {True, False}
    assert 2500 <= sum(len(case.data.encode()) for case in cases) / 200 <= 3200
    found = set(CaseTag.objects.filter(origin="detected").values_list("tag", flat=True))
    assert {"family", "low-budget", "mobility-limited", "spring-festival", "xian"} <= found


def costs(*seconds: float, cases: int = 100, peak: int = 0) -> list[Cost]:
    return [Cost(cases, value, seconds=9, peak_bytes=peak * 2**20) for value in seconds]


@pytest.mark.parametrize(
    ("database", "seconds", "passed"),
    [
        ("sqlite", 10, True),
        ("sqlite", 10.1, False),
        ("postgres", 4, True),
        ("postgres", 4.1, False),
    ],
)
def test_an_import_may_cost_so_many_times_the_raw_one(
    database: str, seconds: float, passed: bool
) -> None:
    size = imports.Size(100, ours=costs(1, seconds, 50), raw=costs(1, 1, 1))
    row = imports.share_row(database, size)
    assert row.passed is passed
    assert row.ratio == pytest.approx(1 / seconds)
    assert row.noisy


def test_imports_of_several_sizes_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def done(cases: int) -> Cost:
        return Cost(cases, cpu_seconds=cases / 100, seconds=1, peak_bytes=cases * 2**20)

    monkeypatch.setattr(imports, "copy_database", lambda *_: None)
    monkeypatch.setattr(imports, "rows_in", lambda *_: 7)
    monkeypatch.setattr(imports.Imports, "checked", lambda _self, file, _name: done(int(file.stem)))
    monkeypatch.setattr(
        imports.Imports, "unchecked", lambda _self, name: done(int(name.split("-")[1]))
    )
    both = imports.Imports("sqlite", "ours", "raw", [])
    files = {40: Path("40.jsonl"), 5: Path("5.jsonl")}
    rows = list(both.measure(files, {5: 2, 40: 1}, say=lambda text: None))
    assert [row.quantity for row in rows] == [
        "cases per CPU s, 5 cases",
        "cases per CPU s, 40 cases",
        "exponent of the ratio over cases",
        "MB at peak, 40 cases over 5",
        "rows of cases_case",
        "rows of cases_casetag",
    ]
    assert rows[0].more["shares"] == [1, 1]
    assert rows[3].ours == 35


def test_draws_of_several_sizes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(_url: str, *arguments: str) -> str:
        assert arguments == ("bench", "draw", "bench-5-1", "bench-40-1", "--database-pid=3")
        both = [*costs(1, cases=5), *costs(2, cases=40)]
        return "words\n" + "\n".join(side.printed() for side in both)

    monkeypatch.setattr(servers, "manage", drawn)
    rows = list(draws.measure("sqlite", "ours", [40, 5], [3]))
    assert [row.quantity for row in rows] == [
        "CPU s, 5 cases",
        "CPU s, 40 cases",
        "exponent of CPU over cases",
    ]
    assert [row.passed for row in rows] == [True, True, None]


def test_an_import_that_lost_a_case_does_not_pass() -> None:
    size = imports.Size(100, ours=costs(1, cases=99), raw=costs(1, cases=99))
    assert imports.share_row("sqlite", size).passed is False


@pytest.mark.parametrize(("peak", "passed"), [(164, True), (165, False)])
def test_memory_may_grow_so_far_with_the_size(peak: int, passed: bool) -> None:
    small = imports.Size(10, ours=costs(1, peak=100))
    large = imports.Size(1000, ours=costs(1, peak=peak))
    assert imports.memory_row("sqlite", [small, large]).passed is passed


@pytest.mark.parametrize(
    ("largest", "seconds", "passed"),
    [(1000, 5, True), (1000, 10, False), (999, 10, None), (1000, 1, True)],
)
def test_the_share_may_not_fall_with_the_size(
    largest: int, seconds: float, passed: bool | None
) -> None:
    small = imports.Size(10, ours=costs(5), raw=costs(1))
    large = imports.Size(largest, ours=costs(seconds), raw=costs(1))
    assert imports.exponent_row("sqlite", [small, large]).passed is passed


@pytest.mark.parametrize(("seconds", "passed"), [(2, True), (2.01, False)])
def test_a_plan_for_a_large_team_may_take_two_seconds(seconds: float, passed: bool) -> None:
    assert plans.row_of([0.1, seconds, 9]).passed is passed
    assert plans.planned(cases=6, people=9) >= 0


@pytest.mark.parametrize(
    ("seconds", "value", "passed"), [(5, 0.8, True), (5.1, 0.8, False), (1, 0.80001, False)]
)
def test_alpha_may_take_a_twentieth_and_must_be_the_same(
    seconds: float, value: float, passed: bool
) -> None:
    rounds = [
        {
            "ours": {"value": value, "cpu_seconds": seconds},
            "theirs": {"value": 0.8, "cpu_seconds": 100},
        }
    ]
    assert alphas.row_of(1000, rounds).passed is passed


@pytest.mark.parametrize(("seconds", "passed"), [(3, True), (3.1, False)])
def test_a_summary_may_take_three_times_its_statements(seconds: float, passed: bool) -> None:
    found = Summed(8000, 5, 30_000, ours=[9, seconds, 1], raw=[1, 1, 1])
    row = summaries.row_of("sqlite", found)
    assert row.passed is passed
    assert row.quantity == "CPU s, 8,000 reviews"
    assert row.noisy


@pytest.mark.parametrize(
    ("what", "seconds", "megabytes", "passed"),
    [
        ("wide", 14.9, 32, [True, True]),
        ("long", 15.1, 33, [False, False]),
        ("xlsx", 99, 999, [None, None]),
    ],
)
def test_tables_stream_and_other_files_are_printed(
    what: str, seconds: float, megabytes: int, passed: list[bool | None]
) -> None:
    found = Exported(what, 9000, [seconds], [1], grown_bytes=megabytes * 2**20)
    rows = [exports.share_row("sqlite", found), exports.memory_row("sqlite", found)]
    assert [row.passed for row in rows] == passed
    assert rows[0].ours == pytest.approx(9000 / seconds)
    assert rows[1].ours == megabytes


@pytest.mark.parametrize(
    ("size", "seconds", "passed"),
    [(100_000, 2.0, True), (100_000, 2.1, False), (1000, 2.1, True)],
)
def test_a_draw_from_a_large_pool_is_quick(size: int, seconds: float, passed: bool) -> None:
    assert draws.cost_row("sqlite", size, costs(seconds, cases=size)[0]).passed is passed
    assert draws.cost_row("sqlite", size, costs(1, cases=size - 1)[0]).passed is False


@pytest.mark.parametrize(
    ("cases", "seconds", "passed"),
    [(1000, 158, True), (1000, 159, False), (990, 300, None)],
)
def test_a_draw_may_grow_with_its_pool_and_hardly_faster(
    cases: int, seconds: float, passed: bool | None
) -> None:
    small, large = costs(1, cases=10)[0], costs(seconds, cases=cases)[0]
    assert draws.exponent_row("sqlite", [small, large]).passed is passed


def test_rows_that_were_lost_are_seen(tmp_path: Path) -> None:
    urls = []
    for count in (2, 3):
        path = tmp_path / f"{count}.sqlite3"
        with closing(sqlite3.connect(path)) as file:
            file.execute("CREATE TABLE cases_case (id)")
            file.executemany("INSERT INTO cases_case VALUES (?)", [[1]] * count)
            file.commit()
        urls.append(f"sqlite:///{path}")
    assert imports.Imports("sqlite", urls[0], urls[1], []).kept_row("cases_case").passed is False
    assert imports.Imports("sqlite", urls[0], urls[0], []).kept_row("cases_case").passed


def test_sql_is_counted_for_whoever_asks(db: None) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        User.objects.count()
        with connection.cursor() as cursor:
            cursor.executemany("UPDATE auth_user SET first_name = %s", [["a"], ["b"]])
        return HttpResponse()

    middleware = SqlCountMiddleware(view)
    asked = middleware(RequestFactory().get("/", headers={"X-Count-SQL": "1"}))
    assert asked["X-SQL-Count"] == "3"
    named = {"X-Count-SQL": "1", "X-Count-SQL-With": "first_name = "}
    assert middleware(RequestFactory().get("/", headers=named))["X-SQL-Count-With"] == "1"
    assert asked["X-SQL-Count-With"] == "0"
    assert "X-SQL-Count" not in middleware(RequestFactory().get("/"))


def test_the_product_itself_counts_nothing(client: Client) -> None:
    assert "X-SQL-Count" not in client.get("/healthz", headers={"X-Count-SQL": "1"})


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    database_url = f"sqlite:///{tmp_path_factory.mktemp('floor') / 'bench_floor.sqlite3'}"
    env = {"SPOTCHECK_BENCH_PASSWORD": PASSWORD}
    servers.run_python(database_url, "-m", "tests.bench.floor", env=env)
    with servers.site(database_url=database_url, env=FLOOR, wsgi=FLOOR_WSGI) as site:
        yield Target(site=site, database_url=database_url, database_pids=[], password=PASSWORD)


@pytest.mark.sqlite
def test_the_floor_has_our_middleware_but_for_the_permission_table() -> None:
    program = (
        "from tests.bench.floor.settings import MIDDLEWARE, PASSWORD_HASHERS, CACHES\n"
        "from evalsite import settings\n"
        "print([name for name in settings.MIDDLEWARE if name not in MIDDLEWARE],"
        " PASSWORD_HASHERS == settings.PASSWORD_HASHERS, CACHES == settings.CACHES)"
    )
    printed = servers.run_python("sqlite://:memory:", "-c", program)
    assert printed.strip() == "['evalsite.middleware.PermissionMiddleware'] True True"


IDENTITY = {"Accept-Encoding": "identity"}


@pytest.mark.sqlite
def test_the_floor_answers_by_one_select_beside_session_and_person(floor: Target) -> None:
    assert floor.sql_count(FLOOR_PAGE) == 3
    assert floor.sql_count(FLOOR_LIST) == 3
    assert floor.sql_count(FLOOR_CALL) == 2
    assert json.loads(floor.ask(FLOOR_CALL, **IDENTITY).body)["key"] == "item-0500"
    assert floor.ask(FLOOR_LIST, **IDENTITY).body.count(b"<tr>") == 1 + 25


@pytest.mark.sqlite
def test_the_floor_shows_nothing_to_strangers(floor: Target) -> None:
    assert floor.ask(replace(FLOOR_PAGE, who="", status=302)).status == 302
    wrong = {"login": "floor", "password": "wrong"}
    assert floor.ask(Ask("/sign-in/", method="POST", form=wrong, status=403)).status == 403
    for call in (FLOOR_CALL, FLOOR_CALL_SUBMIT):
        other = {"Authorization": f"Token {'0' * 64}"}
        assert floor.ask(replace(call, status=401), **other).status == 401


@pytest.mark.sqlite
def test_the_floor_stores_eight_answers_with_an_item(floor: Target) -> None:
    before = floor.rows_in("floor_item"), floor.rows_in("floor_answer")
    for ask in (FLOOR_SUBMIT, FLOOR_CALL_SUBMIT):
        floor.ask(ask)
    after = floor.rows_in("floor_item"), floor.rows_in("floor_answer")
    assert after == (before[0] + 2, before[1] + 16)


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> int:
    """Reduce the work where nothing is timed; return how many reviews it needs."""
    for module, name, few in (
        (measuring, "READERS", 1),
        (measuring, "WARM_UP", 1),
        (reviewing, "STORM_CLIENTS", 2),
        (reviewing, "SUBMITS_A_ROUND", 2),
        (reviewing, "DESKS", 2),
    ):
        monkeypatch.setattr(module, name, few)
    return waiting_needed([1], 1, SECONDS)[0]


SECONDS = 0.01


@pytest.fixture
def ours(
    transactional_db: None, tmp_path: Path, settings: Any, floor: Target, little_work: int
) -> Iterator[Target]:
    """A fake site on the seeded database, without the cost of starting processes."""
    make_groups()
    fill = partial(seeding.fill, reviewers=3, seed=7, password=PASSWORD)
    fill(releases=3, cases=3)
    fill(cases=5)
    fill(releases=3, cases=18, reviews=2, waiting=little_work)
    # To sign in takes longer than most of what is done here: one of each kind does so.
    reviewers = User.objects.filter(username__startswith="bench-reviewer")
    sessions = {user.username: session_of(user) for user in reviewers}
    tokens = {user.username: token_of(user) for user in reviewers}
    path = tmp_path / "bench_ours.sqlite3"
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(path)])
    url = f"sqlite:///{path}"
    env = {"SECRET_KEY": settings.SECRET_KEY}
    env["DJANGO_SETTINGS_MODULE"] = "tests.bench.quick_settings"
    with servers.site(database_url=url, env=env) as site:
        target = Target(site=site, database_url=url, database_pids=[], password=PASSWORD)
        target.sessions, target.tokens = sessions, tokens
        yield target


@pytest.mark.sqlite
@pytest.mark.django_db
def test_pairs_are_seeded_so_that_some_are_read_and_the_release_can_be_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(paired, "UNREAD", 4)
    make_groups()
    for _again in range(2):
        seeding.fill(reviewers=10, seed=7, password="", pairings=6)
    found = Counter(Pairing.objects.values_list("status", flat=True))
    assert found == {"submitted": 6, "assigned": 4}
    # What the first reviewer has to do is the same in every database.
    assert not Pairing.objects.filter(reader__username=seeding.reviewer_name(1)).exists()
    call_command("close_release", paired.PAIRED)
    assert Release.objects.get(name=paired.PAIRED).is_closed


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def named(rows: Iterable[report.Row]) -> dict[str, report.Row]:
    return {f"{row.operation}: {row.quantity}": row for row in rows}


@pytest.mark.sqlite
@pytest.mark.skipif(connection.vendor != "sqlite", reason="always about SQLite, so once is enough")
def test_measuring_gives_every_kind_of_row_and_nothing_is_lost(
    floor: Target, ours: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified = []
    monkeypatch.setattr(servers, "manage", lambda url, *command: verified.append(command))
    with load_generator() as load:
        bench = Bench("sqlite", ours, floor, load, [1], rounds=1, seconds=SECONDS)
        pages_are_measured(bench, tmp_path)
        reviewers_are_measured(bench, monkeypatch)
    assert verified == [("verify_ledger", WAITING)]


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_ledger_that_does_not_fit_is_told(
    is_broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(*command: str) -> None:
        if is_broken:
            raise servers.StartFailed("event 7 does not fit")

    monkeypatch.setattr(servers, "manage", verify)
    bench: Any = SimpleNamespace(database="sqlite")
    largest: Any = SimpleNamespace(target=SimpleNamespace(database_url="sqlite:///x"))
    row = Desks(bench, [largest]).ledger_row()
    assert (row.ours, row.passed) == (("broken", False) if is_broken else ("in order", True))


def pages_are_measured(bench: Bench, folder: Path) -> None:
    by_name = {operation.name: operation for operation in operations(PASSWORD, 3, 5)}
    chosen = [replace(by_name["people list"], sql_at_most=1), by_name["case list"]]
    plan = tiny_plan(folder)
    rows = list(bench_run.sql_at_every_size("sqlite", bench.ours, chosen, plan, PASSWORD))
    rows += [row for operation in chosen for row in bench.measure(operation)]
    found = named(rows)
    assert set(found) == {
        "people list: SQL with 3 reviewers",
        "people list: SQL",
        "people list: CPU ms, 1 clients",
        "case list: SQL with 3, 5 cases",
        "case list: SQL",
        "case list: CPU ms, 1 clients",
        "case list: CPU ms, 5 cases against 3",
        'case list: SQL that reads "cases_case"."data"',
    }
    assert found["case list: SQL with 3, 5 cases"].passed
    assert found['case list: SQL that reads "cases_case"."data"'].passed
    assert found["people list: SQL"].floor == 3
    assert found["people list: SQL"].passed is False
    timed = found["people list: CPU ms, 1 clients"]
    assert timed.more["errors"] == {}
    assert len(timed.more["ratios"]) == 1
    text = report.table(rows)
    columns = [cell.strip() for cell in text.splitlines()[0].split("|")]
    assert columns == ["operation", "ours", "floor", "ratio", "goal", "pass"]
    assert "sqlite: people list: 1 clients" in text


CALLS = ("API: draft", "API: submit", "API: summary, closed", "API: summary, 304")
FEW = ("review desk", "autosave", "submit", *CALLS)


def reviewers_are_measured(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def a_few(stock: Stock, **what: Any) -> list[Operation]:
        return [operation for operation in desk_operations(stock, **what) if operation.name in FEW]

    monkeypatch.setattr(reviewing, "desk_operations", a_few)
    largest = Sized.of(bench.ours, releases=3)
    assert len(largest.desks) == 2
    assert {desk.who for desk in largest.desks} == {seeding.reviewer_name(1)}
    # The same site serves as the one with fewer reviews.
    smaller = replace(largest, reviews=largest.reviews // 2)
    rows = list(Desks(bench, [smaller, largest]).measure(say=lambda text: None))
    few, most = f"{smaller.reviews:,}", f"{largest.reviews:,}"
    found = named(rows)
    assert set(found) == {
        f"review desk: CPU ms, first look at each of {len(largest.desks)}",
        "review desk: SQL",
        "review desk: CPU ms, 1 clients",
        "review desk: KB with scripts and styles",
        f"API: summary, closed: CPU ms, {most} reviews against {few}",
        "autosave: SQL",
        "autosave: CPU ms, 1 clients",
        "submit: SQL",
        "submit: CPU ms, 1 clients",
        "submit: rows of reviews_submission",
        "submit: SQL with 1, 8 answers",
        "submits while others read: submits/s, 2 clients",
        "submits while others read: floor: items, answers",
        *(f"{call}: {what}" for call in CALLS for what in ("SQL", "CPU ms, 1 clients")),
        "API: submit: rows of reviews_submission",
        *(f"{name}: exponent of CPU, {few} to {most} reviews" for name in FEW),
        *(f"submit: reviews kept whole, of {count}" for count in (few, most)),
        "submit: ledger",
    }
    for name in CALLS:
        assert found[f"{name}: SQL"].passed, name
        assert found[f"{name}: CPU ms, 1 clients"].more["errors"] == {}, name
    assert found["API: summary, 304: SQL"].floor == 2
    for quantity in (
        "SQL",
        "SQL with 1, 8 answers",
        "rows of reviews_submission",
        *(f"reviews kept whole, of {count}" for count in (few, most)),
        "ledger",
    ):
        assert found[f"submit: {quantity}"].passed, quantity
    assert found["submits while others read: submits/s, 2 clients"].more["errors"] == {}


def job(floor: Target, ask: Ask, **changes: Any) -> load.Job:
    values: dict[str, Any] = {
        "port": floor.site.port,
        "requests": [floor.request(ask)],
        "clients": 2,
        "seconds": 0.1,
    }
    return load.Job(**values | changes)


@pytest.mark.sqlite
def test_the_load_counts_good_answers_and_errors_by_kind(floor: Target) -> None:
    good = load.run(job(floor, FLOOR_PAGE))
    assert good.good > 0
    assert good.errors == {}
    assert 0 < good.p50_ms <= good.p95_ms
    bad = load.run(job(floor, replace(FLOOR_PAGE, path="/nowhere/")))
    assert bad.good == 0
    assert set(bad.errors) == {"404"}
    away = load.run(job(floor, FLOOR_PAGE, port=servers.free_port()))
    assert set(away.errors) == {"ConnectionRefusedError"}


@pytest.mark.sqlite
def test_what_is_sent_once_is_sent_once_while_others_read(floor: Target) -> None:
    before = floor.rows_in("floor_item")
    writes = [floor.request(FLOOR_SUBMIT)] * 9
    reads = [floor.request(FLOOR_PAGE), floor.request(replace(FLOOR_LIST, status=404))]
    sent = job(floor, FLOOR_PAGE, requests=writes, once=True, seconds=60, beside=reads, readers=1)
    found = load.run(load.Job.read(json.dumps(asdict(sent))))
    assert (found.good, found.sent) == (9, 9)
    assert found.seconds < 30
    assert found.read >= 1
    assert set(found.errors) <= {"200"}
    assert floor.rows_in("floor_item") == before + 9


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "changes", [{"clients": 65}, {"clients": 0}, {"seconds": 61}, {"clients": 60, "readers": 5}]
)
def test_the_load_is_bounded(floor: Target, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="At most 64 clients and 60 s"):
        job(floor, FLOOR_PAGE, **changes)


@pytest.mark.sqlite
def test_cpu_of_a_process_and_its_children_is_counted() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass\n"
    child = f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {burn!r}])\n"
    program = child + "print('burnt', flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        spent = cpu.cpu_seconds([process.pid])
        assert cpu.rss_bytes([process.pid]) > 1_000_000
        assert process.pid in cpu.tree(os.getpid())
        process.kill()
    assert 0.3 <= spent < 3


@pytest.mark.sqlite
def test_the_peak_of_memory_stays_when_the_memory_is_given_back() -> None:
    program = (
        "from tests.bench import cpu\n"
        "before = cpu.peak_rss_bytes()\nbytearray(50_000_000)\n"
        "print(cpu.peak_rss_bytes() - before)"
    )
    ballast = bytearray(200_000_000)  # of the parent, which is not in it
    grown = int(servers.run_python("sqlite://:memory:", "-c", program))
    assert len(ballast) > grown > 40_000_000


class Page:
    """A fake target that serves these bodies uncompressed."""

    def __init__(self, bodies: dict[str, str]) -> None:
        self.bodies = bodies

    def ask(self, ask: Ask) -> Answer:
        headers = HTTPMessage()
        headers["Content-Type"] = "text/javascript" if ask.path.endswith(".js") else "text/html"
        return Answer(200, headers, self.bodies[ask.path].encode())


def test_the_weight_of_a_page_has_all_its_parts_once() -> None:
    bodies = {
        "/": '<link rel="stylesheet" href="/s/a.css"><script src="/s/m.js"></script>'
        '<script src="/s/m.js"></script><img src="data:,x"><a href="/other/">x</a>',
        "/s/a.css": "body {}",
        "/s/m.js": 'import { x } from "./n.js"; x();',
        "/s/n.js": 'import "./m.js"; export const x = 1;',
    }
    found = weight.page_weight(Page(bodies), Ask("/"))  # type: ignore[arg-type]
    assert found == {path: len(body) for path, body in bodies.items()}
