"""A manager turns what reviewers found into a rule, and looks at it on a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User

from cases.models import Rubric, Rule
from tests.bed import reviewed
from tests.bed.rules import OVER_LUNCH, propose
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import overflow

pytestmark = ON_A_LIVE_SERVER

HERE, KEY = "/products/wanderer/rules/", "meal-over-visit"


@pytest.fixture(autouse=True)
def pool(rubric: Rubric) -> None:
    release = reviewed.filled()
    reviewed.bring(release, reviewed.row("kids", "family", plan=OVER_LUNCH))


def test_a_manager_proposes_and_adopts_a_rule(browse: SignIn, mina: User) -> None:
    page = browse(mina)
    page.goto(HERE)
    follow(page, "text=Propose the first rule")
    follow(page, "text=A meal lies over a visit")
    page.fill("input[name=least-count]", "1")
    follow(page, "button:has-text('Propose')")
    assert "Too few reads" in page.inner_text("main")
    page.check("text=Adopt it although 1 kind could not be filled")
    follow(page, "button:has-text('Adopt')")
    assert "meal-over-visit v1 is now adopted." in page.inner_text("main")
    assert Rule.objects.get().state == "adopted"


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans")],
)
def test_every_page_of_rules_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    mina: User,
    size: str,
    scheme: str,
    language: str,
) -> None:
    propose()
    page = browse(mina, size=size, scheme=scheme, language=language)
    wrong = []
    for address in (HERE, f"{HERE}new/", f"{HERE}new/?fact=pace/over-before-15", f"{HERE}{KEY}/"):
        page.goto(address)
        wrong += [f"{address}: {found}" for found in [*violations(axe, page), *overflow(page)]]
    assert wrong == []
