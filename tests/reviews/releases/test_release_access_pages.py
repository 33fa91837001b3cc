"""The pages of a release: whom they open to, what they cost, and that they read in Chinese too.

What every route answers to every role is walked in tests/security/test_permissions.py.
"""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Release
from evalsite.permissions import READ, ROUTES, WRITE, Role
from reviews.models import LastLook
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser
from tests.reviews.releases.life_pages import (
    ACTS,
    NAME,
    PAGES,
    RELEASE,
    WITH_A_CASE,
    WITH_A_NAME,
    address,
    code_of,
    everything,
    queries_of,
    release_in,
    words,
)

pytestmark = pytest.mark.usefixtures("rubric")


def people_of(page: str, method: str) -> frozenset[Role]:
    return ROUTES[page].get(method, frozenset())


def test_each_page_opens_for_those_it_is_for(admin: Client, manager: Client) -> None:
    bed.drawn()
    code = code_of("feast")
    for role, client in ((Role.ADMIN, admin), (Role.MANAGER, manager)):
        pages = [page for page in PAGES if READ in ROUTES[page]]
        answers = {page: client.get(address(page, code=code)).status_code for page in pages}
        assert answers == {page: 200 if role in people_of(page, READ) else 403 for page in pages}


def test_a_release_a_case_or_a_draw_that_is_not_there_is_not_found(root: User) -> None:
    bed.drawn()
    bed.filled("wanderer-2")
    code = code_of("feast")
    elsewhere = Case.objects.get(case_key="feast", release__name="wanderer-2").code
    client = Client()
    client.force_login(root)
    paths = [(page, address(page, name="no-such-release", code=code)) for page in WITH_A_NAME]
    paths += [
        (page, address(page, code=one)) for page in WITH_A_CASE for one in ("BBBBB", elsewhere)
    ]
    paths += [("draw-page", address("draw-page", number=number)) for number in (0, 2, 10**40)]
    found = [
        (method, path)
        for page, path in paths
        for method in ROUTES[page]
        if client.generic(method, path).status_code != 404
    ]
    assert found == []


def test_reviewers_learn_nothing_of_the_release(as_user: AsUser, rita: User) -> None:
    """Not even whether there is one: they are refused before anything is looked up."""
    release = bed.started()
    bed.assign(release, "feast", rita)
    before, code, client = everything(), code_of("feast"), as_user(rita)
    pages = [client.get("/")]
    assert pages[0].status_code == 200
    with CaptureQueriesContext(connection) as queries:
        for page in PAGES:
            there = address(page, code=code)
            nowhere = address(page, name="no-such-release", code="BBBBB", number=7)
            pages += [client.get(there), client.post(there), client.get(nowhere)]
    assert {(one.wsgi_request.path, one.status_code) for one in pages[1:]} == {
        (one.wsgi_request.path, 403) for one in pages[1:]
    }
    assert [one["sql"] for one in queries if "cases_" in one["sql"]] == []
    for one in pages:
        assert not {NAME, "feast"} & set(re.split(r"[\s/\"<>]", words(one)))
        assert NAME not in one.content.decode().replace(one.wsgi_request.path, "")
    assert everything() == before


@pytest.mark.parametrize("state", ["drawn", "reviewed", "ended"])
def test_nobody_is_shown_a_control_that_is_closed_to_them(
    admin: Client, manager: Client, rita: User, state: str
) -> None:
    release_in(state, rita)
    shown = []
    for role, client in ((Role.ADMIN, admin), (Role.MANAGER, manager)):
        page = client.get(RELEASE).content.decode()
        for route in WITH_A_NAME:
            if WRITE in ROUTES[route] and role not in people_of(route, WRITE):
                path = address(route, code=code_of("feast")).split("?")[0]
                shown += [(role, route)] if f'"{path}' in page else []
    assert shown == []


# --- As many queries for much as for little -------------------------------------------------------


def grown(release: Release, cases: int, by: User) -> None:
    """So many cases in pool and sample, drawn again and again, and with many events."""
    for first in range(release.cases.count(), cases, 2):
        bed.bring(release, *(bed.row(f"more-{first + number}") for number in range(2)))
        if first:
            bed.draw(release)
            amendments.remove(release=release, case_key="kids", reason="r", user=by, now=NOW)
            amendments.add(release=release, case_key="kids", reason="r", user=by, now=NOW)
    bed.draw(release, size=cases)


