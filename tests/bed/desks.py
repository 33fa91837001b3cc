"""Reviewers at their desks over HTTP: what their browsers were told, and what is stored."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import requests

from reviews.desk import judgement as desk_judgement
from tests import servers
from tests.bed import reviewed
from tests.bed.servers import SECRET_KEY, execute

TOKEN = "t" * 32
# A session holds for the key that it was made with.
ENVIRONMENT = {"SECRET_KEY": SECRET_KEY}

# Run inside a process on the database of the server: a release, people, and a session for each.
SET_UP = """
from django.test import Client
from cases.rubrics.workflow import publish_shipped
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

    collection: ClassVar[str] = "reviews"

    @property
    def parts(self) -> int:
        """How many rows of its own a submit writes."""
        return len(reviewed.METRICS)

    def draft(self, words: str) -> dict[str, Any]:
        return {"comment": words}

    def whole(self) -> dict[str, Any]:
        return desk_judgement.to_data(reviewed.judgement(4, comment=self.words))

    def post(self, url: str, act: str, body: dict[str, Any]) -> requests.Response:
        with requests.Session() as browser:
            browser.trust_env = False
            return browser.request(
                "PUT" if act == "draft" else "POST",
                f"{url}/api/v1/{self.collection}/{self.pk}/{act}/",
                data=json.dumps(body),
                headers={
                    "Content-Type": "application/json",
                    "Accept": "application/json",
                    "X-CSRFToken": TOKEN,
                    "Idempotency-Key": self.key,
                    "Cookie": f"csrftoken={TOKEN}; sessionid={self.session}",
                },
                timeout=300,
            )

    def save(self, url: str, words: str) -> int:
        self.pending = words
        answer = self.post(url, "draft", {"version": self.version, **self.draft(words)})
        if answer.status_code == 200:
            self.version, self.words, self.pending = answer.json()["version"], words, None
        return answer.status_code

    def submit(self, url: str) -> int:
        self.pending = self.key
        answer = self.post(url, "submit", {"version": self.version, **self.whole()})
        if answer.status_code == 200:
            self.version, self.pending = answer.json()["version"], None
            self.is_submitted = True
        return answer.status_code


@dataclass
class Stage:
    url: str
    work: list[Work] = field(default_factory=list)


def staged(url: str, people: int) -> Stage:
    """On a database that was migrated: each has the same five reviews to do."""
    printed = servers.manage(
        url, "shell", "--verbosity=0", "-c", SET_UP.format(people=people), env=ENVIRONMENT
    )
    found = json.loads(printed.partition("FOUND")[2])
    return Stage(url, [Work(session, pk) for session, pks in found for pk in pks])


# Review or pairing -> version, status, words, submissions, rows of its own.
Stored = dict[int, tuple[int, str, str, int, int]]


def stored(database_url: str) -> Stored:
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
    return problems_in(stored(database_url), work)


def problems_in(rows: Stored, work: Sequence[Work]) -> list[str]:
    """What was acknowledged and is not there, or is there twice. Takes note of what arrived."""
    found = []
    for one in work:
        version, status, words, sent, parts = rows[one.pk]
        arrived = one.pending is not None and version == one.version + 1
        if version != one.version and not arrived:
            found.append(f"{one.pk}: version {version}, acknowledged {one.version}")
        if not arrived and words != one.words:
            found.append(f"{one.pk}: {words!r}, acknowledged {one.words!r}")
        if (sent, parts) not in ((0, 0), (1, one.parts)):
            found.append(f"{one.pk}: {sent} submissions, {parts} rows")
        if one.is_submitted and status != "submitted":
            found.append(f"{one.pk}: acknowledged as submitted, but {status}")
        if arrived and one.pending != one.key:
            one.version, one.words, one.pending = version, str(one.pending), None
    return found


# --- A server that is killed ----------------------------------------------------------------------


def write_on(url: str, mine: Sequence[Work], tried: Counter[str], stop: threading.Event) -> None:
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


def kill_while_they_write(site: servers.Site, work: Sequence[Work], tried: Counter[str]) -> None:
    stop, hands = threading.Event(), []
    unsent = [one for one in work if not one.is_submitted]
    batch = random.sample(unsent, min(12, len(unsent)))
    for place in range(4):
        hand = threading.Thread(target=write_on, args=(site.url, batch[place::4], tried, stop))
        hand.start()
        hands.append(hand)
    # At any moment after the first of them was answered.
    versions = sum(one.version for one in batch)
    while sum(one.version for one in batch) == versions and any(hand.is_alive() for hand in hands):
        time.sleep(0.005)
    time.sleep(random.uniform(0, 0.3))
    site.kill()
    stop.set()
    for hand in hands:
        hand.join()
