"""Pairs over HTTP while the server is killed, and when every submit is sent several times."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from pytest_django import DjangoDbBlocker

from tests import servers
from tests.bed import soak
from tests.bed.desks import ENVIRONMENT, Work, kill_while_they_write, problems_in
from tests.bed.pair_desks import RELEASE, staged, stored
from tests.bed.servers import execute, manage_here
from tests.conftest import MakeDatabase

PEOPLE = soak.size(short=4, long=20)
WORKERS = soak.size(short=1, long=2)
TIMES = 5


@dataclass(frozen=True)
class Stage:
    url: str
    work: list[Work]

    def problems(self) -> list[str]:
        return problems_in(stored(self.url), self.work)


@pytest.fixture(scope="module")
def stage(migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    url = migrated_database("pairs_under_fire", tmp_path_factory.mktemp("pairs_under_fire"))
    return Stage(url, staged(url, PEOPLE))


def count_submits(stage: Stage, blocker: DjangoDbBlocker) -> tuple[int, int]:
    """Return how many pairs are submitted and how many events say so; the ledger must fit."""
    with blocker.unblock():
        assert "all in order" in manage_here(stage.url, ("verify_ledger", RELEASE))
    [(events,)] = execute(
        stage.url, "SELECT COUNT(*) FROM cases_event WHERE kind = 'pairing-submitted'"
    )
    there = [status for _version, status, *_rest in stored(stage.url).values()]
    return there.count("submitted"), events


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_pairs_that_the_server_acknowledged_are_there_after_it_was_killed(
    stage: Stage, django_db_blocker: DjangoDbBlocker
) -> None:
    """And nothing is there twice, also when what was not answered is sent again, five times."""
    wanted = soak.size(short=4, long=100)
    tried, bad, kills, port = Counter[str](), list[str](), 0, None
    while kills < 2 or sum(tried.values()) < wanted or not (tried["autosave"] and tried["submit"]):
        with servers.site(
            database_url=stage.url, workers=WORKERS, port=port, env=ENVIRONMENT
        ) as site:
            port = site.port
            storm(site.url, [one for one in stage.work if one.pending == one.key])
            kill_while_they_write(site, stage.work, tried)
        kills += 1
        bad += stage.problems()
    soak.report(f"pairs, killed during {dict(tried)}", tried=sum(tried.values()), bad=len(bad))
    assert bad == []
    assert any(one.version for one in stage.work), "nothing was ever acknowledged"
    submitted, events = count_submits(stage, django_db_blocker)
    assert submitted == events


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_storm_of_retries_submits_each_pair_once(
    stage: Stage, django_db_blocker: DjangoDbBlocker
) -> None:
    waiting = [one for one in stage.work if not one.is_submitted]
    with servers.site(database_url=stage.url, workers=WORKERS, env=ENVIRONMENT) as site:
        storm(site.url, [one for one in waiting if one.pending == one.key])
        storm(site.url, [one for one in waiting if not one.is_submitted])
    bad = stage.problems()
    soak.report(f"pairs, each submit sent {TIMES} times", tried=len(waiting), bad=len(bad))
    assert bad == []
    assert count_submits(stage, django_db_blocker) == (len(stage.work), len(stage.work))


def storm(url: str, work: list[Work]) -> None:
    """Send each submit several times at once. All must get the same answer."""
    for one in work:
        body = {"version": one.version, **one.whole()}
        with ThreadPoolExecutor(TIMES) as hands:
            sent = [hands.submit(one.post, url, "submit", body) for _time in range(TIMES)]
        answers = [each.result() for each in sent]
        assert {(each.status_code, each.text) for each in answers} == {(200, answers[0].text)}
        one.version, one.pending, one.is_submitted = answers[0].json()["version"], None, True