def test_a_draft_takes_the_same_queries_for_5_cases_as_for_13(
    admin: Client, ada: User, mina: User
) -> None:
    release = bed.filled(without=bed.SPARE)
    pages = ("release", "draw-page", "event-list", "release-start", "sample-add")
    counts = []
    for cases in (5, 13):
        grown(release, cases, mina)
        assert release.sample.count() == cases
        admin.get(RELEASE)
        LastLook.objects.update(seen_before=1)
        counts.append({page: queries_of(admin, address(page)) for page in pages})
        assert "Since you last looked" in words(admin.get(RELEASE))
    assert release.draws.count() > 4
    assert counts[0] == counts[1]


def test_a_running_review_takes_the_same_queries_for_5_cases_as_for_13(
    manager: Client, rita: User
) -> None:
    more = {f"more-{number}": () for number in range(5)}
    counts = []
    for name, size in (("little", 5), ("much", 13)):
        release = bed.started(name, k=1, size=size, more=more)
        said = {rita: bed.judgement()}
        bed.put_judgements(release, dict.fromkeys(bed.sampled(release)[: size - 4 : 2], said))
        pages = [address(page, name=name) for page in ("release", "release-close")]
        counts.append([queries_of(manager, path) for path in pages])
    assert counts[0] == counts[1]


# --- In Chinese, and without a plan ---------------------------------------------------------------


@pytest.mark.parametrize("state", ["filled", "drawn", "started", "reviewed", "ended"])
def test_every_page_reads_in_chinese_too_and_reads_no_plan_but_that_of_the_case(
    root: User, rita: User, state: str
) -> None:
    """No word of ours in English is left between the tags."""
    release = release_in(state, rita)
    client = Client()
    client.force_login(root)
    client.cookies["django_language"] = "zh-hans"
    code = code_of("feast")
    assert reads_plans(client, READ, f"/cases/{code}/")[1]
    paths = {
        page: address(page, code=code)
        for page in PAGES
        if READ in ROUTES[page] and (page != "draw-page" or release.draws.exists())
    }
    answers = {page: reads_plans(client, READ, path) for page, path in paths.items()}
    others = ("/releases/?q=feast", "/", RELEASE + "cases/")
    answers |= {path: reads_plans(client, READ, path) for path in others}
    assert [page for page, (_answer, reads) in answers.items() if reads] == []
    left = {page: in_english(answers[page][0]) for page in paths}
    del left["event-list"]  # its details show the stored names
    assert {page: english for page, english in left.items() if english} == {}
    client.cookies["django_language"] = "en"
    for act in ACTS:
        if act.state == state and act.page != "decision":
            path = address(act.page, code=code_of(act.case))
            assert not reads_plans(client, WRITE, path, act.data)[1], path


def reads_plans(
    client: Client, method: str, path: str, data: dict[str, str] | None = None
) -> tuple[Any, bool]:
    """The answer, and whether the content of a case was read for it."""
    column = f'{connection.ops.quote_name(Case._meta.db_table)}."data"'
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path) if method == READ else client.post(path, data or {})
    assert answer.status_code in (200, 302, 409, 422), path
    return answer, any(column in one["sql"] for one in queries)


def in_english(response: Any) -> list[str]:
    """Words that are neither Chinese nor names of ours."""
    own = {*bed.FILLING, *bed.SPARE, NAME, "wanderer", "root", "rita", "omar", "Spotcheck"}
    own |= {"never mind", "English", "JSON", "cases.jsonl", "yunxi"}
    own |= {tag for tags in bed.FILLING.values() for tag in tags}
    text = words(response)
    text = re.sub(r"[0-9a-f]{16,64}", " ", text).replace(bed.row("x")["request"]["text"], " ")
    text = re.sub(r"\b[B-Z2-9]{5}\b", " ", text)
    for known in sorted(own, key=len, reverse=True):
        text = text.replace(known, " ")
    return re.findall(r"[A-Za-z]{3,}", text)
