"""A release from drawing to signature as admin and manager meet it: accessible, whole, by hand."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from cases.models import Release, Rubric
from reviews.models import LastLook
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow

pytestmark = ON_A_LIVE_SERVER

LONG_KEY = "k" * 200
LONG_REASON = "y" * 490


def make_examples(ada: User) -> None:
    """A release at each place of the path, and things that went wrong on the way."""
    bed.filled("undrawn", without=["feast"], more={"near": ["beijing"]})
    both = {"both": [*bed.FILLING["feast"], "low-budget"]}
    shared = bed.filled("shared", without=["feast", "thrift"], more=both)
    rule = f"kind:{bed.KIND_OF['thrift']}"
    releases_waivers.waive(release=shared, rule=rule, reason="not this time", user=None, now=NOW)
    drawn = bed.drawn("drawn", more={LONG_KEY: ()})
    amendments.add(release=drawn, case_key=LONG_KEY, reason=LONG_REASON, user=ada, now=NOW)
    reviewing = bed.started("reviewing", more={LONG_KEY: ()})
    amendments.add(release=reviewing, case_key=LONG_KEY, reason=LONG_REASON, user=ada, now=NOW)
    words: dict[str, Any] = {"reason": LONG_REASON, "user": ada, "now": NOW}
    amendments.withdraw(release=reviewing, case_key=LONG_KEY, cause="broken", **words)
    closed = bed.started("closed", without=bed.SPARE)
    releases_lifecycle.close(release=closed, waived=["reviews"], **words)
    gone = bed.drawn("gone", without=bed.SPARE)
    releases_lifecycle.abandon(release=gone, **words)


def addresses(role: str) -> tuple[list[str], list[str]]:
    """Each page in the state in which it shows the most; then those made of the same parts."""
    drawn = Release.objects.get(name="drawn").cases.get(case_key="feast").code
    running = Release.objects.get(name="reviewing").cases.get(case_key="feast").code
    if role == "manager":
        return [
            *("/releases/shared/", "/releases/closed/"),
            *("/releases/reviewing/close/", "/releases/closed/decision/"),
        ], [
            *("/releases/drawn/abandon/", "/releases/closed/reopen/"),
            "/releases/undrawn/waive/?rule=reviews",
        ]
    return [
        "/releases/?q=k",
        *("/releases/undrawn/", "/releases/drawn/"),
        "/releases/drawn/draws/1/?case=nowhere",
        "/releases/reviewing/events/?verify=all",
        *("/releases/drawn/edit/", "/releases/drawn/start/"),
        f"/releases/drawn/sample/{drawn}/swap/",
        f"/releases/reviewing/sample/{running}/withdraw/",
    ], [
        *("/releases/", "/releases/gone/", "/releases/reviewing/", "/releases/undrawn/start/"),
        "/releases/drawn/cases/",
        *("/releases/drawn/sample/add/", f"/releases/drawn/sample/{drawn}/remove/"),
        f"/cases/{drawn}/",
    ]


def faults(page: Page, axe: Axe | None) -> list[str]:
    """Folded as it opens it is looked at for access, unfolded for what sticks out."""
    found = violations(axe, page) if axe else []
    page.evaluate(UNFOLD)
    return [*found, *overflow(page)]


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("desk", "light", "en"), ("phone", "dark", "zh-hans")]
)
def test_every_page_of_a_release_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    ada: User,
    mina: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    """Also with keys of 200 characters and reasons that never end."""
    make_examples(ada)
    wrong = []
    for role, user in (("admin", ada), ("manager", mina)):
        page = browse(user, size=size, scheme=scheme, language=language)
        # As if everything had happened since the last visit.
        for release in Release.objects.all():
            LastLook.objects.get_or_create(
                user=user,
                release=release,
                defaults={"looked_at": NOW, "seen": 0, "seen_before": 0},
            )
        whole, same = addresses(role)
        for path in [*whole, *same]:
            page.goto(path)
            found = faults(page, axe if path in whole else None)
            wrong += [f"{role} {path}: {what}" for what in found]
    assert wrong == []


def test_what_was_refused_is_accessible_and_whole(
    browse: SignIn, axe: Axe, ada: User, mina: User, rubric: Rubric, complaints: list[str]
) -> None:
    make_examples(ada)
    page = browse(ada, size="phone")
    wrong = []
    page.goto("/releases/undrawn/")
    follow(page, "form.draw button")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
    wrong += faults(page, axe)
    page.goto("/releases/drawn/sample/add/")
    page.fill("input[name=into]", LONG_KEY)
    page.fill("textarea[name=reason]", LONG_REASON)
    follow(page, "main button.primary")
    assert page.input_value("input[name=into]") == LONG_KEY
    assert page.input_value("textarea[name=reason]") == LONG_REASON
    wrong += faults(page, axe)
    page = browse(mina, size="phone")
    page.goto("/releases/reviewing/close/")
    follow(page, "main button.primary")
    assert "It cannot be closed yet." in page.inner_text("[role=alert]")
    wrong += faults(page, axe)
    assert wrong == []
    assert len(complaints) == 3
    assert all("409" in one for one in complaints)
    complaints.clear()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_admin_draws_and_starts_and_a_manager_closes_and_signs(
    browse: SignIn, ada: User, mina: User, rita: User, rubric: Rubric, scripts: bool
) -> None:
    release = bed.filled("walk", k=1, more={"kids-2": ["family"]})
    page = browse(ada, scripts=scripts)
    page.goto("/releases/")
    follow(page, "text=walk")
    follow(page, "button:has-text('Draw the sample')")
    assert "Draw 1: 5 of 9 cases." in page.inner_text(".messages")
    follow(page, "text=The whole order of the draw")
    page.fill("input[name=case]", "spare-1")
    follow(page, "button:has-text('Find')")
    assert "spare-1" in page.inner_text("tr.found")
    page.go_back()
    page.go_back()
    follow(page, "a:has-text('Add a case')")
    page.fill("input[name=into]", "spare-1")
    page.fill("textarea[name=reason]", "one more")
    follow(page, "main button.primary")
    assert "spare-1 is in the sample." in page.inner_text(".messages")
    row = page.locator(".sample tr", has_text="spare-1")
    follow(page, row.get_by_text("Remove"))
    page.fill("textarea[name=reason]", "one too many")
    follow(page, "main button.danger")
    follow(page, "a:has-text('Start the review')")
    assert "5 cases are read" in page.inner_text("main")
    follow(page, "main button.primary")
    assert "The review of walk has started." in page.inner_text(".messages")
    row = page.locator(".sample tr", has_text="kids")
    follow(page, row.get_by_text("Withdraw"))
    page.check("input[value=broken]")
    page.fill("textarea[name=reason]", "cut off")
    follow(page, "main button.danger")
    assert "the next in line" in page.inner_text(".messages")

    bed.review_all(release, rita, but=["rush"])
    page = browse(mina, scripts=scripts)
    page.goto("/releases/walk/")
    follow(page, "text=What is missing before it can be closed")
    page.check("input[value=reviews]")
    page.fill("textarea[name=reason]", "time is up")
    follow(page, "main button.primary")
    assert "walk is closed." in page.inner_text(".messages")
    follow(page, "a:has-text('Read the report and sign')")
    page.click(".sign summary")
    page.check("input[value=ship]")
    page.fill("textarea[name=reason]", "good enough")
    follow(page, ".sign button.primary")
    # One case was judged by nobody: that is not enough evidence, whatever was waived.
    assert "ship against the verdict signed by mina" in page.inner_text(".verdict")
    page.goto("/releases/walk/")
    assert "Done" in page.inner_text(".next-step")
    assert "mina" in page.inner_text(".closing")
    follow(page, "text=History")
    follow(page, "text=Verify the whole ledger")
    assert "events are verified" in page.inner_text("[role=status]")
    assert [one.by for one in release.decisions.all()] == ["mina"]
    # The end of a long page may still be on its way.
    expect(page.locator(".history > li")).to_have_count(Release.objects.get().ledger_length)


def test_the_return_key_in_the_reason_excludes_the_chosen_cases(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    """And does not fall to the form about tags, which is folded away above it."""
    release = bed.filled("walk", without=bed.SPARE)
    page = browse(ada)
    page.goto("/releases/walk/cases/")
    page.check(f"input[value='{release.cases.get(case_key='kids').code}']")
    page.click("summary:has-text('Exclude the chosen cases')")
    page.fill("input[name=exclusion_reason]", "no photos")
    with page.expect_navigation():
        page.press("input[name=exclusion_reason]", "Enter")
    assert "1 case is excluded from the draw." in page.inner_text(".messages")


def test_another_product_offers_its_own_baselines(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    for name, product in (("walk-1", "walker"), ("stroll-1", "stroller"), ("stroll-2", "stroller")):
        release = make_release(name, product=product)
        releases_lifecycle.abandon(release=release, reason="Old.", user=None, now=NOW)
    page = browse(ada)
    page.goto("/new-release/?product=walker")
    offered = page.locator("select[name=baseline] option")
    assert offered.all_inner_texts()[1:] == ["walk-1"]
    page.fill("input[name=name]", "stroll-3")
    page.fill("input[name=product]", "stroller")
    page.keyboard.press("Tab")
    expect(offered).to_have_count(3)
    assert offered.all_inner_texts()[1:] == ["stroll-2", "stroll-1"]
    assert page.input_value("input[name=name]") == "stroll-3"
