"""The desk over HTTP while its server is killed, and under fifty reviewers at once."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from evalsite.backup import back_up
from tests import servers
from tests.bed import reviewed, soak
from tests.bed.backups import column_pairs
from tests.bed.databases import connected
from tests.bed.desks import (
    ENVIRONMENT,
    Stage,
    Work,
    kill_while_they_write,
    problems,
    staged,
    stored,
)
from tests.bed.servers import execute, manage_here
from tests.conftest import MakeDatabase

PEOPLE = soak.size(short=6, long=50)
WORKERS = soak.size(short=1, long=2)


@pytest.fixture(scope="module")
def stage(migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """For all tests here, in turn: each goes on from what the one before was answered."""
    url = migrated_database("under_fire", tmp_path_factory.mktemp("under_fire"))
    return staged(url, PEOPLE)


@pytest.fixture(scope="module")
def site(stage: Stage) -> Iterator[servers.Site]:
    """For all of them until one kills it."""
    with servers.site(database_url=stage.url, workers=WORKERS, env=ENVIRONMENT) as site:
        yield site


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_many_reviewers_who_save_every_second_are_all_answered(
    stage: Stage, site: servers.Site, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    """Also while a backup is taken, which has what was acknowledged before."""
    seconds = soak.size(short=2, long=60)
    answers, guard, stop = Counter[int](), threading.Lock(), threading.Event()

    def save_every_second(one: Work, url: str) -> None:
        stop.wait(random.random())
        number = 0
        while not stop.is_set():
            begun = time.monotonic()
            number += 1
            code = one.save(url, f"{one.pk}, second {number}")
            with guard:
                answers[code] += 1
            stop.wait(max(0.0, 1 - (time.monotonic() - begun)))

    # One review of each person.
    mine = stage.work[:: len(reviewed.FILLING)]
    hands = [threading.Thread(target=save_every_second, args=(one, site.url)) for one in mine]
    at_first = [one.version for one in mine]
    for hand in hands:
        hand.start()
    try:
        # However long it takes: everybody is answered once, or has ended with an error.
        while any(
            one.version == version and hand.is_alive()
            for one, version, hand in zip(mine, at_first, hands, strict=True)
        ):
            stop.wait(0.05)
        stop.wait(seconds / 2)
        before = {one.pk: one.version for one in mine}
        with django_db_blocker.unblock(), connected(stage.url, "in_use") as in_use:
            back_up(tmp_path / "site.zip", using=in_use)
        stop.wait(seconds / 2)
    finally:
        stop.set()
    for hand in hands:
        hand.join()
    unexpected = sum(count for code, count in answers.items() if code not in (200, 409))
    lost = problems(stage.url, mine)
    held = dict(column_pairs(tmp_path / "site.zip", "reviews_review", "id", "version"))
    lost += [f"{pk}: not in the backup" for pk, version in before.items() if held[pk] < version]
    soak.report(
        f"{len(mine)} reviewers saving for {seconds} s {dict(answers)}",
        tried=sum(answers.values()),
        bad=unexpected + len(lost),
    )
    assert (unexpected, lost) == (0, [])
    assert answers[200] >= len(mine)
    assert all(now > version for now, version in zip(before.values(), at_first, strict=True))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_what_the_server_acknowledged_is_there_after_it_was_killed(
    stage: Stage, site: servers.Site, django_db_blocker: DjangoDbBlocker
) -> None:
    """And nothing is there twice, also when what was not answered is sent again."""
    wanted = soak.size(short=4, long=200)
    tried, bad, kills = Counter[str](), list[str](), 1
    kill_while_they_write(site, stage.work, tried)
    bad += problems(stage.url, stage.work)
    while kills < 2 or sum(tried.values()) < wanted or not (tried["autosave"] and tried["submit"]):
        with servers.site(
            database_url=stage.url, workers=WORKERS, port=site.port, env=ENVIRONMENT
        ) as next_one:
            for one in stage.work:
                if one.pending == one.key:
                    # The answer was lost: the same key once more is the same review.
                    assert one.submit(next_one.url) == 200
            kill_while_they_write(next_one, stage.work, tried)
            kills += 1
        bad += problems(stage.url, stage.work)
    soak.report(f"killed during {dict(tried)}", tried=sum(tried.values()), bad=len(bad))
    assert bad == []
    assert any(one.version for one in stage.work), "nothing was ever acknowledged"
    [(events,)] = execute(
        stage.url, "SELECT COUNT(*) FROM cases_event WHERE kind = 'review-submitted'"
    )
    there = [status for _version, status, *_rest in stored(stage.url).values()]
    assert events == there.count("submitted")
    with django_db_blocker.unblock():
        assert "all in order" in manage_here(stage.url, ("verify_ledger", "wanderer-1"))
