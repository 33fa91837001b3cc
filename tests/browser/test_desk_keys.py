"""No accidental data: which keys and clicks write to a review, and how to take them back."""

import random
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from reviews.models import Review
from tests.bed import reviewed as bed
from tests.bed import soak
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn
from tests.browser.desk import expected_troubles, kept, now, press, state

pytestmark = ON_A_LIVE_SERVER

USABILITY, PERSONALIZATION = bed.METRICS
SCROLL_KEYS = ("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Space", "PageDown", "PageUp")
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz0123456789")
RECORDING = {*"yna0123456789"}
PLAN = ".desk-left .request"
# Everything that a submit would send.
CONTENT = """() => JSON.stringify([...new FormData(document.querySelector("#desk"))].filter(
  ([name, value]) => value && value !== "[]" && !/^(csrf|version|key)/.test(name)))"""
# "row", "text", "dialog" or "elsewhere".
WHERE = """() => {
  const one = document.activeElement;
  if (document.querySelector("dialog[open]")) return "dialog";
  if (one.matches("textarea, input:not([type=radio], [type=checkbox])")) return "text";
  return one.closest("[data-row]") ? "row" : "elsewhere";
}"""


@pytest.fixture
def page(browse: SignIn, rita: User, mine: list[Review]) -> Page:
    """Rita's first case on her desk."""
    found = browse(rita)
    found.goto(f"/reviews/{mine[0].pk}/")
    return found


def focus_is_on_a_row(page: Page) -> bool:
    return bool(page.evaluate("document.activeElement.matches('[data-row]')"))


def scroll_top(page: Page) -> float:
    found: float = page.evaluate("document.querySelector('[data-left]').scrollTop")
    return found


# --- Where keys act -------------------------------------------------------------------------------


def test_after_an_answer_the_focus_is_on_a_row_and_scroll_keys_scroll_the_plan(
    page: Page, mine: list[Review]
) -> None:
    page.set_viewport_size({"width": 1440, "height": 700})
    assert focus_is_on_a_row(page)
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    for key in ("y", "4"):
        press(page, key)
        assert focus_is_on_a_row(page)
        assert page.evaluate(outline) == "solid"
    before = page.evaluate(CONTENT)
    press(page, "PageDown")
    page.wait_for_function("document.querySelector('[data-left]').scrollTop > 100")
    press(page, *SCROLL_KEYS)
    assert page.evaluate(CONTENT) == before
    # The pointer leaves the focus on a row as well.
    page.click(".answer.no >> visible=true")
    assert focus_is_on_a_row(page)
    state(page, "saved")


def test_after_a_click_into_the_plan_no_key_answers(page: Page) -> None:
    page.click(PLAN)
    page.keyboard.type("any text 5")
    press(page, *SCROLL_KEYS, *"jkhlrcqif")
    assert page.evaluate(WHERE) == "elsewhere"
    assert page.evaluate(CONTENT) == "[]"
    # Pinning a stop is an act of its own; the keys stay with the plan.
    page.locator(".desk-left .stop").first.click()
    before = page.evaluate(CONTENT)
    assert "stop" in before
    page.keyboard.type("any text 5")
    assert page.evaluate(CONTENT) == before
    press(page, "Escape", "y")
    assert "answer" in page.evaluate(CONTENT)
    state(page, "saved")


def test_arrows_on_a_radio_button_move_without_choosing_and_space_chooses(page: Page) -> None:
    page.locator(".question.current input[type=radio]").first.focus()
    press(page, "ArrowRight")
    assert page.evaluate("document.activeElement.value") == "no"
    assert page.evaluate(CONTENT) == "[]"
    press(page, "Space")
    assert '"no"' in page.evaluate(CONTENT)
    assert focus_is_on_a_row(page)
    state(page, "saved")


def test_a_key_that_is_held_down_answers_once(page: Page) -> None:
    for _repeat in range(4):
        page.keyboard.down("y")
    page.keyboard.up("y")
    assert page.locator(".answers :checked").count() == 1
    state(page, "saved")


# --- Taking back ----------------------------------------------------------------------------------


