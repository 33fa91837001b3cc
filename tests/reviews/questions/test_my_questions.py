"""My questions: what a reviewer asked about the rubric, with the answers, and nothing of others."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User

from cases.models import Release
from reviews.models import Question
from reviews.models.questions import VISIT
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser
from tests.reviews.adjudication.settling_pages import code_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")

PAGE = "/reviews/questions/"
RULING = "A picnic counts when it has a time."
NEW = "new answer"


@pytest.fixture
def release() -> Release:
    return bed.started()


def answer(question: Question, user: User, text: str = RULING, *, hours: int = 0) -> None:
    now = NOW + timedelta(hours=hours)
    questions_workflow.answer(question=question.pk, text=text, user=user, now=now)


def test_it_is_for_reviewers(as_user: AsUser, rita: User, ada: User, mina: User, sam: User) -> None:
    assert "You have not asked anything yet." in words(as_user(rita).get(PAGE))
    for person, status in ((ada, 403), (mina, 403), (sam, 404)):
        assert as_user(person).get(PAGE).status_code == status
    assert as_user(None).get(PAGE).headers["Location"].startswith("/sign-in/")
    assert as_user(rita).post(PAGE).status_code == 405


def test_only_ones_own_with_the_way_to_the_review_and_nothing_of_the_release(
    as_user: AsUser, rita: User, omar: User, ada: User, release: Release
) -> None:
    mine = bed.ask(release, "feast", rita)
    answer(mine, ada)
    answer(bed.ask(release, "kids", omar, text="And a snack?"), ada, "A snack is no lunch.")
    bed.ask(release, "rush", omar, text="And tea?")
    found = as_user(rita).get(PAGE)
    page, text = found.content.decode(), words(found)
    assert mine.text in text
    assert release.rubric.document.questions[1].text in text
    assert RULING in text
    own = rita.reviews.get(case__case_key="feast")
    assert f'href="/reviews/{own.pk}/"' in page
    for hidden in (
        "And a snack?",
        "A snack is no lunch.",
        "And tea?",
        "omar",
        code_of(release, "kids"),
    ):
        assert hidden not in page
    for hidden in (release.name, "feast", "wanderer"):
        assert hidden not in page


def test_the_newest_answer_comes_first_and_what_waits_last(
    as_user: AsUser, rita: User, ada: User, release: Release
) -> None:
    asked = [
        bed.ask(release, "feast", rita, text=f"Question {number}?", now=NOW + timedelta(number))
        for number in range(4)
    ]
    answer(asked[1], ada, "Answer 1.", hours=2)
    answer(asked[0], ada, "Answer 0.", hours=3)
    text = words(as_user(rita).get(PAGE))
    order = ["Question 0?", "Answer 0.", "Question 1?", "Answer 1.", "Question 3?", "Question 2?"]
    assert sorted(order, key=text.index) == order
    assert text.count("not answered yet") == 2


def test_a_question_about_a_level_names_it(as_user: AsUser, rita: User, release: Release) -> None:
    bed.ask(release, "feast", rita, subject="personalization:3")
    text = words(as_user(rita).get(PAGE))
    level = release.rubric.document.metric("personalization").level(3)
    assert f"level 3: {level.text}" in text


def test_a_new_answer_is_marked_for_this_visit_and_counted_until_it_is_read(
    as_user: AsUser, rita: User, omar: User, ada: User, release: Release
) -> None:
    asked = [bed.ask(release, "feast", rita, text=f"Question {number}?") for number in range(2)]
    others = bed.ask(release, "feast", omar, text="And tea?")
    client = as_user(rita)
    before = client.get("/").content
    for question in (*asked, others):
        answer(question, ada)
    assert b"new answer" not in before
    for address in ("/", "/reviews/"):
        assert "2 new answers" in words(client.get(address))
    with time_machine.travel(NOW, tick=False):
        assert words(client.get(PAGE)).count(NEW) == 2
    for address in ("/", "/reviews/"):
        assert NEW not in words(client.get(address))
    with time_machine.travel(NOW + VISIT - timedelta(seconds=1), tick=False):
        assert words(client.get(PAGE)).count(NEW) == 2
    with time_machine.travel(NOW + VISIT, tick=False):
        assert NEW not in words(client.get(PAGE))
    others.refresh_from_db()
    assert others.answer_read_at is None


def test_an_answer_after_closing_is_read_too(
    as_user: AsUser, rita: User, ada: User, release: Release
) -> None:
    asked = bed.ask(release, "feast", rita)
    releases_lifecycle.abandon(release=bed.current(release), reason="x", user=None, now=NOW)
    answer(asked, ada)
    assert NEW in words(as_user(rita).get(PAGE))


def test_the_page_takes_the_same_queries_for_2_questions_and_for_12(
    as_user: AsUser, rita: User, ada: User, release: Release
) -> None:
    client = as_user(rita)

    def bring(first: int, last: int) -> int:
        for number in range(first, last):
            key = ("feast", "kids", "rush")[number % 3]
            asked = bed.ask(release, key, rita, text=f"Question {number}?")
            if number % 2:
                answer(asked, ada)
        client.get(PAGE)
        return queries(client, PAGE)

    assert bring(0, 2) == bring(2, 12)
