"""Backups of a site that is in use, carried from one engine to the other and back."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, connections
from pytest_django import DjangoDbBlocker

from evalsite.backup import back_up, dump, restore
from evalsite.backup.tables import read_rows
from tests import servers
from tests.bed import reviewed, soak
from tests.bed.databases import connected
from tests.bed.desks import ENVIRONMENT, Work, staged, stored
from tests.conftest import MakeDatabase

PEOPLE = soak.size(short=2, long=50)
HANDS = soak.size(short=2, long=4)
# What is acknowledged before a backup begins.
BEFORE = soak.size(short=6, long=40)
MOST_SUBMITS = 2  # of a hand on each engine, so that there is always something left to write

# Review -> version, words, whether it was submitted.
Acknowledged = dict[int, tuple[int, str, bool]]


def write_on(
    url: str, mine: list[Work], told: Acknowledged, some: threading.Semaphore, stop: threading.Event
) -> None:
    """Saves one review after the other and submits a few, until it is told to stop."""
    submits = 0
    for number, one in enumerate(cycle(mine)):
        if stop.is_set():
            return
        if one.is_submitted:
            continue
        assert one.save(url, f"{one.pk}, take {number}") == 200
        if number % 2 and submits < MOST_SUBMITS:
            assert one.submit(url) == 200
            submits += 1
        told[one.pk] = (one.version, one.words, one.is_submitted)
        some.release()


def backed_up_under_load(url: str, path: Path, work: list[Work]) -> Acknowledged:
    """What was acknowledged before the backup began."""
    told: Acknowledged = {}
    some, stop = threading.Semaphore(0), threading.Event()
    with (
        servers.site(database_url=url, env=ENVIRONMENT) as site,
        ThreadPoolExecutor(HANDS) as pool,
        connected(url, "in_use") as in_use,
    ):
        shares = [work[place::HANDS] for place in range(HANDS)]
        hands = [pool.submit(write_on, site.url, mine, told, some, stop) for mine in shares]
        try:
            for _one in range(BEFORE):
                assert some.acquire(timeout=300), [hand.exception(0) for hand in hands]
            before = told.copy()
            back_up(path, using=in_use)
            assert not any(hand.done() for hand in hands), "nobody wrote any more"
        finally:
            stop.set()
        for hand in hands:
            hand.result()
    return before


def backed_up_at_rest(url: str, path: Path, work: list[Work]) -> Acknowledged:
    with connected(url, "at_rest") as at_rest:
        back_up(path, using=at_rest)
    return {one.pk: (one.version, one.words, one.is_submitted) for one in work}


def restored(path: Path, target: str, source: str, work: list[Work]) -> None:
    """And everybody signs in there: sessions are in no backup."""
    with connected(source, "source") as old, connected(target, "target") as new:
        restore(path, using=new)
        Session.objects.using(new).bulk_create(Session.objects.using(old).all())
    rows = stored(target)
    for one in work:
        one.version, status, one.words, _sent, _scores = rows[one.pk]
        one.is_submitted = status == "submitted"


def lost(before: Acknowledged, target: str) -> list[str]:
    found, rows = [], stored(target)
    for pk, (version, words, is_submitted) in before.items():
        now, status, said, _sent, _scores = rows[pk]
        if now < version or (now == version and said != words):
            found.append(f"{pk}: {now} {said!r}, acknowledged {version} {words!r}")
        if is_submitted and status != "submitted":
            found.append(f"{pk}: acknowledged as submitted, but {status}")
    for pk, (*_, sent, scores) in rows.items():
        if (sent, scores) not in ((0, 0), (1, len(reviewed.METRICS))):
            found.append(f"{pk}: half of a review, {sent} submissions and {scores} scores")
    return found


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.postgres
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="takes both engines")
def test_what_was_acknowledged_before_a_backup_is_in_it_on_either_engine(
    migrated_database: MakeDatabase, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    """A second server costs seconds, so in the short form nobody writes on the way back. That all
    are answered meanwhile, on SQLite too, is in test_desk_under_fire.py."""
    stage = staged(migrated_database("in_use", tmp_path), PEOPLE)
    url, tried, bad = stage.url, 0, list[str]()
    for number in range(soak.size(short=1, long=10)):
        for engine in ("sqlite", "postgres"):
            path = tmp_path / f"{number}-{engine}.zip"
            is_loaded = soak.SOAKING or engine == "sqlite"
            with django_db_blocker.unblock():
                before = (backed_up_under_load if is_loaded else backed_up_at_rest)(
                    url, path, stage.work
                )
                if engine == "sqlite":
                    target = f"sqlite:///{tmp_path / f'{number}.sqlite3'}"
                else:
                    # Two names in turn, and no more databases than the server can remove.
                    target = migrated_database(f"restored_{number % 2}", tmp_path)
                restored(path, target, url, stage.work)
            tried += len(before)
            bad += lost(before, target)
            url = target
        if soak.SOAKING:
            assert "all in order" in servers.manage(url, "verify_ledger", "wanderer-1")
    soak.report("reviews acknowledged before a backup", tried=tried, bad=len(bad))
    assert bad == []
    assert any(one.is_submitted for one in stage.work), "no whole review was ever carried over"


def in_another_thread(act: Callable[[], Any]) -> Any:
    """On a connection of its own; whoever had to wait for ours would wait for ever."""

    def run() -> Any:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(timeout=120)


def test_others_write_while_a_backup_reads_and_it_does_not_see_them(transactional_db: None) -> None:
    User.objects.create(username="before")
    with dump.snapshot(connection):
        in_another_thread(lambda: User.objects.create(username="meanwhile"))
        assert len(list(read_rows(User, connection.alias))) == 1
    assert len(list(read_rows(User, connection.alias))) == 2


def test_a_backup_writes_nothing(transactional_db: None) -> None:
    """On PostgreSQL the database holds it to that; on SQLite a write would end the snapshot."""
    with dump.snapshot(connection), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW transaction_read_only")
            assert cursor.fetchone() == ("on",)
        else:
            in_another_thread(lambda: User.objects.create(username="meanwhile"))
            with pytest.raises(DatabaseError, match="locked"):
                cursor.execute("DELETE FROM auth_user")
