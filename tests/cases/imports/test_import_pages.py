"""Importing on the web: upload or paste, look at the preview, import exactly that, undo."""

import gzip
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from zeal import zeal_ignore  # type: ignore[import-untyped]

from cases import imports, ledger
from cases.models import Batch, Release, Rubric, Upload
from tests.bed.cases import (
    check_report,
    content_digest,
    database_digest,
    import_lines,
    lines,
    make_case,
    make_release,
    many,
)
from tests.people import AsUser

RELEASE = "/releases/wanderer-1/"
IMPORT = RELEASE + "import/"


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


@pytest.fixture
def client(as_user: AsUser, ada: User, release: Release) -> Client:
    """Ada's browser, with a release to import into."""
    return as_user(ada)


def words(response: Any) -> str:
    """A page as plain text, with single spaces."""
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", response.content.decode())))


def file_of(content: bytes, name: str = "cases.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def upload(client: Client, content: bytes, **fields: Any) -> Any:
    """The answer to the form; 302 leads to the preview."""
    data = {"format": "auto", "key_from": "", "file": file_of(content)} | fields
    return client.post(IMPORT, data)


def preview(client: Client, content: bytes, **fields: Any) -> tuple[str, Any]:
    """The address of the preview, and its page."""
    response = upload(client, content, **fields)
    assert response.status_code == 302, words(response)
    address = response.headers["Location"]
    return address, client.get(address)


def seen(response: Any) -> str:
    """What the button of the preview sends."""
    [value] = re.findall(r'name="seen" value="([^"]*)"', response.content.decode())
    return str(value)


def commit(client: Client, address: str, page: Any, **fields: str) -> Any:
    return client.post(address, {"seen": seen(page), **fields})


# --- From the form to the cases -------------------------------------------------------------------


def test_a_file_is_previewed_and_then_imported(client: Client, release: Release) -> None:
    address, page = preview(client, many(3))
    assert page.status_code == 200
    assert "3 new" in words(page)
    assert "Import 3 rows" in words(page)
    assert not release.cases.exists()
    response = commit(client, address, page)
    assert (response.status_code, response.headers["Location"]) == (302, RELEASE)
    assert "Import 1: 3 new cases, 0 changed, 0 unchanged." in words(client.get(RELEASE))
    batch = release.batches.get()
    assert (batch.by, batch.source) == ("ada", "cases.jsonl")
    assert release.events.get(kind="cases-imported").by == "ada"
    assert not Upload.objects.exists()


def test_the_web_and_the_command_store_the_same(
    client: Client, release: Release, rubric: Rubric
) -> None:
    content = lines(make_case("a", tags=["x"]), make_case("b", plan=None, own="字"))
    commit(client, *preview(client, content))
    other = make_release("wanderer-1b", rubric=rubric)
    import_lines(other, content)
    assert content_digest(release) == content_digest(other)


def test_pasted_lines_are_read_like_a_file(client: Client, release: Release) -> None:
    text = many(2).decode().replace("\n", "\r\n")
    response = client.post(IMPORT, {"format": "auto", "text": text})
    address = response.headers["Location"]
    commit(client, address, client.get(address))
    assert release.cases.count() == 2
    assert release.batches.get().source == "pasted lines"


def test_a_file_wins_over_pasted_lines(client: Client) -> None:
    _address, page = preview(client, many(2), text="nonsense")
    assert "2 new" in words(page)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(many(2)),
        b"\xef\xbb\xbf" + many(2).replace(b"\n", b"\r\n\r\n"),
        gzip.compress(many(1)) + gzip.compress(many(2).split(b"\n", 1)[1]),
    ],
    ids=["gzip", "mark, crlf and blank lines", "two gzip files joined"],
)
def test_any_packing_is_fine(client: Client, release: Release, content: bytes) -> None:
    address, page = preview(client, content)
    assert "2 new" in words(page)
    commit(client, address, page)
    assert release.cases.count() == 2


