"""Questions about the rubric, their one answer, and the page on which everybody reads it."""

import json
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release, Rubric
from cases.rubrics.workflow import publish
from reviews.models import Question, Ruling
from reviews.questions import names
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.report import summary
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.people import AsUser
from tests.reviews.adjudication.settling_pages import code_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")

RULING = "A picnic counts when it has a time."
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def release() -> Release:
    return bed.started()


@pytest.fixture
def asked(release: Release, rita: User) -> Question:
    return bed.ask(release, "feast", rita)


def page_of(question: Question) -> str:
    return f"/questions/{question.pk}/"


def answer(question: Question, user: User, text: str = RULING, *, now: datetime = NOW) -> Ruling:
    return questions_workflow.answer(question=question.pk, text=text, user=user, now=now)


# --- Questions ------------------------------------------------------------------------------------


def test_only_admins_read_questions(
    as_user: AsUser, asked: Question, rita: User, mina: User, sam: User
) -> None:
    for path in ("/questions/", page_of(asked), "/questions/987/"):
        assert as_user(rita).get(path).status_code == 403
        assert as_user(mina).get(path).status_code == 403
        assert as_user(sam).get(path).status_code == 404
        assert as_user(None).get(path).headers["Location"].startswith("/sign-in/")


def test_the_list_without_questions(admin: Client) -> None:
    page = words(admin.get("/questions/"))
    assert "0 unanswered questions" in page
    assert "Answered" not in page


def test_waiting_ones_first_with_case_subject_and_who_asked(
    admin: Client, release: Release, asked: Question, omar: User, ada: User
) -> None:
    level = bed.ask(release, "kids", omar, subject="personalization:3", text="Is a hint enough?")
    page = admin.get("/questions/")
    text = words(page)
    assert "2 unanswered questions" in text
    assert f"/cases/{code_of(release, 'feast')}/" in page.content.decode()
    document = release.rubric.document
    assert document.questions[1].text in text
    assert f"level 3: {document.metric('personalization').level(3).text}" in text
    assert "rita" in text
    answer(asked, ada)
    text = words(admin.get("/questions/"))
    assert "1 unanswered question" in text
    assert text.index(level.text) < text.index("Answered") < text.index(asked.text)
    assert RULING in text


def test_the_subject_is_told_in_the_language_of_the_reader(admin: Client, asked: Question) -> None:
    admin.cookies["django_language"] = "zh-hans"
    chinese = asked.release.rubric.text_for("zh-hans").document
    for path in ("/questions/", page_of(asked)):
        assert chinese.questions[1].text in words(admin.get(path))


def test_an_answer_becomes_a_ruling_for_everybody(
    as_user: AsUser, admin: Client, release: Release, asked: Question, omar: User
) -> None:
    done = admin.post(page_of(asked), {"text": RULING}, follow=True)
    assert done.redirect_chain == [("/questions/", 302)]
    assert "Every reviewer can read it now." in words(done)
    page = words(as_user(omar).get("/scoring/"))
    assert RULING in page
    for kept in (asked.text, "rita", release.name, "feast", code_of(release, "feast")):
        assert kept not in page
    assert release.events.get(kind="ruling-given").by == "ada"


def test_answered_twice_in_the_same_words_it_is_answered_once(
    admin: Client, asked: Question
) -> None:
    admin.post(page_of(asked), {"text": RULING})
    before = bed.everything()
    assert admin.post(page_of(asked), {"text": RULING}).status_code == 302
    assert bed.everything() == before


def test_another_answer_is_refused_in_words_and_stays(
    as_user: AsUser, admin: Client, asked: Question, root: User
) -> None:
    admin.post(page_of(asked), {"text": RULING})
    before = bed.everything()
    client = as_user(root)
    assert "Publish the answer" not in words(client.get(page_of(asked)))
    for other in (client, admin):
        refused = other.post(page_of(asked), {"text": "No, never."})
        assert refused.status_code == 409
        assert "ada has already answered this question." in words(refused)
        assert "No, never." in words(refused)
    assert bed.everything() == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "Write some text first."), (" \n ", "Write some text first."), ("y" * 1001, "1000")],
)
def test_an_answer_that_says_nothing_or_too_much_is_refused(
    admin: Client, asked: Question, text: str, sentence: str
) -> None:
    before = bed.everything()
    refused = admin.post(page_of(asked), {"text": text})
    assert refused.status_code == 422
    assert sentence in words(refused)
    assert bed.everything() == before


@pytest.mark.parametrize("named", ["code", "key", "release"])
def test_an_answer_names_neither_the_case_nor_the_release_and_stays_to_be_changed(
    admin: Client, asked: Question, named: str
) -> None:
    names = {"code": asked.case.code.lower(), "key": "Feast", "release": asked.release.name}
    before = bed.everything()
    text = f"在{names[named]}里，野餐算数。"
    refused = admin.post(page_of(asked), {"text": text})
    assert refused.status_code == 409
    assert "it must not name a person, a case or the release. Remove" in words(refused)
    assert text in words(refused)
    assert bed.everything() == before
    assert admin.post(page_of(asked), {"text": "Feasts have a time."}).status_code == 302


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("2", "2 hours", False),
        ("v2", "In V2.", True),
        ("v2", "v21", False),
        ("2026", "2026年", True),
    ],
)
def test_a_name_is_found_as_a_word_of_its_own(name: str, text: str, expected: bool) -> None:
    assert names.is_named(name, text) is expected


