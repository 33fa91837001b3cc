"""An admin invites somebody, who comes in and signs in."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow

pytestmark = ON_A_LIVE_SERVER


def test_somebody_is_invited_sets_a_password_and_signs_in(browse: SignIn, ada: User) -> None:
    page = browse(ada)
    page.goto("/people/")
    follow(page, "text=Invite a person")
    page.fill("input[name=username]", "Omar")
    follow(page, "button:has-text('Create account and link')")
    link = page.input_value("#link")
    page.reload()
    assert page.locator("#link").count() == 0

    guest = browse()
    guest.goto(link)
    assert link.split("/")[-2] not in guest.url
    for field in ("new_password1", "new_password2"):
        guest.fill(f"input[name={field}]", "a long enough sentence")
    follow(guest, "button.primary")
    assert "Your password is set." in guest.inner_text("main")
    guest.fill("input[name=login]", "omar")
    guest.fill("input[name=password]", "a long enough sentence")
    follow(guest, "button.primary")
    assert "My reviews" in guest.inner_text("main")

    again = browse()
    again.goto(link)
    assert "This link no longer works" in again.inner_text("main")


def test_the_list_narrows_while_typing(browse: SignIn, ada: User, rita: User, omar: User) -> None:
    page = browse(ada)
    page.goto("/people/")
    assert page.locator("#people tbody tr").count() == 3
    page.locator("input[name=q]").press_sequentially("rit")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    assert "rita" in page.inner_text("#people")
    expect(page).to_have_url(re.compile("q=rit"))


def test_deactivating_asks_once_more_and_ends_the_session(
    browse: SignIn, ada: User, rita: User
) -> None:
    hers = browse(rita)
    hers.goto("/")
    assert "/sign-in/" not in hers.url
    page = browse(ada)
    page.goto("/people/rita/")
    assert not page.locator("button:has-text('Deactivate now')").is_visible()
    page.click("summary:has-text('Deactivate')")
    follow(page, "button:has-text('Deactivate now')")
    assert "can no longer sign in" in page.inner_text("main")
    hers.goto("/")
    assert "/sign-in/" in hers.url
