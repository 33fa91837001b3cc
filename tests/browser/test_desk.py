"""The desk as a reviewer meets it: by keyboard, without a network, in two tabs, on a phone."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from msgspec.structs import replace
from playwright.sync_api import Page, Route, expect

from cases.models import Event
from reviews.management.commands.seed_demo import CASES as DEMO
from reviews.models import Review
from reviews.models.reviews import ReviewStatus
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.desk import (
    LostAnswers,
    come_back,
    expected_troubles,
    kept,
    now,
    press,
    sign_in_elsewhere,
    state,
    stop_the_clock,
)
from tests.browser.layout import overflow

pytestmark = ON_A_LIVE_SERVER

USABILITY, PERSONALIZATION = bed.METRICS
CROWDED = "beijing-spring-festival-hutong"


def is_told_on_a_phone(page: Page) -> None:
    """What the bar says is a strip of the whole width below it, over nothing; its code is whole."""
    page.set_viewport_size({"width": 390, "height": 844})
    strip, code = box(page, "[data-saved]"), box(page, ".desk-bar .code")
    assert (strip["x"], strip["width"]) == (0, 390)
    assert strip["y"] >= code["y"] + code["height"]
    assert strip["height"] < 70
    assert box(page, ".request")["y"] >= strip["y"] + strip["height"]
    is_cut = "one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1"
    assert not page.locator("[data-saved]").evaluate(is_cut)
    assert not page.locator(".desk-bar .code").evaluate(is_cut)
    assert overflow(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})


def fill_metric(page: Page, score: str, why: str) -> None:
    press(page, "y", "n", "a", "y", score, "r")
    page.keyboard.type(why)
    press(page, "Escape")


def test_a_whole_review_by_keyboard(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    first, second = mine
    page = browse(rita)
    page.set_viewport_size({"width": 1440, "height": 800})
    page.goto("/reviews/")
    with page.expect_navigation():
        press(page, "n")
    expect(page.locator("h1")).to_have_text(first.case.code)
    assert overflow(page) == []
    press(page, "?")
    expect(page.locator("#keys")).to_be_visible()
    press(page, "Escape")
    fill_metric(page, "3", "no 5 buffers, y n a")
    expect(page.locator('[data-tab="usability-value"] .count')).to_have_text("4/4, 3")
    expect(page.locator("[data-why]").first).to_have_text("Why not one higher?")
    # A stop and a fact, pinned without the mouse.
    press(page, "k", "k", "e", "j", "Enter", "Escape", "f", "Enter", "Escape")
    press(page, "l", *"yyyy", "5")
    expect(page.locator("[data-why]").nth(1)).to_have_text("Why this level?")
    press(page, "Control+Enter")
    expect(page.locator(".panel.current .why .problem")).to_contain_text("needs a reason")
    assert page.evaluate("document.activeElement.name") == f"why:{PERSONALIZATION}"
    page.keyboard.type("Slow, by tram, past the mill")
    # Neither the way to the comment nor the way out of it types into it.
    press(page, "Escape", "l", "j", "j", "c")
    page.keyboard.type("Good for a calm couple.")
    press(page, "Escape", "j", "h", "l")
    expect(page.locator("#comment")).to_have_value("Good for a calm couple.")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text(second.case.code)
    expect(page.locator(".messages")).to_contain_text(f"You submitted {first.case.code}.")
    assert now(first).is_submitted
    assert first.comment == "Good for a calm couple."
    assert first.scores.get(metric=USABILITY).rationale == "no 5 buffers, y n a"
    pieces = [one for answer in first.answers.all() for one in answer.evidence]
    assert [one["kind"] for one in pieces] == ["stop", "fact"]
    assert pieces[0]["ref"].startswith("/plan/days/0")
    assert [one.answer for one in first.answers.order_by("item")[4:]] == ["yes", "no", "na", "yes"]
    assert kept(page) == []
    expected_troubles(complaints)


def test_the_message_after_a_submit_goes_by_itself_and_moves_nothing(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    page = browse(rita)
    page.clock.install()
    bed.submit(mine[0])
    page.goto(f"/reviews/next/?after={mine[0].case.code}")
    message = page.locator(".messages")
    expect(message).to_contain_text(f"You submitted {mine[0].case.code}. Revise")
    before = box(page, ".question.current"), box(page, ".request")
    message.hover()
    page.clock.run_for(9_000)
    expect(message).to_be_visible()
    page.mouse.move(700, 100)
    page.clock.run_for(3_000)
    expect(message).to_have_count(0)
    assert (box(page, ".question.current"), box(page, ".request")) == before


def test_words_are_pinned_with_their_place_and_a_contradiction_is_asked_about(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(f"/reviews/{mine[0].pk}/")
    press(page, "y", "y", "y", "n", "5")
    page.evaluate(
        """() => {
          const note = '[data-pointer="/plan/days/1/items/0/note"]';
          const text = document.querySelector(note).firstChild;
          document.getSelection().setBaseAndExtent(text, 2, text, 4);
        }"""
    )
    page.locator("[data-pin-words] button").click()
    chip = page.locator(".panel.current .scale .pinned li")
    expect(chip).to_contain_text("预约")
    # A stop by the mouse, on and off again.
    for _again in range(2):
        page.locator(".desk-left .stop").nth(1).click()
    expect(chip).to_have_count(1)
    # From the overall comment: to the score that was current last, and it is shown.
    press(page, "Escape", "c")
    page.locator(".desk-left .stop").nth(1).click()
    expect(chip).to_have_count(2)
    page.locator(".desk-left .stop").nth(1).click()
    expect(chip).to_have_count(1)
    state(page, "saved")
    assert now(mine[0]).draft["scores"][USABILITY]["evidence"] == [
        {"kind": "quote", "ref": "/plan/days/1/items/0/note#2-4", "text": "预约"}
    ]
    press(page, "Escape", "l", "y", "y", "y", "y", "4", "r")
    page.keyboard.type("Because.")
    press(page, "Control+Enter")
    asked = page.locator(f'[data-coherence="{USABILITY}"]')
    expect(asked).to_contain_text("has the highest score, but a question is answered")
    assert page.evaluate("document.activeElement.name") == f"coherence:{USABILITY}"
    page.keyboard.type("Only the tea is missing.")
    # It belongs to the submit, so no draft holds it; this browser does.
    page.reload()
    expect(asked.locator("textarea")).to_have_value("Only the tea is missing.")
    # A change of mind takes the question away; back again, it is asked again, with the line.
    press(page, "4")
    expect(asked).to_be_hidden()
    press(page, "5", "Control+Enter")
    expect(asked).to_be_visible()
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert now(mine[0]).scores.get(metric=USABILITY).coherence == "Only the tea is missing."
    assert kept(page) == []
    # Own submitted reviews are read, and revised on request.
    page.goto(f"/reviews/{mine[0].pk}/")
    expect(page.locator(".banner")).to_contain_text("You have submitted this review.")
    press(page, "n", "0")
    follow(page, "text=Revise it")
    expect(page.locator("button[value=submit]")).to_have_text("Submit again")
    page.click("[data-tab=overall]")
    page.fill("[name=reason]", "The tea is there.")
    page.reload()
    press(page, "3", "Control+Enter")
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert mine[0].revisions.get().reason == "The tea is there."
    # Another one is begun, and given up.
    page.goto(f"/reviews/{mine[0].pk}/?revise=1")
    press(page, "1")
    page.click(".banner [data-open=discard]")
    follow(page, "[data-discard] .danger")
    expect(page.locator(".messages")).to_contain_text("Your revision is discarded.")
    expect(page.locator(".panel.current .tiles :checked")).to_have_value("3")
    assert now(mine[0]).draft["scores"][USABILITY]["value"] == 3
    assert kept(page) == []
    expected_troubles(complaints)


def test_what_is_changed_and_changed_back_is_neither_saved_nor_brought_back(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    page = browse(rita)
    page.goto(f"/reviews/{mine[0].pk}/")
    stop_the_clock(page)
    press(page, "y")
    page.clock.run_for(2_000)
    state(page, "saved")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    told = page.locator("[data-saved]").inner_text()
    press(page, "k", "n", "k", "y")
    expect(page.locator("[data-saved]")).to_have_text(told)
    page.clock.run_for(60_000)
    assert kept(page) == []
    assert sent == []
    page.reload()
    expect(page.locator(".answer.yes :checked")).to_have_count(1)
    assert now(mine[0]).version == 1


def test_the_network_is_cut_and_comes_back_and_a_lost_answer_is_one_review(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    page = browse(rita)
    lost: list[str] = []

    def lose_the_answer(route: Route) -> None:
        lost.append(route.request.headers.get("idempotency-key", ""))
        route.fetch()
        route.abort()

    page.goto(f"/reviews/{mine[0].pk}/")
    press(page, "y")
    state(page, "saved")
    assert now(mine[0]).version == 1
    # The answer to a save is lost, and what it said changed since.
    answers = LostAnswers(page, "**/draft/")
    press(page, "n")
    state(page, "offline")
    press(page, "k", "a")
    answers.end()
    state(page, "saved")
    expect(page.locator("[data-saved]")).to_contain_text("version 3")
    assert now(mine[0]).draft["answers"][bed.ITEMS[1]]["answer"] == "na"
    # The same, and nothing changed since: it is saved, and is said to be.
    answers = LostAnswers(page, "**/draft/")
    press(page, "k", "n")
    state(page, "offline")
    answers.end()
    state(page, "saved")
    expect(page.locator("[data-saved]")).to_contain_text("version 4")
    page.context.set_offline(True)
    press(page, "a", "y", "4", "r")
    page.keyboard.type("Written in a tunnel.")
    state(page, "offline")
    is_told_on_a_phone(page)
    assert kept(page) == [f"spotcheck:draft:{rita.pk}:{mine[0].pk}"]
    assert now(mine[0]).version == 4
    page.context.set_offline(False)
    state(page, "saved")
    assert now(mine[0]).draft["scores"][USABILITY]["rationale"] == "Written in a tunnel."
    assert kept(page) == []
    press(page, "Escape", "l", "y", "y", "y", "y", "4", "r")
    page.keyboard.type("Fits.")

    page.route("**/submit/", lose_the_answer, times=1)
    with page.expect_request(lambda one: one.url.endswith("/submit/") and bool(lost)) as again:
        press(page, "Control+Enter")
    assert again.value.headers["idempotency-key"] == lost[0]
    expect(page.locator("h1")).to_have_text(mine[1].case.code)
    assert Event.objects.filter(kind="review-submitted").count() == 1
    assert kept(page) == []
    expected_troubles(complaints)


def test_the_session_ends_in_the_middle_and_nothing_is_lost(
    browse: SignIn, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(f"/reviews/{mine[0].pk}/")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    press(page, "n", "2", "r")
    page.keyboard.type("Kept.")
    state(page, "session")
    link = page.locator("[data-saved] a")
    expect(link).to_have_attribute("target", "_blank")
    assert len(kept(page)) == 1
    is_told_on_a_phone(page)
    # Somebody else signs in here first: nothing of rita's is sent in their name.
    sign_in_elsewhere(page, omar)
    come_back(page)
    expect(page.locator("[data-saved]")).to_contain_text("Someone else is signed in")
    sign_in_elsewhere(page, rita)
    come_back(page)
    state(page, "saved")
    assert now(mine[0]).draft["scores"][USABILITY] == {"value": 2, "rationale": "Kept."}
    assert kept(page) == []
    # A page that was closed before it could send, opened again.
    page.route("**/draft/", lambda route: route.abort())
    press(page, "Escape", "4")
    state(page, "offline")
    page.unroute("**/draft/")
    page.goto("/reviews/")
    assert now(mine[0]).draft["scores"][USABILITY]["value"] in (2, 4)
    page.goto(f"/reviews/{mine[0].pk}/")
    state(page, "saved")
    assert now(mine[0]).draft["scores"][USABILITY]["value"] == 4
    expected_troubles(complaints)


def test_two_tabs_show_both_texts_and_overwrite_nothing(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    one = browse(rita)
    address = f"/reviews/{mine[0].pk}/"
    one.goto(address)
    two = one.context.new_page()
    two.goto(address)
    press(one, "3", "r")
    one.keyboard.type("From the first tab.")
    state(one, "saved")
    # Saved before all is written, it would ask in the middle of it.
    stop_the_clock(two)
    press(two, "4", "r")
    two.keyboard.type("From the second tab.")
    two.clock.resume()
    dialog = two.locator("#conflict")
    expect(dialog).to_contain_text("From the first tab.")
    expect(dialog).to_contain_text("From the second tab.")
    assert now(mine[0]).draft["scores"][USABILITY]["value"] == 3
    two.click("[data-keep=mine]")
    state(two, "saved")
    assert now(mine[0]).draft["scores"][USABILITY]["rationale"] == "From the second tab."
    press(one, "Escape", "1")
    one.click("[data-keep=theirs]")
    state(one, "saved")
    expect(one.locator("[data-saved]")).to_contain_text("version 2")
    expect(one.locator(".why textarea").first).to_have_value("From the second tab.")
    assert now(mine[0]).draft["scores"][USABILITY]["value"] == 4
    # Submitted in one tab, the other has a revision at most.
    what = replace(bed.judgement(2, comment="Submitted."), flags=["harmful"])
    bed.submit(now(mine[0]), what)
    press(two, "Escape", "1")
    expect(dialog).to_contain_text("Submitted.")
    expect(dialog).to_contain_text("harmful content")
    two.click("[data-keep=mine]")
    expect(two.locator("button[value=submit]")).to_have_text("Submit again")
    state(two, "saved")
    assert now(mine[0]).is_submitted
    assert mine[0].scores.get(metric=USABILITY).value == 2
    assert mine[0].draft["scores"][USABILITY]["value"] == 1
    # Taken back meanwhile: it can be read, and says so where it can be seen.
    two.goto(f"/reviews/{mine[1].pk}/")
    releases_lifecycle.abandon(release=bed.current(mine[1].release), reason="x", user=None, now=NOW)
    press(two, "y", "r")
    two.keyboard.type("Nobody reads it.")
    state(two, "closed")
    expect(two.locator("[data-stopped]")).to_contain_text("This review is closed.")
    expect(two.locator("button[value=submit]")).to_be_disabled()
    press(two, "Escape", "n", "4")
    expect(two.locator(".tiles :checked")).to_have_count(0)
    assert kept(two) == [f"spotcheck:draft:{rita.pk}:{mine[1].pk}"]
    is_told_on_a_phone(two)
    # Signing out asks first, and takes along what is one's own, once it is done.
    theirs = "spotcheck:draft:987654:1"
    one.evaluate("name => localStorage.setItem(name, '{}')", theirs)
    one.goto("/reviews/")
    expect(one.locator("[data-kept]:visible")).to_have_text(["not sent yet"])
    one.click("text=Sign out")
    expect(one.locator("#unsent")).to_contain_text("only in this browser")
    expect(one.locator("#unsent [data-way]")).to_have_attribute("href", f"/reviews/{mine[1].pk}/")
    one.route("**/sign-out/", lambda route: route.abort())
    with one.expect_event("requestfailed"):
        one.click("#unsent .danger")
    one.unroute("**/sign-out/")
    one.goto("/reviews/")
    assert len(kept(one)) == 2
    one.click("text=Sign out")
    one.click("#unsent .danger")
    one.wait_for_url("**/sign-in/")
    assert kept(one) == [theirs]
    expected_troubles(complaints)


def test_without_scripts_the_page_saves_asks_and_submits(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    page = browse(rita, scripts=False, size="phone")
    page.goto(f"/reviews/{mine[0].pk}/")
    for item in bed.ITEMS:
        page.click(f'label:has(input[name="answer:{item}"][value=yes])')
    follow(page, "text=Save draft")
    assert now(mine[0]).status == ReviewStatus.DRAFT
    for metric in bed.METRICS:
        page.click(f'label:has(input[name="score:{metric}"][value="0"])')
        page.fill(f'[name="why:{metric}"]', "It cannot be done.")
    follow(page, "button[value=submit]")
    assert page.locator(".coherence:not([hidden])").count() == 2
    for metric in bed.METRICS:
        page.fill(f'[name="coherence:{metric}"]', "All is there, and all is wrong.")
    follow(page, "button[value=submit]")
    assert page.locator("h1").inner_text() == mine[1].case.code
    assert now(mine[0]).is_submitted
    expected_troubles(complaints)


def test_a_phone_has_a_sheet_that_never_leaves(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str]
) -> None:
    page = browse(rita, size="phone")
    page.goto(f"/reviews/{mine[0].pk}/")
    sheet = page.locator("#desk")
    assert overflow(page) == []
    assert box(page, "#desk")["height"] < 200
    assert box(page, ".question.current .answer.yes span")["height"] >= 44
    page.evaluate("window.scrollTo(0, 400)")
    page.click(".question.current .answer.yes")
    expect(page.locator("[data-where]")).to_contain_text("2/4")
    assert page.evaluate("window.scrollY") == 400
    page.click("[data-toggle-sheet]")
    expect(sheet).to_have_class("desk-right up")
    assert 0.79 * 844 <= box(page, "#desk")["height"] <= 0.81 * 844
    assert box(page, ".panel.current .tile")["height"] >= 52
    assert overflow(page) == []
    page.click("[data-toggle-sheet]")
    assert page.evaluate("window.scrollY") == 400
    state(page, "saved")
    # Refused: the sheet comes up, and the question that lacks an answer is whole in it.
    page.click("[data-toggle-sheet]")
    page.locator(".desk-scroll").evaluate("one => one.scrollTo(0, 9999)")
    press(page, "Control+Enter")
    problem = page.locator(".question.current .problem")
    expect(problem).to_be_visible()
    expect(problem).to_be_in_viewport(ratio=1)
    for part in ("legend", ".answers"):
        expect(page.locator(f".question.current {part}")).to_be_in_viewport(ratio=1)
    expected_troubles(complaints)


# Whatever stands where it cannot be read: the form scrolls, a row is higher than its place, or a
# level, the reason or the foot is not whole in the window.
OUT_OF_SIGHT = """() => {
  const wrong = [];
  const scroll = document.querySelector(".desk-scroll");
  if (scroll.scrollHeight > scroll.clientHeight) wrong.push("the metric scrolls");
  const current = document.querySelector(".panel.current");
  const edge = document.querySelector(".desk-foot").getBoundingClientRect();
  if (edge.bottom > innerHeight) wrong.push("foot");
  for (const one of current.querySelectorAll(".tile, .why textarea")) {
    if (one.getBoundingClientRect().bottom > edge.top) wrong.push(one.className || one.name);
    if (one.matches(".tile") && one.scrollHeight > one.clientHeight + 1) wrong.push("cut level");
  }
  for (const row of current.querySelectorAll(".question")) {
    const end = row.getBoundingClientRect().bottom;
    for (const part of row.children) {
      if (part.getBoundingClientRect().bottom > end + 1) wrong.push(part.className);
    }
  }
  return wrong;
}"""


@pytest.fixture
def crowded(transactional_db: None, rita: User) -> Review:
    """A demo case with eight facts beside one question."""
    text = (DEMO / "wayfarer-2026.09.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    release = bed.filled(without=["feast"])
    bed.bring(release, *(one for one in rows if one["case_key"] == CROWDED))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    return bed.assign(release, CROWDED, rita)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_one_metric_fits_beside_the_plan_with_many_facts_and_pins(
    browse: SignIn, rita: User, crowded: Review, language: str
) -> None:
    page = browse(rita, language=language)
    page.set_viewport_size({"width": 1440, "height": 800})
    page.goto(f"/reviews/{crowded.pk}/")
    expect(page.locator(".question.current [data-fact]")).to_have_count(8)
    wrong = {}
    for is_pinning in (False, True):
        for place in range(10):
            if place:
                press(page, "Escape", "j")
            if is_pinning:
                page.locator(".desk-left .stop").nth(place % 4).click()
            wrong[is_pinning, place] = page.evaluate(OUT_OF_SIGHT)
        press(page, "Escape", "h")
    assert not any(wrong.values()), wrong
    # What does not fit into the row can be reached in it.
    press(page, *"ffffffff")
    last = page.locator(".question.current [data-fact]").last
    expect(last).to_be_focused()
    expect(last).to_be_in_viewport(ratio=0.9)
    # While revising, with a sentence above and something pinned, the facts can still be read.
    state(page, "saved")
    bed.submit(now(crowded))
    page.goto(f"/reviews/{crowded.pk}/?revise=1")
    press(page, "j", "k")
    for place in range(2):
        page.locator(".desk-left .stop").nth(place).click()
    assert box(page, ".question.current .desk-facts")["height"] >= 3 * 16
    assert page.evaluate(OUT_OF_SIGHT) == []


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_request_is_whole_when_the_desk_opens(
    browse: SignIn, rita: User, mine: list[Review], size: str
) -> None:
    page = browse(rita, size=size)
    page.goto(f"/reviews/{mine[0].pk}/")
    expect(page.locator(".question.current")).to_be_visible()
    assert page.evaluate("[scrollY, document.querySelector('[data-left]').scrollTop]") == [0, 0]
    bar = box(page, ".desk-bar")
    assert box(page, ".request")["y"] >= bar["y"] + bar["height"] + 4
    expect(page.locator(".request")).to_have_css("border-top-width", "1px")


def box(page: Page, selector: str) -> Any:
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_every_page_of_a_reviewer_is_accessible_and_fits(
    browse: SignIn,
    axe: Axe,
    rita: User,
    mine: list[Review],
    size: str,
    scheme: str,
    language: str,
) -> None:
    bed.submit(mine[1])
    page = browse(rita, size=size, scheme=scheme, language=language)
    wrong: list[str] = []
    desk = f"/reviews/{mine[0].pk}/"
    for address in (desk, "/reviews/", f"/reviews/{mine[1].pk}/", f"{desk}decline/"):
        page.goto(address)
        if address == desk:
            if size == "phone":
                wrong += violations(axe, page)
                page.click("[data-toggle-sheet]")
            press(page, "3", "k", "n", "i")
            page.locator("[data-fact]").first.click()
            state(page, "saved")
            wrong += overflow(page)
        wrong += [f"{address} {one}" for one in [*violations(axe, page), *overflow(page)]]
        if address == desk:
            press(page, "?")
            wrong += [f"keys {one}" for one in violations(axe, page)]
    page.goto("/practice/")
    page.evaluate("document.querySelector('#desk [value=submit]').click()")
    page.wait_for_selector(".practice")
    wrong += [f"practice {one}" for one in [*violations(axe, page), *overflow(page)]]
    assert not wrong, "\n".join(wrong)
