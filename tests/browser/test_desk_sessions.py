"""Sessions that begin and end in other tabs while the desk is open, in every order of answers.

Nothing here waits for a race: requests and answers are held until the test lets them go.
"""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from cases.models import Event
from reviews.models import Question, Review
from tests.bed import reviewed as bed
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn
from tests.browser.desk import (
    Held,
    LostAnswers,
    answer,
    come_back,
    expected_troubles,
    kept,
    now,
    press,
    sign_in_elsewhere,
    sign_out_elsewhere,
    state,
    stop_the_clock,
    wait_until,
)

pytestmark = ON_A_LIVE_SERVER

USABILITY, PERSONALIZATION = bed.METRICS
DRAFT, SUBMIT, DISCARD, ASK, TOKEN = (
    f"**/{name}/" for name in ("draft", "submit", "discard", "ask", "token")
)
SOMEONE_ELSE = "Someone else is signed in"
EXPIRED = {"detail": "Load it again.", "code": "form_expired", "errors": []}


@pytest.fixture
def page(browse: SignIn, rita: User, mine: list[Review]) -> Page:
    """Rita's first case on her desk."""
    found = browse(rita)
    found.goto(f"/reviews/{mine[0].pk}/")
    return found


def sentence(page: Page, expected: str) -> None:
    expect(page.locator("[data-saved]")).to_contain_text(expected)


def value_of(review: Review) -> object:
    return now(review).draft.get("scores", {}).get(USABILITY, {}).get("value")


def is_saved(page: Page, review: Review, value: int) -> None:
    state(page, "saved")
    assert value_of(review) == value
    assert kept(page) == []
    expect(page.locator("[data-stopped]")).to_be_hidden()


def pass_time_until(page: Page, condition: Callable[[], object]) -> None:
    """For a page whose clock stands still otherwise."""

    def look_later() -> object:
        page.clock.run_for(500)
        return condition()

    wait_until(page, look_later)


def is_told_that_it_is_saved(page: Page) -> bool:
    return page.locator('[data-saved][data-state="saved"]').is_visible()


# --- Somebody else, or nobody ---------------------------------------------------------------------


