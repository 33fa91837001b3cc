"""The form beside the document of a rubric, as an admin uses it: nothing typed is lost."""

import random
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from cases.models import Rubric
from tests.bed import soak
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow

pytestmark = ON_A_LIVE_SERVER

QUESTION = "edit:metrics.0.questions.3.text"
LOOKS = pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [
        ("desk", "light", "en"),
        ("tablet", "dark", "zh-hans"),
        ("phone", "light", "zh-hans"),
        ("phone", "dark", "en"),
    ],
)


def open_editor(browse: SignIn, ada: User, **looks: str) -> Page:
    page = browse(ada, **looks)
    page.goto("/rubrics/new/")
    return page


def field(page: Page, name: str = QUESTION) -> str:
    return f'[id="{name}"]'


def document_of(page: Page) -> str:
    return page.input_value("#id_text")


def wait_until_agreed(page: Page) -> None:
    """Wait until the document that the form was made from is the one beside it."""
    page.wait_for_function(
        "() => document.querySelector('[name=base]').value"
        " === document.querySelector('#id_text').value"
    )


def press(page: Page, act: str) -> None:
    page.locator(f'button[name=act][value="{act}"]').click()
    page.wait_for_function("() => !document.querySelector('#editor').hasAttribute('aria-busy')")


def test_typing_in_the_form_writes_its_line(browse: SignIn, ada: User, rubric: Rubric) -> None:
    page = open_editor(browse, ada)
    before = document_of(page)
    page.fill(field(page), "Is every price named?")
    page.wait_for_function(
        "() => document.querySelector('#id_text').value.includes('- Is every price')"
    )
    line = "Is budget breakdown clear and actionable?"
    assert document_of(page) == before.replace(line, "Is every price named?")
    assert page.evaluate("document.activeElement.id") == QUESTION


