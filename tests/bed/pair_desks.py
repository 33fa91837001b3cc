"""Readers of pairs over HTTP, as reviewers are in tests/bed/desks.py."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from tests import servers
from tests.bed import reviewed
from tests.bed.desks import ENVIRONMENT, Stored, Work
from tests.bed.servers import execute

RELEASE = "wanderer-2"

# Run inside a process on the database of the server: pairs, readers, and a session for each.
SET_UP = """
from django.test import Client
from cases.rubrics.workflow import publish_shipped
from evalsite.permissions import Role
from reviews.models import Pairing
from reviews.pairings import workflow
from tests.bed import pairs
from tests.bed.cases import NOW
from tests.people import make_person
import json
publish_shipped(now=NOW)
release = pairs.beside_baseline(
    *(make_person(name, Role.REVIEWER) for name in ("rita", "omar")), events=True
)
people = [make_person(f"p{{number}}", Role.REVIEWER) for number in range({people})]
workflow.plan_pairings(
    release=release, usernames=[one.username for one in people], per_case={people},
    user=None, now=NOW,
)
found = []
for user in people:
    client = Client()
    client.force_login(user)
    own = list(Pairing.objects.by(user).values_list("pk", flat=True))
    found.append([client.cookies["sessionid"].value, own])
print("FOUND" + json.dumps(found))
"""


@dataclass
class PairWork(Work):
    """A pairing as its reader's browser knows it. Its words are the reason of one metric."""

    collection: ClassVar[str] = "pairings"

    def draft(self, words: str) -> dict[str, Any]:
        step = {"step": 1, "why": words} if words else {"step": 0}
        return {"steps": {reviewed.METRICS[0]: step}}

    def whole(self) -> dict[str, Any]:
        steps = {metric: {"step": 0} for metric in reviewed.METRICS}
        return {"steps": steps | self.draft(self.words)["steps"], "newer": "no"}


def staged(url: str, people: int) -> list[Work]:
    """On a database that was migrated: each person has the same five pairs to read."""
    printed = servers.manage(
        url, "shell", "--verbosity=0", "-c", SET_UP.format(people=people), env=ENVIRONMENT
    )
    found = json.loads(printed.partition("FOUND")[2])
    return [PairWork(session, pk) for session, pks in found for pk in pks]


def stored(database_url: str) -> Stored:
    rows = execute(
        database_url,
        "SELECT id, version, status, draft, "
        "(SELECT COUNT(*) FROM reviews_pairsubmission WHERE pairing_id = reviews_pairing.id), "
        "(SELECT COUNT(*) FROM reviews_pairanswer WHERE pairing_id = reviews_pairing.id) "
        "FROM reviews_pairing",
    )
    found: Stored = {}
    for pk, version, status, draft, sent, answers in rows:
        said = json.loads(draft) if isinstance(draft, str) else draft
        words = said.get("steps", {}).get(reviewed.METRICS[0], {}).get("why", "")
        found[pk] = (version, status, words, sent, answers)
    return found
