"""The bench measures the right thing, touches only its own databases, and fails when it should."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from http.client import HTTPMessage
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from cases.models import Batch, Case, CaseTag, Event, Release, Rubric
from evalsite import scratch
from evalsite.bench import (
    alphas,
    cpu,
    draws,
    imports,
    itineraries,
    load,
    report,
    reviewing,
    seeding,
    weight,
)
from evalsite.bench.cost import Cost
from evalsite.bench.counting import SqlCountMiddleware
from evalsite.bench.measuring import Bench, load_generator
from evalsite.bench.operations import (
    FLOOR_LIST,
    FLOOR_PAGE,
    FLOOR_SUBMIT,
    Operation,
    desk_operations,
    operations,
)
from evalsite.bench.reviewing import Desks, Sized, waiting_needed
from evalsite.bench.run import FLOOR, FLOOR_WSGI, OURS, Plan, postmaster, run
from evalsite.bench.stock import Stock
from evalsite.bench.target import Answer, Ask, Target
from reviews.models import Absence, Reviewer
from tests.bed.databases import empty_database, server_url, without_triggers
from tests.conftest import MakeDatabase

PASSWORD = "correct horse battery staple"


def tiny_plan(folder: Path) -> Plan:
    return Plan(
        databases=["sqlite"],
        rows=[3, 30],
        sizes=[],
        releases=4,
        clients=[2],
        rounds=2,
        start_rounds=1,
        seconds=0.1,
        seed=7,
        folder=folder,
        imports={5: 1, 40: 1},
        alpha_cases=1000,
    )


@pytest.mark.skipif(connection.vendor != "sqlite", reason="always about SQLite, so once is enough")
def test_a_tiny_run_gives_every_kind_of_row(tmp_path: Path) -> None:
    def choose(password: str, few_cases: int, most_cases: int) -> list[Operation]:
        by_name = {one.name: one for one in operations(password, few_cases, most_cases)}
        return [
            replace(by_name["people list"], sql_at_most=1),
            by_name["case list"],
            by_name["sign-in"],
        ]

    rows = run(tiny_plan(tmp_path), choose=choose)
    named = {f"{row.operation}: {row.quantity}": row for row in rows}
    assert set(named) == {
        "first start: CPU s, migrated and filled",
        "import, checked: cases per CPU s, 5 cases",
        "import, checked: cases per CPU s, 40 cases",
        "import, checked: exponent of the ratio over cases",
        "import, checked: MB at peak, 40 cases over 5",
        "import, checked: rows of cases_case",
        "import, checked: rows of cases_casetag",
        "draw of a sample: CPU s, 5 cases",
        "draw of a sample: CPU s, 40 cases",
        "draw of a sample: exponent of CPU over cases",
        "people list: SQL with 3, 30 reviewers",
        "people list: SQL",
        "people list: CPU ms, 2 clients",
        "case list: SQL with 3, 30, 40 cases",
        "case list: SQL",
        "case list: CPU ms, 2 clients",
        "case list: CPU ms, 40 cases against 30",
        'case list: SQL that reads "cases_case"."data"',
        "sign-in: SQL",
        "sign-in: CPU ms, 2 clients",
        "sign-in: rows of django_session",
        "warm start: CPU s",
        "ordinal alpha with interval: CPU s, 1,000 cases",
    }
    assert named["people list: SQL with 3, 30 reviewers"].passed
    assert named["sign-in: rows of django_session"].passed
    assert named["case list: SQL with 3, 30, 40 cases"].passed
    assert named['case list: SQL that reads "cases_case"."data"'].passed
    assert named["import, checked: rows of cases_case"].ours == 3 + 5 + 40
    assert named["import, checked: rows of cases_case"].passed
    assert named["import, checked: rows of cases_casetag"].passed
    imported = named["import, checked: cases per CPU s, 5 cases"]
    assert [cost["cases"] for cost in imported.more["ours"] + imported.more["raw"]] == [5, 5]
    assert named["people list: SQL"].floor == 3
    assert named["people list: SQL"].passed is False
    timed = named["people list: CPU ms, 2 clients"]
    assert timed.more["errors"] == {}
    assert len(timed.more["ratios"]) == 2
    text = report.table(rows)
    columns = [cell.strip() for cell in text.splitlines()[0].split("|")]
    assert columns == ["operation", "ours", "floor", "ratio", "goal", "pass"]
    assert "sqlite: sign-in: 2 clients" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(connection.vendor == "sqlite", reason="the tiny run does this on SQLite")
def test_on_postgresql_the_raw_import_writes_what_ours_wrote(tmp_path: Path) -> None:
    ours = empty_database("bench_ours", tmp_path)
    raw = empty_database("bench_raw", tmp_path)
    scratch.manage(ours, "bench", "seed", "--reviewers=0")
    files = imports.write_files(tmp_path, [5, 10], seed=7)
    both = imports.Imports("postgres", ours, raw, [postmaster(server_url())])
    rows = list(both.measure(files, {5: 1, 10: 1}, say=lambda text: None))
    assert [row.ours for row in rows if row.quantity == "rows of cases_case"] == [15]
    assert [row.passed for row in rows if row.goal == "equal"] == [True, True]
    assert all(cost["cpu_seconds"] > 0 for row in rows for cost in row.more.get("raw", []))


def fake_rows(*, passed: bool) -> list[report.Row]:
    return [report.Row("sqlite", "home", "SQL", 9, 3, goal="<= 8", passed=passed)]


@pytest.fixture
def bench_folder(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path / "bench"


def test_a_missed_goal_is_an_error_that_names_it(
    bench_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "evalsite.management.commands.bench.run", lambda plan, say: fake_rows(passed=False)
    )
    with pytest.raises(CommandError, match="Missed: sqlite: home: SQL") as error:
        call_command("bench", "run", "--quick")
    assert error.value.returncode == 1
    assert "sqlite: home: SQL | 9" in capsys.readouterr().out


def test_a_run_that_reaches_its_goals_writes_json_lines(
    bench_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "evalsite.management.commands.bench.run", lambda plan, say: fake_rows(passed=True)
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
    return [Cost(cases, one, seconds=9, peak_bytes=peak * 2**20) for one in seconds]


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
    scratch.run_python(database_url, "-m", "evalsite.bench.floor", env=env)
    with scratch.site(database_url=database_url, env=FLOOR, wsgi=FLOOR_WSGI) as site:
        yield Target(site=site, database_url=database_url, database_pids=[], password=PASSWORD)


def test_the_floor_has_our_middleware_but_for_the_permission_table() -> None:
    program = (
        "from evalsite.bench.floor.settings import MIDDLEWARE, PASSWORD_HASHERS, CACHES\n"
        "from evalsite import settings\n"
        "print([name for name in settings.MIDDLEWARE if name not in MIDDLEWARE],"
        " PASSWORD_HASHERS == settings.PASSWORD_HASHERS, CACHES == settings.CACHES)"
    )
    printed = scratch.run_python("sqlite://:memory:", "-c", program)
    assert printed.strip() == "['evalsite.middleware.PermissionMiddleware'] True True"


def test_the_floor_answers_by_one_select_beside_session_and_person(floor: Target) -> None:
    assert floor.sql_count(FLOOR_PAGE) == 3
    assert floor.sql_count(FLOOR_LIST) == 3
    assert floor.ask(FLOOR_LIST, **{"Accept-Encoding": "identity"}).body.count(b"<tr>") == 1 + 25


def test_the_floor_shows_nothing_to_strangers(floor: Target) -> None:
    assert floor.ask(replace(FLOOR_PAGE, who="", status=302)).status == 302
    wrong = {"login": "floor", "password": "wrong"}
    assert floor.ask(Ask("/sign-in/", method="POST", form=wrong, status=403)).status == 403


def test_the_floor_stores_eight_answers_with_an_item(floor: Target) -> None:
    before = floor.rows_in("floor_item"), floor.rows_in("floor_answer")
    floor.ask(FLOOR_SUBMIT)
    after = floor.rows_in("floor_item"), floor.rows_in("floor_answer")
    assert after == (before[0] + 1, before[1] + 8)


def reviewed_site(stack: ExitStack, url: str, *, cases: int, waiting: int) -> Sized:
    amounts = {"reviewers": 5, "releases": 2, "reviews": 2, "cases": cases, "waiting": waiting}
    arguments = [f"--{name}={amount}" for name, amount in amounts.items()]
    env = {"SPOTCHECK_BENCH_PASSWORD": PASSWORD}
    scratch.manage(url, "bench", "seed", *arguments, env=env)
    site = stack.enter_context(scratch.site(database_url=url, env=OURS))
    target = Target(site=site, database_url=url, database_pids=[], password=PASSWORD)
    return Sized.of(target, releases=2)


FEW = ("review desk", "autosave", "submit")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="always about SQLite, so once is enough")
def test_reviewers_at_work_give_every_kind_of_row_and_nothing_is_lost(
    floor: Target,
    migrated_database: MakeDatabase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def a_few(stock: Stock, **what: Any) -> list[Operation]:
        return [one for one in desk_operations(stock, **what) if one.name in FEW]

    monkeypatch.setattr(reviewing, "desk_operations", a_few)
    most, few = waiting_needed([2], 1, 0.05)
    with ExitStack() as stack:
        load = stack.enter_context(load_generator())
        sizes = [
            reviewed_site(
                stack, migrated_database(f"bench_{cases}", tmp_path), cases=cases, waiting=waiting
            )
            for cases, waiting in ((12, few), (20, most))
        ]
        bench = Bench("sqlite", sizes[-1].target, floor, load, [2], rounds=1, seconds=0.05)
        rows = list(Desks(bench, sizes).measure(say=lambda text: None))
        counts = [f"{one.reviews:,}" for one in sizes]
    named = {f"{row.operation}: {row.quantity}": row for row in rows}
    assert set(named) == {
        "review desk: SQL",
        "review desk: CPU ms, 2 clients",
        "review desk: KB with scripts and styles",
        "autosave: SQL",
        "autosave: CPU ms, 2 clients",
        "submit: SQL",
        "submit: CPU ms, 2 clients",
        "submit: rows of reviews_submission",
        "submit: SQL with 1, 8 answers",
        "submits while others read: submits/s, 32 clients",
        "submits while others read: floor: items, answers",
        *(f"{one}: exponent of CPU, {' to '.join(counts)} reviews" for one in FEW),
        *(f"submit: reviews kept whole, of {count}" for count in counts),
        "submit: ledger",
    }
    for quantity in (
        "SQL",
        "SQL with 1, 8 answers",
        "rows of reviews_submission",
        *(f"reviews kept whole, of {count}" for count in counts),
        "ledger",
    ):
        assert named[f"submit: {quantity}"].passed, quantity
    assert named["submits while others read: submits/s, 32 clients"].more["errors"] == {}


def job(floor: Target, ask: Ask, **changes: Any) -> load.Job:
    values: dict[str, Any] = {
        "port": floor.site.port,
        "requests": [floor.request(ask)],
        "clients": 2,
        "seconds": 0.1,
    }
    return load.Job(**values | changes)


def test_the_load_counts_good_answers_and_errors_by_kind(floor: Target) -> None:
    good = load.run(job(floor, FLOOR_PAGE))
    assert good.good > 0
    assert good.errors == {}
    assert 0 < good.p50_ms <= good.p95_ms
    bad = load.run(job(floor, replace(FLOOR_PAGE, path="/nowhere/")))
    assert bad.good == 0
    assert set(bad.errors) == {"404"}
    away = load.run(job(floor, FLOOR_PAGE, port=scratch.free_port()))
    assert set(away.errors) == {"ConnectionRefusedError"}


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


@pytest.mark.parametrize(
    "changes", [{"clients": 65}, {"clients": 0}, {"seconds": 61}, {"clients": 60, "readers": 5}]
)
def test_the_load_is_bounded(floor: Target, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="At most 64 clients and 60 s"):
        job(floor, FLOOR_PAGE, **changes)


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


def test_the_peak_of_memory_stays_when_the_memory_is_given_back() -> None:
    program = (
        "from evalsite.bench import cpu\n"
        "before = cpu.peak_rss_bytes()\nbytearray(50_000_000)\n"
        "print(cpu.peak_rss_bytes() - before)"
    )
    ballast = bytearray(200_000_000)  # of the parent, which is not in it
    grown = int(scratch.run_python("sqlite://:memory:", "-c", program))
    assert len(ballast) > grown > 40_000_000


class Page:
    """Stands for a target that serves these bodies, not packed."""

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
