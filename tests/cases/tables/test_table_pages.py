"""Importing tables on the web: the columns are guessed, shown, corrected and remembered."""

import io
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cases.models import Release, Rubric, Upload
from tests.bed.cases import check_report, database_digest, make_release
from tests.cases.imports.test_import_pages import commit, words
from tests.cases.tables.files import csv_file, text_plans, workbook
from tests.people import AsUser

IMPORT = "/releases/wanderer-1/import/"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


@pytest.fixture
def client(as_user: AsUser, ada: User, release: Release) -> Client:
    return as_user(ada)


def upload(client: Client, content: bytes, name: str = "cases.csv", **fields: Any) -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(IMPORT, {"format": "auto", "key_from": "", "file": file} | fields)


def preview(client: Client, content: bytes, name: str = "cases.csv") -> tuple[str, Any]:
    response = upload(client, content, name)
    assert response.status_code == 302, words(response)
    address = response.headers["Location"]
    return address, client.get(address)


def test_thirty_text_plans_are_previewed_with_their_columns_and_imported(
    client: Client, release: Release
) -> None:
    address, page = preview(client, csv_file(text_plans(30)))
    text = words(page)
    assert page.status_code == 200
    for expected in ("30 new", "30 can be sampled", "Columns", "Import 30 rows", "plain text"):
        assert expected in text, expected
    assert "The first 3 cases, as a reviewer will see them" in text
    assert "No times and no transfers to compare: the plan is plain text." in text
    commit(client, address, page)
    assert release.cases.filter(has_plan=True).count() == 30
    assert release.batches.get().columns["fields"]["request.text"] == "Request"


def test_a_wrong_guess_is_corrected_and_remembered_for_the_product(
    client: Client, release: Release, rubric: Rubric
) -> None:
    rows = [["key", "wish", "made by the model"], ["a", "Two days in Lakeport", "Day 1: the pier."]]
    address, page = preview(client, csv_file(rows))
    assert (
        "request.text: no column is chosen for it. Found: key, wish, made by the model."
        in words(page)
    )
    assert 'name="seen"' not in page.content.decode()
    response = client.post(
        address,
        {
            "map": "1",
            "case_key": "key",
            "request.text": "wish",
            "plan.text": "made by the model",
            "automated_summary.status": "=PASS",
        },
    )
    assert (response.status_code, response.headers["Location"]) == (302, address)
    page = client.get(address)
    assert "1 can be sampled" in words(page)
    commit(client, address, page)
    case = release.cases.get()
    assert case.content["request"]["text"] == "Two days in Lakeport"
    assert case.content["source"]["checks"]["how"].startswith("stated for every row")

    later = make_release("wanderer-2", rubric=rubric)
    file = SimpleUploadedFile("next.csv", csv_file(rows))
    response = client.post(f"/releases/{later.name}/import/", {"format": "auto", "file": file})
    assert "1 can be sampled" in words(client.get(response.headers["Location"]))

    other = make_release("stroller-1", rubric=rubric, product="stroller")
    file = SimpleUploadedFile("next.csv", csv_file(rows))
    response = client.post(f"/releases/{other.name}/import/", {"format": "auto", "file": file})
    assert "no column is chosen for it" in words(client.get(response.headers["Location"]))


def test_a_column_that_the_table_does_not_have_is_refused(client: Client) -> None:
    address, _page = preview(client, csv_file(text_plans(2)))
    response = client.post(address, {"map": "1", "request.text": "Nothing like it"})
    assert response.status_code == 422
    assert Upload.objects.get().columns == {}


def test_mistakes_in_rows_are_named_by_their_cells_beside_the_columns(client: Client) -> None:
    rows = text_plans(3)
    rows[2][3] = "soon"
    _address, page = preview(client, workbook(rows), "cases.xlsx")
    assert "Sheet1!D3: request.days: must be a whole number of at least 1, got 'soon'." in words(
        page
    )
    assert "Take these columns" in words(page)
    assert 'name="seen"' not in page.content.decode()


def test_the_sheet_can_be_chosen(client: Client, release: Release) -> None:
    content = workbook(text_plans(2), more={"Older": text_plans(4)})
    address, page = preview(client, content, "cases.xlsx")
    assert "2 new" in words(page)
    client.post(address, {"map": "1", "sheet": "Older"})
    assert "4 new" in words(client.get(address))


def test_a_pdf_renamed_to_csv_is_refused_in_one_sentence(client: Client) -> None:
    before = database_digest()
    response = upload(client, PDF)
    assert response.status_code == 422
    text = words(response)
    assert "this is a PDF; cases come as lines of JSON, as CSV or as a workbook." in text
    assert text.count("The file begins:") == 0
    assert database_digest() == before


def test_a_check_report_in_the_wrong_field_is_named_with_its_first_rows(client: Client) -> None:
    response = upload(client, check_report("yunxi-0001"), "report.json")
    assert response.status_code == 422
    text = words(response)
    assert "this is a check report: choose it under Checks, beside the cases." in text
    assert "The file begins:" in text
    assert '"cases"' in text


def test_the_same_table_again_has_nothing_to_import(client: Client, release: Release) -> None:
    content = csv_file(text_plans(3))
    commit(client, *preview(client, content))
    _address, page = preview(client, content)
    assert "The release already has every row, so there is nothing to import." in words(page)


def test_ids_are_unique_although_three_cases_are_shown(client: Client) -> None:
    _address, page = preview(client, csv_file(text_plans(3)))
    ids = [part.split('"')[0] for part in page.content.decode().split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_an_xlsx_of_another_kind_is_refused(client: Client) -> None:

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    response = upload(client, packed.getvalue(), "cases.xlsx")
    assert response.status_code == 422
    assert (
        "this is a Word document; cases come as lines of JSON, as CSV or as a workbook."
        in words(response)
    )


def test_columns_are_chosen_within_one_version_of_the_cases(
    client: Client, release: Release
) -> None:
    rows = [["case key", "request", "version"], ["a", "Two days", "1"], ["a", "Two days", "2"]]
    address, page = preview(client, csv_file(rows))
    assert "Choose one for this release." in words(page)
    chosen = {"case_key": "case key", "request.text": "request", "release.version": "version"}
    response = client.post(address, {"map": "1", "version": "2", **chosen})
    assert response.headers["Location"] == f"{address}?version=2"
    assert "1 new" in words(client.get(response.headers["Location"]))