def test_the_preview_shows_counts_tags_kinds_and_warnings(client: Client, release: Release) -> None:
    import_lines(release, many(2))
    _address, page = preview(
        client,
        lines(
            make_case("yunxi-0001", locale="en"),
            make_case("yunxi-0002"),
            make_case(
                "a", tags=["beijing", "spring-festival"], automated_summary={"status": "WARN"}
            ),
            make_case("b", tags=["low-budget"], release={"product": "stroller", "version": "9"}),
        ),
    )
    text = words(page)
    for expected in (
        "2 new",
        "1 changed",
        "1 unchanged",
        "3 passed the automated checks",
        "Changed: yunxi-0001",
        "1 passed with a warning",
        "3 can be sampled",
        "1 of 4 cases passed with a warning; this release takes only passed cases. "
        "Change this in its settings.",
        "Beijing Spring Festival peak case 1 more case fits if warnings are accepted. none",
        "Low-budget feasibility warning case 1",
        "Mobility-limited case none",
        "beijing 1",
        "yunxi 4",
        "1 row belongs to the product stroller; this release belongs to wanderer.",
        "1 row has version 9, which is not part of the release name wanderer-1.",
        "Import 3 rows",
    ):
        assert expected in text, expected


def test_a_preview_of_what_is_there_already_offers_nothing_to_import(
    client: Client, release: Release
) -> None:
    import_lines(release, many(2))
    _address, page = preview(client, many(2))
    assert "The release already has every row, so there is nothing to import." in words(page)
    assert 'name="seen"' not in page.content.decode()


def test_a_check_report_is_joined(client: Client, release: Release) -> None:
    address, page = preview(
        client, many(2), report=file_of(check_report("yunxi-0001"), "report.json")
    )
    assert "1 row is not in the check report" in words(page)
    commit(client, address, page)
    assert release.cases.get(case_key="yunxi-0001").check_status == "FAIL"


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"cases": 5}', b'{"cases": [{}]}', b"\x00"])
def test_a_bad_check_report_is_refused_beside_its_field(client: Client, content: bytes) -> None:
    before = database_digest()
    response = upload(client, many(1), report=file_of(content, "report.json"))
    assert response.status_code == 422
    assert 'id="id_report_error"' in response.content.decode() or "report" in words(response)
    assert database_digest() == before


def test_the_id_can_be_the_key(client: Client, release: Release) -> None:
    content = lines(make_case("a", id="x:1"), make_case("a", id="x:2"))
    assert upload(client, content).status_code == 422
    address, page = preview(client, content, key_from="id")
    commit(client, address, page)
    assert sorted(release.cases.values_list("case_key", flat=True)) == ["x:1", "x:2"]


def test_the_name_of_the_file_is_cut_and_never_markup(client: Client, release: Release) -> None:
    name = "<b>bold" + "x" * 300 + ".jsonl"
    address, page = preview(client, many(1), file=file_of(many(1), name))
    assert "<b>bold" not in page.content.decode()
    commit(client, address, page)
    assert len(release.batches.get().source) <= 200


# --- What the form refuses ------------------------------------------------------------------------


NEEDED: list[tuple[dict[str, Any], str]] = [
    ({}, "Choose a file or paste lines."),
    ({"text": "  \n "}, "Choose a file or paste lines."),
    ({"file": file_of(b"")}, "The submitted file is empty."),
    ({"text": "{"}, "Line 1: the line ends in the middle of the JSON text."),
    ({"text": "\n\n17"}, "Line 3: must be a JSON object, in braces."),
    ({"text": "a\x00b"}, "Null characters are not allowed."),
    ({"text": "{}", "format": "nonsense"}, "Select a valid choice."),
    ({"text": "{}", "format": ""}, "This field is required."),
    ({"text": "{}", "key_from": "name"}, "Select a valid choice."),
]


def test_the_form_says_what_it_needs(client: Client) -> None:
    before = database_digest()
    for fields, expected in NEEDED:
        response = client.post(IMPORT, {"format": "auto", **fields})
        assert response.status_code == 422, fields
        assert expected in words(response), fields
    assert database_digest() == before


