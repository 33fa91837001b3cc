"""Tables through the command and the API, and a text plan from the draw to a submitted review."""

import bz2
import gzip
import json
import tarfile
import zipfile
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from cases.imports.mistakes import ARCHIVE, RATINGS, RUBRIC, SUMMARY
from cases.models import Release, Rubric
from cases.tables.grids import BUNDLE, NO_WORKBOOK
from reviews.models import Review
from reviews.releases import lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import NDJSON, Script, token_of
from tests.bed.cases import NOW, content_digest, database_digest, make_release
from tests.cases.tables.files import csv_file, text_plans, workbook
from tests.people import AsUser

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PUSH = "releases/wanderer-1/cases/"


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


def zipped(*names: str) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return packed.getvalue()


def tarred(*names: str) -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return packed.getvalue()


def load(release: Release, *arguments: object) -> list[str]:
    out = StringIO()
    call_command("import_cases", release.name, *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue().splitlines()


def refused(release: Release, *arguments: object) -> list[str]:
    before = database_digest()
    with pytest.raises(CommandError) as refusal:
        load(release, *arguments)
    assert database_digest() == before
    return str(refusal.value).splitlines()


def put(folder: Path, content: bytes, name: str = "cases.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_the_command_says_which_columns_it_took(release: Release, tmp_path: Path) -> None:
    file = put(tmp_path, csv_file(text_plans(30)))
    assert load(release, file) == [
        "Columns: case_key = Case, request.text = Request, plan.text = Plan, "
        "automated_summary.status = Check status, request.destination = City, "
        "request.days = Days, request.budget.amount = Budget (CNY), "
        "request.budget.currency = CNY.",
        "30 new, 0 changed, 0 unchanged. Import 1.",
    ]
    before = content_digest(release)
    assert load(release, file)[-1] == "0 new, 0 changed, 30 unchanged. Nothing changed."
    assert content_digest(release) == before
    # The same table as a workbook is the same cases.
    other = put(tmp_path, workbook(text_plans(30)), "cases.xlsx")
    assert load(release, other)[-1] == "0 new, 0 changed, 30 unchanged. Nothing changed."


def test_the_command_takes_columns_and_sheet(release: Release, tmp_path: Path) -> None:
    rows = [["name", "wish", "said"], ["a", "Two days", "The pier."]]
    file = put(tmp_path, workbook([["nothing"]], more={"Wishes": rows}), "cases.xlsx")
    asked = ["--map", "case_key=name", "--map", "request.text = wish", "--map", "plan.text=said"]
    said = load(release, file, "--format", "table", "--sheet", "Wishes", *asked)
    assert said[-1] == "1 new, 0 changed, 0 unchanged. Import 1."
    assert "warning: No row says whether it passed the automated checks" in said[1]
    assert release.batches.get().columns["sheet"] == "Wishes"
    assert refused(release, file, "--map", "nonsense")[0] == (
        "--map nonsense: must be FIELD=COLUMN, such as request.text=Request."
    )


def test_the_command_names_cells_and_writes_nothing(release: Release, tmp_path: Path) -> None:
    rows = text_plans(30)
    rows[30][3] = -1
    file = put(tmp_path, workbook(rows), "cases.xlsx")
    assert refused(release, file) == [
        f"{file}:Sheet1!D31: request.days: must be a whole number of at least 1, got -1.",
        "Nothing was written.",
    ]
    file = put(tmp_path, csv_file(rows))
    assert refused(release, file)[0].startswith(f"{file}:89: request.days: must be")


def test_the_command_names_a_pdf_and_shows_how_a_wrong_text_begins(
    release: Release, tmp_path: Path
) -> None:
    file = put(tmp_path, b"%PDF-1.4\n1 0 obj\n")
    assert refused(release, file) == [
        f"{file}: this is a PDF; cases come as lines of JSON, as CSV or as a workbook.",
        "Nothing was written.",
    ]
    file = put(tmp_path, b'{\n "cases": [{"id": "a", "checks": []}]\n}', "report.json")
    assert refused(release, file) == [
        f"{file}: this is a check report: choose it under Checks, beside the cases.",
        "It begins:",
        "  {",
        '  "cases": [{"id": "a", "checks": []}]',
        "  }",
        "Nothing was written.",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"unit,rater,item,score\nu1,r1,pace,4\n", RATINGS),
        (b"case;reviewer;metric;value\na;rita;pace;4\n", RATINGS),
        (b"case_key\treviewer\tscore\na\trita\t4\n", RATINGS),
        ("用例,评审员,评分\na,rita,4\n".encode(), RATINGS),
        (b'{"case_key":"a","reviewer":"rita","said":null}\n', RATINGS),
        (b'{"schema":"spotcheck-summary/5","cases":[]}', SUMMARY),
        (b'{\n "schema": "spotcheck-summary/5",\n "cases": []\n}', SUMMARY),
        (zipped("manifest.json", "summary.json", "cases.jsonl"), BUNDLE),
        (zipped("cases.jsonl"), NO_WORKBOOK),
        (tarred("cases.jsonl"), ARCHIVE),
        (gzip.compress(tarred("cases.jsonl"), mtime=0), ARCHIVE),
        (bz2.compress(b"{}"), ARCHIVE),
        (b"Rar!\x1a\x07\x01\x00" + bytes(64), ARCHIVE),
        (b"# Our rubric\n\n## Scope\n\nTrips.\n", RUBRIC),
    ],
    ids=[f"file {number}" for number in range(1, 15)],  # packed files have times in them
)
def test_a_wrong_file_is_named_in_one_sentence(
    release: Release, tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = put(tmp_path, content, "file")
    lines = refused(release, file)
    assert lines[0] == f"{file}: {sentence}"
    assert lines[-1] == "Nothing was written."
    assert not any(line.startswith(f"{file}:") for line in lines[1:])


def test_cases_that_come_with_a_score_are_no_ratings(release: Release, tmp_path: Path) -> None:
    rows = [["id", "request", "reviewer", "score", "days"], ["a", "Two days", "rita", "4", "soon"]]
    assert refused(release, put(tmp_path, csv_file(rows)))[0].endswith(
        "must be a whole number of at least 1, got 'soon'."
    )


# --- The API ------------------------------------------------------------------------------------


def test_the_api_takes_tables_by_their_content_type(release: Release, ada: User) -> None:
    script = Script(token_of(ada))
    answer = script.post(PUSH + "?dry_run=1", csv_file(text_plans(3)), content_type="text/csv")
    assert (answer.status_code, answer.json()["created"]) == (200, 3)
    answer = script.post(PUSH, csv_file(text_plans(3)), content_type="text/csv; charset=utf-8")
    assert (answer.status_code, answer.json()["created"]) == (200, 3)
    answer = script.post(PUSH, workbook(text_plans(3)), content_type=XLSX)
    assert (answer.status_code, answer.json()["unchanged"]) == (200, 3)


def test_the_api_takes_no_table_as_lines_of_json(release: Release, ada: User) -> None:
    answer = Script(token_of(ada)).post(PUSH, csv_file(text_plans(3)), content_type=NDJSON)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["message"].startswith("is not JSON")


def test_the_api_names_cells(release: Release, ada: User) -> None:
    rows = text_plans(2)
    rows[2][3] = "soon"
    answer = Script(token_of(ada)).post(PUSH, workbook(rows), content_type=XLSX)
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {
            "path": "Sheet1!D3.request.days",
            "message": "must be a whole number of at least 1, got 'soon'.",
            "line": 3,
        }
    ]


