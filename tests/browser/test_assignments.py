"""Who reviews what as an admin meets it: accessible, whole, and done by hand."""

from datetime import date

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import workflow as desk_workflow
from reviews.models import Review
from reviews.people import workflow as people_workflow
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow
from tests.people import make_person

pytestmark = ON_A_LIVE_SERVER

LONG_KEY = "k" * 200
LONG_NAME = "n" * 150
LONG_REASON = "y" * 490


def make_examples(ada: User, rita: User, omar: User) -> None:
    """All that can stand out, and a crowd; names, keys and reasons as long as they may be."""
    long, gone = make_person(LONG_NAME, Role.REVIEWER), make_person("gone", Role.REVIEWER)
    full = bed.started("full", without=bed.SPARE, size=6, more={LONG_KEY: ()})
    for key, user in (("feast", rita), ("kids", omar), (LONG_KEY, long), ("ramp", gone)):
        bed.assign(full, key, user)
    bed.review(full, "feast", rita)
    for key, user in ((LONG_KEY, long), ("kids", omar)):
        own = Review.objects.of(full).get(case__case_key=key, reviewer=user)
        desk_workflow.decline(
            review=own.pk, user=user, cause="conflict", reason=LONG_REASON, now=NOW
        )
    for key in ("rush", "thrift"):
        bed.assign(full, key, long)
    people_workflow.deactivate(by=ada, user=gone)
    bed.make_due(full, date(2020, 10, 1))
    for number in range(12):
        make_person(f"person-{number:02}", Role.REVIEWER)
    crowd = bed.started("crowd", k=3)
    assignments_workflow.assign_by_plan(
        release=crowd, usernames=None, per_case=None, user=None, now=NOW
    )


def faults(page: Page, axe: Axe) -> list[str]:
    """On a wide window the sheet of cases and people scrolls on its own; all else stays inside."""
    found = violations(axe, page)
    page.evaluate(UNFOLD)
    page.evaluate(
        """() => {
          const sheets = innerWidth > 760 ? document.querySelectorAll(".sheet") : [];
          sheets.forEach(one => one.firstElementChild.remove());
        }"""
    )
    return [*found, *overflow(page)]


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("desk", "light", "en"), ("phone", "dark", "zh-hans")]
)
def test_every_page_of_the_assignments_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    make_examples(ada, rita, omar)
    rush = Release.objects.get(name="full").cases.get(case_key="rush").code
    page = browse(ada, size=size, scheme=scheme, language=language)
    wrong = []
    for path in (
        "/releases/full/assignments/",
        "/releases/crowd/assignments/",
        "/releases/full/assignments/plan/?per_case=3",
        f"/releases/full/assignments/{rush}/{LONG_NAME}/move/",
        f"/releases/full/assignments/people/{LONG_NAME}/remind/",
    ):
        page.goto(path)
        wrong += [f"{path}: {what}" for what in faults(page, axe)]
    assert wrong == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_admin_plans_looks_writes_moves_one_and_takes_one_back(
    browse: SignIn, ada: User, rita: User, omar: User, rubric: Rubric, scripts: bool
) -> None:
    make_person("lin", Role.REVIEWER)
    release = bed.started("walk", without=bed.SPARE)
    page = browse(ada, scripts=scripts)
    page.goto("/releases/walk/")
    follow(page, "a:has-text('Assign the cases')")
    follow(page, "a:has-text('Plan the assignments')")
    assert "10 reviews would be assigned" in page.inner_text("main")
    page.uncheck("#choose-lin")
    follow(page, "button:has-text('Plan with these people')")
    assert "not chosen" in page.inner_text(".plan-people tr:has-text('lin')")
    follow(page, "button:has-text('Assign 10 reviews')")
    assert "10 reviews are assigned." in page.inner_text(".messages")
    row = page.locator(".case-grid tr", has_text="feast")
    follow(page, row.get_by_text("Move").first)
    page.select_option("select[name=taker]", "lin")
    follow(page, "main button.primary")
    assert "feast moved from" in page.inner_text(".messages")
    row = page.locator(".case-grid tr", has_text="kids")
    follow(page, row.get_by_text("Take back").first)
    page.fill("textarea[name=reason]", "too much at once")
    follow(page, "main button.danger")
    assert "kids is taken back from" in page.inner_text(".messages")
    assert "1 case lacks reviewers." in page.inner_text(".next-step")
    counted = Review.objects.of(release).exclude(status="withdrawn")
    assert counted.filter(reviewer__username="lin").count() == 1
    assert counted.count() == 9
    follow(page, page.locator("a:has-text('Remind')").first)
    follow(page, "button:has-text('Copy and record as sent')")
    assert "is recorded." in page.inner_text(".messages")
    if scripts:
        page.locator("button:has-text('Copy')").first.click()
        expect(page.locator("button:has-text('Copied')")).to_have_count(1)


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("desk", "light", "en"), ("phone", "dark", "zh-hans")]
)
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_admin_moves_many_after_a_look_at_the_plan(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
    scripts: bool,
) -> None:
    release = bed.started("walk", without=bed.SPARE)
    for key in ("feast", "kids", "rush"):
        bed.assign(release, key, rita)
    page = browse(ada, size=size, scheme=scheme, language=language, scripts=scripts)
    page.goto("/releases/walk/assignments/")
    ticks = page.locator(".tick")
    expect(ticks.first).to_be_hidden()
    page.click(".bulk > summary")
    expect(ticks).to_have_count(5)
    for key in ("feast", "kids", "ramp"):
        page.check(f".tick[aria-label={key}]")
    page.select_option("#many [name=act]", "move")
    page.select_option("#many [name=taker]", "omar")
    follow(page, "#many button")
    assert page.locator("[aria-labelledby=going] tbody tr").count() == 2
    assert page.locator("[aria-labelledby=left-out] li").count() == 1
    if scripts:
        assert faults(page, axe) == []
    follow(page, "button[name=confirm]")
    counted = Review.objects.of(release).exclude(status="withdrawn")
    assert set(counted.values_list("case__case_key", "reviewer__username")) == {
        ("feast", "omar"),
        ("kids", "omar"),
        ("rush", "rita"),
    }
    if scripts:
        page.reload()
        page.click(".bulk > summary")
        assert faults(page, axe) == []
