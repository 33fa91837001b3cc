"""What the tests of the pages of a release share: where it can be, and what its pages say."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases.models import Case, Release
from reviews.models import LastLook
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from tests.bed import reviewed as bed
from tests.bed.cases import NOW

NAME = "wanderer-1"
RELEASE = f"/releases/{NAME}/"
BECAUSE = {"reason": "because of the rain"}

PAGES = [
    *("release-list", "release", "release-edit", "release-archive", "event-list"),
    *("case-exclude", "draw", "draw-page"),
    *("sample-add", "sample-swap", "sample-remove", "sample-withdraw"),
    *("release-start", "release-close", "release-abandon", "release-reopen", "decision"),
    *("waive", "waiver-take-back"),
]
WITH_A_NAME = [page for page in PAGES if page != "release-list"]
WITH_A_CASE = ["sample-swap", "sample-remove", "sample-withdraw"]


def address(page: str, *, name: str = NAME, code: str = "BBBBB", number: int = 1) -> str:
    values: dict[str, Any] = {}
    if page in WITH_A_NAME:
        values["name"] = name
    if page in WITH_A_CASE:
        values["code"] = code
    if page == "draw-page":
        values["number"] = number
    query = f"?rule=kind:{bed.KIND_OF['feast']}" if page.startswith("waive") else ""
    return reverse(page, kwargs=values) + query


def code_of(key: str) -> str:
    return Case.objects.get(case_key=key, release__name=NAME).code


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def section(response: Any, marker: str) -> str:
    """The words of the section whose opening tag holds the marker."""
    page = response.content.decode()
    found = re.search(rf"<section[^>]*{marker}[^>]*>(.*?)</section>", page, re.DOTALL)
    assert found, marker
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", found[1])))


def step(response: Any) -> str:
    return section(response, "next-step")


def title_of_step(response: Any) -> str:
    [title] = re.findall(r'<h2 id="next-step">([^<]*)</h2>', response.content.decode())
    return str(title)


def everything() -> str:
    """Who has looked when does not count."""
    return bed.everything(LastLook)


def queries_of(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def exclude(client: Client, *keys: str, what: str = "exclude", reason: str = "no photos") -> Any:
    data = {
        "case": [code_of(key) for key in keys],
        "exclusion": what,
        "exclusion_reason": reason,
        "next": RELEASE + "cases/?check=eligible",
    }
    return client.post(address("case-exclude"), data)


def edits(**changes: str) -> dict[str, str]:
    values = {"product": "wanderer", "rubric": "1", "reviews_per_case": "2", "baseline": ""}
    values |= {"due_date": "", "margin": "0.5", "within_one": "80", "accept": "pass"}
    return values | {f"floor_{metric}": "3.0" for metric in bed.METRICS} | changes


# --- Releases at every place of their path --------------------------------------------------------


def reviewed(*people: User) -> Release:
    release = bed.started(k=len(people))
    bed.put_reviews(release, *people)
    return bed.current(release)


def closed(*people: User) -> Release:
    release = reviewed(*people)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    return bed.current(release)


def signed(by: User, *people: User) -> Release:
    release = closed(*people)
    digest = release.closings.get().digest
    sign(release=release, decision="ship", reason="good", digest=digest, user=by, now=NOW)
    return bed.current(release)


def ended() -> Release:
    """Closed without a verdict: the quickest way to a release that is closed."""
    release = bed.drawn()
    releases_lifecycle.abandon(release=release, reason="never mind", user=None, now=NOW)
    return bed.current(release)


def release_in(state: str, rita: User) -> Release:
    if state in ("filled", "drawn", "started"):
        return {"filled": bed.filled, "drawn": bed.drawn, "started": bed.started}[state]()
    if state == "ended":
        return ended()
    return reviewed(rita) if state == "reviewed" else closed(rita)


# --- Acts -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Act:
    """`state` is where the release has to be; `late` a state in which it is refused."""

    page: str
    state: str
    who: str
    kind: str
    data: dict[str, str] = field(default_factory=dict)
    case: str = "feast"
    late: str = ""


ACTS = [
    Act("draw", "filled", "ada", "sample-drawn", {"size": "5"}, late="started"),
    Act(
        *("sample-add", "drawn", "ada", "case-added"), {"into": "spare-1", **BECAUSE}, late="ended"
    ),
    Act(
        *("sample-swap", "drawn", "ada", "case-swapped"),
        {"into": "spare-1", **BECAUSE},
        late="ended",
    ),
    Act("sample-remove", "drawn", "ada", "case-removed", BECAUSE, late="started"),
    Act(
        *("sample-withdraw", "started", "ada", "case-withdrawn"),
        {"cause": "broken", **BECAUSE},
        late="ended",
    ),
    Act("release-start", "drawn", "ada", "review-started", late="ended"),
    Act("release-close", "reviewed", "mina", "release-closed", late="drawn"),
    Act("release-abandon", "drawn", "mina", "release-abandoned", BECAUSE, late="ended"),
    Act("release-reopen", "ended", "mina", "release-reopened", BECAUSE, late="started"),
    Act("waive", "filled", "mina", "rule-waived", BECAUSE, late="ended"),
    Act("decision", "closed", "mina", "release-signed", {"decision": "ship", **BECAUSE}),
    Act("release-archive", "ended", "ada", "release-archived", {"archived": "1"}),
]
