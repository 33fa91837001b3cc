"""The form beside a document: posted without scripts, it is written into the document."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from cases.models import Rubric
from cases.rubric import LARGEST, digest, read
from cases.rubrics import editor
from cases.rubrics.workflow import SHIPPED
from tests.people import AsUser

ENGLISH = (SHIPPED / "en.md").read_text("utf-8")
CHINESE = (SHIPPED / "zh-hans.md").read_text("utf-8")
QUESTION = "edit:metrics.0.questions.3.text"


@pytest.fixture
def client(as_user: AsUser, ada: User, rubric: Rubric) -> Client:
    return as_user(ada)


def post(client: Client, text: str = ENGLISH, **fields: Any) -> str:
    data = {"language": "en", "text": text, "base": ENGLISH, "act": "edit"} | fields
    return client.post("/rubrics/new/", data).content.decode()


def document_of(page: str) -> str:
    """The text in the box of the document."""
    match = re.search(r'<textarea name="text".*?>\n(.*?)</textarea>', page, re.DOTALL)
    assert match
    return unescape(match[1])


def values_of(page: str) -> dict[str, str]:
    """What the fields of the form have, by name."""
    found = re.findall(r'name="(edit:[^"]*)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    return {name: unescape(value) for name, value in found}


def test_the_form_shows_every_text_of_the_newest_version(client: Client) -> None:
    page = client.get("/rubrics/new/").content.decode()
    values = values_of(page)
    assert values["edit:title"] == "Eval Rubric"
    assert values["edit:metrics.1.levels.5.text"].startswith("Excellent adaptation")
    assert values[QUESTION] == "Is budget breakdown clear and actionable?"
    assert values["edit:kinds.0.tags"] == "beijing spring-festival"
    assert "No mistakes." in page
    assert document_of(page) == ENGLISH


def test_what_is_written_in_the_form_is_written_into_the_document(client: Client) -> None:
    page = post(client, **{QUESTION: "Is every price named?"})
    changed = ENGLISH.replace("Is budget breakdown clear and actionable?", "Is every price named?")
    assert document_of(page) == changed
    assert values_of(page)[QUESTION] == "Is every price named?"
    assert Rubric.objects.count() == 1


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("add:metrics", "## Manual Metric 3: … (0-5)"),
        ("down:metrics.0", "## Manual Metric 2: Usability &amp; Value (0-5)"),
        ("remove:metrics.0.levels.0", "- `0`: Major gaps."),
        (
            "up:metrics.1.questions.1",
            "- Is pace aligned with group type (family/elderly/solo/etc.)?\n- Are",
        ),
        ("add:kinds", "  6. …"),
    ],
)
def test_a_button_changes_the_document_by_one_step(client: Client, act: str, words: str) -> None:
    page = post(client, act=act)
    assert words in page
    assert "Added." in page or "Moved." in page or "Removed." in page
    assert 'data-focus=""' not in page


def test_a_step_keeps_what_was_typed_on_both_sides(client: Client) -> None:
    text = ENGLISH.replace("# Eval", "# Our Eval")
    page = post(client, text, act="remove:kinds.0", **{QUESTION: "Is every price named?"})
    document = document_of(page)
    assert document.startswith("# Our Eval")
    assert "- Is every price named?" in document
    assert "  1. Low-budget" in document


def test_a_step_that_cannot_be_made_is_explained(client: Client) -> None:
    page = post(client, act="remove:metrics.0.questions.9")
    assert "This part is no longer in the document." in page
    assert document_of(page) == ENGLISH


def test_a_text_changed_on_both_sides_stays_on_both_until_one_is_chosen(client: Client) -> None:
    text = ENGLISH.replace("Is budget breakdown clear", "Is the budget clear")
    typed = {QUESTION: "Is every price named?"}
    page = post(client, text, **typed)
    assert document_of(page) == text
    assert values_of(page)[QUESTION] == "Is every price named?"
    assert "Is the budget clear and actionable?</q>" in page
    path = "metrics.0.questions.3.text"
    again = {"base": text, "held": path, **typed}
    assert document_of(post(client, text, **again)) == text
    assert "First choose" in post(client, text, **again, act="add:kinds")
    taken = post(client, text, **(again | {"act": f"take:{path}"}))
    assert "- Is every price named?\n" in document_of(taken)
    left = post(client, text, **(again | {"act": f"leave:{path}"}))
    assert values_of(left)[QUESTION] == "Is the budget clear and actionable?"


def test_a_text_that_the_document_cannot_hold_stays_in_the_form(client: Client) -> None:
    page = post(client, **{QUESTION: "`3`: is a level"})
    assert document_of(page) == ENGLISH
    assert values_of(page)[QUESTION] == "`3`: is a level"
    assert "the document would be read differently" in page


def test_what_was_typed_for_a_part_that_is_gone_is_shown_until_it_is_not_needed(
    client: Client,
) -> None:
    text = ENGLISH.replace("- Is budget breakdown clear and actionable?\n", "")
    page = post(client, text, **{QUESTION: "Is every price named?"})
    assert "Is every price named?</textarea>" in page
    again = post(client, text, base=text, homeless="Is every price named?")
    assert "Is every price named?</textarea>" in again
    assert "Is every price" not in post(client, text, base=text, homeless="x", act="forget")


def test_nothing_is_published_while_a_typed_text_is_not_in_the_document(client: Client) -> None:
    text = ENGLISH.replace("Is budget breakdown clear", "Is the budget clear")
    fields = {
        "language": "en",
        "text": text,
        "base": ENGLISH,
        "publish": digest(read(text).document),
    }
    page = client.post("/rubrics/new/", fields | {QUESTION: "Is it?"}).content.decode()
    assert "1 text of the form is not in the document yet" in page
    assert Rubric.objects.count() == 1


def test_the_preview_has_what_was_typed_last(client: Client) -> None:
    fields = {"language": "en", "text": ENGLISH, "base": ENGLISH, QUESTION: "Is it?"}
    page = client.post("/rubrics/new/", fields).content.decode()
    assert "<ins>+ - Is it?</ins>" in page


def test_mistakes_name_their_line_and_lead_to_their_field(client: Client) -> None:
    text = ENGLISH.replace("- `2`: Partially", "- `2`:\n- `7`: Partially")
    page = post(client, text, base=text)
    assert "2 mistakes" in page
    assert '<a href="#edit:metrics.0.levels.2.text" data-row="12">Line 12:' in page
    assert "<code>- `2`:</code>" in page
    assert "edit:metrics.1.name" in page
    assert document_of(page) == text


@pytest.mark.parametrize(
    "text", ["", "words", "# Title\n", "x" * (LARGEST + 1), "\x00", "## Metric 1"]
)
def test_a_document_that_cannot_be_read_is_kept(client: Client, text: str) -> None:
    page = post(client, text, **{QUESTION: "Is it?"})
    assert document_of(page) == text.replace("\x00", "\x00")
    assert "Is it?</textarea>" in page


def test_a_scripts_request_is_answered_with_the_editor_alone(client: Client) -> None:
    data = {"language": "en", "text": ENGLISH, "base": ENGLISH, "act": "edit"}
    answer = client.post("/rubrics/new/", data, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.content.decode().lstrip().startswith('<div class="editor" id="editor"')


def test_a_refresh_reads_nothing_of_rubrics_from_the_database(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    data = {"language": "en", "text": ENGLISH, "base": ENGLISH, "act": "edit"}
    client.post("/rubrics/new/", data)
    with django_assert_num_queries(3):  # session, user, roles
        client.post("/rubrics/new/", data, headers={"HX-Request": "true"})


def test_the_form_of_a_long_document_stops_before_a_request_has_too_many_fields(
    client: Client,
) -> None:
    many = "".join(f"- Is question {number} clear?\n" for number in range(2000))
    text = ENGLISH.replace("- Are must-visit", many + "- Are must-visit")
    page = post(client, text, base=text)
    assert editor.MOST_FIELDS <= len(values_of(page)) <= editor.MOST_FIELDS + 10
    assert "too long for the form" in page
    again = client.post(
        "/rubrics/new/",
        values_of(page)
        | {"language": "en", "text": text, "base": text, "act": "edit", QUESTION: "Q?"},
    ).content.decode()
    assert "- Q?\n" in document_of(again)


@pytest.mark.parametrize("path", ["metrics.x.y", "metrics", "kinds.1.tags.2", "", "metrics.9", "²"])
@pytest.mark.parametrize("text", [ENGLISH, ENGLISH.replace("## Manual Metric 1", "## Metric 9")])
def test_odd_names_are_no_mistake_of_ours(client: Client, path: str, text: str) -> None:
    page = post(client, text, **{f"edit:{path}": "Typed.", "held": path})
    assert document_of(page) == text
    assert "Typed.</textarea>" in page
    for act in ("add", "remove", "up", "take", "leave", "forget", "burn"):
        if act != "add" or path != "metrics":
            assert document_of(post(client, text, act=f"{act}:{path}")) == text


# Translations


def translation(client: Client, **fields: Any) -> str:
    fields = {"translates": "1", "base": CHINESE} | fields
    return post(client, fields.pop("text", CHINESE), **fields)


def test_a_translation_starts_from_the_original_and_shows_it_above_each_field(
    client: Client,
) -> None:
    page = client.get("/rubrics/new/?version=1&translate=1&language=zh-hans").content.decode()
    assert document_of(page) == ENGLISH
    assert '<p class="original fine" lang="en">Is budget breakdown clear' in page


def test_a_translation_has_its_texts_changed_and_nothing_else(client: Client) -> None:
    page = translation(client, **{QUESTION: "预算清楚吗？", "edit:kinds.0.tags": "other"})
    assert "- 预算清楚吗？\n" in document_of(page)
    assert "spring-festival" not in values_of(page)
    assert not any(name.endswith(".tags") for name in values_of(page))
    assert 'value="add:' not in page
    for act in ("add:kinds", "remove:metrics.0", "up:metrics.0.questions.1"):
        page = translation(client, act=act)
        assert "A translation has the same parts as its original." in page
        assert document_of(page) == CHINESE


def test_a_language_that_is_published_is_said_to_be(client: Client) -> None:
    page = client.get("/rubrics/new/?version=1&translate=1&language=zh-hans").content.decode()
    assert "Version 1 already has another text in 简体中文" in page


def test_the_form_starts_from_any_version_and_language(client: Client) -> None:
    page = client.get("/rubrics/new/?version=1&language=zh-hans").content.decode()
    assert document_of(page) == CHINESE
    odd = client.get("/rubrics/new/?version=99999999999999999999&language=xx")
    assert document_of(odd.content.decode()) == ENGLISH
    assert "New version from this" in client.get("/rubrics/1/").content.decode()


def test_only_admins_are_offered_a_new_version(as_user: AsUser, rita: User, rubric: Rubric) -> None:
    assert "New version from this" not in as_user(rita).get("/rubrics/1/").content.decode()
