"""The temporary servers of other tests and the bench."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.conftest import MakeDatabase
from tests.servers import database, processes

SMALLEST = "tests.bed.smallest_site"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture(autouse=True)
def _no_given_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_DATABASE_URL", raising=False)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield one server for all tests here, and check that it and its folder are removed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TEST_DATABASE_URL", raising=False)
        with servers.postgres() as url:
            folder = folder_of(url)
            pid = pid_of(folder)
            assert is_running(pid)
            yield url
    assert not is_running(pid)
    assert not folder.exists()


def ask(url: str, question: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute(question).fetchone()
    assert row is not None
    return str(row[0])


def folder_of(url: str) -> Path:
    return Path(ask(url, "SHOW data_directory")).parent


def pid_of(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text().split()[0])


def is_running(pid: int) -> bool:
    """Return whether a process is alive; a zombie is not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def becomes_true(condition: Callable[[], bool], seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_private_server_starts_and_answers(server: str) -> None:
    assert ask(server, "SELECT 6 * 7") == "42"
    assert ask(server, "SHOW listen_addresses") == "127.0.0.1"


def test_the_server_refuses_a_wrong_password(server: str) -> None:
    wrong = server.replace("spotcheck:", "spotcheck:x")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)


def test_letters_beyond_ascii_have_a_lower_case(server: str) -> None:
    assert ask(server, "SELECT lower('ÉCOLE')") == "école"


