"""The desk over HTTP while its server is killed, and under fifty reviewers at once."""

import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests

from evalsite import scratch
from evalsite.scratch.processes import free_port
from reviews import judgement
from tests.bed import reviewed, soak
from tests.bed.servers import SECRET_KEY, execute
from tests.conftest import MakeDatabase

PEOPLE = soak.size(short=6, long=50)
WORKERS = soak.size(short=1, long=2)
TOKEN = "t" * 32
# A session holds for the key that it was made with.
ENVIRONMENT = {"SECRET_KEY": SECRET_KEY}

# Run inside a process on the database of the server: a release, people, and a session for each.
SET_UP = """
from django.test import Client
from cases.publishing import publish_shipped
from evalsite.permissions import Role
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.people import make_person
import json
publish_shipped(now=NOW)
release = reviewed.started()
found = []
for number in range({people}):
    user = make_person(f"p{{number}}", Role.REVIEWER)
    client = Client()
    client.force_login(user)
    reviews = [reviewed.assign(release, key, user).pk for key in reviewed.FILLING]
    found.append([client.cookies["sessionid"].value, reviews])
print("FOUND" + json.dumps(found))
"""


@dataclass
class Work:
    """A review as its owner's browser knows it: what the server has acknowledged."""

    session: str
    pk: int
    version: int = 0
    words: str = ""
    is_submitted: bool = False
    # What was sent and not answered: the words of a save, or the body of a submit.
    pending: str | None = None

    @property
    def key(self) -> str:
        return f"key-{self.pk}"

    def post(self, url: str, act: str, body: dict[str, Any]) -> requests.Response:
        with requests.Session() as browser:
            browser.trust_env = False
            return browser.post(
                f"{url}/reviews/{self.pk}/{act}/",
                data=json.dumps(body),
                headers={
                    "Content-Type": "application/json",
                    "Accept": "application/json",
                    "X-CSRFToken": TOKEN,
                    "Idempotency-Key": self.key,
                    "Cookie": f"csrftoken={TOKEN}; sessionid={self.session}",
                },
                timeout=30,
            )

    def save(self, url: str, words: str) -> int:
        self.pending = words
        answer = self.post(url, "draft", {"version": self.version, "comment": words})
        if answer.status_code == 200:
            self.version, self.words, self.pending = answer.json()["version"], words, None
        return answer.status_code

    def submit(self, url: str) -> int:
        self.pending = self.key
        said = judgement.to_data(reviewed.judgement(4, comment=self.words))
        answer = self.post(url, "submit", {"version": self.version, **said})
        if answer.status_code == 200:
            self.version, self.pending = answer.json()["version"], None
            self.is_submitted = True
        return answer.status_code


@dataclass
class Stage:
    url: str
    work: list[Work] = field(default_factory=list)