def test_a_file_may_be_32_mb_and_no_more(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    content = many(1)
    monkeypatch.setattr("cases.imports.forms.LARGEST_UPLOAD", len(content))
    assert upload(client, content).status_code == 302
    response = upload(client, content + b"\n")
    assert response.status_code == 422
    assert "The file is larger than 32 MB." in words(response)


def test_a_report_may_be_8_mb_and_no_more(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cases.imports.forms.LARGEST_REPORT", 10)
    response = upload(client, many(1), report=file_of(check_report("a"), "report.json"))
    assert "The report is larger than 8 MB." in words(response)


def test_a_bomb_is_left_at_its_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cases.imports.views.LARGEST_UNPACKED", 1024**2)
    before = database_digest()
    response = upload(client, gzip.compress(b" " * (64 * 1024**2), 1))
    assert response.status_code == 422
    assert "the file is larger than 1 MB when unpacked." in words(response)
    assert database_digest() == before


def test_very_long_pasted_lines_are_refused_and_not_an_error(client: Client) -> None:
    before = database_digest()
    response = client.post(IMPORT, {"format": "auto", "text": "x" * (6 * 1024**2)})
    assert response.status_code in (400, 413)
    assert database_digest() == before


def test_every_bad_line_is_shown_up_to_200(client: Client) -> None:
    response = upload(client, b"{}\n" * 201 + many(1))
    text = words(response)
    assert response.status_code == 422
    assert "201 rows cannot be used. Nothing was imported." in text
    assert "Line 200: case_key: is required." in text
    assert "Line 201:" not in text
    assert "The first 200 are shown." in text


def test_problems_are_told_in_chinese_to_chinese_readers(client: Client) -> None:
    client.cookies["django_language"] = "zh-hans"
    text = words(upload(client, b"{}\n"))
    assert "第 1 行" in text
    assert "is required" not in text


def test_text_of_a_bad_line_is_never_markup(client: Client) -> None:
    response = upload(client, lines(make_case("<script>alert(1)</script>", locale="<b>x</b>")) * 2)
    assert "<script>alert" not in response.content.decode()
    assert "<b>x" not in response.content.decode()


# --- Several versions -----------------------------------------------------------------------------

VERSIONS = lines(
    *(
        make_case(key, release={"product": "wanderer", "version": version}, locale=locale)
        for version, locale in (("1", "en"), ("2", "ja"))
        for key in ("a", "b")
    ),
    make_case("c", release={"product": "wanderer", "version": "2"}),
)


def test_of_several_versions_one_is_chosen(client: Client, release: Release) -> None:
    address, page = preview(client, VERSIONS)
    assert page.status_code == 200
    text = words(page)
    assert "several versions" in text
    assert "Import version 1" in text
    assert "Import version 2" in text
    assert "“a” is already in line 1" in text
    assert 'name="seen"' not in page.content.decode()
    chosen = client.get(address, {"version": "2"})
    assert "3 new" in words(chosen)
    assert commit(client, address, chosen, version="2").status_code == 302
    assert sorted(release.cases.values_list("case_key", flat=True)) == ["a", "b", "c"]
    assert release.cases.get(case_key="a").locale == "ja"


def test_the_chosen_version_goes_with_the_button(client: Client) -> None:
    address, _page = preview(client, VERSIONS)
    chosen = client.get(address, {"version": "1"}).content.decode()
    assert '<input type="hidden" name="version" value="1">' in chosen


def test_a_button_without_its_version_imports_nothing(client: Client, release: Release) -> None:
    address, _page = preview(client, VERSIONS)
    chosen = client.get(address, {"version": "1"})
    response = commit(client, address, chosen)
    assert response.status_code == 422
    response = commit(client, address, chosen, version="2")
    assert response.status_code == 409
    assert not release.cases.exists()


@pytest.mark.parametrize("version", ["3", "", "<b>", "x" * 5000])
def test_a_version_that_is_not_there_is_refused_in_words(
    client: Client, release: Release, version: str
) -> None:
    address, _page = preview(client, VERSIONS)
    response = client.get(address, {"version": version})
    assert response.status_code == 422
    assert "no row has version" in words(response)
    assert "<b>" not in response.content.decode()
    assert client.post(address, {"version": version, "seen": "x"}).status_code == 422
    assert client.post(address, {"version": "a\x00b", "seen": "x"}).status_code == 422
    assert not release.cases.exists()


def test_rows_without_a_version_can_be_chosen(client: Client, release: Release) -> None:
    rows = [make_case("a", release=None), make_case("a", locale="en"), make_case("b", release=None)]
    address, page = preview(client, lines(*rows))
    assert 'name="version" value=""' in page.content.decode()
    chosen = client.get(address, {"version": ""})
    assert commit(client, address, chosen, version="").status_code == 302
    assert release.cases.count() == 2


# --- Exactly what was previewed -------------------------------------------------------------------


def test_what_changed_since_the_preview_is_previewed_again(
    client: Client, release: Release
) -> None:
    address, page = preview(client, many(3))
    import_lines(release, many(1, locale="en"))
    response = commit(client, address, page)
    assert response.status_code == 409
    text = words(response)
    assert "The release has changed since you opened the preview." in text
    assert "2 new" in text
    assert "1 changed" in text
    assert release.cases.count() == 1
    assert commit(client, address, response).status_code == 302
    assert release.cases.count() == 3


@pytest.mark.parametrize("data", [{}, {"seen": ""}, {"seen": "0" * 64}, {"seen": "a\x00"}])
def test_a_button_that_was_not_on_the_preview_imports_nothing(
    client: Client, release: Release, data: dict[str, str]
) -> None:
    address, _page = preview(client, many(3))
    response = client.post(address, data)
    assert response.status_code == 409
    assert not release.cases.exists()
    assert commit(client, address, response).status_code == 302


def test_an_undo_since_the_preview_is_seen_too(client: Client, release: Release) -> None:
    import_lines(release, many(2))
    address, page = preview(client, many(3))
    client.post(f"{RELEASE}imports/1/undo/")
    assert commit(client, address, page).status_code == 409
    assert not release.cases.exists()


def test_pressing_the_button_twice_imports_once(client: Client, release: Release) -> None:
    address, page = preview(client, many(3))
    commit(client, address, page)
    before = database_digest()
    again = commit(client, address, page)
    assert (again.status_code, again.headers["Location"]) == (302, RELEASE)
    assert "This file has already been imported, or it was uploaded more than a day ago." in words(
        client.get(RELEASE)
    )
    assert database_digest() == before
    assert client.get(address).status_code == 302


def test_two_admins_with_the_same_file_import_it_once(
    client: Client, release: Release, as_user: AsUser, root: User
) -> None:
    other = as_user(root)
    mine, theirs = preview(client, many(3)), preview(other, many(3))
    commit(client, *mine)
    response = commit(other, *theirs)
    assert response.status_code == 409
    assert "The release already has every row" in words(response)
    assert (release.cases.count(), release.batches.count()) == (3, 1)


def test_an_import_between_the_comparison_and_the_lock_is_noticed(
    client: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, page = preview(client, many(3))
    check = imports.check
    late = [many(1, locale="en")]

    def check_and_be_overtaken(*arguments: Any) -> imports.Checked:
        checked = check(*arguments)
        if late:
            with zeal_ignore():
                import_lines(release, late.pop())
        return checked

    monkeypatch.setattr(imports, "check", check_and_be_overtaken)
    assert commit(client, address, page).status_code == 409
    assert release.cases.count() == 1


# --- How long an upload waits ---------------------------------------------------------------------


def age(hours: float) -> None:
    Upload.objects.update(created_at=timezone.now() - timedelta(hours=hours))


def test_an_upload_that_waits_for_less_than_a_day_can_be_imported(
    client: Client, release: Release
) -> None:
    address, page = preview(client, many(2))
    age(hours=23.9)
    upload(client, many(1, "other"))
    assert commit(client, address, page).status_code == 302
    assert release.cases.count() == 2


def test_uploads_older_than_a_day_go_when_the_next_one_comes(client: Client) -> None:
    address, page = preview(client, many(2))
    age(hours=24.1)
    upload(client, many(1, "other"))
    assert Upload.objects.count() == 1
    assert commit(client, address, page).headers["Location"] == RELEASE
    assert "was uploaded more than a day ago" in words(client.get(RELEASE))


def test_an_upload_older_than_a_day_cannot_be_imported(client: Client, release: Release) -> None:
    address, page = preview(client, many(2))
    age(hours=24.1)
    assert client.get(address).status_code == 302
    commit(client, address, page)
    assert not release.cases.exists()


def test_a_refused_file_is_not_kept(client: Client) -> None:
    upload(client, b"{")
    assert not Upload.objects.exists()


def test_an_upload_is_not_found_under_another_release(
    client: Client, release: Release, rubric: Rubric
) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    address, page = preview(client, many(2))
    response = client.post(address.replace("wanderer-1", "wanderer-2"), {"seen": seen(page)})
    assert response.headers["Location"] == "/releases/wanderer-2/"
    assert not other.cases.exists()
    assert not release.cases.exists()


@pytest.mark.parametrize("number", [0, 999, 10**30])
def test_an_upload_that_is_not_there_leads_back_to_the_release(client: Client, number: int) -> None:
    assert client.get(f"{IMPORT}{number}/").headers["Location"] == RELEASE


# --- No draft any more ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["reviewing", "closed"])
def test_a_release_that_is_no_draft_takes_only_what_it_holds(
    client: Client, release: Release, status: str
) -> None:
    import_lines(release, many(2))
    address, page = preview(client, many(2, locale="en"))
    Release.objects.filter(pk=release.pk).update(status=status)
    before = content_digest(release)
    response = commit(client, address, page)
    assert response.status_code == 409
    assert "open a new release." in words(response)
    assert content_digest(release) == before
    assert release.batches.count() == 1
    assert "no longer a draft" in words(client.get(IMPORT))
    assert "The release already has every row" in words(preview(client, many(2))[1])


# --- Undoing --------------------------------------------------------------------------------------


def test_the_newest_import_is_undone_on_the_page(client: Client, release: Release) -> None:
    import_lines(release, many(2))
    before = content_digest(release)
    import_lines(release, many(3, locale="en"))
    page = client.get(RELEASE).content.decode()
    assert page.count("/undo/") == 1
    assert f'action="{RELEASE}imports/2/undo/"' in page
    response = client.post(f"{RELEASE}imports/2/undo/", follow=True)
    assert "Import 2 has been undone." in words(response)
    assert content_digest(release) == before
    assert release.events.get(kind="import-undone").by == "ada"
    release.refresh_from_db()
    assert ledger.verify(release) == 4


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "Import 2 is newer. Undo it first."),
        (9, "wanderer-1 has no import 9."),
        (10**30, f"wanderer-1 has no import {10**30}."),
    ],
)
def test_what_cannot_be_undone_is_said(
    client: Client, release: Release, number: int, expected: str
) -> None:
    import_lines(release, many(1))
    import_lines(release, many(2))
    before = database_digest()
    response = client.post(f"{RELEASE}imports/{number}/undo/", follow=True)
    assert expected in words(response)
    assert database_digest() == before


