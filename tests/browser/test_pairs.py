"""Two plans side by side in Chromium: by keyboard, by touch, saved and submitted, and with room."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from reviews.models import Pairing
from reviews.releases import lifecycle
from tests.bed import pairs
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, violations
from tests.browser.desk import expected_troubles, press, sign_in_elsewhere, state
from tests.browser.layout import overflow

pytestmark = ON_A_LIVE_SERVER

USABILITY, PERSONALIZATION = "usability-value", "personalization"
WORDS = "The second day has a rest, and the museum suits them."


@pytest.fixture
def pairing(transactional_db: None, rita: User, omar: User) -> Pairing:
    """The first of rita's pairs."""
    release = pairs.beside_baseline(rita, omar)
    own = [found for found in pairs.plan(release) if found.reader == rita]
    return min(own, key=lambda found: found.place)


def now(pairing: Pairing) -> Pairing:
    pairing.refresh_from_db()
    return pairing


def steps_of(pairing: Pairing) -> dict[str, int | None]:
    return dict(pairing.answers.exclude(step=None).values_list("item", "step"))


def test_a_complete_pair_by_keyboard_takes_at_most_8_keys_and_the_reasons(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page, keys = browse(rita), 0

    def key(name: str) -> None:
        nonlocal keys
        keys += 1
        press(page, name)

    page.goto(pairing.get_absolute_url())
    for choice in ("3", "4"):
        key(choice)
    press(page, "k", "k")  # back to the first, whose reason is to be written
    keys += 2
    key("r")
    page.keyboard.type(WORDS)
    press(page, "Escape")
    page.locator('[data-row="newer"]').focus()
    key("1")
    with page.expect_navigation():
        key("Control+Enter")
    print(f"\none complete pair by keyboard: {keys} keys and the reason")
    assert keys <= 8
    assert now(pairing).is_submitted
    assert steps_of(pairing) == {USABILITY: -1, PERSONALIZATION: 0}
    assert pairing.newer == "no"


def test_a_difference_by_mouse_leads_to_its_reason(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    page.click(f'label:has(input[name="step:{USABILITY}"][value="2"])')
    expect(page.locator(f'textarea[name="why:{USABILITY}"]')).to_be_focused()
    page.keyboard.type(WORDS)
    press(page, "Enter")
    expect(page.locator(f'[data-row="steps.{PERSONALIZATION}"]')).to_be_focused()


def test_with_the_plans_focused_no_key_records_anything(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    page.locator("[data-left]").focus()
    press(page, *"1234567ryna", "Space", "ArrowDown", "PageDown")
    assert page.locator("#pair :checked").count() == 0
    page.locator("[data-row]").first.focus()
    press(page, "Space", "ArrowDown", "PageDown", "End")
    assert page.locator("#pair :checked").count() == 0


def test_the_same_choice_again_clears_it_and_undo_brings_it_back(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    press(page, "6", "k", "6")
    assert page.locator("#pair :checked").count() == 0
    press(page, "Control+z")
    assert page.locator(f'input[name="step:{USABILITY}"]:checked').input_value() == "2"
    press(page, "Control+z")
    assert page.locator("#pair :checked").count() == 0


def test_what_is_written_is_saved_and_there_again(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    press(page, "5", "k", "r")
    page.keyboard.type(WORDS)
    state(page, "saved")
    assert now(pairing).draft["steps"][USABILITY] == {"step": 1, "why": WORDS}
    page.reload()
    assert page.locator(f'textarea[name="why:{USABILITY}"]').input_value() == WORDS


def test_submitting_names_what_is_missing_and_goes_there(
    browse: SignIn, rita: User, pairing: Pairing, complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    press(page, "5", "Control+Enter")
    expect(page.locator("[data-problems] li")).to_have_count(3)
    expect(page.locator(f'textarea[name="why:{USABILITY}"]')).to_be_focused()
    expected_troubles(complaints)


def test_two_tabs_choose_row_by_row(
    browse: SignIn, rita: User, pairing: Pairing, complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    other = page.context.new_page()
    other.goto(pairing.get_absolute_url())
    other.locator("[data-row]").first.focus()
    press(other, "1")
    state(other, "saved")
    page.bring_to_front()
    page.locator("[data-row]").first.focus()
    press(page, "7")
    dialog = page.locator("#conflict")
    expect(dialog).to_be_visible()
    expect(dialog.locator("tbody tr")).to_have_count(1)
    dialog.get_by_label("Left much better").check()
    dialog.locator('[data-keep="chosen"]').click()
    state(page, "saved")
    assert page.locator(f'input[name="step:{USABILITY}"]:checked').input_value() == "-3"
    expected_troubles(complaints)


def test_work_of_an_ended_session_is_sent_after_signing_in_again(
    browse: SignIn, rita: User, pairing: Pairing, complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    page.context.clear_cookies()
    press(page, "2")
    state(page, "session")
    sign_in_elsewhere(page, rita)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    state(page, "saved")
    assert now(pairing).draft["steps"][USABILITY]["step"] == -2
    expected_troubles(complaints)


def test_a_pair_of_a_closed_release_says_so_and_keeps_the_text(
    browse: SignIn, rita: User, pairing: Pairing, complaints: list[str]
) -> None:
    page = browse(rita)
    page.goto(pairing.get_absolute_url())
    lifecycle.close(release=pairing.release, user=None, now=NOW)
    press(page, "2")
    expect(page.locator("[data-stopped]")).to_be_visible()
    assert pairing.release.name not in page.content()
    expected_troubles(complaints)


def test_a_phone_shows_one_plan_at_a_time_at_the_same_place(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita, size="phone")
    page.goto(pairing.get_absolute_url())
    left, right = page.locator(".side.left .day").nth(1), page.locator(".side.right .day").nth(1)
    expect(left).to_be_visible()
    expect(right).to_be_hidden()
    page.tap('[data-show="right"]')
    expect(right).to_be_visible()
    expect(left).to_be_hidden()
    expect(page.locator('[data-show="right"]')).to_have_attribute("aria-pressed", "true")


def test_a_complete_pair_by_touch(browse: SignIn, rita: User, pairing: Pairing) -> None:
    page = browse(rita, size="phone")
    page.goto(pairing.get_absolute_url())
    page.tap("[data-toggle-sheet]")
    for metric in (USABILITY, PERSONALIZATION):
        page.tap(f'label:has(input[name="step:{metric}"][value="0"])')
    page.tap('label:has(input[name="newer"][value="right"])')
    with page.expect_navigation():
        page.tap('button[value="submit"]')
    assert now(pairing).is_submitted
    assert pairing.newer == "right"
    for box in targets(page, pairing):
        assert box >= 44


TARGETS = ".pair-step, .answer span, [data-toggle-sheet], .side-tabs button, .desk-foot .primary"


def targets(page: Page, pairing: Pairing) -> list[float]:
    page.goto(pairing.get_absolute_url())
    page.tap("[data-toggle-sheet]")
    boxes = [target.bounding_box() for target in page.locator(TARGETS).all()]
    return [box["height"] for box in boxes if box]


def test_without_scripts_the_form_is_posted(browse: SignIn, rita: User, pairing: Pairing) -> None:
    page = browse(rita, scripts=False)
    page.goto(pairing.get_absolute_url())
    for metric in (USABILITY, PERSONALIZATION):
        page.check(f'input[name="step:{metric}"][value="0"]', force=True)
    page.check('input[name="newer"][value="no"]', force=True)
    page.click('button[value="submit"]')
    assert now(pairing).is_submitted


@pytest.mark.parametrize("size", ["desk", "tablet", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_pairs_have_room_and_no_fault_that_axe_finds(
    browse: SignIn, rita: User, pairing: Pairing, axe: Axe, size: str, scheme: str, language: str
) -> None:
    page = browse(rita, size=size, scheme=scheme, language=language)
    for address in (pairing.get_absolute_url(), "/pairings/practice/", "/reviews/"):
        page.goto(address)
        assert overflow(page) == [], address
        assert violations(axe, page) == [], address


def test_no_page_of_a_reader_names_the_release_or_a_case(
    browse: SignIn, rita: User, pairing: Pairing
) -> None:
    page = browse(rita)
    for address in (pairing.get_absolute_url(), "/reviews/", "/"):
        page.goto(address)
        text = page.content()
        for hidden in (pairing.release.name, pairing.case.case_key):
            assert not re.search(rf"\b{hidden}\b", text), (address, hidden)
        if address == pairing.get_absolute_url():  # own reviews have their codes
            assert pairing.case.code not in text
            assert pairing.old_case.code not in text


@pytest.mark.parametrize("address", ["/pairings/practice/", ""])
def test_only_the_plans_and_the_form_scroll(
    browse: SignIn, rita: User, pairing: Pairing, address: str
) -> None:
    page = browse(rita)
    page.goto(address or pairing.get_absolute_url())
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
