"""The page on which the API can be read and tried, and the pages of tokens."""

import re

from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import expect

from cases.models import Rubric
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import overflow
from tests.browser.test_pages import is_cut
from tests.people import PASSWORD

pytestmark = ON_A_LIVE_SERVER

UNBROKEN = "n" * 60
# What Swagger UI has in its own markup.
OF_SWAGGER = ("nested-interactive", "heading-order", "region")


def test_the_api_can_be_read_and_tried(browse: SignIn, axe: Axe, ada: User, rubric: Rubric) -> None:
    """All of it from this site, under the policy of all other pages: `browse` asks the console."""
    page = browse(ada, size="phone", scheme="dark")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/docs/")
    expect(page.locator(".opblock-summary").first).to_be_visible()
    assert page.locator(".opblock").count() > 30
    wrong = [one for one in violations(axe, page) if not one.startswith(OF_SWAGGER)]
    assert wrong == []
    assert not is_cut(page)
    page.click("[id$=rubric_list] .opblock-summary-control")
    page.click("button:has-text('Try it out')")
    page.click("button:has-text('Execute')")
    status = page.locator(".live-responses-table .response-col_status")
    expect(status.last).to_have_text(re.compile("200"))
    assert not is_cut(page)
    assert all(one.startswith((page.url.split("/api/")[0], "data:")) for one in asked)


def test_a_token_is_made_shown_once_and_revoked(
    browse: SignIn, axe: Axe, ada: User, complaints: list[str]
) -> None:
    page = browse(ada, size="phone", scheme="dark", language="zh-hans")
    wrong = []
    page.goto("/account/")
    follow(page, "a[href$='/tokens/new/']")
    page.fill("input[name=password]", PASSWORD)  # the session was not opened by the door
    follow(page, "button.primary")
    wrong += violations(axe, page)
    page.fill("input[name=name]", UNBROKEN)
    follow(page, "button.primary")  # nothing that it may be used for
    error = page.locator(".form-check .invalid-feedback").bounding_box()
    assert error is not None
    assert error["width"] > 250, error  # of 390: not squeezed beside the last box
    wrong += overflow(page)
    assert "422" in complaints.pop()
    page.check("input[name=scopes][value=read]")
    follow(page, "button.primary")
    wrong += violations(axe, page)
    wrong += overflow(page)
    assert page.input_value("#token").startswith("spotcheck_")
    token = page.input_value("#token")
    page.goto("/account/")
    assert UNBROKEN in page.inner_text("#tokens")
    assert token not in page.content()
    wrong += violations(axe, page) + overflow(page)
    page.goto("/people/ada/")
    wrong += overflow(page)
    page.goto("/account/")
    follow(page, "#tokens li button")
    assert page.locator("#tokens li").count() == 0
    assert wrong == []