def test_a_database_made_twice_is_empty(server: str) -> None:
    url = servers.create_database(server, "bench_twice")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE leftover (id int)")
    again = servers.create_database(server, "bench_twice")
    assert again == url
    assert ask(again, "SELECT current_database()") == "bench_twice"
    assert ask(again, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0"


def test_server_and_folder_are_gone_when_whoever_started_it_is_killed() -> None:
    program = (
        "import sys, time\nfrom tests import servers\n"
        "with servers.postgres() as url:\n    print(url, flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        folder = folder_of(starter.stdout.readline().decode().strip())
        pid = pid_of(folder)
        starter.send_signal(signal.SIGKILL)
    assert becomes_true(lambda: not is_running(pid) and not folder.exists())


@as_root
def test_as_root_the_server_does_not_run_as_root(server: str) -> None:
    assert Path(f"/proc/{pid_of(folder_of(server))}").stat().st_uid != 0


def test_a_given_server_wins_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_DATABASE_URL", "postgres://mine@elsewhere/x")
    monkeypatch.setenv("SPOTCHECK_PG_BIN", "/nowhere")
    with servers.postgres() as url:
        assert url == "postgres://mine@elsewhere/x"


def test_the_programs_of_the_wheel_do_as_well_and_after_a_failure_inside_all_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("SPOTCHECK_PG_BIN", str(database.find_postgres_in_wheel()))

    def break_inside() -> None:
        with servers.postgres() as url:
            folders.append(folder_of(url))
            pids.append(pid_of(folders[0]))
            assert ask(url, "SELECT 6 * 7") == "42"
            raise ZeroDivisionError

    folders: list[Path] = []
    pids: list[int] = []
    with pytest.raises(ZeroDivisionError):
        break_inside()
    assert not is_running(pids[0])
    assert not folders[0].exists()


@as_root
def test_programs_in_a_folder_closed_to_others_are_copied(tmp_path: Path) -> None:
    in_wheel = database.find_postgres_in_wheel()
    assert in_wheel is not None
    package = in_wheel.parent.parent
    libraries = package.with_name(package.name + ".libs")
    installed = tmp_path / package.name / in_wheel.parent.name
    not_to_run = shutil.ignore_patterns("include", "*.a")
    shutil.copytree(in_wheel.parent, installed, ignore=not_to_run)
    shutil.copytree(libraries, tmp_path / libraries.name)
    tmp_path.chmod(0o700)
    with servers.postgres(programs=installed / "bin") as url:
        folder = folder_of(url)
        assert ask(url, "SELECT 6 * 7") == "42"
    assert not folder.exists()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Like `tmp_path`, but open to every user, because PostgreSQL runs as another one."""
    with tempfile.TemporaryDirectory(dir=processes.TEMPORARY) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def write_programs(folder: Path, **scripts: str) -> Path:
    """Create a folder with these scripts instead of PostgreSQL's programs."""
    for name, script in scripts.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    return folder


def test_a_failed_start_says_what_the_server_said(open_folder: Path) -> None:
    fails = write_programs(
        open_folder, initdb="exit 0", postgres="echo the port is in use >&2; exit 1"
    )
    with (
        pytest.raises(servers.StartFailed, match=r"(?s)ended with status 1.*in use"),
        servers.postgres(programs=fails),
    ):
        pass


def test_a_failed_initdb_says_what_it_said(open_folder: Path) -> None:
    script = 'test "$1" = --version || { echo no room >&2; exit 3; }'
    with (
        pytest.raises(servers.StartFailed, match=r"initdb failed:\nno room"),
        servers.postgres(programs=write_programs(open_folder, initdb=script)),
    ):
        pass


def test_another_server_on_the_port_is_not_taken_for_ours(server: str) -> None:
    with pytest.raises(servers.StartFailed, match="Another server answers"):
        database.answers_as(server, Path("/elsewhere/data"))


def test_two_free_ports_can_be_listened_on() -> None:
    with (
        socket.create_server(("127.0.0.1", servers.free_port())),
        socket.create_server(("127.0.0.1", servers.free_port())),
    ):
        pass


def status_of(url: str, path: str) -> int:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=120)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.sqlite
def test_the_site_answers_on_a_migrated_database_and_ends(
    migrated_database: MakeDatabase, tmp_path: Path
) -> None:
    database_url = migrated_database("site", tmp_path)
    with servers.site(database_url=database_url) as site:
        assert status_of(site.url, "/readyz") == 200
        assert "request" in site.log()
    assert not is_running(site.pid)
    assert processes.port_is_free(site.port)
    assert not site.log_path.exists()


def test_a_killed_site_leaves_no_worker_and_starts_again_on_its_port(tmp_path: Path) -> None:
    database_url = f"sqlite:///{tmp_path / 'site.sqlite3'}"
    with servers.site(database_url=database_url, workers=2, wsgi=SMALLEST) as first:
        first.kill()
        with servers.site(database_url=database_url, port=first.port, wsgi=SMALLEST) as second:
            assert status_of(second.url, "/healthz") == 200


def test_the_site_and_its_workers_end_when_whoever_started_them_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom tests import servers\n"
        "with servers.site(database_url=sys.argv[1], wsgi=sys.argv[2]) as site:\n"
        "    print(site.pid, site.port, site.log_path, flush=True)\n    time.sleep(600)\n"
    )
    database_url = f"sqlite:///{tmp_path / 'site.sqlite3'}"
    command = [sys.executable, "-c", program, database_url, SMALLEST]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        pid, port, log_path = starter.stdout.readline().decode().split()
        starter.send_signal(signal.SIGKILL)
    assert becomes_true(lambda: processes.port_is_free(int(port)))
    assert becomes_true(lambda: not is_running(int(pid)) and not Path(log_path).exists())


def test_a_site_that_cannot_start_says_why() -> None:
    with (
        pytest.raises(servers.StartFailed, match=r"(?s)ended with status 3.*evalsite.nowhere"),
        servers.site(database_url="sqlite://:memory:", wsgi="evalsite.nowhere"),
    ):
        pass


def test_a_port_in_use_is_refused() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(servers.StartFailed, match=r"Port \d+ is in use\."),
        servers.site(database_url="sqlite://:memory:", port=other.getsockname()[1]),
    ):
        pass


def test_a_failed_command_says_why() -> None:
    program = "import os, sys; sys.exit('cannot open ' + os.environ['DATABASE_URL'])"
    with pytest.raises(servers.StartFailed, match=r"(?s)-c import.* failed:.*cannot open sqlite:"):
        servers.run_python("sqlite:////nowhere/at/all.sqlite3", "-c", program)
