"""What one complete review costs in keys, clicks and taps, and that all of it has room."""

import json
import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from reviews.desk.judgement import Judgement
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SIZES, SignIn, follow, violations
from tests.browser.desk import expected_troubles, now, press, state
from tests.browser.layout import overflow
from tests.browser.test_desk import OUT_OF_SIGHT, box

pytestmark = ON_A_LIVE_SERVER

USABILITY, PERSONALIZATION = bed.METRICS
WORDS = "The lunch lies inside the visit on both days, and no rest is planned."
LONG = " ".join([WORDS] * 8)


def answer_of(item: str, value: str) -> str:
    return f'label:has(input[name="answer:{item}"][value={value}])'


def level_of(metric: str, value: int) -> str:
    return f'label:has(input[name="score:{metric}"][value="{value}"])'


def is_complete(page: Page, mine: list[Review]) -> None:
    expect(page.locator(".messages")).to_contain_text(f"You submitted {mine[0].case.code}.")
    assert now(mine[0]).is_submitted
    assert [score.rationale for score in mine[0].scores.order_by("metric")] == [WORDS, WORDS]


# --- Counts ---------------------------------------------------------------------------------------


def test_a_complete_review_by_keyboard_takes_at_most_15_keys_and_the_reasons(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    page, keys = browse(rita), 0

    def key(*names: str) -> None:
        nonlocal keys
        keys += len(names)
        press(page, *names)

    page.goto("/")
    with page.expect_navigation():
        key("n")
    for score, last in (("3", "Enter"), ("4", "Control+Enter")):
        key("y", "n", "a", "y", score, "r")
        page.keyboard.type(WORDS)
        key(last)
    is_complete(page, mine)
    print(f"\none complete review by keyboard: {keys} keys and the two reasons")
    assert keys <= 15


def test_a_complete_review_by_mouse_takes_at_most_12_clicks_and_the_reasons(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    page, clicks = browse(rita), 0

    def click(selector: str) -> None:
        nonlocal clicks
        clicks += 1
        page.click(selector)

    page.goto("/")
    with page.expect_navigation():
        click("text=Start next")
    for metric in bed.METRICS:
        for number in range(1, 5):
            click(answer_of(f"{metric}.{number}", "yes"))
        click(level_of(metric, 4))
        page.keyboard.type(WORDS)
        if metric == USABILITY:
            page.keyboard.press("Enter")
    click("button[value=submit]")
    is_complete(page, mine)
    print(f"\none complete review by mouse: {clicks} clicks and the two reasons, Return after one")
    assert clicks <= 12


def test_a_complete_review_on_a_phone_takes_at_most_14_taps_and_the_reasons(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    page, taps = browse(rita, size="phone"), 0

    def tap(selector: str) -> None:
        nonlocal taps
        taps += 1
        # A finger hits only what is in sight.
        expect(page.locator(selector).first).to_be_in_viewport(ratio=0.9)
        page.tap(selector)

    page.goto("/")
    with page.expect_navigation():
        tap("text=Start next")
    for metric in bed.METRICS:
        for number in range(1, 5):
            tap(answer_of(f"{metric}.{number}", "yes"))
        # The levels come up with their texts.
        for text in page.locator(".panel.current .tile .text").all():
            expect(text).to_be_visible()
        tap(level_of(metric, 4))
        tap(f'[name="why:{metric}"]')
        page.keyboard.type(WORDS)
        if metric == USABILITY:
            page.keyboard.press("Enter")
    tap("button[value=submit]")
    is_complete(page, mine)
    print(f"\none complete review by phone: {taps} taps and the two reasons, Return after one")
    assert taps <= 14


# --- A phone --------------------------------------------------------------------------------------

# What can be tapped, with its size; a pseudo-element may make a link as large as its row. Links
# within a sentence are as high as the sentence.
SMALL = """() => {
  const all = [...document.querySelectorAll(
    "a[href], button, summary, select, textarea, .answer span, .tile, label:has([type=checkbox])")];
  return all.filter(one => one.checkVisibility() && !one.matches(".skip, p a")).map(one => {
    const target = one.matches(".day-name") ? one.closest("li") : one;
    const { width, height } = target.getBoundingClientRect();
    return { name: `${one.className} ${one.textContent.trim().slice(0, 20)}`, width, height };
  }).filter(one => one.width > 2 && (one.width < 43.9 || one.height < 43.9))
    .map(one => `${one.name}: ${Math.round(one.width)} x ${Math.round(one.height)}`);
}"""


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_target_on_a_phone_is_at_least_44_px(
    browse: SignIn, rita: User, mine: list[Review], language: str
) -> None:
    page = browse(rita, size="phone", language=language)
    page.goto(f"/reviews/{mine[0].pk}/")
    small = {"closed": page.evaluate(SMALL)}
    page.locator(".desk-left .stop").first.click()
    page.click("[data-toggle-sheet]")
    page.click(".question.current .hints > summary")
    small["up"] = page.evaluate(SMALL)
    page.click("[data-tab=overall]")
    small["overall"] = page.evaluate(SMALL)
    state(page, "saved")
    bed.submit(mine[1])
    bed.ask(mine[1].release, "kids", rita)
    for address in ("/", "/reviews/", "/reviews/questions/"):
        page.goto(address)
        small[address] = page.evaluate(SMALL)
        assert overflow(page) == []
    assert not any(small.values()), small


# --- Room -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1440, 900), (1024, 700)])
def test_what_is_missing_is_short_linked_and_moves_no_level_out_of_the_window(
    browse: SignIn, rita: User, mine: list[Review], complaints: list[str], size: tuple[int, int]
) -> None:
    page = browse(rita)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/reviews/{mine[0].pk}/")
    press(page, "y", "Control+Enter")
    problem = page.locator(".question.current .problem")
    expect(problem).to_have_text("Question 2 of Usability & Value needs an answer.")
    assert page.evaluate(OUT_OF_SIGHT) == []
    missing = page.locator("[data-problems] li")
    expect(missing).to_have_count(9)
    page.click("[data-problems] >> text=Question 3 of Personalization")
    expect(page.locator(".question.current")).to_have_attribute(
        "data-row", f"answers.{PERSONALIZATION}.3"
    )
    assert page.evaluate(OUT_OF_SIGHT) == []
    press(page, "y")
    expect(missing).to_have_count(8)
    state(page, "saved")
    expected_troubles(complaints)


def long_judgement() -> Judgement:
    said = bed.judgement(3)
    scores = {key: replace(score, rationale=LONG) for key, score in said.scores.items()}
    return replace(said, scores=scores)


IS_CUT = """() => [...document.querySelectorAll(".desk-scroll textarea")].filter(
  one => one.checkVisibility() && (one.scrollHeight > one.clientHeight + 1)).map(one => one.name)"""


def test_a_revision_has_room_for_its_levels_and_its_reason(
    browse: SignIn, rita: User, mine: list[Review]
) -> None:
    bed.submit(mine[0])
    page = browse(rita)
    page.set_viewport_size({"width": 1024, "height": 700})
    page.goto(f"/reviews/{mine[0].pk}/?revise=1")
    assert page.evaluate(OUT_OF_SIGHT) == []
    expect(page.locator(".panel.current .why textarea")).to_be_in_viewport(ratio=1)
    assert box(page, "button[value=submit]")["height"] < 50


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_reasons_grow_with_their_text_and_are_never_cut(
    browse: SignIn, rita: User, mine: list[Review], size: str
) -> None:
    page = browse(rita, size=size)
    page.goto(f"/reviews/{mine[0].pk}/")
    if size == "phone":
        page.click("[data-toggle-sheet]")
    press(page, "3", "r")
    height = box(page, ".panel.current .why textarea")["height"]
    page.keyboard.insert_text(LONG)
    assert box(page, ".panel.current .why textarea")["height"] > 3 * height
    assert page.evaluate(IS_CUT) == []
    state(page, "saved")
    bed.submit(now(mine[0]), long_judgement())
    page.goto(f"/reviews/{mine[0].pk}/")
    if size == "phone":
        page.click("[data-toggle-sheet]")
    expect(page.locator(".panel.current .why textarea")).to_have_value(LONG)
    assert page.evaluate(IS_CUT) == []
    assert overflow(page) == []


def real_case(prefix: str, *, version: str = "") -> dict[str, object]:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    found = [
        row
        for path in sorted(Path(folder, "itineraries").glob("dev_t*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        if prefix in row["case_key"] and version in row.get("release", {}).get("version", "")
    ]
    return dict(found[0])


CUT_FACTS = """() => {
  const facts = document.querySelector(".question.current .desk-facts");
  const panel = document.querySelector(".panel.current");
  const scale = panel.querySelector(".scale");
  const before = scale.previousElementSibling.getBoundingClientRect().bottom;
  return {
    cut: facts ? facts.scrollHeight - facts.clientHeight : 0,
    free: scale.getBoundingClientRect().top - before,
  };
}"""


@pytest.mark.parametrize("size", [(1440, 900), (1440, 800), (1024, 700)])
@pytest.mark.parametrize("case", ["c07", "val_115"])
def test_facts_of_the_current_question_are_whole_where_there_is_room(
    browse: SignIn, rita: User, case: str, size: tuple[int, int]
) -> None:
    row = real_case(case, version="2026-02-28" if case == "c07" else "")
    release = bed.filled()
    bed.bring(release, row)
    bed.draw(release)
    key = str(row["case_key"])
    if key not in bed.sampled(release):
        amendments.add(release=bed.current(release), case_key=key, reason="x", user=None, now=NOW)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    review = bed.assign(release, key, rita)
    page = browse(rita)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/reviews/{review.pk}/")
    wrong = []
    for place in range(10):
        if place:
            press(page, "j")
        if not page.locator(".question.current").count():
            continue
        seen = page.evaluate(CUT_FACTS)
        if seen["cut"] > 1 and seen["free"] > 4:
            wrong.append((place, seen))
        wrong += [(place, one) for one in page.evaluate(OUT_OF_SIGHT)]
        if size == (1440, 900):
            assert seen["cut"] <= 1, (place, seen)
    assert not wrong


# --- Everyone can use it --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "dark", "en"), ("tablet", "light", "zh-hans"), ("phone", "light", "en")],
)
def test_what_is_missing_two_versions_and_a_case_given_back_are_accessible(
    browse: SignIn,
    axe: Axe,
    rita: User,
    ada: User,
    mine: list[Review],
    complaints: list[str],
    size: str,
    scheme: str,
    language: str,
) -> None:
    first, second = mine
    page = browse(rita, size=size, scheme=scheme, language=language)
    other = page.context.new_page()
    for one in (page, other):
        one.goto(f"/reviews/{first.pk}/")
    press(page, "y", "Control+Enter")
    expect(page.locator("[data-problems] li").first).to_be_visible()
    wrong = [f"missing {one}" for one in [*violations(axe, page), *overflow(page)]]
    state(page, "saved")
    press(other, "n")
    expect(other.locator("#conflict")).to_be_visible()
    wrong += [f"two versions {one}" for one in [*violations(axe, other), *overflow(other)]]
    other.close()
    page.goto(f"/reviews/{second.pk}/decline/")
    wrong += [f"cannot judge {one}" for one in [*violations(axe, page), *overflow(page)]]
    page.check("[value=broken]")
    page.fill("[name=reason]", "Day 2 is empty.")
    follow(page, "main form button.danger")
    admin = browse(ada, size=size, scheme=scheme, language=language)
    admin.goto(f"/releases/{second.release.name}/assignments/")
    wrong += [f"assignments {one}" for one in [*violations(axe, admin), *overflow(admin)]]
    follow(admin, f'a[href$="/{second.case.code}/rita/give-back/"]')
    wrong += [f"give back {one}" for one in [*violations(axe, admin), *overflow(admin)]]
    admin.fill("[name=answer]", "The second day is meant to be empty.")
    follow(admin, "main form button.primary")
    bed.submit(now(first), long_judgement())
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": min(height, 700)})
    page.goto(f"/reviews/{first.pk}/")
    wrong += [f"submitted {one}" for one in [*violations(axe, page), *overflow(page)]]
    page.goto(f"/reviews/{first.pk}/?revise=1")
    wrong += [f"revised {one}" for one in [*violations(axe, page), *overflow(page)]]
    page.goto("/reviews/")
    wrong += [f"done {one}" for one in [*violations(axe, page), *overflow(page)]]
    page.goto(f"/reviews/{second.pk}/")
    expect(page.locator(".banner")).to_contain_text("The second day is meant to be empty.")
    wrong += [f"given back {one}" for one in [*violations(axe, page), *overflow(page)]]
    expected_troubles(complaints)
    assert not wrong, "\n".join(wrong)


def test_a_closed_review_that_scrolls_is_reached_by_keyboard(
    browse: SignIn, axe: Axe, rita: User, mine: list[Review]
) -> None:
    bed.submit(mine[0], long_judgement())
    release = bed.current(mine[0].release)
    releases_lifecycle.abandon(release=release, reason="x", user=None, now=NOW)
    page = browse(rita)
    page.set_viewport_size({"width": 1024, "height": 700})
    page.goto(f"/reviews/{mine[0].pk}/")
    assert "the metric scrolls" in page.evaluate(OUT_OF_SIGHT)
    assert violations(axe, page) == []