def test_a_save_that_arrives_in_somebody_elses_session_waits_for_its_owner(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    held = Held(page, DRAFT)
    press(page, "2")
    under_way = held.next()
    held.let_later_ones_pass()
    sign_in_elsewhere(page, omar)
    under_way.continue_()
    state(page, "session")
    sentence(page, SOMEONE_ELSE)
    assert value_of(mine[0]) is None
    assert kept(page) == [f"spotcheck:draft:{rita.pk}:{mine[0].pk}"]
    # What is written meanwhile is kept too, and nothing of it goes out in omar's name.
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    press(page, "4")
    wait_until(page, lambda: any(url.endswith("/token/") for url in sent))
    sentence(page, SOMEONE_ELSE)
    assert not any(url.endswith("/draft/") for url in sent)
    sign_in_elsewhere(page, rita)
    come_back(page)
    is_saved(page, mine[0], 4)
    expected_troubles(complaints)


def test_a_save_after_signing_out_with_an_old_token_waits_for_its_owner(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    sign_in_elsewhere(page, rita)
    sign_out_elsewhere(page)
    press(page, "2")
    state(page, "session")
    sentence(page, "Your session has ended")
    sign_in_elsewhere(page, rita)
    come_back(page)
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_a_save_that_somebody_elses_session_may_send_waits_for_its_owner(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    """A late answer can bring an old token back together with its cookie: then both fit."""
    sign_in_elsewhere(page, rita, secret="n" * 32)
    press(page, "2")
    is_saved(page, mine[0], 2)
    sign_in_elsewhere(page, omar, secret="n" * 32)
    press(page, "3")
    state(page, "session")
    sentence(page, SOMEONE_ELSE)
    sign_in_elsewhere(page, rita)
    come_back(page)
    is_saved(page, mine[0], 3)
    expected_troubles(complaints)


def test_a_save_that_was_refused_to_somebody_else_is_sent_again_when_its_owner_is_back_already(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    sign_in_elsewhere(page, rita, secret="n" * 32)
    press(page, "2")
    is_saved(page, mine[0], 2)
    sign_in_elsewhere(page, omar, secret="n" * 32)
    held = Held(page, TOKEN)
    press(page, "3")
    question = held.next()
    held.let_later_ones_pass()
    sign_in_elsewhere(page, rita)
    question.continue_()
    is_saved(page, mine[0], 3)
    expected_troubles(complaints)


def test_a_save_that_was_sent_while_nobody_was_signed_in_goes_again_at_once(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    """The window was looked at again before the answer came, so nothing else asks again soon."""
    held = Held(page, DRAFT)
    sign_out_elsewhere(page)
    press(page, "2")
    under_way = held.next()
    held.let_later_ones_pass()
    refusal = under_way.fetch()
    assert refusal.status == 401
    sign_in_elsewhere(page, rita)
    come_back(page)
    answer(under_way, refusal)
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


# --- The owner, with answers that are late --------------------------------------------------------


def test_a_token_from_a_session_before_this_one_is_replaced_and_the_save_goes_again(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    held = Held(page, TOKEN)
    sign_in_elsewhere(page, rita)
    press(page, "2")
    for _session in range(2):
        question = held.next()
        old = question.fetch()
        assert old.json()["user"] == str(rita.pk)
        sign_in_elsewhere(page, rita)
        answer(question, old)
    held.let_later_ones_pass()
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_an_old_answer_about_somebody_else_does_not_undo_a_newer_one(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    stop_the_clock(page)
    sign_out_elsewhere(page)
    press(page, "2")
    page.clock.run_for(1_500)
    state(page, "session")
    held = Held(page, TOKEN)
    sign_in_elsewhere(page, omar)
    come_back(page)
    question = held.next()
    old = question.fetch()
    assert old.json()["user"] == str(omar.pk)
    # The first is under way; rita's return is asked about all the same.
    sign_in_elsewhere(page, rita)
    come_back(page)
    held.next().continue_()
    held.let_later_ones_pass()
    pass_time_until(page, lambda: is_told_that_it_is_saved(page))
    is_saved(page, mine[0], 2)
    answer(question, old)
    press(page, "3")
    expect(page.locator("[data-saved]")).to_have_text("Not saved yet")
    pass_time_until(page, lambda: is_told_that_it_is_saved(page))
    is_saved(page, mine[0], 3)
    expected_troubles(complaints)


def test_a_page_that_is_refused_again_and_again_goes_on_trying(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        route.fulfill(status=403, json=EXPIRED)

    stop_the_clock(page)
    page.route(DRAFT, refuse)
    press(page, "2")
    page.clock.run_for(1_500)
    state(page, "session")
    sentence(page, "sent again automatically")
    attempts = len(refused)
    assert 2 <= attempts <= 5
    # Neither given up, nor sent without a pause.
    page.clock.run_for(14_000)
    assert len(refused) == attempts
    pass_time_until(page, lambda: len(refused) == 2 * attempts)
    page.unroute(DRAFT)
    pass_time_until(page, lambda: is_told_that_it_is_saved(page))
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_a_network_that_fails_while_the_session_is_lost_ends_no_waiting(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    stop_the_clock(page)
    sign_out_elsewhere(page)
    press(page, "2")
    page.clock.run_for(1_500)
    state(page, "session")
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort()

    page.route(TOKEN, lose)
    sign_in_elsewhere(page, rita)
    pass_time_until(page, lambda: lost)
    page.unroute(TOKEN)
    pass_time_until(page, lambda: is_told_that_it_is_saved(page))
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_a_renewal_that_the_network_loses_is_asked_for_again(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    sign_in_elsewhere(page, rita)
    page.route(TOKEN, lambda route: route.abort())
    press(page, "2")
    state(page, "offline")
    page.unroute(TOKEN)
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_a_refusal_that_is_not_about_the_token_is_final(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        body = {"detail": "You have seen the scores.", "code": "seen_scores", "errors": []}
        route.fulfill(status=403, json=body)

    page.route(DRAFT, refuse)
    press(page, "2")
    state(page, "closed")
    sentence(page, "You have seen the scores.")
    expect(page.locator("[data-stopped]")).to_be_visible()
    assert len(refused) == 1
    assert kept(page) == [f"spotcheck:draft:{rita.pk}:{mine[0].pk}"]
    expected_troubles(complaints)


# --- Submit, discard, ask -------------------------------------------------------------------------


def fill_everything(page: Page) -> None:
    for score in "43":
        press(page, "y", "n", "a", "y", score, "r")
        page.keyboard.type("Because.")
        press(page, "Escape", "l")


def test_a_submit_that_arrives_in_somebody_elses_session_goes_when_its_owner_is_back(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    fill_everything(page)
    held = Held(page, SUBMIT)
    press(page, "Control+Enter")
    under_way = held.next()
    held.let_later_ones_pass()
    sign_in_elsewhere(page, omar)
    under_way.continue_()
    state(page, "session")
    sentence(page, SOMEONE_ELSE)
    expect(page.locator("button[value=submit]")).to_be_disabled()
    assert not now(mine[0]).is_submitted
    sign_in_elsewhere(page, rita)
    come_back(page)
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert now(mine[0]).is_submitted
    assert Event.objects.filter(kind="review-submitted").count() == 1
    assert kept(page) == []
    expected_troubles(complaints)


def test_a_submit_without_a_network_can_be_taken_back(
    page: Page, mine: list[Review], complaints: list[str]
) -> None:
    fill_everything(page)
    cancel = page.locator("[data-cancel-submit]")
    expect(cancel).to_be_hidden()
    page.context.set_offline(True)
    press(page, "Control+Enter")
    state(page, "offline")
    cancel.click()
    expect(cancel).to_be_hidden()
    expect(page.locator("button[value=submit]")).to_be_enabled()
    page.locator(".panel.current .why textarea, #comment").first.fill("Not yet.")
    page.context.set_offline(False)
    state(page, "saved")
    assert not now(mine[0]).is_submitted
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert now(mine[0]).is_submitted
    assert Event.objects.filter(kind="review-submitted").count() == 1
    expected_troubles(complaints)


def test_a_page_opened_in_another_tab_ends_the_waiting_after_a_sign_in(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    sign_out_elsewhere(page)
    press(page, "2")
    state(page, "session")
    link = page.locator("[data-saved] a").get_attribute("href") or ""
    assert link.endswith("?next=/reviews/%3Fback%3D1")
    sign_in_elsewhere(page, rita)
    other = page.context.new_page()
    other.goto("/reviews/?back=1")
    expect(other.locator(".ready")).to_contain_text("you can close this tab")
    is_saved(page, mine[0], 2)
    expected_troubles(complaints)


def test_two_versions_are_put_together_part_by_part(
    page: Page, mine: list[Review], complaints: list[str]
) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "3")
    state(page, "saved")
    press(other, "y", "n", "4")
    rows = other.locator("[data-versions] tr")
    expect(rows).to_have_count(3)
    # What is here is proposed.
    expect(rows.locator("[value=mine]:checked")).to_have_count(3)
    rows.nth(2).locator("[value=theirs]").check()
    other.click("[data-keep=chosen]")
    state(other, "saved")
    draft = now(mine[0]).draft
    assert draft["scores"][USABILITY]["value"] == 3
    assert [draft["answers"][item]["answer"] for item in bed.ITEMS[:2]] == ["yes", "no"]
    expected_troubles(complaints)


def test_what_is_empty_in_this_tab_is_proposed_as_it_is_stored(
    page: Page, mine: list[Review], complaints: list[str]
) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "y", "3")
    state(page, "saved")
    press(other, "n")
    rows = other.locator("[data-versions] tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0).locator("[value=mine]")).to_be_checked()
    expect(rows.nth(1).locator("[value=theirs]")).to_be_checked()
    other.click("[data-keep=chosen]")
    state(other, "saved")
    draft = now(mine[0]).draft
    assert draft["scores"][USABILITY]["value"] == 3
    assert draft["answers"][bed.ITEMS[0]]["answer"] == "no"
    expected_troubles(complaints)


def test_a_submit_survives_a_token_that_is_old_twice(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    fill_everything(page)
    page.route(SUBMIT, lambda route: route.fulfill(status=403, json=EXPIRED), times=2)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert now(mine[0]).is_submitted
    expected_troubles(complaints)


@pytest.fixture
def revision(page: Page, mine: list[Review]) -> Review:
    """A revision that was begun, on the page."""
    bed.submit(now(mine[0]), bed.judgement(4))
    page.goto(f"/reviews/{mine[0].pk}/?revise=1")
    press(page, "1")
    state(page, "saved")
    assert value_of(mine[0]) == 1
    return mine[0]


def discard(page: Page) -> None:
    page.click(".banner [data-open=discard]")
    page.click("[data-discard] .danger")


def is_discarded(page: Page, review: Review) -> None:
    expect(page.locator(".messages")).to_contain_text("Your revision is discarded.")
    assert value_of(review) == 4
    assert kept(page) == []


def test_a_discard_that_arrives_in_somebody_elses_session_goes_when_its_owner_is_back(
    page: Page, revision: Review, rita: User, omar: User, complaints: list[str]
) -> None:
    held = Held(page, DISCARD)
    discard(page)
    under_way = held.next()
    held.let_later_ones_pass()
    sign_in_elsewhere(page, omar)
    under_way.continue_()
    state(page, "session")
    sentence(page, SOMEONE_ELSE)
    assert value_of(revision) == 1
    sign_in_elsewhere(page, rita)
    come_back(page)
    is_discarded(page, revision)
    expected_troubles(complaints)


def test_a_discard_whose_answer_is_lost_is_sent_again(
    page: Page, revision: Review, complaints: list[str]
) -> None:
    lost = LostAnswers(page, DISCARD)
    discard(page)
    state(page, "offline")
    lost.end()
    is_discarded(page, revision)
    expected_troubles(complaints)


def test_a_question_that_arrives_in_somebody_elses_session_goes_when_its_owner_is_back(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    held = Held(page, ASK)
    press(page, "q")
    page.keyboard.type("Does a picnic count?")
    told = page.locator("[data-ask-form] [data-answer]")
    page.click("[data-ask-form] .primary")
    under_way = held.next()
    held.let_later_ones_pass()
    sign_in_elsewhere(page, omar)
    under_way.continue_()
    expect(told).to_contain_text(SOMEONE_ELSE)
    expect(page.locator("[data-ask-form] textarea")).to_have_value("Does a picnic count?")
    assert not Question.objects.exists()
    sign_in_elsewhere(page, rita)
    come_back(page)
    expect(told).to_contain_text("Your question was sent.")
    expect(page.locator("[data-ask-form] textarea")).to_have_value("")
    assert Question.objects.get().asked_by == rita
    # Nothing was to be saved, and nothing is said of a session any more.
    expect(page.locator("[data-saved]")).not_to_contain_text(SOMEONE_ELSE)
    expected_troubles(complaints)


def test_a_question_whose_answer_is_lost_is_not_asked_twice(
    page: Page, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    lost = LostAnswers(page, ASK)
    press(page, "q")
    page.keyboard.type("Does a picnic count?")
    page.click("[data-ask-form] .primary")
    expect(page.locator("[data-ask-form] [data-answer]")).to_contain_text("No connection")
    lost.end()
    # The next answer from the server ends the waiting; the question was stored by the first.
    page.click("[data-ask-form] [data-close]")
    press(page, "2")
    is_saved(page, mine[0], 2)
    assert Question.objects.count() == 1
    expected_troubles(complaints)
