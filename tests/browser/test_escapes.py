"""What got through, in Chromium: accessible and whole, and moved without scripts as with them."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import expect

from cases.models import Release, Rubric, RuleState
from cases.rules import workflow as rules_workflow
from reviews.models import Escape
from tests.bed import escapes, reviewed
from tests.bed.cases import NOW
from tests.bed.escapes import LUNCH, says
from tests.bed.rules import propose
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, violations
from tests.browser.layout import UNFOLD, overflow

pytestmark = ON_A_LIVE_SERVER

KEY = "a-key-that-goes-on-" * 5
PAGE = "/escapes/?product=wanderer"


def make_examples(rita: User, omar: User) -> Release:
    """Findings in cases with keys that never end, and an adopted rule."""
    more = {f"{KEY}{number:02}": ("family",) for number in range(4)}
    release = reviewed.started(more=more, size=9)
    finding = [says(no=[LUNCH], personalization=0)] * 2
    escapes.put(release, [rita, omar], dict.fromkeys(reviewed.sampled(release), finding))
    version = propose(now=NOW)
    rules_workflow.move(version=version, to=RuleState.ADOPTED, user=None, now=NOW)
    escapes.close(release)
    return reviewed.current(release)


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_both_pages_are_accessible_and_whole(
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
    make_examples(rita, omar)
    page = browse(mina, size=size, scheme=scheme, language=language)
    wrong = []
    for path in (PAGE, f"{PAGE}&state=all", "/escapes/history/?product=wanderer"):
        page.goto(path)
        page.evaluate(UNFOLD)
        wrong += [f"{path}: {what}" for what in [*violations(axe, page), *overflow(page)]]
    assert wrong == []


def test_an_admin_chooses_moves_and_sees_what_is_left(
    browse: SignIn, ada: User, rita: User, omar: User, rubric: Rubric
) -> None:
    make_examples(rita, omar)
    page = browse(ada)
    page.goto(PAGE)
    rows = page.locator("table.behind tbody tr")
    count = rows.count()
    rows.nth(0).locator("input[type=checkbox]").check()
    rows.nth(1).locator("input[type=checkbox]").check()
    page.get_by_text("Move what is chosen").click()
    page.get_by_role("combobox", name="New state").select_option("fixed")
    page.get_by_role("textbox", name="Reason").fill("Commit 4711.")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator(".messages")).to_contain_text("2 moved: fixed.")
    expect(rows).to_have_count(count - 2)
    assert Escape.objects.filter(state="fixed").count() == 2
