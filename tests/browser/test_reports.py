"""Reports as people meet them: accessible, whole, and on one page where they say so."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import expect

from cases.models import Release, Rubric
from cases.releases import workflow as releases_workflow
from evalsite.permissions import Role
from reviews.desk import judgement as said
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, violations
from tests.browser.layout import UNFOLD, overflow
from tests.people import make_person

pytestmark = ON_A_LIVE_SERVER

LONG = "y" * 400
PAGES = ["/releases/now/report/", "/releases/now/compare/"]
MORE_PAGES = [
    "/releases/now/report/cases/?metric=personalization",
    "/releases/now/report/brief/",
    "/trend/",
]
KEY = "a-key-that-goes-on-" * 5


def make_examples(rita: User, omar: User) -> Release:
    """An open release with everything that a report can show, compared with a closed one."""
    wei = make_person("w" * 60, Role.REVIEWER)
    more = {f"{KEY}{number:02}": ("family",) for number in range(12)}
    before = bed.started("before", more=more, size=16)
    bed.put_reviews(before, rita, wei, value=4)
    releases_lifecycle.close(release=before, user=None, now=NOW)
    release = bed.filled("now", more=more)
    release = releases_workflow.change(
        release=release, baseline=bed.current(before), user=None, now=NOW
    )
    bed.draw(release, size=16)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    given = {}
    for number, key in enumerate(bed.sampled(release)):
        values = (number % 4 + 1, min(number % 4 + 3, 5))
        given[key] = {
            user: said.from_data(
                said.to_data(bed.judgement(value, answer="no" if value < 3 else "yes"))
                | {"comment": LONG}
            )
            for user, value in zip((rita, wei if number % 2 else omar), values, strict=True)
        }
    bed.put_judgements(release, given)
    return bed.current(release)


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_every_page_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    mina: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    """Also with keys, names and comments that never end."""
    release = make_examples(rita, omar)
    bed.look(release, mina)
    page = browse(mina, size=size, scheme=scheme, language=language)
    wrong = []
    pages = [*PAGES, *MORE_PAGES] if size == "desk" else PAGES
    for path in pages:
        page.goto(path)
        assert page.locator("form[action$='look/']").count() == 0
        page.evaluate(UNFOLD)
        found = [*violations(axe, page), *overflow(page)]
        wrong += [f"{path}: {what}" for what in found]
    assert wrong == []


def test_the_brief_prints_on_one_page_of_either_shape(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    release = make_examples(rita, omar)
    bed.look(release, mina)
    page = browse(mina)
    shapes = {}
    for shape in ("", "?shape=slide"):
        page.goto(f"/releases/now/report/brief/{shape}")
        printed = page.pdf(prefer_css_page_size=True)
        boxes = re.findall(rb"/MediaBox\s*\[0 0 (\d+)[\d.]* (\d+)", printed)
        shapes[shape] = [(int(wide), int(high)) for wide, high in boxes]
    assert shapes == {"": [(594, 841)], "?shape=slide": [(960, 540)]}


def test_a_report_prints_on_at_most_five_pages_and_what_is_opened_is_printed_too(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    release = make_examples(rita, omar)
    bed.look(release, mina)
    page = browse(mina)
    page.goto("/releases/now/report/")
    closed = count_pages(page.pdf(prefer_css_page_size=True))
    page.locator("#method > summary").click()
    assert closed <= 5
    assert count_pages(page.pdf(prefer_css_page_size=True)) > closed


def count_pages(printed: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page[^s]", printed))


def test_the_first_screen_is_one_screen(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    bed.look(make_examples(rita, omar), mina)
    page = browse(mina)
    page.goto("/releases/now/report/")
    box = page.locator(".opening").bounding_box()
    assert box
    assert box["y"] < 800


@pytest.mark.parametrize("size", ["desk", "phone"])
@pytest.mark.parametrize("scripts", [True, False])
def test_the_menu_of_files_opens_over_the_page_and_moves_no_button(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric, size: str, scripts: bool
) -> None:
    bed.look(make_examples(rita, omar), mina)
    page = browse(mina, size=size, scripts=scripts)
    page.goto("/releases/now/report/")
    buttons = page.locator(".report-acts .button")
    buttons.last.scroll_into_view_if_needed()
    before = [button.bounding_box() for button in buttons.all()]
    page.locator(".exports summary").click()
    files = page.locator(".exports a")
    expect(files.last).to_be_visible()
    assert [button.bounding_box() for button in buttons.all()] == before
    width = page.viewport_size["width"] if page.viewport_size else 0
    for file in files.all():
        box = file.bounding_box()
        assert box
        assert box["x"] + box["width"] <= width
    if scripts:
        page.keyboard.press("Escape")
        expect(files.last).to_be_hidden()
        expect(page.locator(".exports summary")).to_be_focused()
        page.keyboard.press("Enter")
        page.locator("h1").click()
        expect(files.last).to_be_hidden()


def test_a_link_to_a_folded_part_opens_it(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    bed.look(make_examples(rita, omar), mina)
    page = browse(mina)
    page.goto("/releases/now/report/")
    assert not page.locator("#criteria").is_visible()
    page.locator(".because a[href$='#criteria']").first.click()
    expect(page.locator("#criteria")).to_be_visible()


IN_A_GRID = """() => [...document.querySelectorAll('.part table')].filter(table => {
  if (!table.checkVisibility()) return false;
  for (let one = table.parentElement; one.tagName !== 'BODY'; one = one.parentElement)
    if (/grid|flex/.test(getComputedStyle(one).display)) return true;
  return false;
}).map(table => table.textContent.trim().slice(0, 60))"""


def test_a_printed_table_stands_in_no_grid_that_would_not_grow_over_the_page(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    """What follows it was printed over its last row."""
    release = make_examples(rita, omar)
    bed.look(release, mina)
    page = browse(mina)
    page.goto("/releases/now/report/")
    assert page.evaluate(IN_A_GRID) != []  # on the screen they do
    page.emulate_media(media="print")
    assert page.evaluate(IN_A_GRID) == []
