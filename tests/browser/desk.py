"""What the tests of the desk do again and again."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import APIResponse, Page, Route, expect

from reviews.models import Review


def now(review: Review) -> Review:
    review.refresh_from_db()
    return review


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def state(page: Page, expected: str) -> None:
    expect(page.locator(f'[data-saved][data-state="{expected}"]')).to_be_visible()


def kept(page: Page) -> list[str]:
    found: list[str] = page.evaluate("Object.keys(localStorage).filter(k => k.includes(':'))")
    return found


def expected_troubles(complaints: list[str]) -> None:
    """A browser says in its console what it could not load; that was meant."""
    complaints[:] = [one for one in complaints if "Failed to load resource" not in one]


def sign_in_elsewhere(page: Page, user: User, *, secret: str | None = None) -> None:
    """As another tab does: a new session and a new token for forms. The page is told nothing."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    url = "/".join(page.url.split("/")[:3])
    page.context.add_cookies(
        [
            {"name": name, "value": client.cookies[name].value, "url": url},
            {"name": "csrftoken", "value": secret or secrets.token_hex(16), "url": url},
        ]
    )


def sign_out_elsewhere(page: Page) -> None:
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)


def come_back(page: Page) -> None:
    """As when its window is looked at again."""
    page.evaluate("window.dispatchEvent(new Event('focus'))")


def wait_until(page: Page, condition: Callable[[], object]) -> None:
    """For a state that is not in the page, such as a request that is under way."""
    for _look in range(6_000):
        if condition():
            return
        page.wait_for_timeout(10)
    raise AssertionError("It did not come to that within a minute.")


def stop_the_clock(page: Page) -> None:
    """The timers of the page run only while the test says so, with `page.clock.run_for`."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)


class Held:
    """Requests to an address, each of which waits until it is told to go on."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.waiting: list[Route] = []
        self.is_open = False
        page.route(address, self.hold)

    def hold(self, route: Route) -> None:
        # The route stays: to take it away would let go on what waits.
        if self.is_open:
            route.continue_()
        else:
            self.waiting.append(route)

    def next(self) -> Route:
        """The one that has waited longest; waits for one if there is none."""
        wait_until(self.page, lambda: self.waiting)
        return self.waiting.pop(0)

    def let_later_ones_pass(self) -> None:
        self.is_open = True


class LostAnswers:
    """The first request to an address arrives, and all that follow do not; no answer comes back."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.is_first = True
        page.route(address, self.lose)

    def lose(self, route: Route) -> None:
        if self.is_first:
            route.fetch()
        self.is_first = False
        route.abort()

    def end(self) -> None:
        self.page.unroute(self.address)


def answer(route: Route, response: APIResponse) -> None:
    """Gives the page an answer that was fetched before, perhaps long before.

    Without its cookies: those of the answer are what they were, and those of the browser are newer.
    """
    headers = {name: value for name, value in response.headers.items() if name != "set-cookie"}
    route.fulfill(status=response.status, headers=headers, body=response.body())
