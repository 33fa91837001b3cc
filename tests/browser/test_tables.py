"""A table is uploaded, its columns are corrected, and its plain text is read at the desk."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from cases.models import Release, Rubric
from reviews.models import Review
from reviews.releases import lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, import_lines, make_release
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, violations
from tests.browser.layout import UNFOLD, overflow
from tests.cases.tables.files import csv_file, text_plans, workbook

pytestmark = ON_A_LIVE_SERVER

LOOKS = pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [
        ("desk", "light", "en"),
        ("phone", "dark", "en"),
        ("desk", "dark", "zh-hans"),
        ("phone", "light", "zh-hans"),
    ],
)
FITTING = [
    "beijing; spring-festival",
    "low-budget",
    "family",
    "mobility-limited",
    "tight-schedule",
]


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


def with_tags(count: int) -> list[list[str | int]]:
    rows = text_plans(count)
    rows[0].append("tags")
    for place, row in enumerate(rows[1:]):
        row.append(FITTING[place % len(FITTING)])
    return rows


def upload(page: Page, folder: Path, content: bytes, name: str) -> None:
    file = folder / name
    file.write_bytes(content)
    page.goto("/releases/wanderer-1/import/")
    page.set_input_files("input[name=file]", str(file))
    page.locator("main form button.primary").click()
    page.wait_for_load_state()


def look(axe: Axe, page: Page) -> list[str]:
    return [*violations(axe, page), *overflow(page)]


@LOOKS
def test_a_table_is_previewed_with_its_columns(
    browse: SignIn,
    axe: Axe,
    ada: User,
    release: Release,
    tmp_path: Path,
    size: str,
    scheme: str,
    language: str,
) -> None:
    page = browse(ada, size=size, scheme=scheme, language=language)
    rows = with_tags(30)
    rows[0][5] = "What it wrote"
    upload(page, tmp_path, csv_file(rows), "cases.csv")
    assert look(axe, page) == []
    page.select_option("select[name='plan.text']", "What it wrote")
    page.locator("button[name=map]").click()
    expect(page.locator(".samples .paragraph").first).to_be_visible()
    page.evaluate(UNFOLD)
    assert look(axe, page) == []
    page.locator("button[name=seen]").click()
    page.wait_for_url("**/releases/wanderer-1/")
    assert release.cases.filter(has_plan=True).count() == 30


@LOOKS
def test_mistakes_and_wrong_files_are_named(
    browse: SignIn,
    axe: Axe,
    ada: User,
    release: Release,
    tmp_path: Path,
    size: str,
    scheme: str,
    language: str,
    complaints: list[str],
) -> None:
    page = browse(ada, size=size, scheme=scheme, language=language)
    rows = text_plans(4)
    rows[2][3] = "soon"
    upload(page, tmp_path, workbook(rows, more={"Older": text_plans(2)}), "cases.xlsx")
    expect(page.locator(".problems")).to_contain_text("Sheet1!D3")
    assert look(axe, page) == []
    upload(page, tmp_path, b'{"cases": [{"id": "a", "checks": []}]}', "report.json")
    assert look(axe, page) == []
    # The browser notes that the answer was 422.
    complaints.clear()


@LOOKS
def test_plain_text_is_read_at_the_desk(
    browse: SignIn,
    axe: Axe,
    rita: User,
    release: Release,
    size: str,
    scheme: str,
    language: str,
) -> None:
    import_lines(release, csv_file(with_tags(5)))
    bed.draw(release)
    lifecycle.start(release=release, user=None, now=NOW)
    for key in bed.sampled(release):
        bed.assign(release, key, rita)
    page = browse(rita, size=size, scheme=scheme, language=language)
    page.goto(f"/reviews/{Review.objects.order_by('pk')[0].pk}/")
    expect(page.locator(".paragraph")).to_have_count(2)
    assert look(axe, page) == []