def test_the_same_answer_again_clears_it_by_key_and_by_click(page: Page) -> None:
    press(page, "y", "k", "y")
    expect(page.locator(".answers :checked")).to_have_count(0)
    press(page, "4", "4")
    expect(page.locator(".tiles :checked")).to_have_count(0)
    for expected in (1, 0):
        page.click(f'label:has(input[name="answer:{USABILITY}.2"][value=no])')
        expect(page.locator(".answers :checked")).to_have_count(expected)
    for expected in (1, 0):
        page.click(f'label:has(input[name="score:{USABILITY}"][value="3"])')
        expect(page.locator(".tiles :checked")).to_have_count(expected)
    assert page.evaluate(CONTENT) == "[]"
    assert kept(page) == []


def test_undo_takes_back_the_last_acts_one_by_one(page: Page, mine: list[Review]) -> None:
    undo = page.locator("[data-undo]")
    expect(undo).to_be_disabled()
    press(page, "y", "n", "3", "r")
    page.keyboard.type("Too tight.")
    press(page, "Escape", "4")
    page.locator(".desk-left .stop").first.click()
    state(page, "saved")
    expect(page.locator(".scale .pinned li")).to_have_count(1)
    press(page, "Control+z")
    expect(page.locator(".scale .pinned li")).to_have_count(0)
    undo.click()
    expect(page.locator(".panel.current .tiles :checked")).to_have_value("3")
    # While typing, the browser's own undo works on the text.
    press(page, "r", "End")
    page.keyboard.type("x")
    press(page, "Control+z")
    expect(page.locator(".panel.current .tiles :checked")).to_have_value("3")
    press(page, "Escape")
    for _act in range(4):
        if undo.is_enabled():
            press(page, "Control+z")
    while undo.is_enabled():
        undo.click()
    assert page.evaluate(CONTENT) == "[]"
    state(page, "saved")
    stored = now(mine[0]).draft
    assert not any(one.get("answer") for one in stored["answers"].values())


# --- The robot ------------------------------------------------------------------------------------


def press_something(page: Page, dice: random.Random) -> str:
    if dice.random() < 0.05:
        page.mouse.wheel(0, dice.choice((-300, 300)))
        return "wheel"
    key = dice.choice(LETTERS) if dice.random() < 0.7 else dice.choice(SCROLL_KEYS)
    page.keyboard.press(key)
    return key


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_robot_that_presses_keys_in_the_plan_records_nothing(
    page: Page, mine: list[Review]
) -> None:
    keys, dice = soak.size(short=300, long=10_000), random.Random(7)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.click(PLAN)
    for _key in range(keys):
        press_something(page, dice)
    written = page.evaluate(CONTENT)
    soak.report("random keys with the plan focused", tried=keys, bad=(written != "[]") + len(sent))
    assert (written, sent, kept(page)) == ("[]", [], [])
    assert now(mine[0]).version == 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_robot_that_presses_keys_on_a_row_records_with_documented_keys_alone(
    page: Page, mine: list[Review], complaints: list[str]
) -> None:
    """What is typed into a text field that a key has opened is text, and is undone as well."""
    keys, dice = soak.size(short=300, long=10_000), random.Random(11)
    wrong: list[str] = []
    before, recorded = page.evaluate(CONTENT), 0
    for _key in range(keys):
        where = page.evaluate(WHERE)
        if where != "row" and (where != "text" or dice.random() < 0.3):
            press(page, "Escape")
            continue
        key = press_something(page, dice)
        after = page.evaluate(CONTENT)
        if after != before:
            recorded += 1
            if where == "row" and key not in RECORDING:
                wrong.append(key)
        before = after
    undo, undone = page.locator("[data-undo]"), 0
    if page.evaluate(WHERE) != "row":
        press(page, "Escape")
    while undo.is_enabled():
        undo.click()
        undone += 1
    left = page.evaluate(CONTENT)
    soak.report(
        "random keys with a row focused",
        tried=keys,
        bad=len(wrong) + (left != "[]"),
        recorded=recorded,
        undone=undone,
    )
    assert (wrong, left) == ([], "[]")
    assert recorded > keys / 20
    expect(page.locator("[data-saved]")).to_have_text(re.compile("Saved|Nothing to save yet"))
    draft = now(mine[0]).draft
    assert not any(one.get("value") for one in draft.get("scores", {}).values())
    assert not any(one.get("answer") for one in draft.get("answers", {}).values())
    expected_troubles(complaints)
