"""Assigning, moving and taking back many at once: first what would happen, then all or nothing."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.models import Review, Reviewer
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import words

pytestmark = pytest.mark.usefixtures("rubric")

HERE = "/releases/wanderer-1/assignments/"
MANY = f"{HERE}many/"


@pytest.fixture
def release(rita: User, omar: User, wei: User) -> Release:
    """rita has feast, kids and rush, of which kids is submitted; omar has feast."""
    release = bed.started(k=2)
    for key in ("feast", "rush"):
        bed.assign(release, key, rita)
    bed.review(release, "kids", rita)
    bed.assign(release, "feast", omar)
    return bed.current(release)


@pytest.fixture
def wei() -> User:
    return make_person("wei", Role.REVIEWER)


def ticked(release: Release, act: str, *keys: str, **more: str) -> dict[str, Any]:
    codes = [release.cases.get(case_key=key).code for key in keys]
    return {"act": act, "case": codes, "giver": "", "taker": "", **more}


def confirmed(page: Any, **more: str) -> dict[str, str]:
    """What the button on the page sends."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode())
    sent = {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}
    return sent | {"taker": sent["seen"], "confirm": "1", **more}


def held(release: Release) -> set[tuple[str, str, str]]:
    rows = Review.objects.of(release).values_list("case__case_key", "reviewer__username", "status")
    return set(rows)


# --- The plan -------------------------------------------------------------------------------------


def test_what_would_happen_is_shown_and_nothing_is_written(admin: Client, release: Release) -> None:
    before = bed.everything()
    page = admin.post(MANY, ticked(release, "move", "feast", "kids", "rush", taker="omar"))
    text = words(page)
    assert "1 review would be moved" in text
    assert "Move 1 review to omar" in text
    assert "3 are left out, with the reasons" in text
    assert "omar has this case already" in text
    assert "has no open review to choose" in text
    assert bed.everything() == before


def test_without_a_taker_one_is_asked_for(admin: Client, release: Release) -> None:
    for taker in ("", "nobody", "ada"):
        text = words(admin.post(MANY, ticked(release, "give", "ramp", "thrift", taker=taker)))
        assert "2 cases would be assigned" in text
        assert "Assign 2 cases" not in text
        assert "choose …" in text


def test_reservations_and_room_are_said(admin: Client, release: Release, wei: User) -> None:
    Reviewer.objects.filter(user=wei).update(capacity=1, languages=["ja"])
    text = words(admin.post(MANY, ticked(release, "give", "ramp", "thrift", taker="wei")))
    assert "wei has no room for 1 of them." in text
    assert text.count("cannot read") == 2
    assert "Assign 2 cases to wei" in text


# --- Doing it -------------------------------------------------------------------------------------


def test_many_cases_are_assigned_at_once(admin: Client, release: Release) -> None:
    page = admin.post(MANY, ticked(release, "give", "ramp", "thrift", "feast", taker="omar"))
    assert "feast" in words(page)
    done = admin.post(MANY, confirmed(page), follow=True)
    assert "2 cases are assigned to omar." in words(done)
    assert {(key, who) for key, who, _ in held(release) if who == "omar"} == {
        ("feast", "omar"),
        ("ramp", "omar"),
        ("thrift", "omar"),
    }
    before = bed.everything()
    admin.post(MANY, confirmed(page))
    assert bed.everything() == before


def test_many_reviews_are_moved_at_once(admin: Client, release: Release) -> None:
    page = admin.post(
        MANY, ticked(release, "move", "feast", "rush", "kids", giver="rita", taker="wei")
    )
    assert "2 reviews are moved to wei." in words(admin.post(MANY, confirmed(page), follow=True))
    assert held(release) == {
        ("feast", "rita", "withdrawn"),
        ("rush", "rita", "withdrawn"),
        ("kids", "rita", "submitted"),
        ("feast", "omar", "assigned"),
        ("feast", "wei", "assigned"),
        ("rush", "wei", "assigned"),
    }
    before = bed.everything()
    admin.post(MANY, confirmed(page))
    assert bed.everything() == before


def test_of_two_reviews_of_a_case_one_is_moved_to_a_person(admin: Client, release: Release) -> None:
    page = admin.post(MANY, ticked(release, "move", "feast", taker="wei"))
    assert "1 review would be moved" in words(page)
    admin.post(MANY, confirmed(page))
    assert ("feast", "wei", "assigned") in held(release)


def test_many_reviews_are_taken_back_with_a_reason(admin: Client, release: Release) -> None:
    page = admin.post(MANY, ticked(release, "take-back", "feast", "kids", "rush"))
    assert "3 reviews would be taken back" in words(page)
    before = bed.everything()
    refused = admin.post(MANY, confirmed(page))
    assert refused.status_code == 422
    assert "Say why: a reason is kept with this." in words(refused)
    assert bed.everything() == before
    done = admin.post(MANY, confirmed(page, reason="Holidays."), follow=True)
    assert "3 reviews are taken back." in words(done)
    assert {status for _, _, status in held(release)} == {"withdrawn", "submitted"}
    events = release.events.filter(kind="reviews-taken-back")
    assert {event.data["reason"] for event in events} == {"Holidays."}


# --- What changed meanwhile -----------------------------------------------------------------------


def test_if_one_can_no_longer_be_moved_none_is_and_the_page_says_why(
    admin: Client, release: Release, rita: User
) -> None:
    page = admin.post(MANY, ticked(release, "move", "feast", "rush", giver="rita", taker="wei"))
    bed.review(release, "rush", rita)
    before = bed.everything()
    refused = admin.post(MANY, confirmed(page))
    assert refused.status_code == 409
    assert "rita has no unsubmitted review there." in words(refused)
    assert "1 review would be moved" in words(refused)
    assert bed.everything() == before
    admin.post(MANY, confirmed(refused))
    assert ("feast", "wei", "assigned") in held(release)


