"""Pages in a real Chromium, served by the test process.

What a browser makes of a page depends on no engine, and the same pages are asked for on both by the
tests beside these: `make test` runs these on SQLite alone.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from reviews.models import Review
from tests.bed import reviewed
from tests.bed.system import chromium_path

# Playwright runs an event loop in this thread; Django would refuse its queries beside one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--disable-gpu-rasterization",
    "--in-process-gpu",
    "--no-first-run",
]
# Another thread serves the pages, so nothing can be rolled back.
ON_A_LIVE_SERVER = pytest.mark.django_db(transaction=True)
# Milliseconds. A healthy page takes a second; on a busy machine it may take many, and is healthy.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
SIZES = {"desk": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}

SignIn = Callable[..., Page]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [one for one in items if Path(__file__).parent in one.path.parents]
    for one in here:
        one.add_marker(pytest.mark.sqlite)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed; tests/bed/system.py says how to get it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser said in its console; empty after a good test."""
    return []


@pytest.fixture
def browse(chromium: Browser, live_server: LiveServer, complaints: list[str]) -> Iterator[SignIn]:
    """`browse(user, size=..., scheme=..., language=..., scripts=...)`: a page, signed in."""
    contexts = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_page(
        user: User | None = None,
        *,
        size: str = "desk",
        scheme: str = "light",
        language: str = "en",
        scripts: bool = True,
    ) -> Page:
        width, height = SIZES[size]
        context = chromium.new_context(
            base_url=live_server.url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
            has_touch=size == "phone",
            locale="zh-CN" if language == "zh-hans" else "en-GB",
            permissions=["clipboard-write"],  # a browser with a window gives it to a click
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        cookies = {"django_language": language}
        if user is not None:
            # Through the door itself goes test_people; here it would take a second each time.
            client = Client()
            client.force_login(user)
            name = settings.SESSION_COOKIE_NAME
            cookies[name] = client.cookies[name].value
        context.add_cookies(
            [
                {"name": name, "value": value, "url": live_server.url}
                for name, value in cookies.items()
            ]
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def mine(transactional_db: None, rita: User) -> list[Review]:
    """Two cases on rita's desk, in the order in which they come."""
    release = reviewed.started()
    found = [reviewed.assign(release, key, rita) for key in ("feast", "rush")]
    return sorted(found, key=lambda one: one.place)


def follow(page: Page, link: str | Locator) -> None:
    """Clicks, and waits for what comes of it: the next question is for that page, not for this."""
    with page.expect_navigation():
        page.click(link) if isinstance(link, str) else link.click()


@pytest.fixture(scope="session")
def axe() -> Axe:
    return Axe()


# What a colour is, axe works out anew for each element and each of those behind it, though a page
# has a few dozen: remembered, with the same answers, a quarter of its time is saved.
REMEMBER_COLOURS = """() => {
  const { Color } = axe.commons.color;
  const parse = Color.prototype.parseString;
  const known = new Map();
  Color.prototype.parseString = function (text) {
    if (!known.has(text)) known.set(text, parse.call(new Color(), text));
    const { r, g, b, alpha } = known.get(text);
    return Object.assign(this, { r, g, b, alpha });
  };
}"""
# Of the answer only this is brought over.
RUN = """async options => {
  const found = await axe.run(options);
  return found.violations.flatMap(
    one => one.nodes.map(node => `${one.id}: ${node.html.slice(0, 150)}`)
  );
}"""


def violations(axe: Axe, page: Page) -> list[str]:
    options = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"],
        # What is right would be described too, with the HTML of every element.
        "resultTypes": ["violations"],
        # Style sheets and sounds, for rules about sounds, which no page has: a fifth of the time.
        "preload": False,
    }
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
        page.evaluate(REMEMBER_COLOURS)
    found: list[str] = page.evaluate(RUN, options)
    return found