def test_the_api_takes_columns(release: Release, ada: User) -> None:
    script = Script(token_of(ada))
    content = csv_file([["name", "wish"], ["a", "Two days"]])
    asked = json.dumps({"case_key": "name", "request.text": "wish"})
    answer = script.post(f"{PUSH}?columns={asked}", content, content_type="text/csv")
    assert answer.json()["created"] == 1
    for bad in ("[]", "{", '{"a": 1}'):
        answer = script.post(f"{PUSH}?columns={bad}", content, content_type="text/csv")
        assert (answer.status_code, answer.json()["errors"]) == (
            400,
            [{"path": "columns", "message": "must be a JSON object of texts."}],
        )


# --- A text plan is judged ------------------------------------------------------------------------


def test_a_text_plan_is_drawn_read_and_scored(
    rubric: Rubric, rita: User, omar: User, as_user: AsUser, tmp_path: Path
) -> None:
    release = make_release(rubric=rubric)
    rows = text_plans(6)
    rows[0].append("tags")
    for row, tags in zip(
        rows[1:],
        [
            "beijing; spring-festival",
            "low-budget",
            "family",
            "mobility-limited",
            "tight-schedule",
            "",
        ],
        strict=True,
    ):
        row.append(tags)
    load(release, put(tmp_path, csv_file(rows)))
    bed.draw(release)
    lifecycle.start(release=release, user=None, now=NOW)
    for key in bed.sampled(release):
        bed.assign(release, key, rita)
    review = Review.objects.filter(reviewer=rita).order_by("pk")[0]
    page = as_user(rita).get(f"/reviews/{review.pk}/")
    text = page.content.decode()
    assert page.status_code == 200
    assert 'data-stop="/plan/days/0/items/1"' in text
    assert "the plan is plain text." in text
    assert "Day 1</h3>" not in text
    bed.submit(review, bed.judgement())
    review.refresh_from_db()
    assert review.status == "submitted"
