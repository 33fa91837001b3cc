"""Whatever a case holds: it is shown as text, nothing runs, nothing leaves, nothing is torn."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FilePayload, Page

from cases.models import Release
from cases.releases import workflow as releases_workflow
from cases.rubrics.workflow import publish_shipped
from cases.tags import workflow as tags_workflow
from tests.bed import soak
from tests.bed.cases import NOW, import_lines, lines
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow
from tests.browser.layout import UNFOLD, overflow
from tests.cases.itinerary.filled_cases import filled, texts_in

pytestmark = [ON_A_LIVE_SERVER, pytest.mark.soak]

MARKUP = (
    '"><img src=x onerror=window.__hit=1></bdi></span></a></li></ul></td></section></div>'
    "</title></textarea></select>"
    "<script>window.__hit=1</script>"
    '<svg onload=window.__hit=1><iframe srcdoc="<script>top.__hit=1</script>"></iframe>'
    "<a href=javascript:window.__hit=1>go</a><style>main{display:none}</style>"
    "\" onmouseover=window.__hit=1 x='<!--{{7*7}}{% now 'Y' %}%(x)s ${7*7}"
)
MARKDOWN = "# h **b** [x](javascript:window.__hit=1) ![i](http://outside.example/i.png) `c`"
DIRECTIONS = "\u202eEDIRREVO\u2066a\u2067b\u2069 אבג \u200f\u061cمرحبا"
INVISIBLE = "a\u200bb\u200dc\ufeffd\u00ade\u2028f"
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈🇨🇳𠮷"
EVERYTHING = " ".join((MARKUP, MARKDOWN, DIRECTIONS, INVISIBLE, EMOJI))
LONG = "W" * 10_000
# One row of the format holds 256 KB.
LARGE = 200 * 1024

PRODUCT = (MARKUP + DIRECTIONS)[:200]
NAME = "W" * 79  # of a release: letters and digits are all it takes


def nasty_row(key: str = "", **changes: Any) -> dict[str, Any]:
    """Everything in every text of the format, among them all keys that are free."""
    number = iter(range(10_000))
    row = filled(lambda pointer: f"{next(number)}{EVERYTHING}", locale="x-" + "W" * 33)
    row["<script>window.__hit=1</script>"] = {EVERYTHING: [EVERYTHING]}
    row["case_key"] = f"{key}{row['case_key']}"[:200]
    return row | changes


def long_words(length: int, places: set[str] | None = None) -> dict[str, Any]:
    """A word without a space in every text, or in those at these places."""
    number = iter(range(10_000))

    def write(pointer: str) -> str:
        is_long = places is None or pointer in places
        return f"{next(number)}{'W' * length if is_long else ''}"

    return filled(write)


def all_places() -> list[str]:
    found: list[str] = []

    def write(pointer: str) -> str:
        found.append(pointer)
        return str(len(found))

    filled(write)
    return [place for place in found if not place.startswith("/translations/")]


def large_rows() -> Iterator[dict[str, Any]]:
    """One text as large as a row can be, in one field after the other."""
    base: dict[str, Any] = {"case_key": "large", "plan": {"status": "done"}}
    word, words = "W" * LARGE, ("words and 空 spaces " * LARGE)[: LARGE // 2]
    item = {"kind": "sight", "title": "x"}
    yield base | {"request": {"text": word}}
    yield base | {"request": {"text": words, "must_visit": [words[: LARGE // 8]]}}
    yield base | {
        "request": {"text": "x"},
        "plan": {"status": "done", "days": [{"items": [item | {"note": word}]}]},
    }
    yield base | {"request": {"text": "x"}, "plan": {"status": "done", "notes": [words]}}


def make_nasty_release(name: str) -> Release:
    return releases_workflow.create(
        name=name,
        product=PRODUCT,
        rubric=publish_shipped(now=NOW).version,
        reviews_per_case=2,
        baseline=None,
        due_date=None,
        user=None,
        now=NOW,
    )


@dataclass
class Watch:
    """What a page did that it must not."""

    page: Page
    wrong: list[str]

    def look(self, address: str, *, layout: bool = True) -> None:
        self.page.goto(address)
        self.page.evaluate(UNFOLD)
        torn = overflow(self.page) if layout else []
        self.wrong += [f"{address}: {what}" for what in [*self.found(), *torn]]

    def found(self) -> list[str]:
        foreign = self.page.evaluate(
            """[...document.querySelectorAll(
                 "main script, main img, main iframe, main style, [onload], [onclick],"
                 + "[onmouseover], [onerror], a[href^='javascript']"
               )].map(one => one.outerHTML.slice(0, 80))"""
        )
        hit = self.page.evaluate("window.__hit === undefined ? [] : ['a script ran']")
        return [*foreign, *hit]


@contextmanager
def watching(page: Page) -> Iterator[Watch]:
    watch = Watch(page, [])
    page.goto("/")
    origin = page.url.split("/", 3)[2]
    page.on("dialog", lambda dialog: watch.wrong.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.split("/", 3)[2:3] == [origin]
            else watch.wrong.append(f"asked {request.url[:80]}")
        ),
    )
    yield watch
    assert not watch.wrong, "\n".join(watch.wrong)


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_markup_in_every_field_is_text_on_every_page(browse: SignIn, ada: User, size: str) -> None:
    earlier, release = make_nasty_release("earlier"), make_nasty_release(NAME)
    row = nasty_row()
    other = row | {"plan": row["plan"] | {"days": row["plan"]["days"][::-1]}}
    import_lines(earlier, lines(other))
    import_lines(release, lines(row))
    case, before = release.cases.get(), earlier.cases.get()
    tags_workflow.give(
        release=release, codes=[case.code], tag="x" * 80, reason=EVERYTHING[:500], user=ada, now=NOW
    )
    page = browse(ada, size=size)
    with watching(page) as watch:
        watch.look(case.get_absolute_url())
        shown = page.inner_text("main")
        assert shown.count("<script>window.__hit=1</script>") > 100
        assert shown.count(MARKDOWN) > 50
        watch.look(f"{case.get_absolute_url()}against/{before.code}/")
        assert "<script>window.__hit=1</script>" in page.inner_text("main")
        watch.look(f"/releases/{NAME}/cases/")
        assert "<script>window.__hit=1</script>" in page.inner_text("main")
        watch.look(f"/releases/{NAME}/events/")
        watch.look(f"/releases/{NAME}/", layout=False)
        watch.look("/releases/", layout=False)
        upload(page, row | {"produced_by": ["x"]}, nasty_row("new"))
        preview = page.inner_text("main")
        assert "1\nnew" in preview
        assert "1\nchanged" in preview
        assert "onerror=window.__hit=1>" in preview
        watch.look(page.url, layout=False)
        follow(page, "main button.primary")
        watch.look(page.url, layout=False)


def upload(page: Page, *rows: dict[str, Any]) -> None:
    page.goto(f"/releases/{NAME}/import/")
    file = FilePayload(
        name=f"<img src=x onerror=window.__hit=1>{'W' * 150}.jsonl",
        mimeType="application/json",
        buffer=lines(*rows),
    )
    page.set_input_files("input[name=file]", file)
    follow(page, "main button.primary")


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_names_that_never_end_do_not_tear_the_pages_of_releases(
    browse: SignIn, ada: User, size: str
) -> None:
    release = make_nasty_release(NAME)
    import_lines(release, lines(nasty_row()))
    page = browse(ada, size=size)
    with watching(page) as watch:
        watch.look(f"/releases/{NAME}/")
        watch.look("/releases/")
        upload(page, nasty_row("new"), long_words(480))
        watch.look(page.url)


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_refused_file_shows_its_mistakes_as_text(
    browse: SignIn, ada: User, size: str, complaints: list[str]
) -> None:
    make_nasty_release(NAME)
    key = nasty_row()["case_key"]
    rows = [
        {"case_key": key, "request": {"text": "x"}},
        {"case_key": key, "request": {"text": "x"}},
        {"case_key": "a", "request": {"text": "x", "days": EVERYTHING}},
        {"case_key": "b", "request": {"text": "x", "pace": "W" * 500}},
        {"case_key": "c", "request": {"text": "x"}, "plan": {"budget": {"breakdown": {LONG: "x"}}}},
    ]
    page = browse(ada, size=size)
    with watching(page) as watch:
        page.goto(f"/releases/{NAME}/import/")
        page.fill("textarea[name=text]", lines(*rows).decode())
        follow(page, "main button.primary")
        assert "4 rows cannot be used." in page.inner_text("[role=alert]")
        watch.wrong += [*watch.found(), *overflow(page)]
    assert all("422" in one for one in complaints)
    complaints.clear()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_words_that_never_end_do_not_tear_a_page(browse: SignIn, ada: User, size: str) -> None:
    release, earlier = make_nasty_release(NAME), make_nasty_release("earlier")
    import_lines(release, lines(long_words(480)))
    import_lines(earlier, lines(long_words(450)))
    case = release.cases.get()
    before = earlier.cases.get()
    earlier.cases.update(case_key=case.case_key)
    with watching(browse(ada, size=size)) as watch:
        watch.look(case.get_absolute_url())
        watch.look(f"{case.get_absolute_url()}against/{before.code}/")
        watch.look(f"/releases/{NAME}/cases/")


def test_ten_thousand_letters_in_any_field_do_not_tear_a_page(browse: SignIn, ada: User) -> None:
    """Some fields at a time, as many as fit into a row; all of them in the long run."""
    places = all_places()
    groups = [set(places[start : start + 20]) for start in range(0, len(places), 20)]
    release = make_nasty_release(NAME)
    rows = [
        long_words(10_000, group) | {"case_key": f"key-{number}"}
        for number, group in enumerate(groups)
    ]
    assert len(rows) >= 5
    import_lines(release, lines(*rows))
    page = browse(ada, size="phone")
    with watching(page) as watch:
        for case in release.cases.order_by("case_key")[: soak.size(short=3, long=len(rows))]:
            watch.look(case.get_absolute_url())


def test_a_text_as_large_as_a_row_reads_and_does_not_tear_the_page(
    browse: SignIn, ada: User
) -> None:
    release = make_nasty_release(NAME)
    rows = [row | {"case_key": f"large-{n}"} for n, row in enumerate(large_rows())]
    import_lines(release, lines(*rows))
    page = browse(ada, size="phone")
    with watching(page) as watch:
        for case in release.cases.order_by("case_key"):
            watch.look(case.get_absolute_url())
            box = page.locator(".request").bounding_box()
            assert box is not None
            assert box["height"] < 500  # unfolded it scrolls by itself
        watch.look(f"/releases/{NAME}/cases/")


def test_amounts_that_never_end_do_not_tear_a_page(browse: SignIn, ada: User) -> None:
    def bigger(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: bigger(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [bigger(one) for one in value]
        minutes = name in ("minutes", "buffer_minutes")
        return {True: 1e6 if minutes else -1.7e308}.get(value == 12 and value is not True, value)

    release = make_nasty_release(NAME)
    import_lines(release, lines(bigger(filled(lambda pointer: "x"))))
    with watching(browse(ada, size="phone")) as watch:
        watch.look(release.cases.get().get_absolute_url())


def test_a_direction_in_a_text_does_not_reach_the_words_around_it(
    browse: SignIn, ada: User
) -> None:
    """The override ends with its text: what holds it is isolated, or holds nothing else."""
    release = make_nasty_release(NAME)
    row = filled(lambda pointer: f"\u202e{pointer}")
    import_lines(release, lines(row, row | {"case_key": "\u202ekey"}))
    page = browse(ada)
    for address in (
        release.cases.order_by("pk")[0].get_absolute_url(),
        f"/releases/{NAME}/cases/",
        f"/releases/{NAME}/",
    ):
        page.goto(address)
        page.evaluate(UNFOLD)
        open_ended = page.evaluate(
            """() => {
              const found = [];
              const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (walk.nextNode()) {
                const text = walk.currentNode;
                if (!text.data.includes("\\u202e")) continue;
                const style = getComputedStyle(text.parentElement);
                const isIsolated = style.unicodeBidi !== "normal" || style.display !== "inline";
                if (!isIsolated) found.push(text.parentElement.outerHTML.slice(0, 120));
              }
              return found;
            }"""
        )
        assert not open_ended, "\n".join([address, *open_ended])


def test_every_text_of_the_format_is_nasty() -> None:
    """Or has a form of its own: dates, times, the name of the format."""
    plain = [
        (pointer, text)
        for pointer, text in texts_in(nasty_row())
        if "window.__hit" not in text and "window.__hit" not in pointer
    ]
    names = {re.sub(r"/\d+$", "", pointer).split("/")[-1] for pointer, _text in plain}
    assert names == {
        *("schema", "locale", "start_date", "end_date", "date", "start", "end"),
        *("group_type", "pace", "status", "kind"),
    }
