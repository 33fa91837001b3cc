"""Cases as an admin meets them: read, looked for, tagged, brought in and taken back, printed."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from cases.models import Case, Release
from tests.bed.cases import import_lines, lines, make_case, make_release
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow

pytestmark = ON_A_LIVE_SERVER

LONG_REQUEST = (
    "We are two sisters with our father, who walks with a stick. "
    "我们想慢慢走，每天最多看两个地方，中午要休息。"
    * 3
    + "Please keep to the tram, avoid stairs, and leave the evenings free. " * 5
)


def long_day(number: int) -> dict[str, Any]:
    return {
        "day": number,
        "date": f"2026-05-{number:02}",
        "summary": "河边慢走。",
        "estimated_cost": 120,
        "items": [
            {"start": "07:30", "end": "08:10", "kind": "meal", "title": "早餐", "cost": 20},
            {
                "start": "09:00",
                "end": "10:30",
                "kind": "sight",
                "title": f"纸坊 {number}",
                "cost": 40,
            },
            {"kind": "transport", "transport": {"mode": "tram", "minutes": 75, "to": "Quay"}},
            {"start": "11:00", "end": "13:00", "kind": "sight", "title": f"Quay {number}"},
            {"start": "12:00", "end": "13:00", "kind": "meal", "title": "河边面馆"},
            {"start": "21:30", "end": "00:15", "kind": "sight", "title": "Night boat", "note": "x"},
        ],
    }


def trips() -> list[dict[str, Any]]:
    plan = {"days": [long_day(number) for number in range(1, 13)]}
    long = make_case(
        "long-12-days",
        request={"text": LONG_REQUEST, "mobility": ["行动不便"], "days": 12},
        plan={**plan, "notes": ["Trams run until 22:00.", "routing_confidence=0.9"]},
        tags=["calm", "tram"],
        source={"derived": ["request.* except text"]},
        translations={
            "en": {"plan": {"title": "Two days in Yunxi", "days": [{"summary": "Slow walks."}]}},
            "zh-CN": {"request": {"text": "两姐妹和父亲，慢慢走。" * 12}},
        },
        surprise=[1, 2],
    )
    short = {**long, "case_key": "short", "plan": {**long["plan"], "days": plan["days"][:1]}}
    untimed = {"days": [{"items": [{"kind": "sight", "title": "塔", "place": "白鹭湖"}]}]}
    return [
        long,
        short,
        make_case("no-plan", request={"text": "哪里都行。"}, automated_summary=None)
        | {"plan": None},
        make_case("no-times", plan=untimed, automated_summary={"status": "FAIL"}),
    ]


@pytest.fixture
def release(transactional_db: None) -> Release:
    earlier = make_release("wanderer-0")
    import_lines(earlier, lines(*trips()))
    release = make_release("wanderer-1")
    rows = trips()
    for row in rows[:2]:
        row["plan"]["days"][0]["items"][1]["title"] = "竹影寺"
    import_lines(release, lines(*rows))
    return release


def case_of(release: Release, key: str = "long-12-days") -> Case:
    return release.cases.get(case_key=key)


def earlier_of(case: Case) -> Case:
    return Case.objects.get(case_key=case.case_key, release__name="wanderer-0")


def every_page(page: Page, release: Release) -> list[str]:
    """Addresses; the first is the preview of an import, which is made for it."""
    page.goto("/releases/wanderer-1/import/")
    page.fill("textarea[name=text]", lines(*trips(), make_case("one-more")).decode())
    follow(page, "main button.primary")
    case = case_of(release, "short")
    return [
        page.url,
        case.get_absolute_url(),
        case_of(release, "no-plan").get_absolute_url(),
        case_of(release, "no-times").get_absolute_url(),
        f"{case.get_absolute_url()}against/{earlier_of(case).code}/",
        "/releases/wanderer-1/cases/",
        "/releases/wanderer-1/",
        "/releases/wanderer-1/events/",
    ]


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("desk", "light", "en"), ("phone", "dark", "zh-hans")]
)
def test_every_page_of_cases_is_accessible_and_fits(
    browse: SignIn, axe: Axe, ada: User, release: Release, size: str, scheme: str, language: str
) -> None:
    page = browse(ada, size=size, scheme=scheme, language=language)
    wrong = []
    for address in every_page(page, release):
        page.goto(address)
        page.evaluate(UNFOLD)
        wrong += [f"{address}: {what}" for what in violations(axe, page) + overflow(page)]
    assert wrong == []


def test_the_pages_that_are_read_most_are_accessible_the_other_way_round(
    browse: SignIn, axe: Axe, ada: User, release: Release
) -> None:
    page = browse(ada, size="desk", scheme="dark", language="zh-hans")
    wrong = []
    for address in (case_of(release, "short").get_absolute_url(), "/releases/wanderer-1/cases/"):
        page.goto(address)
        wrong += [f"{address}: {what}" for what in violations(axe, page) + overflow(page)]
    page.goto(case_of(release).get_absolute_url())
    assert wrong + overflow(page) == []


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_request_stays_in_view_down_to_the_last_day(
    browse: SignIn, ada: User, release: Release, size: str
) -> None:
    page = browse(ada, size=size)
    page.goto(case_of(release).get_absolute_url())
    last = page.locator(".day").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    request = page.locator(".request")
    expect(request).to_be_in_viewport(ratio=1)
    box = request.bounding_box()
    assert box is not None
    # At most a quarter of a screen, whatever the request.
    assert box["y"] == 0
    assert box["height"] <= 230
    assert "two sisters" in request.inner_text()


def test_a_request_that_is_cut_unfolds(browse: SignIn, ada: User, release: Release) -> None:
    page = browse(ada, size="phone")
    page.goto(case_of(release).get_absolute_url())
    clamp = page.locator(".request .clamp").first
    is_cut = "one => one.scrollHeight > one.clientHeight"
    assert clamp.evaluate(is_cut)
    page.click(".request summary")
    assert not clamp.evaluate("one => getComputedStyle(one).webkitLineClamp !== 'none'")
    page.goto(case_of(release, "no-times").get_absolute_url())
    assert not page.locator(".request .more").is_visible()


def lit(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.lit')].map(one => one.tagName + ' ' + one.dataset.stop)"
    )
    return found


def test_looking_at_a_fact_lights_its_stop_and_lane(
    browse: SignIn, ada: User, release: Release
) -> None:
    page = browse(ada)
    page.goto(case_of(release).get_absolute_url())
    fact = page.locator(".fact-list li", has_text="short by").first
    refs = (fact.get_attribute("data-refs") or "").split()
    assert refs
    fact.hover()
    shining = lit(page)
    for ref in refs:
        assert f"LI {ref}" in shining
        assert f"rect {ref}" in shining
    page.mouse.move(0, 0)
    assert lit(page) == []
    fact.locator("a").focus()
    assert lit(page) == shining
    page.keyboard.press("Tab")
    assert f"LI {refs[0]}" not in lit(page) or lit(page) != shining


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_number_of_a_fact_jumps_to_its_stop_in_plain_view(
    browse: SignIn, ada: User, release: Release, size: str
) -> None:
    page = browse(ada, size=size)
    address = case_of(release).get_absolute_url()
    page.goto(address)
    links = page.locator("a.fact-number")
    targets = [links.nth(place).get_attribute("href") or "" for place in range(links.count())]
    assert len(set(targets)) >= 4
    for target in dict.fromkeys(targets):
        page.locator(f'a.fact-number[href="{target}"]').first.click()
        expect(page.locator(target)).to_be_in_viewport()
        hidden = page.evaluate(
            """target => {
              const box = document.querySelector(target).getBoundingClientRect();
              return box.top < document.querySelector(".request").getBoundingClientRect().bottom;
            }""",
            target,
        )
        assert not hidden or target == "#at-plan", target


def test_every_jump_of_the_page_has_a_target(browse: SignIn, ada: User, release: Release) -> None:
    page = browse(ada)
    for key in ("long-12-days", "no-times", "no-plan"):
        page.goto(case_of(release, key).get_absolute_url())
        missing = page.evaluate(
            """[...document.querySelectorAll('main a[href^="#"]')]
               .map(one => one.getAttribute("href")).filter(one => !document.querySelector(one))"""
        )
        assert missing == []
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_hours_stand_above_their_lines(
    browse: SignIn, ada: User, release: Release, size: str
) -> None:
    """The scale begins at 7 here, so that two hours are no whole part of it."""
    page = browse(ada, size=size)
    page.goto(case_of(release).get_absolute_url())
    labels, marks = page.evaluate(
        """() => [
          [...document.querySelectorAll(".hours li")].filter(one => one.textContent.trim())
            .map(one => [Number(one.textContent), one.getBoundingClientRect().left]),
          [...document.querySelector(".lane").querySelectorAll(".hour")]
            .map(one => one.getBoundingClientRect().left),
        ]"""
    )
    assert [hour for hour, _left in labels] == list(range(7, 24, 2))
    assert len(labels) == len(marks)
    for (hour, left), mark in zip(labels, marks, strict=True):
        assert abs(left - mark) < 2, hour


@pytest.mark.parametrize("scripts", [True, False])
def test_the_list_is_filtered_with_and_without_scripts(
    browse: SignIn, ada: User, release: Release, scripts: bool
) -> None:
    page = browse(ada, scripts=scripts)
    page.goto("/releases/wanderer-1/cases/")
    rows = page.locator("#cases tbody tr")
    expect(rows).to_have_count(4)

    def find() -> None:
        if not scripts:
            follow(page, ".filters button")

    page.select_option("select[name=check]", "fail")
    find()
    expect(rows).to_have_count(1)
    expect(rows.filter(has_text="no-times")).to_have_count(1)
    page.select_option("select[name=check]", "")
    find()
    expect(rows).to_have_count(4)
    page.fill("input[name=q]", "哪里")
    find()
    expect(rows).to_have_count(1)
    expect(rows.filter(has_text="no-plan")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=%E5%93%AA%E9%87%8C"))
    # Going back and loading again show what the address says.
    page.go_back()
    expect(rows).to_have_count(4)
    page.go_forward()
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    assert page.input_value("input[name=q]") == "哪里"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_tag_is_changed_on_many_cases_at_once(
    browse: SignIn, ada: User, release: Release, scripts: bool
) -> None:
    page = browse(ada, scripts=scripts)
    page.goto("/releases/wanderer-1/cases/?sort=-key")
    for key in ("no-plan", "no-times"):
        page.check(f"input[aria-label={key}]")
    page.click("summary:has-text('Change a tag')")
    page.fill(".bulk input[name=tag]", "odd-ones")
    page.fill(".bulk input[name=reason]", "Nothing to read.")
    follow(page, ".bulk button")
    assert "odd-ones: 2 cases changed." in page.inner_text("main")
    assert page.url.endswith("/releases/wanderer-1/cases/?sort=-key")
    page.click("a.tag:has-text('odd-ones') >> nth=0")
    expect(page.locator("#cases tbody tr")).to_have_count(2)
    assert release.events.order_by("number").last().data["reason"] == "Nothing to read."  # type: ignore[union-attr]


def test_a_file_is_looked_at_imported_and_taken_back(
    browse: SignIn, ada: User, release: Release, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    file.write_bytes(lines(make_case("new-1"), make_case("new-2"), make_case("no-times")))
    page = browse(ada)
    page.goto("/releases/wanderer-1/")
    follow(page, "main a:has-text('Import cases')")
    page.set_input_files("input[name=file]", file)
    follow(page, "button:has-text('Check and preview')")
    preview = page.inner_text("main")
    assert "more.jsonl" in preview
    assert page.locator(".counts li").all_inner_texts()[:2] == ["2\nnew", "1\nchanged"]
    assert release.cases.count() == 4
    follow(page, "button:has-text('Import 3 rows')")
    assert "Import 2: 2 new cases, 1 changed, 0 unchanged." in page.inner_text("main")
    assert release.cases.count() == 6
    page.click("summary:has-text('Undo')")
    follow(page, "button:has-text('Undo import 2')")
    assert "Import 2 has been undone." in page.inner_text("main")
    assert sorted(release.cases.values_list("case_key", flat=True)) == [
        *("long-12-days", "no-plan", "no-times", "short"),
    ]


def test_the_whole_plan_is_printed(browse: SignIn, ada: User, release: Release) -> None:
    page = browse(ada)
    page.goto(case_of(release).get_absolute_url())
    page.emulate_media(media="print")
    state = page.evaluate(
        """() => {
          const cut = [...document.querySelectorAll(".itinerary *, .facts-of *")].filter(one => {
            const style = getComputedStyle(one);
            const hides = [style.overflowX, style.overflowY].some(how => how !== "visible");
            return hides && !one.closest("svg, .unseen, .kind")
              && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1);
          }).map(one => one.className);
          return {
            cut,
            position: getComputedStyle(document.querySelector(".request")).position,
            days: [...document.querySelectorAll(".day")].filter(one => one.offsetHeight > 0).length,
            bar: document.querySelector(".bar").offsetHeight,
            request: document.querySelector(".request .clamp").innerText.length,
          };
        }"""
    )
    assert state["cut"] == []
    assert state["position"] == "static"
    assert state["days"] == 12
    assert state["bar"] == 0
    assert state["request"] >= len(LONG_REQUEST.strip()) - 5
    assert page.pdf(format="A4")[:5] == b"%PDF-"