def test_a_question_that_is_not_there(admin: Client, asked: Question) -> None:
    for pk in (asked.pk + 1, 10**30):
        assert admin.get(f"/questions/{pk}/").status_code == 404
        assert admin.post(f"/questions/{pk}/", {"text": RULING}).status_code == 404
    assert admin.put(page_of(asked)).status_code == 405
    assert admin.post("/questions/").status_code == 405


def test_what_was_ruled_before_stands_beside_the_question(
    admin: Client, release: Release, asked: Question, omar: User, ada: User
) -> None:
    again = bed.ask(release, "kids", omar, text="And a snack?")
    answer(asked, ada)
    page = words(admin.get(page_of(again)))
    assert "Rulings on the same subject" in page
    assert RULING in page


def test_the_list_takes_the_same_queries_for_5_and_for_30(
    admin: Client, release: Release, rita: User, ada: User
) -> None:
    def bring(first: int, last: int) -> None:
        for number in range(first, last):
            one = bed.ask(release, "feast", rita, text=f"Question {number}?")
            if number % 2:
                answer(one, ada)

    bring(0, 5)
    few = queries(admin, "/questions/"), queries(admin, "/scoring/")
    bring(5, 30)
    assert (queries(admin, "/questions/"), queries(admin, "/scoring/")) == few


# --- How we score ---------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["rita", "ada", "mina", "root"])
def test_every_role_reads_how_we_score(
    as_user: AsUser, request: pytest.FixtureRequest, rubric: Rubric, who: str
) -> None:
    page = words(as_user(request.getfixturevalue(who)).get("/scoring/"))
    for metric in rubric.document.metrics:
        assert metric.name in page
        texts = [(one.text, one.hint) for one in metric.levels]
        texts += [(one.text, one.hint) for one in metric.checklist]
        for text, hint in texts:
            assert text in page.replace("/ ", "/")
            assert hint.split("\n")[0] in page
    assert ("New version or translation" in page) is (who in ("ada", "root"))


def test_strangers_guests_and_other_methods(as_user: AsUser, sam: User, rita: User) -> None:
    assert as_user(sam).get("/scoring/").status_code == 404
    assert as_user(None).get("/scoring/").headers["Location"].startswith("/sign-in/")
    assert as_user(rita).post("/scoring/").status_code == 405


def test_another_version_on_request(
    as_user: AsUser, rita: User, ada: User, rubric: Rubric, asked: Question
) -> None:
    answer(asked, ada)
    text = rubric.text.replace("Are lunch/rest windows", "Are lunch and rest windows")
    publish(text=text, language="en", user=None, now=NOW)
    client = as_user(rita)
    newest, first = words(client.get("/scoring/")), words(client.get("/scoring/?rubric=1"))
    assert "Are lunch and rest windows" in newest
    assert RULING not in newest
    assert RULING in first
    assert "version 2 is newer" in first
    for odd in ("3", "0", "-1", "x", "1.5", "٣", "9" * 40):
        assert client.get("/scoring/", {"rubric": odd}).status_code == 404


# --- In the report --------------------------------------------------------------------------------


def texts(release: Release) -> list[str]:
    return [one.text for one in summary.compute(bed.current(release)).rulings]


def test_a_report_prints_what_was_ruled_before_it_was_closed(
    release: Release, asked: Question, rita: User, omar: User, ada: User
) -> None:
    late = bed.ask(release, "kids", omar, subject="usability-value:4", text="Is a 4 a 4?")
    other = bed.started("other")
    elsewhere = bed.ask(other, "feast", rita, subject=bed.ITEMS[0], text="And here?")
    answer(asked, ada)
    answer(elsewhere, ada, "Buffers are minutes.")
    assert texts(release) == ["Buffers are minutes.", RULING]
    closing = releases_lifecycle.close(
        release=release, waived=["reviews"], reason="late", user=None, now=LATER
    )
    answer(late, ada, "A 4 is a 4.", now=LATER + timedelta(seconds=1))
    assert texts(release) == ["Buffers are minutes.", RULING]
    assert texts(other) == ["Buffers are minutes.", RULING, "A 4 is a 4."]
    assert json.loads(closing.summary)["rulings"] == [
        {"subject": bed.ITEMS[0], "text": "Buffers are minutes.", "by": "ada"},
        {"subject": bed.ITEMS[1], "text": RULING, "by": "ada"},
    ]
    assert summary.serialize(summary.compute(bed.current(release))) == (
        closing.summary,
        closing.digest,
    )
    releases_lifecycle.reopen(release=release, reason="again", user=None, now=LATER)
    assert "A 4 is a 4." in texts(release)


def test_a_ruling_belongs_to_its_rubric_version(rubric: Rubric, asked: Question, ada: User) -> None:
    answer(asked, ada)
    text = rubric.text.replace("Are lunch/rest windows", "Are lunch and rest windows")
    newer = publish(text=text, language="en", user=None, now=NOW).version
    assert texts(make_release("newer", rubric=newer)) == []
    assert texts(make_release("same", rubric=rubric)) == [RULING]


def test_home_says_to_whoever_answers_them_how_many_questions_wait(
    as_user: AsUser, admin: Client, asked: Question, mina: User, ada: User
) -> None:
    page = admin.get("/")
    assert "1 question about the rubric to answer" in words(page)
    assert 'href="/questions/"' in page.content.decode()
    assert "question about the rubric" not in words(as_user(mina).get("/"))
    answer(asked, ada)
    assert "question about the rubric" not in words(admin.get("/"))
