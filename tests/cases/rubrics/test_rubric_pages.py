"""Rubric pages: read by everybody, published by admins."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from cases.models import Rubric, RubricTranslation
from cases.rubric import digest, read, translated
from cases.rubrics.workflow import SHIPPED
from tests.people import AsUser

ENGLISH = (SHIPPED / "en.md").read_text("utf-8")
CHINESE = (SHIPPED / "zh-hans.md").read_text("utf-8")
OTHER = ENGLISH.replace("Strong. Clear daily flow", "Strong. A clear daily flow")


def digest_of(text: str) -> str:
    return digest(read(text).document)


def post(client: Client, **fields: object) -> tuple[int, str]:
    response = client.post("/rubrics/new/", {"language": "en", **fields}, follow=True)
    return response.status_code, response.content.decode()


def publish(client: Client, text: str) -> tuple[int, str]:
    return post(client, text=text, publish=digest_of(text))


def test_the_page_shows_every_level_question_and_kind(
    as_user: AsUser, rita: User, rubric: Rubric
) -> None:
    page = as_user(rita).get("/rubrics/1/").content.decode()
    assert "Immediately executable, with proactive risk controls" in page
    assert "Is budget breakdown clear and actionable?" in page
    assert "Low-budget feasibility warning case" in page
    assert "spring-festival" in page


def test_the_page_is_read_in_the_interface_language(
    as_user: AsUser, rita: User, rubric: Rubric
) -> None:
    client = as_user(rita)
    client.cookies["django_language"] = "zh-hans"
    chinese = rubric.text_for("zh-hans").document
    page = client.get("/rubrics/1/").content.decode()
    assert chinese.title in page
    assert chinese.metrics[0].levels[5].text in page
    assert "Immediately executable" in client.get("/rubrics/1/?language=en").content.decode()


def test_an_unknown_language_in_the_address_shows_the_original(
    as_user: AsUser, rita: User, rubric: Rubric
) -> None:
    response = as_user(rita).get("/rubrics/1/?language=xx")
    assert response.status_code == 200
    assert "Immediately executable" in response.content.decode()


def test_a_version_that_is_not_there_is_not_found(
    as_user: AsUser, rita: User, rubric: Rubric
) -> None:
    assert as_user(rita).get("/rubrics/2/").status_code == 404
    assert as_user(rita).get("/rubrics/2/text/").status_code == 404


def test_the_text_is_downloaded_as_it_was_written(
    as_user: AsUser, rita: User, rubric: Rubric
) -> None:
    response = as_user(rita).get("/rubrics/1/text/?language=zh-hans")
    assert response.content.decode() == CHINESE
    assert response.headers["Content-Disposition"] == 'attachment; filename="rubric-1-zh-hans.md"'


def test_without_a_rubric_the_list_says_what_to_do(as_user: AsUser, ada: User, rita: User) -> None:
    assert "Publish the first version" in as_user(ada).get("/rubrics/").content.decode()
    assert "once an admin publishes it" in as_user(rita).get("/rubrics/").content.decode()


def test_the_list_takes_the_same_queries_for_one_version_and_for_many(
    as_user: AsUser, ada: User, rubric: Rubric, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_user(ada)
    with django_assert_num_queries(5):
        client.get("/rubrics/")
    for n in range(12):
        publish(client, ENGLISH.replace("Eval Rubric", f"Rubric {n}"))
    with django_assert_num_queries(5):
        client.get("/rubrics/")


def test_the_form_starts_from_the_newest_text(as_user: AsUser, ada: User, rubric: Rubric) -> None:
    page = as_user(ada).get("/rubrics/new/").content.decode()
    assert "## Manual Metric 2: Personalization (0-5)" in page


def test_a_preview_shows_document_and_changes_and_publishes_nothing(
    as_user: AsUser, ada: User, rubric: Rubric
) -> None:
    status, page = post(as_user(ada), text=OTHER)
    assert status == 200
    assert "The document is valid: 2 metrics, at least 5 cases, 5 kinds." in page
    assert "<ins>+ - `4`: Strong. A clear daily flow" in page
    assert "<del>− - `4`: Strong. Clear daily flow" in page
    assert Rubric.objects.count() == 1


def test_publishing_makes_the_next_version_in_the_admins_name(
    as_user: AsUser, ada: User, rubric: Rubric
) -> None:
    status, page = publish(as_user(ada), OTHER)
    assert status == 200
    assert "Version 2 is published." in page
    assert Rubric.objects.newest() is not None
    assert Rubric.objects.get(number=2).published_by == ada


def test_publishing_twice_makes_one_version(as_user: AsUser, ada: User, rubric: Rubric) -> None:
    publish(as_user(ada), OTHER)
    _status, page = publish(as_user(ada), OTHER)
    assert "Version 2 already has exactly this content" in page
    assert Rubric.objects.count() == 2


def test_a_bad_document_is_answered_with_lines_and_kept_in_the_form(
    as_user: AsUser, ada: User, rubric: Rubric
) -> None:
    bad = ENGLISH.replace("- `3`: Usable", "- `4`: Usable")
    for fields in ({}, {"publish": "1"}):
        response = as_user(ada).post("/rubrics/new/", {"language": "en", "text": bad, **fields})
        page = response.content.decode()
        assert response.status_code == 422
        assert "Nothing was published." in page
        assert "Line 14:" in page
        assert "- `4`: Usable with minor edits" in page
    assert Rubric.objects.count() == 1


def test_problems_are_told_in_chinese_to_chinese_readers(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    client.cookies["django_language"] = "zh-hans"
    bad = ENGLISH.replace("- `3`: Usable", "- `4`: Usable")
    page = client.post("/rubrics/new/", {"language": "en", "text": bad}).content.decode()
    assert "第 14 行" in page


def test_a_file_is_read_like_pasted_text(as_user: AsUser, ada: User) -> None:
    file = SimpleUploadedFile("rubric.md", OTHER.encode())
    _status, page = post(as_user(ada), text="old text", file=file)
    assert "The document is valid" in page
    assert "Strong. A clear daily flow" in page


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("# Titel für alle".encode("latin-1"), "not UTF-8 text"),
        (b"x" * (200 * 1024 + 1), "larger than a rubric can be"),
        (b"", "empty"),
    ],
)
def test_a_bad_file_is_refused_in_words(
    as_user: AsUser, ada: User, content: bytes, words: str
) -> None:
    file = SimpleUploadedFile("rubric.md", content)
    _status, page = post(as_user(ada), file=file)
    assert words in page
    assert not Rubric.objects.exists()


def test_neither_text_nor_file_is_asked_for(as_user: AsUser, ada: User) -> None:
    assert "Paste a document or choose a file." in post(as_user(ada))[1]


def test_a_translation_is_previewed_and_published(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    publish(client, ENGLISH)
    fields = {"text": CHINESE, "translates": "1", "language": "zh-hans"}
    assert "matches version 1" in post(client, **fields)[1]
    assert not RubricTranslation.objects.exists()
    previewed = digest(translated(read(ENGLISH).document, CHINESE).document)
    post(client, **fields, publish=previewed)
    assert RubricTranslation.objects.get().language == "zh-hans"


def test_a_text_that_was_changed_after_its_preview_is_previewed_again(
    as_user: AsUser, ada: User, rubric: Rubric
) -> None:
    _status, page = post(as_user(ada), text=OTHER, publish=digest_of(ENGLISH))
    assert "The document is valid" in page
    assert Rubric.objects.count() == 1


def test_another_translation_in_the_same_language_is_refused(
    as_user: AsUser, ada: User, rubric: Rubric
) -> None:
    other = CHINESE.replace("评", "审", 1)
    previewed = digest(translated(read(ENGLISH).document, other).document)
    response = as_user(ada).post(
        "/rubrics/new/",
        {"text": other, "translates": "1", "language": "zh-hans", "publish": previewed},
    )
    assert response.status_code == 409
    assert "already has another text" in response.content.decode()


def test_text_of_a_document_is_never_markup(as_user: AsUser, ada: User) -> None:
    nasty = ENGLISH.replace("Not usable.", "<script>alert(1)</script><b>x</b>")
    _status, page = publish(as_user(ada), nasty)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/<wbr>script&gt;" in page
