"""A notifier that is killed at any moment loses no event and keeps the order."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from cases.models import Release
from evalsite.permissions import Role
from reviews.releases import lifecycle as releases_lifecycle
from tests import servers
from tests.bed import reviewed, soak
from tests.bed.cases import NOW
from tests.bed.servers import here
from tests.conftest import MakeDatabase
from tests.people import make_person

ROOT = Path(__file__).resolve().parents[2]
TIMES = 6
# Takes its time, so that a kill often finds it at work.
SCRIPT = """
import sys, time
line = sys.stdin.read()
time.sleep(0.05)
with open(sys.argv[1], "a", encoding="utf-8") as file:
    file.write(line)
"""

pytestmark = [pytest.mark.soak, pytest.mark.django_db]


@pytest.fixture(scope="module")
def database_url(
    migrated_database: MakeDatabase,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """A database with a closed release, and a subscription from before what happens next."""
    url = migrated_database("notices", tmp_path_factory.mktemp("notices"))
    with django_db_blocker.unblock():
        here(url, lay_down)
        servers.manage(url, "notify", "true", "--once", "--as", "team")
        yield url


def lay_down() -> None:
    rita, omar = (make_person(name, Role.REVIEWER) for name in ("rita", "omar"))
    reviewed.judged(rita, omar, *reviewed.GOOD)


def reopen_and_close() -> list[str]:
    """Do both several times; return the ids of what a team is told, in order."""
    release = Release.objects.get()
    first = release.ledger_length
    for _time in range(TIMES):
        release = Release.objects.get()
        releases_lifecycle.reopen(release=release, reason="Look.", user=None, now=NOW)
        release = Release.objects.get()
        waived = [found.rule for found in releases_lifecycle.find_missing_for_close(release)]
        releases_lifecycle.close(
            release=release, waived=waived, reason="Small.", user=None, now=NOW
        )
    events = release.events.filter(
        number__gt=first, kind__in=["release-closed", "release-reopened"]
    )
    numbers = events.order_by("number").values_list("number", flat=True)
    return [f"{release.name}:{number}" for number in numbers]


@pytest.mark.timeout(1200)
def test_a_notifier_killed_at_any_moment_loses_nothing(database_url: str, tmp_path: Path) -> None:
    wanted = here(database_url, reopen_and_close)
    script, got = tmp_path / "take.py", tmp_path / "got"
    script.write_text(SCRIPT, "utf-8")
    arguments = ["notify", f"{sys.executable} {script} {got}", "--as", "team", "--once"]
    arguments += ["--events", "closed,reopened"]
    kills = soak.size(short=2, long=20)
    for _kill in range(kills):
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=servers.environment(database_url),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with process, suppress(subprocess.TimeoutExpired):
            # Wait until it is at work, then for any moment of it.
            size = got.stat().st_size if got.exists() else 0
            until = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < until:
                if got.exists() and got.stat().st_size > size:
                    break
                time.sleep(0.01)
            process.wait(random.uniform(0, 0.15))
        process.kill()
        process.wait(60)
    servers.manage(database_url, *arguments)
    told = [json.loads(line)["id"] for line in got.read_text("utf-8").splitlines()]
    bad = [] if list(dict.fromkeys(told)) == wanted else [told]
    soak.report("a notifier killed at any moment", tried=kills, bad=len(bad))
    assert bad == []
    repeated = len(told) - len(wanted)
    assert repeated <= kills
