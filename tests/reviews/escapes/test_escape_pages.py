"""The page of what got through, and the history of a product."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases.models import Ledger, LedgerEvent, Release
from evalsite.permissions import Role
from reviews.escapes import workflow
from reviews.models import Escape, Sighting
from reviews.releases import lifecycle
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.databases import without_triggers
from tests.bed.escapes import LUNCH, NOTE, close, closed, put, says
from tests.people import AsUser, also

LATER = NOW + timedelta(days=2)
PAGE = "/escapes/?product=wanderer"
HISTORY = "/escapes/history/?product=wanderer"
QUESTION = "Are lunch/rest windows present and reasonable?"

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def two(rita: User, omar: User) -> list[User]:
    return [rita, omar]


@pytest.fixture
def release(two: list[User]) -> Release:
    finding = [says(no=[LUNCH])] * 2
    return closed(two, {"feast": finding, "kids": finding})


def words(client: Client, path: str = PAGE, **sent: Any) -> str:
    """What a page says; with values, what it says after they are sent."""
    answer = client.post(path, sent, follow=True) if sent else client.get(path)
    assert answer.status_code in (200, 409, 422), answer.status_code
    main = answer.content.decode().split("<main")[1]
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", main)))


def keys(*case_keys: str) -> list[int]:
    found = Escape.objects.filter(case_key__in=case_keys).order_by("pk")
    return list(found.values_list("pk", flat=True))


def test_it_says_how_many_and_shows_the_words(release: Release, manager: Client) -> None:
    text = words(manager)
    assert f"{QUESTION} 2 2 2 of 5 cases read (5 to 85 %)" in text
    assert text.count(NOTE) == 4
    assert text.index("feast") < text.index("kids")
    case = release.cases.get(case_key="feast")
    assert reverse("adjudication", args=[release.name, case.code]) in str(manager.get(PAGE).content)


def test_without_a_closed_release_it_says_what_will_be_there(manager: Client) -> None:
    reviewed.started()
    assert "No release is closed yet." in words(manager, "/escapes/")
    assert manager.get(HISTORY).status_code == 404


def test_a_product_without_findings_says_so(two: list[User], manager: Client) -> None:
    closed(two, {})
    assert "Nothing got through" in words(manager)


def test_an_admin_moves_what_is_chosen_with_a_reason(release: Release, admin: Client) -> None:
    text = words(admin, escape=keys("feast"), state="fixed", reason="Commit 4711.")
    assert "1 moved: fixed." in text
    assert f"{QUESTION} 1 2 2 of 5 cases read" in text
    assert "feast" not in text
    fixed = words(admin, f"{PAGE}&state=fixed")
    assert "feast" in fixed
    assert "Commit 4711. ada," in fixed
    assert "moved 1 finding that got through: fixed" in words(admin, HISTORY)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"reason": ""}, "This field is required."),
        ({"escape": []}, "Choose at least one."),
        ({"escape": ["x", "9" * 30]}, "Choose at least one."),
        ({"escape": [10**9]}, "Some of these escapes are not there."),
        ({"rule": "short-gap"}, "Only an escape that became a rule names one."),
        ({"state": "gone"}, "Select a valid choice."),
    ],
)
def test_a_mistake_is_said_and_the_input_stays(
    release: Release, admin: Client, values: dict[str, Any], sentence: str
) -> None:
    sent = {"escape": keys("feast"), "state": "fixed", "reason": "Commit 4711.", **values}
    text = words(admin, **sent)
    assert sentence in text
    assert set(Escape.objects.values_list("state", flat=True)) == {"open"}
    if sent["reason"]:
        assert "Commit 4711." in text


def test_what_came_back_is_to_do_again(release: Release, two: list[User], manager: Client) -> None:
    words(manager, escape=keys("feast", "kids"), state="fixed", reason="Commit 4711.")
    assert "Nothing is left to do here." in words(manager)
    now = LedgerEvent.objects.order_by("-pk")[0].at + timedelta(hours=1)
    closed(two, {"feast": [says(no=[LUNCH])] * 2}, "wanderer-2", now=now)
    text = words(manager)
    assert f"{QUESTION} 1 2 3 of 10 cases read" in text
    assert "came back fixed" in text
    assert "in 2 releases, last in wanderer-2" in text


def test_it_is_narrowed_to_a_question_and_a_state(release: Release, manager: Client) -> None:
    escape = Escape.objects.first()
    assert escape
    token = f"question:{LUNCH}:{escape.wording}"
    assert words(manager, f"{PAGE}&about={token}").count(NOTE) == 4
    assert "None is in this state." in words(manager, f"{PAGE}&state=accepted&about={token}")
    for odd in ("state=odd", "about=x", "about=a:b:c:d"):
        assert manager.get(f"{PAGE}&{odd}").status_code == 404, odd
    assert manager.get("/escapes/?product=other").status_code == 404


def test_of_a_reopened_release_nothing_is_shown(release: Release, manager: Client) -> None:
    lifecycle.reopen(release=release, reason="A mistake.", user=None, now=LATER)
    assert "No release is closed yet." in words(manager, "/escapes/")
    assert manager.get(PAGE).status_code == 200


def test_a_release_of_before_is_named_with_the_command(release: Release, manager: Client) -> None:
    with without_triggers():
        for model in (Sighting, Escape, LedgerEvent, Ledger):
            model._default_manager.all().delete()
    text = words(manager)
    assert "1 release was closed before findings were recorded" in text
    assert "manage.py open_escapes" in text
    workflow.open_for(release=release, user=None, now=LATER)
    assert "open_escapes" not in words(manager)


def test_it_takes_as_many_queries_for_many_as_for_one(two: list[User], manager: Client) -> None:
    counts = []
    everywhere = {key: [says(no=[LUNCH], usability_value=1)] * 2 for key in reviewed.FILLING}
    for name, given in (("one", {"feast": everywhere["feast"]}), ("many", everywhere)):
        closed(two, given, name)
        manager.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            manager.get(PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_the_history_is_verified_on_request(release: Release, manager: Client) -> None:
    assert "recorded the findings of wanderer-1, report 1" in words(manager, HISTORY)
    whole = f"{HISTORY}&verify=all"
    assert "1 event, verified." in words(manager, whole)
    with without_triggers():
        Sighting.objects.filter(case__case_key="feast").update(is_counted=False)
    assert "the findings of report 1 do not match the ledger" in words(manager, whole)


def test_who_still_judges_in_the_product_sees_no_digest(
    release: Release, two: list[User], mina: User, as_user: AsUser
) -> None:
    event = LedgerEvent.objects.get()
    manager = as_user(mina)
    assert event.digest in manager.get(HISTORY).content.decode()
    words(manager, escape=keys("feast"), state="fixed", reason="Commit 4711.")
    again = reviewed.started("wanderer-2")
    reviewed.assign(again, "feast", also(mina, Role.REVIEWER))
    text = manager.get(HISTORY).content.decode()
    assert event.digest not in text
    assert event.data["findings"] not in text
    assert "recorded the findings" in text
    assert "did something that depends on scores" in text
    assert "Commit 4711." not in text


def test_people_who_only_review_find_no_way_to_it(
    release: Release, rita: User, sam: User, as_user: AsUser
) -> None:
    for path in (PAGE, HISTORY):
        assert as_user(rita).get(path).status_code == 403
        assert as_user(sam).get(path).status_code == 404
    assert "escapes" not in as_user(rita).get("/").content.decode()


def test_the_report_leads_to_it(release: Release, manager: Client) -> None:
    assert (
        "/escapes/?product=wanderer"
        in manager.get(reverse("report", args=[release.name])).content.decode()
    )


def test_it_reads_in_chinese(release: Release, manager: Client) -> None:
    put_language = {"HTTP_ACCEPT_LANGUAGE": "zh-hans"}
    manager.post("/language/", {"language": "zh-hans", "next": "/"}, **put_language)  # type: ignore[arg-type]
    text = words(manager)
    assert "是否安排了午餐和休息时段，且时段合理？" in text


def test_releases_without_a_product_have_their_own_page(two: list[User], manager: Client) -> None:
    release = reviewed.started()
    put(release, two, {"feast": [says(no=[LUNCH])] * 2})
    Release.objects.update(product="")
    close(release)
    for path in ("/escapes/", "/escapes/?product=", "/escapes/?state=all&product="):
        assert f"{QUESTION} 1 1 1 of 5 cases read" in words(manager, path)
    assert "recorded the findings" in words(manager, "/escapes/history/?product=")
    moved = words(manager, "/escapes/", escape=keys("feast"), state="fixed", reason="So.")
    assert "1 moved: fixed." in moved