def test_typing_in_the_document_fills_the_form_and_names_mistakes(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = open_editor(browse, ada)
    text = document_of(page)
    page.fill("#id_text", text.replace("Is budget breakdown", "Is the budget"))
    expect(page.locator(field(page))).to_have_value("Is the budget clear and actionable?")
    page.fill("#id_text", text.replace("- `3`: Usable", "- `4`: Usable"))
    problem = page.locator("[data-problems] a").first
    expect(problem).to_contain_text("Line 7: Usability & Value has no level 3.")
    problem.click()
    assert page.evaluate("document.activeElement.id") == "edit:metrics.0.name"
    page.locator("[data-problems] a").nth(1).click()
    chosen = page.evaluate(
        "(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))"
        "(document.querySelector('#id_text'))"
    )
    assert chosen.startswith("- `4`: ")


def test_parts_are_added_moved_and_removed_by_keyboard(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = open_editor(browse, ada)
    before = document_of(page)
    page.locator('[id="add:metrics.0.questions"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'edit:metrics.0.questions.4.text'")
    page.keyboard.type("Is it new?")
    page.wait_for_function(
        "() => document.querySelector('#id_text').value.includes('- Is it new?')"
    )
    page.locator('[id="up:metrics.0.questions.4"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'up:metrics.0.questions.3'")
    assert "- Is it new?\n- Is budget" in document_of(page)
    press(page, "remove:metrics.0.questions.3")
    assert document_of(page) == before
    page.click("[data-undo]")
    wait_until_agreed(page)
    assert "- Is it new?\n- Is budget" in document_of(page)


def test_a_hint_is_folded_until_it_is_wanted(browse: SignIn, ada: User, rubric: Rubric) -> None:
    page = open_editor(browse, ada)
    hint = page.locator('[id="edit:metrics.0.levels.2.hint"]')
    expect(hint).to_be_hidden()
    hint.locator("xpath=ancestor::details/summary").click()
    hint.fill("No when a part is missing.\nAnd more")
    page.wait_for_function("() => document.querySelector('#id_text').value.includes('  And more')")
    expect(hint).to_be_visible()


def test_an_answer_that_comes_late_replaces_nothing(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = open_editor(browse, ada)
    waiting: list[Route] = []

    def hold_the_first(route: Route) -> None:
        waiting.append(route)
        if len(waiting) > 1:
            route.continue_()

    page.route("**/rubrics/new/", hold_the_first)
    page.fill(field(page), "Is every price")
    page.wait_for_timeout(700)
    assert len(waiting) == 1
    page.locator(field(page)).press_sequentially(" named?")
    page.locator("#id_text").press("Control+End")
    page.locator("#id_text").press_sequentially("\n\nA last remark.")
    waiting[0].continue_()
    page.wait_for_function(
        "() => document.querySelector('#id_text').value.includes('price named?')"
    )
    assert document_of(page).endswith("\n\nA last remark.")
    assert page.input_value(field(page)) == "Is every price named?"


def test_characters_that_are_being_composed_are_not_disturbed(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = open_editor(browse, ada)
    page.fill(field(page), "预算")
    page.wait_for_function("() => document.querySelector('#id_text').value.includes('- 预算')")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    keyboard = page.context.new_cdp_session(page)
    keyboard.send(
        "Input.imeSetComposition", {"text": "qing", "selectionStart": 4, "selectionEnd": 4}
    )
    page.wait_for_timeout(900)
    assert page.input_value(field(page)) == "预算qing"
    assert asked == []
    keyboard.send("Input.insertText", {"text": "清楚吗？"})
    page.wait_for_function(
        "() => document.querySelector('#id_text').value.includes('- 预算清楚吗？')"
    )


def test_without_a_connection_all_stays_and_is_written_later(
    browse: SignIn, ada: User, rubric: Rubric, complaints: list[str]
) -> None:
    page = open_editor(browse, ada)
    page.context.set_offline(True)
    page.fill(field(page), "Is every price named?")
    expect(page.locator("[data-failure]")).to_contain_text("What you typed is kept here")
    page.context.set_offline(False)
    page.wait_for_function(
        "() => document.querySelector('#id_text').value.includes('price named?')"
    )
    expect(page.locator("[data-failure]")).to_have_count(0)
    complaints.clear()


def test_a_session_that_ended_leaves_all_in_place(
    browse: SignIn, ada: User, rubric: Rubric, complaints: list[str]
) -> None:
    page = open_editor(browse, ada)
    page.context.clear_cookies(name="sessionid")
    page.fill(field(page), "Is every price named?")
    expect(page.locator("[data-failure]")).to_contain_text("Your session has ended")
    assert page.input_value(field(page)) == "Is every price named?"
    complaints.clear()


def test_a_text_that_both_sides_changed_is_chosen_by_hand(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = open_editor(browse, ada)
    text = document_of(page)
    page.evaluate(
        """([name, text]) => {
          document.getElementById(name).value = "Mine?";
          const box = document.querySelector("#id_text");
          box.value = text;
          box.dispatchEvent(new Event("input", {bubbles: true}));
        }""",
        [QUESTION, text.replace("Is budget breakdown clear", "Theirs")],
    )
    held = page.locator(".held")
    expect(held).to_contain_text("Theirs and actionable?")
    assert page.input_value(field(page)) == "Mine?"
    held.locator("button").first.click()
    page.wait_for_function("() => document.querySelector('#id_text').value.includes('- Mine?')")
    expect(held).to_have_count(0)


@pytest.mark.soak
def test_a_robot_types_in_both_sides_in_turn_and_loses_nothing(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    """Words in the fields and in the document alternately, and never in the same line."""
    page = open_editor(browse, ada)
    chance = random.Random(20)
    count = soak.size(short=200, long=2000)
    names = [QUESTION, "edit:metrics.1.intro", "edit:metrics.1.levels.2.text", "edit:title"]
    box = page.locator("#id_text")
    box.press("Control+End")
    typed = []
    for number in range(count):
        word = f"w{number}" if number % 5 else f"字{number}"
        typed.append(word)
        if number % 2:
            name = names[number // 2 % len(names)]
            if page.evaluate("document.activeElement.id") != name:
                page.locator(field(page, name)).focus()
                page.keyboard.press("Control+End")
            page.keyboard.type(f" {word}", delay=chance.choice([0, 0, 5, 30]))
        else:
            box.focus()
            page.keyboard.press("Control+End")
            page.keyboard.type(f" {word}\n" if number % 20 == 0 else f" {word}", delay=2)
        if chance.random() < 0.2:
            page.wait_for_timeout(chance.choice([100, 450, 700]))
    wait_until_agreed(page)
    page.wait_for_timeout(1000)
    wait_until_agreed(page)
    text = document_of(page)
    shown = " ".join(
        page.eval_on_selector_all("[name^='edit:']", "all => all.map(one => one.value)")
    )
    lost = [word for word in typed if not re.search(rf"{word}(?!\d)", text)]
    gone = [word for word in typed[1::2] if not re.search(rf"{word}(?!\d)", shown)]
    soak.report("words typed in both sides", tried=count, bad=len(lost) + len(gone))
    assert (lost, gone) == ([], [])


@pytest.mark.soak
def test_words_for_the_same_text_on_both_sides_are_all_still_there(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    """The same question is written in the form and in the document, and kinds are added."""
    page = open_editor(browse, ada)
    chance = random.Random(21)
    count = soak.size(short=60, long=600)
    for number in range(count):
        if number % 2:
            page.locator(field(page)).focus()
            page.keyboard.press("Control+End")
        else:
            page.evaluate(
                """() => {
                  const box = document.querySelector("#id_text");
                  const end = box.value.indexOf("\\n", box.value.indexOf("- Is budget"));
                  box.focus();
                  box.setSelectionRange(end, end);
                }"""
            )
        page.keyboard.type(f" w{number}")
        if number % 15 == 14:
            page.locator("[id='add:kinds']").click()
        if chance.random() < 0.3:
            page.wait_for_timeout(chance.choice([100, 450, 700, 1200]))
    page.wait_for_timeout(2000)
    shown = " ".join(page.eval_on_selector_all("textarea", "all => all.map(one => one.value)"))
    lost = [number for number in range(count) if not re.search(rf"w{number}(?!\d)", shown)]
    soak.report("words typed for the same text", tried=count, bad=len(lost))
    assert lost == []


@LOOKS
def test_the_editor_is_accessible_and_fits(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rubric: Rubric,
    complaints: list[str],
    size: str,
    scheme: str,
    language: str,
) -> None:
    page = open_editor(browse, ada, size=size, scheme=scheme, language=language)
    page.evaluate(UNFOLD)
    wrong = [*violations(axe, page), *overflow(page)]
    press(page, "add:metrics")
    page.fill(field(page, "edit:metrics.0.questions.0.text"), "`3`: a level")
    expect(page.locator(".held")).to_be_visible()
    wrong += [f"with mistakes: {one}" for one in [*violations(axe, page), *overflow(page)]]
    page.goto("/rubrics/new/?version=1&translate=1&language=zh-hans")
    wrong += [f"translation: {one}" for one in [*violations(axe, page), *overflow(page)]]
    assert wrong == []


@LOOKS
def test_the_desk_is_shown_as_reviewers_will_see_it(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    page = open_editor(browse, ada, size=size, scheme=scheme, language=language)
    page.fill(field(page), "Is every price named?")
    with page.expect_popup() as opened:
        page.locator("button[formtarget]").first.click()
    desk = opened.value
    expect(desk.locator("#desk")).to_contain_text("Is every price named?")
    expect(desk.locator('[value="submit"]')).to_have_count(0)
    assert [*violations(axe, desk), *overflow(desk)] == []
    desk.keyboard.press("Control+Enter")
    desk.locator("[data-row] label").first.click(force=True)
    assert desk.url.endswith("/rubrics/desk/")
    assert desk.evaluate("localStorage.length") == 0


def test_the_phone_is_a_window_of_its_size(browse: SignIn, ada: User, rubric: Rubric) -> None:
    page = open_editor(browse, ada)
    with page.expect_popup() as opened:
        page.locator("button[data-window='390x844']").click()
    expect(opened.value.locator("#desk")).to_be_visible()
    assert opened.value.evaluate("innerWidth") == 390


def test_without_scripts_the_form_is_written_by_its_button(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = browse(ada, scripts=False)
    page.goto("/rubrics/new/")
    page.fill(field(page), "Is every price named?")
    follow(page, "button[value='edit']")
    assert "- Is every price named?" in document_of(page)
    follow(page, "[id='add:kinds']")
    assert document_of(page).endswith("  6. …\n")
    assert page.input_value(field(page, "edit:kinds.5.text")) == ""
