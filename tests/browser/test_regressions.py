"""The page of regressions: accessible and whole, with issues to copy."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import expect

from cases.models import Release, Rubric
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, violations
from tests.browser.layout import UNFOLD, overflow

pytestmark = ON_A_LIVE_SERVER

PAGE = "/releases/wanderer-1/regressions/"
KEY = "a-key-that-goes-on-" * 5


@pytest.fixture
def closed(rubric: Rubric, rita: User, omar: User) -> Release:
    """Every case fails; one has a key that never ends."""
    release = bed.filled("wanderer-1", k=2, without=["kids"], more={KEY: ("family",)})
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    low = bed.judgement(1, answer="no")
    bed.put_judgements(release, {key: {rita: low, omar: low} for key in bed.sampled(release)})
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    return bed.current(release)


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_the_page_is_accessible_and_whole(
    browse: SignIn, axe: Axe, closed: Release, mina: User, size: str, scheme: str, language: str
) -> None:
    page = browse(mina, size=size, scheme=scheme, language=language)
    page.goto(PAGE)
    page.evaluate(UNFOLD)
    assert page.locator("textarea").count() == 5 * 10
    assert violations(axe, page) == []
    assert overflow(page) == []


def test_an_issue_is_copied_as_it_is(browse: SignIn, closed: Release, mina: User) -> None:
    page = browse(mina)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(PAGE)
    fold = page.locator("details.finding").first
    fold.locator("summary").click()
    fold.get_by_role("button", name="Copy").click()
    expect(fold.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == fold.locator("textarea").input_value()
    assert copied.startswith(f"# {KEY}")