def test_if_one_case_left_the_sample_none_is_assigned(
    admin: Client, release: Release, ada: User
) -> None:
    page = admin.post(MANY, ticked(release, "give", "ramp", "thrift", taker="wei"))
    code = release.cases.get(case_key="ramp").code
    amendments.withdraw(
        release=release, case_key="ramp", cause="broken", reason="Cut off.", user=ada, now=NOW
    )
    before = bed.everything()
    refused = admin.post(MANY, confirmed(page))
    assert refused.status_code == 409
    assert f"{code} is not in the sample." in words(refused)
    assert bed.everything() == before


def test_a_taker_who_cannot_review_any_more_gets_nothing(
    admin: Client, release: Release, wei: User, ada: User
) -> None:
    page = admin.post(MANY, ticked(release, "give", "ramp", taker="wei"))
    people_workflow.deactivate(by=ada, user=wei)
    before = bed.everything()
    refused = admin.post(MANY, confirmed(page))
    assert refused.status_code == 409
    assert "wei is not an active reviewer." in words(refused)
    assert bed.everything() == before


def test_another_taker_is_shown_before_anything_is_done(admin: Client, release: Release) -> None:
    page = admin.post(MANY, ticked(release, "give", "ramp", taker="wei"))
    before = bed.everything()
    again = admin.post(MANY, confirmed(page, taker="omar"))
    assert "Assign 1 case to omar" in words(again)
    assert bed.everything() == before


def test_a_review_of_another_release_is_not_reached(
    admin: Client, release: Release, rita: User
) -> None:
    other = bed.assign(bed.started("other"), "feast", rita)
    page = admin.post(MANY, ticked(release, "take-back", "rush"))
    before = bed.everything()
    for going in (str(other.pk), "x", "9" * 40, "٣", "-1"):
        admin.post(MANY, confirmed(page, reason="r", going=going))
    assert bed.everything() == before


# --- Refused at once ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"act": "give"}, "Choose at least one case."),
        ({"act": "give", "case": ["a\0b", "-"]}, "Choose at least one case."),
        ({"act": "steal", "case": ["AAAAA"]}, "Select a valid choice."),
        ({"case": ["AAAAA"]}, "This field is required."),
        (
            {"act": "give", "case": [",".join(f"A{n:04}" for n in range(501))]},
            "Choose at most 500 at once.",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    admin: Client, release: Release, sent: dict[str, Any], sentence: str
) -> None:
    before = bed.everything()
    answer = admin.post(MANY, sent, follow=True)
    assert sentence in words(answer)
    assert bed.everything() == before


def test_500_are_planned(admin: Client, release: Release) -> None:
    codes = ",".join(f"A{number:04}" for number in range(500))
    assert admin.post(MANY, {"act": "give", "case": codes}).status_code == 200


def test_a_release_that_is_not_in_review_is_left_alone(admin: Client, release: Release) -> None:
    page = admin.post(MANY, ticked(release, "take-back", "rush"))
    releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    before = bed.everything()
    answer = admin.post(MANY, confirmed(page, reason="r"), follow=True)
    assert "closed" in words(answer)
    assert bed.everything() == before


def test_only_admins_and_only_by_post(
    as_user: AsUser, release: Release, mina: User, rita: User, sam: User, ada: User
) -> None:
    sent = ticked(release, "take-back", "rush")
    assert as_user(mina).post(MANY, sent).status_code == 403
    assert as_user(rita).post(MANY, sent).status_code == 403
    assert as_user(sam).post(MANY, sent).status_code == 404
    assert as_user(ada).get(MANY).status_code == 405


# --- The row on the page --------------------------------------------------------------------------


def test_the_row_is_folded_and_offers_all_only_when_there_are_more_pages(
    admin: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = admin.get(HERE).content.decode()
    assert '<details class="bulk">' in page
    assert 'name="all"' not in page
    monkeypatch.setattr("reviews.assignments.views.CASES_PER_PAGE", 2)
    page = admin.get(f"{HERE}?show=open").content.decode()
    assert 'name="all"' not in page
    page = admin.get(f"{HERE}?show=lacking").content.decode()
    assert "All 4 cases of this list, on all pages" in page


def test_all_of_the_list_are_chosen_with_its_filter(admin: Client, release: Release) -> None:
    sent = {"act": "give", "taker": "wei", "all": "1"}
    assert "5 cases would be assigned" in words(admin.post(MANY, sent))
    text = words(admin.post(MANY, sent | {"q": "rita"}))
    assert "3 cases would be assigned" in text
    text = words(admin.post(MANY, sent | {"show": "open"}))
    assert "2 cases would be assigned" in text


def test_the_plan_takes_the_same_queries_for_few_and_many(admin: Client, release: Release) -> None:
    def count(*keys: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            admin.post(MANY, ticked(release, "move", *keys, taker="wei"))
        return len(asked) - len(keys)

    count("feast")
    assert count("feast") == count("feast", "rush", "kids", "ramp")


def test_assigning_many_has_every_reason(release: Release, rita: User) -> None:
    codes = [*release.cases.values_list("code", flat=True)[:2], "NONE1"]
    people_workflow.deactivate(by=make_person("eve", Role.ADMIN), user=rita)
    rita.refresh_from_db()
    before = bed.everything()
    with pytest.raises(assignments_workflow.NotAssigned) as refused:
        assignments_workflow.assign_many(
            release=release, codes=codes, reviewer=rita, user=None, now=NOW
        )
    assert "NONE1 is not in the sample." in refused.value.sentences
    assert "rita is deactivated." in refused.value.sentences
    assert bed.everything() == before
