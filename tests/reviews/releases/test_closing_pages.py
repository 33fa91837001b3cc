"""The pages on which a release is closed, waived, signed, abandoned, reopened and archived."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from cases.models import Release
from evalsite.permissions import Role
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.people import AsUser, make_person
from tests.reviews.releases.life_pages import (
    BECAUSE,
    NAME,
    RELEASE,
    address,
    closed,
    ended,
    everything,
    reviewed,
    section,
    signed,
    words,
)

pytestmark = pytest.mark.usefixtures("rubric")


def lacking(rita: User, omar: User) -> Release:
    """Started, with a kind open, reviews missing and an adjudication waiting."""
    release = bed.started()
    amendments.withdraw(
        release=release, case_key="rush", cause="broken", reason="r", user=None, now=NOW
    )
    bed.put_reviews(release, rita, omar, but=["kids", "thrift"])
    bed.put_judgements(release, {"thrift": {rita: bed.judgement(4), omar: bed.judgement(0)}})
    return bed.current(release)


RULES = [f"kind:{bed.KIND_OF['rush']}", "reviews", "adjudications"]
SENTENCES = [
    f"{bed.TEXT_OF['rush']}: no case in the sample.",
    "2 reviews are missing: kids.",
    "1 case is waiting for adjudication; look at the scores to see which.",
]


def ticked(response: Any) -> list[str]:
    found = re.findall(r'name="waive" value="([^"]*)"( checked)?', response.content.decode())
    return [rule for rule, is_ticked in found if is_ticked]


def test_the_close_is_refused_with_all_that_is_missing_on_one_page(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    lacking(*reviewers)
    before = everything()
    pages = [manager.get(address("release-close")), manager.post(address("release-close"))]
    assert [page.status_code for page in pages] == [200, 409]
    for page in pages:
        for sentence in SENTENCES:
            assert sentence in words(page)
        assert ticked(page) == []
    assert "It cannot be closed yet." in words(pages[1])
    assert everything() == before


def test_rules_are_waived_only_all_together_and_with_a_reason_and_the_ticks_stay(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    lacking(*reviewers)
    before = everything()
    for reason in ("", "x" * 10_000, "a\0b"):
        answer = manager.post(address("release-close"), {"waive": RULES, "reason": reason})
        assert answer.status_code == 422
        assert ticked(answer) == RULES
        assert 'role="alert"' in answer.content.decode()
    answer = manager.post(address("release-close"), {"waive": RULES[1:], "reason": "time is up"})
    assert answer.status_code == 409
    for sentence in SENTENCES:
        assert sentence in words(answer), "nothing is waived yet, so all of it is still missing"
    assert ticked(answer) == RULES[1:]
    assert everything() == before


def test_rules_that_are_waived_together_close_the_release_once(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    release = lacking(*reviewers)
    data = {"waive": RULES, "reason": "time is up"}
    assert manager.post(address("release-close"), data).status_code == 302
    assert {(one.rule, one.by, one.reason) for one in release.waivers.all()} == {
        (rule, "mina", "time is up") for rule in RULES
    }
    page = words(manager.get(RELEASE))
    assert f"{NAME} is closed." in page
    assert release.closings.get().digest in page
    assert release.closings.get().head in page
    before = everything()
    old_tab = manager.post(address("release-close"), data)
    assert old_tab.status_code in (409, 422)
    assert "The release is closed already." in words(old_tab)
    assert everything() == before


def test_a_waiver_is_taken_back_with_a_reason(manager: Client) -> None:
    release = bed.filled(without=["feast"])
    manager.post(address("waive"), BECAUSE)
    card = words(manager.get(RELEASE))
    assert f"{bed.TEXT_OF['feast']} is waived." in card
    assert "because of the rain (mina)" in card
    page = manager.get(address("waiver-take-back"))
    assert f"Take back the waiver: {bed.TEXT_OF['feast']}" in words(page)
    manager.post(address("waiver-take-back"), {"reason": "it came"})
    assert not release.waivers.exists()
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by, event.data["reason"]) == ("waiver-taken-back", "mina", "it came")
    before = everything()
    assert manager.post(address("waiver-take-back"), {"reason": "it came"}).status_code == 409
    assert everything() == before


def test_a_rule_that_there_is_not_cannot_be_waived(manager: Client) -> None:
    bed.filled()
    before = everything()
    path = reverse("waive", kwargs={"name": NAME})
    for rule in ("", "nonsense", "kind:nonsense", "x" * 3000):
        assert manager.get(path, {"rule": rule}).status_code in (200, 404), rule
        answer = manager.post(path, BECAUSE, query_params={"rule": rule})
        assert answer.status_code in (404, 409), rule
    assert everything() == before


def test_what_is_not_missing_is_not_waived(manager: Client, rita: User) -> None:
    reviewed(rita)
    before = everything()
    path = reverse("waive", kwargs={"name": NAME})
    for rule, sentence in (
        ("reviews", "No review is missing."),
        ("adjudications", "No case is waiting for adjudication."),
    ):
        answer = manager.post(path, BECAUSE, query_params={"rule": rule})
        assert answer.status_code == 409
        assert sentence in words(answer)
    assert everything() == before


def test_a_decision_is_one_of_two_and_names_the_report_that_was_read(
    manager: Client, rita: User
) -> None:
    release = closed(rita)
    digest = release.closings.get().digest
    page = manager.get(address("decision"))
    assert digest[:16] in words(page)
    assert f'name="digest" value="{digest}"' in page.content.decode()
    for decision in ("", "maybe", "a\0b"):
        data = {"decision": decision, "digest": digest, **BECAUSE}
        assert manager.post(address("decision"), data).status_code == 422
    answer = manager.post(address("decision"), {"decision": "ship", "digest": "0" * 64, **BECAUSE})
    assert answer.status_code == 409
    assert "The report has changed since you read it." in words(answer)
    assert not release.decisions.exists()


def test_a_signed_release_says_who_signed_and_another_is_refused(
    manager: Client, as_user: AsUser, rita: User, mina: User
) -> None:
    release = signed(mina, rita)
    shown = section(manager.get(RELEASE), "closing")
    assert "ship" in shown
    assert "mina" in shown
    assert "good" in shown
    other = as_user(make_person("max", Role.MANAGER))
    data = {"decision": "do-not-ship", "digest": release.closings.get().digest, **BECAUSE}
    answer = other.post(address("decision"), data)
    assert answer.status_code == 409
    assert f"{NAME} is signed already, by mina." in words(answer)
    assert release.decisions.get().by == "mina"


def test_a_release_without_a_report_is_not_signed_and_the_page_says_why(manager: Client) -> None:
    bed.started()
    answer = manager.post(address("decision"), {"decision": "ship", "digest": "", **BECAUSE})
    assert answer.status_code == 409
    assert f"{NAME} is not closed, so there is no report to sign." in words(answer)


def test_an_abandoned_release_is_not_signed(manager: Client) -> None:
    release = bed.started()
    releases_lifecycle.abandon(release=release, reason="never mind", user=None, now=NOW)
    data = {"decision": "ship", "digest": release.closings.get().digest, **BECAUSE}
    answer = manager.post(address("decision"), data)
    assert answer.status_code == 409
    assert "An abandoned release has no verdict to sign." in words(answer)
    assert "never mind" in section(manager.get(RELEASE), "closing")


def test_a_reopened_release_keeps_its_report_and_shows_the_void_decision(
    manager: Client, rita: User, mina: User
) -> None:
    release = signed(mina, rita)
    digest = release.closings.get().digest
    assert manager.post(address("release-reopen"), BECAUSE).status_code == 302
    text = words(manager.get(RELEASE))
    assert "that report is kept." in text
    assert digest[:16] in text
    assert re.search(r"\bvoid\b", text), "the void decision is not to be seen"


def test_archived_releases_are_folded_and_found(admin: Client) -> None:
    ended()
    make_release("wanderer-2")
    admin.post(address("release-archive"), {"archived": "1"})
    listed = admin.get("/releases/")
    assert f'href="{RELEASE}"' not in listed.content.decode()
    assert "1 archived release" in words(listed)
    for path in ("/releases/?archived=1", f"/releases/?q={NAME}"):
        assert f'href="{RELEASE}"' in admin.get(path).content.decode()
    admin.post(address("release-archive"), {"archived": "0"})
    assert f'href="{RELEASE}"' in admin.get("/releases/").content.decode()