def test_undoing_twice_does_no_harm(client: Client, release: Release) -> None:
    import_lines(release, many(1))
    client.post(f"{RELEASE}imports/1/undo/")
    before = database_digest()
    response = client.post(f"{RELEASE}imports/1/undo/", follow=True)
    assert "Import 1 has already been undone." in words(response)
    assert database_digest() == before


def test_a_release_that_is_no_draft_offers_no_undo(client: Client, release: Release) -> None:
    import_lines(release, many(1))
    Release.objects.filter(pk=release.pk).update(status="reviewing")
    assert "/undo/" not in client.get(RELEASE).content.decode()
    response = client.post(f"{RELEASE}imports/1/undo/", follow=True)
    assert "its imports cannot be undone" in words(response)
    assert release.cases.count() == 1


# --- Who may --------------------------------------------------------------------------------------

PATHS = [IMPORT, f"{IMPORT}1/", f"{RELEASE}imports/1/undo/"]


def test_only_admins_import_and_undo(
    release: Release, as_user: AsUser, ada: User, rita: User, mina: User, sam: User
) -> None:
    import_lines(release, many(2))
    address, page = preview(as_user(ada), many(3))
    before = database_digest()
    for person, status in ((rita, 403), (mina, 403), (sam, 404)):
        client = as_user(person)
        for path in PATHS:
            data = {"format": "auto", "file": file_of(many(3)), "seen": seen(page)}
            where = path.replace(f"{IMPORT}1/", address)
            assert client.post(where, data).status_code == status, path
            if "undo" not in path:
                assert client.get(where).status_code == status, path
    assert database_digest() == before


