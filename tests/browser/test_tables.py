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
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.desk import press
from tests.browser.layout import UNFOLD, overflow
from tests.cases.tables.files import csv_file, document, text_plans, workbook

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


def upload(
    page: Page, folder: Path, content: bytes, name: str, release: str = "wanderer-1"
) -> None:
    file = folder / name
    file.write_bytes(content)
    page.goto(f"/releases/{release}/import/")
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


def test_thirty_text_plans_go_from_a_csv_file_to_submitted_scores(
    browse: SignIn, ada: User, rita: User, omar: User, release: Release, tmp_path: Path
) -> None:
    """By pages alone: the columns are guessed, shown, corrected and remembered."""
    rows = with_tags(30)
    rows[0][5] = "What it wrote"
    page = browse(ada)
    upload(page, tmp_path, csv_file(rows), "cases.csv")
    chosen = page.locator("select[name='request.text']")
    assert chosen.input_value() == "Request"
    page.select_option("select[name='plan.text']", "What it wrote")
    follow(page, "button[name=map]")
    follow(page, "button:has-text('Import 30 rows')")
    assert release.cases.filter(has_plan=True).count() == 30
    follow(page, ".next-step button:has-text('Draw the sample')")
    follow(page, ".next-step a:has-text('Start the review')")
    follow(page, "main button.primary")
    follow(page, ".next-step a:has-text('Assign the cases')")
    follow(page, "a:has-text('Plan the assignments')")
    follow(page, "button:has-text('Assign 10 reviews')")

    desk = browse(rita)
    desk.goto("/")
    follow(desk, "text=Start next")
    expect(desk.locator(".paragraph")).to_have_count(2)
    for last in ("Enter", "Control+Enter"):
        press(desk, "y", "n", "a", "y", "3", "r")
        desk.keyboard.type("The old pier is named, the way there is not.")
        press(desk, last)
    expect(desk.locator(".messages")).to_contain_text("You submitted")
    review = Review.objects.get(reviewer=rita, status="submitted")
    assert [score.value for score in review.scores.all()] == [3, 3]

    make_release("wanderer-2")
    upload(page, tmp_path, csv_file(rows), "cases.csv", release="wanderer-2")
    remembered = page.locator("select[name='plan.text']")
    assert remembered.input_value() == "What it wrote"
    expect(page.locator(".samples .paragraph").first).to_be_visible()


def test_a_table_with_one_bad_cell_is_refused_as_a_whole(
    browse: SignIn, ada: User, release: Release, tmp_path: Path, complaints: list[str]
) -> None:
    page = browse(ada)
    rows = with_tags(30)
    rows[29][3] = "soon"
    upload(page, tmp_path, workbook(rows), "cases.xlsx")
    expect(page.locator(".problems")).to_contain_text("Sheet1!D30")
    assert page.locator("button[name=seen]").count() == 0
    assert not release.cases.exists()
    complaints.clear()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cases.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "this is a PDF;"),
        ("cases.csv", document("word/document.xml"), "this is a Word document;"),
    ],
)
def test_a_file_with_the_wrong_name_is_refused_in_one_sentence(
    browse: SignIn,
    ada: User,
    release: Release,
    tmp_path: Path,
    complaints: list[str],
    name: str,
    content: bytes,
    says: str,
) -> None:
    page = browse(ada)
    upload(page, tmp_path, content, name)
    problems = page.locator(".problems li")
    expect(problems).to_have_count(1)
    expect(problems).to_contain_text(says)
    complaints.clear()


def test_a_utf_16_file_is_imported(
    browse: SignIn, ada: User, release: Release, tmp_path: Path
) -> None:
    page = browse(ada)
    upload(page, tmp_path, csv_file(with_tags(30), encoding="utf-16"), "cases.csv")
    follow(page, "button:has-text('Import 30 rows')")
    assert release.cases.count() == 30
