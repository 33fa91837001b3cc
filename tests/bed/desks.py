"""Reviewers at their desks over HTTP: what their browsers were told, and what is stored."""

import json
from dataclasses import dataclass, field
from typing import Any

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

    def post(self, url: str, act: str, body: dict[str, Any]) -> requests.Response:
        with requests.Session() as browser:
            browser.trust_env = False
            return browser.request(
                "PUT" if act == "draft" else "POST",
                f"{url}/api/v1/reviews/{self.pk}/{act}/",
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
        answer = self.post(url, "draft", {"version": self.version, "comment": words})
        if answer.status_code == 200:
            self.version, self.words, self.pending = answer.json()["version"], words, None
        return answer.status_code

    def submit(self, url: str) -> int:
        self.pending = self.key
        said = desk_judgement.to_data(reviewed.judgement(4, comment=self.words))
        answer = self.post(url, "submit", {"version": self.version, **said})
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