@pytest.mark.parametrize("path", PATHS)
def test_somebody_who_is_not_signed_in_gets_the_sign_in_page(
    release: Release, as_user: AsUser, path: str
) -> None:
    import_lines(release, many(1))
    before = database_digest()
    response = as_user(None).post(path, {"format": "auto", "file": file_of(many(3))})
    assert response.headers["Location"].startswith("/sign-in/")
    assert database_digest() == before


@pytest.mark.parametrize("path", PATHS)
def test_every_form_needs_its_token(release: Release, ada: User, path: str) -> None:
    import_lines(release, many(1))
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    before = database_digest()
    assert client.post(path, {"format": "auto", "text": "x"}).status_code == 403
    assert database_digest() == before


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        (IMPORT, ["put", "patch", "delete"]),
        (f"{IMPORT}1/", ["put", "delete"]),
        (f"{RELEASE}imports/1/undo/", ["get", "put", "delete"]),
    ],
)
def test_wrong_methods_are_refused(client: Client, path: str, methods: list[str]) -> None:
    for method in methods:
        assert getattr(client, method)(path).status_code == 405


@pytest.mark.parametrize("path", ["/releases/nothing/import/", "/releases/nothing/import/1/"])
def test_a_release_that_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.post(path, {"format": "auto", "text": "{}"}).status_code == 404
    assert client.post("/releases/nothing/imports/1/undo/").status_code == 404
    assert not Batch.objects.exists()