@pytest.fixture(scope="module")
def stage(migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """For all tests here, in turn: each goes on from what the one before was answered."""
    url = migrated_database("under_fire", tmp_path_factory.mktemp("under_fire"))
    printed = scratch.manage(
        url, "shell", "--verbosity=0", "-c", SET_UP.format(people=PEOPLE), env=ENVIRONMENT
    )
    found = json.loads(printed.partition("FOUND")[2])
    work = [Work(session, pk) for session, pks in found for pk in pks]
    return Stage(url, work)


def stored(database_url: str) -> dict[int, tuple[int, str, str, int, int]]:
    """Review -> version, status, words, submissions, scores."""
    rows = execute(
        database_url,
        "SELECT id, version, status, draft, "
        "(SELECT COUNT(*) FROM reviews_submission WHERE review_id = reviews_review.id), "
        "(SELECT COUNT(*) FROM reviews_score WHERE review_id = reviews_review.id) "
        "FROM reviews_review",
    )
    found = {}
    for pk, version, status, draft, sent, scores in rows:
        said = json.loads(draft) if isinstance(draft, str) else draft
        found[pk] = (version, status, said.get("comment", ""), sent, scores)
    return found


def problems(database_url: str, work: list[Work]) -> list[str]:
    """What was acknowledged and is not there, or is there twice. Takes note of what arrived."""
    rows, found = stored(database_url), []
    for one in work:
        version, status, words, sent, scores = rows[one.pk]
        arrived = one.pending is not None and version == one.version + 1
        if version != one.version and not arrived:
            found.append(f"{one.pk}: version {version}, acknowledged {one.version}")
        if not arrived and words != one.words:
            found.append(f"{one.pk}: {words!r}, acknowledged {one.words!r}")
        if (sent, scores) not in ((0, 0), (1, len(reviewed.METRICS))):
            found.append(f"{one.pk}: {sent} submissions, {scores} scores")
        if one.is_submitted and status != "submitted":
            found.append(f"{one.pk}: acknowledged as submitted, but {status}")
        if arrived and one.pending != one.key:
            one.version, one.words, one.pending = version, str(one.pending), None
    return found


def write_on(url: str, mine: list[Work], tried: Counter[str], stop: threading.Event) -> None:
    """Saves each review a few times and submits most of them, until the server is gone."""
    for one in mine:
        for number in range(random.randint(0, 2)):
            if stop.is_set():
                return
            try:
                tried["autosave"] += 1
                one.save(url, f"{one.pk}, take {one.version + 1}, {number}")
            except requests.RequestException:
                return
        if random.random() < 0.7:
            try:
                tried["submit"] += 1
                one.submit(url)
            except requests.RequestException:
                return


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_many_reviewers_who_save_every_second_are_all_answered(stage: Stage) -> None:
    seconds = soak.size(short=2, long=60)
    answers, guard = Counter[int](), threading.Lock()

    def save_every_second(one: Work, url: str, until: float) -> None:
        time.sleep(random.random())
        number = 0
        while time.monotonic() < until:
            begun = time.monotonic()
            number += 1
            code = one.save(url, f"{one.pk}, second {number}")
            with guard:
                answers[code] += 1
            time.sleep(max(0.0, 1 - (time.monotonic() - begun)))

    # One review of each person.
    mine = stage.work[:: len(reviewed.FILLING)]
    with scratch.site(database_url=stage.url, workers=WORKERS, env=ENVIRONMENT) as site:
        until = time.monotonic() + seconds
        hands = [
            threading.Thread(target=save_every_second, args=(one, site.url, until)) for one in mine
        ]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
    unexpected = sum(count for code, count in answers.items() if code not in (200, 409))
    lost = problems(stage.url, mine)
    soak.report(
        f"{len(mine)} reviewers saving for {seconds} s {dict(answers)}",
        tried=sum(answers.values()),
        bad=unexpected + len(lost),
    )
    assert (unexpected, lost) == (0, [])
    assert answers[200] >= len(mine)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_what_the_server_acknowledged_is_there_after_it_was_killed(stage: Stage) -> None:
    """And nothing is there twice, also when what was not answered is sent again."""
    wanted = soak.size(short=4, long=200)
    tried, bad, port = Counter[str](), list[str](), free_port()
    while sum(tried.values()) < wanted or not (tried["autosave"] and tried["submit"]):
        with scratch.site(
            database_url=stage.url, workers=WORKERS, port=port, env=ENVIRONMENT
        ) as site:
            for one in stage.work:
                if one.pending == one.key:
                    # The answer was lost: the same key once more is the same review.
                    assert one.submit(site.url) == 200
            stop, hands = threading.Event(), []
            unsent = [one for one in stage.work if not one.is_submitted]
            batch = random.sample(unsent, min(12, len(unsent)))
            for place in range(4):
                hand = threading.Thread(
                    target=write_on, args=(site.url, batch[place::4], tried, stop)
                )
                hand.start()
                hands.append(hand)
            time.sleep(random.uniform(0.05, 0.6))
            site.kill()
            stop.set()
            for hand in hands:
                hand.join()
        bad += problems(stage.url, stage.work)
    with scratch.site(database_url=stage.url, port=port, env=ENVIRONMENT) as site:
        for one in stage.work:
            if one.pending == one.key:
                assert one.submit(site.url) == 200
    bad += problems(stage.url, stage.work)
    soak.report(f"killed during {dict(tried)}", tried=sum(tried.values()), bad=len(bad))
    assert bad == []
    assert any(one.version for one in stage.work), "nothing was ever acknowledged"
    [(events,)] = execute(
        stage.url, "SELECT COUNT(*) FROM cases_event WHERE kind = 'review-submitted'"
    )
    assert events == sum(one.is_submitted for one in stage.work)
    assert "all in order" in scratch.manage(stage.url, "verify_ledger", "wanderer-1")
