"""Whatever ends a visit to the desk, no letter that was typed is lost. Long in `make soak`.

Each round types a text of its own into a reason, is interrupted at some letter, and ends with all
of it on the server.
"""

import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from reviews.models import Review
from tests import servers
from tests.bed import reviewed as bed
from tests.bed import soak
from tests.bed.desks import ENVIRONMENT, staged
from tests.bed.servers import execute
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn
from tests.browser.desk import (
    expected_troubles,
    now,
    press,
    sign_in_elsewhere,
    sign_out_elsewhere,
    state,
    wait_until,
)
from tests.conftest import MakeDatabase

pytestmark = [ON_A_LIVE_SERVER, pytest.mark.soak, pytest.mark.timeout(3600)]

USABILITY, _PERSONALIZATION = bed.METRICS
WHY = f'[name="why:{USABILITY}"]'
ROUNDS = soak.size(short=2, long=50)


def stored_text(review: Review) -> object:
    return now(review).draft.get("scores", {}).get(USABILITY, {}).get("rationale")


def write(page: Page, text: str, at: int, interrupt: Callable[[], object]) -> None:
    """Replace the reason, and interrupt the writing after some letters."""
    page.fill(WHY, "")
    page.keyboard.type(text[:at])
    interrupt()
    page.keyboard.type(text[at:])


def run(what: str, stored: Callable[[], object], play: Callable[[str, int], Page]) -> None:
    """`play` writes a text with an interruption at a letter, and returns the page that saves it."""
    dice, lost = random.Random(what), []

    def is_stored(text: str) -> bool:
        return stored() == text

    for number in range(ROUNDS):
        text = f"{what} {number}: " + "".join(dice.choices("lunch 午餐 rest 休息 ", k=30)).strip()
        page = play(text, dice.randrange(1, len(text)))
        try:
            wait_until(page, partial(is_stored, text))
        except AssertionError:
            lost.append((text, stored()))
    soak.report(f"{what} while typing", tried=ROUNDS, bad=len(lost))
    assert lost == []


@pytest.fixture
def page(browse: SignIn, rita: User, mine: list[Review]) -> Page:
    found = browse(rita)
    found.goto(f"/reviews/{mine[0].pk}/")
    return found


def test_offline(page: Page, mine: list[Review], complaints: list[str]) -> None:
    def play(text: str, at: int) -> Page:
        write(page, text, at, lambda: page.context.set_offline(True))
        page.context.set_offline(False)
        return page

    run("offline", lambda: stored_text(mine[0]), play)
    expected_troubles(complaints)


def test_the_session_ends_with_a_second_person_in_between(
    page: Page, rita: User, omar: User, mine: list[Review], complaints: list[str]
) -> None:
    """Nothing tells the page of it but the pages that are opened in other tabs."""
    other = page.context.new_page()

    def play(text: str, at: int) -> Page:
        write(page, text, at, lambda: sign_out_elsewhere(page))
        page.evaluate("document.activeElement.blur()")
        sign_in_elsewhere(page, omar)
        other.goto("/")
        sign_in_elsewhere(page, rita)
        other.goto("/reviews/?back=1")
        return page

    run("session end", lambda: stored_text(mine[0]), play)
    assert not Review.objects.filter(reviewer=omar).exists()
    expected_troubles(complaints)


def test_two_tabs(page: Page, mine: list[Review], complaints: list[str]) -> None:
    """The other tab saves in the middle of a word; the question which to keep waits for a pause."""
    other = page.context.new_page()

    def save_elsewhere() -> None:
        # Before that it would open with what this browser keeps of the first tab.
        state(page, "saved")
        other.goto(f"/reviews/{mine[0].pk}/")
        version = now(mine[0]).version
        press(other, "y")
        wait_until(other, lambda: now(mine[0]).version > version)

    def play(text: str, at: int) -> Page:
        write(page, text, at, save_elsewhere)
        page.click("#conflict [data-keep=mine]")
        return page

    run("two tabs", lambda: stored_text(mine[0]), play)
    expected_troubles(complaints)


def test_closed(page: Page, mine: list[Review], complaints: list[str]) -> None:
    context, pages = page.context, [page]

    def close_and_open() -> None:
        pages.pop().close()
        pages.append(context.new_page())
        pages[0].goto(f"/reviews/{mine[0].pk}/")
        pages[0].locator(WHY).focus()
        press(pages[0], "Control+End")

    def play(text: str, at: int) -> Page:
        pages[0].fill(WHY, "")
        pages[0].keyboard.type(text[:at])
        close_and_open()
        pages[0].keyboard.type(text[at:])
        return pages[0]

    run("closing the page", lambda: stored_text(mine[0]), play)
    expected_troubles(complaints)


def test_kill(
    chromium: Browser, migrated_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """kill -9 of the server and its workers, and another on the same port."""
    url = migrated_database("desk_kill", tmp_path_factory.mktemp("desk_kill"))
    work = staged(url, 1).work[0]
    sites = ExitStack()
    site = sites.enter_context(servers.site(database_url=url, env=ENVIRONMENT))
    port = site.port
    context = chromium.new_context(base_url=site.url)
    context.add_cookies([{"name": "sessionid", "value": work.session, "url": site.url}])
    page = context.new_page()
    page.goto(f"/reviews/{work.pk}/")
    alive = [site]

    def stored() -> object:
        draft = execute(url, f"SELECT draft FROM reviews_review WHERE id = {work.pk}")[0][0]
        said = json.loads(draft) if isinstance(draft, str) else draft
        return said.get("scores", {}).get(USABILITY, {}).get("rationale")

    def play(text: str, at: int) -> Page:
        write(page, text, at, alive.pop().kill)
        alive.append(
            sites.enter_context(servers.site(database_url=url, port=port, env=ENVIRONMENT))
        )
        return page

    with sites:
        run("kill", stored, play)
        context.close()
