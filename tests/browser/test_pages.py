"""Every page as its user meets it: readable, accessible, nothing cut, in both languages."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page

from cases.models import Rubric
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations

pytestmark = ON_A_LIVE_SERVER

PAGES = {
    "admin": [
        *["/", "/rubrics/", "/rubrics/1/", "/rubrics/new/", "/people/", "/people/rita/"],
        *["/invite/", "/account/", "/account/password/", "/account/second-factor/"],
    ],
    "reviewer": ["/", "/rubrics/1/", "/account/"],
    "manager": ["/", "/rubrics/1/"],
}


def is_cut(page: Page) -> bool:
    """Whether somebody would have to scroll sideways."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_every_page_is_accessible_and_fits(
    browse: SignIn,
    axe: Axe,
    rita: User,
    ada: User,
    mina: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    people = {"admin": ada, "reviewer": rita, "manager": mina}
    wrong = []
    for role, paths in PAGES.items():
        page = browse(people[role], size=size, scheme=scheme, language=language)
        for path in paths:
            page.goto(path)
            wrong += [f"{role} {path}: {what}" for what in violations(axe, page)]
            if is_cut(page):
                wrong.append(f"{role} {path}: wider than the window")
    assert wrong == []


@pytest.mark.parametrize(("scheme", "language"), [("light", "zh-hans"), ("dark", "en")])
def test_the_doors_are_accessible_and_fit(
    browse: SignIn, axe: Axe, complaints: list[str], scheme: str, language: str
) -> None:
    page = browse(size="phone", scheme=scheme, language=language)
    wrong = []
    for path in ["/sign-in/", "/invitation/Mg/abc-123/", "/no-such-page/"]:
        page.goto(path)
        wrong += [f"{path}: {what}" for what in violations(axe, page)]
        if is_cut(page):
            wrong.append(f"{path}: wider than the window")
    assert wrong == []
    # Chromium reports the 404 that was asked for.
    assert all("404" in one for one in complaints)
    complaints.clear()


def test_the_first_tab_key_offers_to_skip_the_bar(browse: SignIn, rita: User) -> None:
    page = browse(rita)
    page.goto("/")
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to content"
    focused.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_the_language_switch_keeps_the_page(browse: SignIn, rita: User, rubric: Rubric) -> None:
    page = browse(rita)
    page.goto("/rubrics/1/")
    follow(page, "text=简体中文 >> nth=0")
    assert page.url.endswith("/rubrics/1/")
    assert page.locator("html").get_attribute("lang") == "zh-hans"


def test_the_site_works_without_scripts(browse: SignIn, ada: User, rubric: Rubric) -> None:
    page = browse(ada, scripts=False)
    page.goto("/people/?q=ad")
    follow(page, "#people a")
    page.fill("input[name=name]", "Ada Wong")
    follow(page, "text=Save")
    assert "Saved." in page.inner_text("main")
