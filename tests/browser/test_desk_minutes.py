"""The seconds that a desk counts: only while its page is visible and used."""

import json

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Request

from reviews.models import Review
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn
from tests.browser.desk import now, press, state, stop_the_clock, wait_until

pytestmark = ON_A_LIVE_SERVER

HIDE = """isHidden => Object.defineProperty(
  document, "hidden", { get: () => isHidden, configurable: true })"""


@pytest.fixture
def page(browse: SignIn, rita: User, mine: list[Review]) -> Page:
    """Rita's first case on her desk; its clock runs only while the test says so."""
    found = browse(rita)
    found.goto("/")
    stop_the_clock(found)
    found.goto(f"/reviews/{mine[0].pk}/")
    return found


@pytest.fixture
def sent(page: Page) -> list[int]:
    """The seconds that went out, save by save."""
    found: list[int] = []

    def note(request: Request) -> None:
        if request.url.endswith(("/draft/", "/submit/")):
            found.append(json.loads(request.post_data or "")["active_seconds"])

    page.on("request", note)
    return found


def save(page: Page, key: str, sent: list[int]) -> int:
    """Record something, and return the seconds that went out with it."""
    count = len(sent)
    press(page, key)
    page.clock.run_for(1_500)
    wait_until(page, lambda: len(sent) > count)
    state(page, "saved")
    return sent[-1]


def test_seconds_count_until_half_a_minute_after_the_last_use(
    page: Page, sent: list[int], mine: list[Review]
) -> None:
    page.clock.run_for(10_000)
    assert save(page, "2", sent) in (10, 11)
    used = sent[-1]
    # 29 seconds more count, and then none.
    page.clock.run_for(28_000)
    seconds = save(page, "3", sent)
    assert seconds - used in range(28, 31)
    page.clock.run_for(600_000)
    idle = save(page, "4", sent)
    assert idle - seconds in range(28, 32)
    wait_until(page, lambda: now(mine[0]).version == 3)


def test_a_page_that_is_not_seen_counts_nothing(page: Page, sent: list[int]) -> None:
    first = save(page, "2", sent)
    page.evaluate(HIDE, True)
    page.clock.run_for(20_000)
    page.evaluate(HIDE, False)
    assert save(page, "3", sent) - first in (1, 2)


def test_another_visit_goes_on_from_what_is_stored(
    page: Page, sent: list[int], mine: list[Review]
) -> None:
    Review.objects.filter(pk=mine[0].pk).update(active_seconds=500)
    page.reload()
    page.clock.run_for(5_000)
    assert save(page, "2", sent) in range(505, 508)
    assert now(mine[0]).active_seconds == sent[-1]
