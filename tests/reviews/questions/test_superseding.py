"""A ruling is superseded by another, never changed, and reviewers are asked to look again."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases import ledger
from cases.models import Release
from evalsite.permissions import Role
from reviews.desk import revision
from reviews.desk import workflow as desk_workflow
from reviews.errors import Refused
from reviews.models import Question, Review, Ruling
from reviews.questions import names
from reviews.questions import workflow as questions_workflow
from reviews.questions.queries import load_rulings, select_to_look_again
from reviews.releases import lifecycle as releases_lifecycle
from reviews.report import summary
from tests.bed import reviewed as bed
from tests.bed.api import Script, code, problems
from tests.bed.cases import NOW, make_release
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import queries, words

pytestmark = pytest.mark.usefixtures("rubric")

FIRST = "A picnic counts when it has a time."
SECOND = "A picnic counts when it has a time and a place."
HOUR = timedelta(hours=1)


@pytest.fixture
def release() -> Release:
    return bed.started()


@pytest.fixture
def asked(release: Release, rita: User) -> Question:
    return bed.ask(release, "feast", rita)


@pytest.fixture
def first(asked: Question, ada: User) -> Ruling:
    return questions_workflow.answer(question=asked.pk, text=FIRST, user=ada, now=NOW)


def supersede(
    ruling: Ruling, user: User, text: str = SECOND, *, look_again: bool = False, hours: int = 1
) -> Ruling:
    return questions_workflow.answer(
        question=ruling.question_id,
        text=text,
        look_again=look_again,
        supersedes=ruling.number,
        user=user,
        now=NOW + hours * HOUR,
    )


def page_of(question: Question) -> str:
    return f"/questions/{question.pk}/"


# --- Superseding ----------------------------------------------------------------------------------


def test_the_old_ruling_stays_readable_and_is_struck_with_a_link_to_the_new_one(
    as_user: AsUser, admin: Client, asked: Question, first: Ruling, omar: User
) -> None:
    page = words(admin.get(page_of(asked)))
    assert "Supersede the answer" in page
    answer = admin.post(page_of(asked), {"text": SECOND, "supersedes": "1"})
    assert answer.headers["Location"] == "/questions/"
    new = Ruling.objects.get(supersedes=first)
    assert (new.text, new.number, new.by, new.question) == (SECOND, 2, "ada", asked)
    first.refresh_from_db()
    assert first.text == FIRST
    for client, path in ((admin, page_of(asked)), (as_user(omar), "/scoring/")):
        page = client.get(path).content.decode()
        assert f"<s>{FIRST}</s>" in page
        assert f'href="#ruling-{new.pk}"' in page
        assert f'id="ruling-{new.pk}"' in page
        assert f"<s>{SECOND}</s>" not in page


def test_the_desk_shows_the_ruling_in_force_alone(
    as_user: AsUser, release: Release, first: Ruling, rita: User, ada: User
) -> None:
    supersede(first, ada)
    desk = words(as_user(rita).get(f"/reviews/{Review.objects.get().pk}/"))
    assert SECOND in desk
    assert f"{FIRST} " not in desk


def test_superseding_is_an_event_with_both_texts(
    release: Release, first: Ruling, ada: User
) -> None:
    supersede(first, ada, look_again=True)
    event = release.events.get(kind="ruling-superseded")
    assert event.data == {
        "rubric": 1,
        "subject": first.subject,
        "text": SECOND,
        "supersedes": FIRST,
        "look_again": True,
    }
    assert ledger.verify(bed.current(release))


def test_sent_twice_it_is_superseded_once(admin: Client, asked: Question, first: Ruling) -> None:
    sent = {"text": SECOND, "supersedes": "1", "look_again": "on"}
    admin.post(page_of(asked), sent)
    before = bed.everything()
    assert admin.post(page_of(asked), sent).status_code == 302
    assert admin.post(page_of(asked), {"text": FIRST}).status_code == 302
    assert bed.everything() == before


def test_of_two_admins_the_second_reads_what_the_first_wrote(
    as_user: AsUser, asked: Question, first: Ruling, ada: User, root: User
) -> None:
    supersede(first, ada)
    before = bed.everything()
    client = as_user(root)
    refused = client.post(page_of(asked), {"text": "Never.", "supersedes": "1"})
    assert refused.status_code == 409
    assert "ada has superseded this ruling. Read the new one first." in words(refused)
    assert SECOND in words(refused)
    assert "Never." in refused.content.decode()
    assert 'name="supersedes" value="2"' in refused.content.decode()
    assert bed.everything() == before
    assert client.post(page_of(asked), {"text": "Never.", "supersedes": "2"}).status_code == 302
    assert asked.ruling is not None
    assert asked.ruling.text == "Never."


def test_the_same_words_supersede_nothing_unless_reviewers_shall_look_again(
    asked: Question, first: Ruling, ada: User
) -> None:
    before = bed.everything()
    with pytest.raises(questions_workflow.SaysTheSame):
        supersede(first, ada, FIRST)
    assert bed.everything() == before
    again = supersede(first, ada, FIRST, look_again=True)
    with pytest.raises(questions_workflow.SaysTheSame):
        supersede(again, ada, FIRST, look_again=True, hours=2)


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "99999999999999"])
def test_a_ruling_that_cannot_be_is_refused(
    admin: Client, asked: Question, first: Ruling, number: str
) -> None:
    before = bed.everything()
    refused = admin.post(page_of(asked), {"text": SECOND, "supersedes": number})
    assert refused.status_code == 422
    assert bed.everything() == before


def test_the_database_keeps_the_chain(asked: Question, first: Ruling, ada: User) -> None:
    second = supersede(first, ada)

    def row(**changes: object) -> Callable[[], object]:
        values = {
            **{"rubric": first.rubric, "question": asked, "subject": first.subject},
            **{"text": "x", "by": "ada", "given_at": NOW, "number": 3, "supersedes": second},
        }
        return lambda: Ruling.objects.create(**(values | changes))

    for act in (
        row(supersedes=first),
        row(number=2),
        row(supersedes=None),
        row(number=1, supersedes=None),
        lambda: Ruling.objects.filter(pk=first.pk).update(text="x"),
        lambda: Ruling.objects.filter(pk=first.pk).update(look_again=True),
        lambda: second.delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()
    row()()


@pytest.mark.sqlite
def test_sqlite_replaces_no_ruling(asked: Question, first: Ruling, ada: User) -> None:
    second = supersede(first, ada)
    columns = (
        "rubric_id, question_id, number, supersedes_id, subject, text, by, given_at, look_again"
    )
    for number, supersedes in ((1, None), (2, first.pk), (7, first.pk)):
        with (
            pytest.raises(IntegrityError),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(
                f"INSERT OR REPLACE INTO reviews_ruling ({columns}) "
                "VALUES (%s, %s, %s, %s, 's', 'x', 'ada', %s, 0)",
                [first.rubric_id, asked.pk, number, supersedes, NOW],
            )
    assert set(Ruling.objects.values_list("pk", flat=True)) == {first.pk, second.pk}


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["omar", "Omar Haddad", "rush", "code", "wanderer-1"])
def test_a_ruling_names_no_person_no_case_and_no_release(
    admin: Client, release: Release, asked: Question, first: Ruling, omar: User, named: str
) -> None:
    User.objects.filter(pk=omar.pk).update(first_name="Omar", last_name="Haddad")
    name = release.cases.get(case_key="rush").code if named == "code" else named
    before = bed.everything()
    for more in ({"supersedes": "1"}, {}):
        text = f"As {name} said, a picnic counts."
        refused = admin.post(page_of(asked), {"text": text} | more)
        assert refused.status_code == 409
        if more:
            assert "must not name a person, a case or the release. Remove" in words(refused)
            assert name in words(refused)
    assert bed.everything() == before


def test_a_word_of_the_rubric_names_no_one(asked: Question, first: Ruling, ada: User) -> None:
    """Somebody's user name may be an ordinary word."""
    make_person("lunch", Role.REVIEWER)
    assert names.is_named("lunch", asked.release.rubric.text)
    supersede(first, ada, "A picnic is a lunch when it has a time.")


def test_a_case_of_another_release_is_no_case_of_this_one(
    asked: Question, first: Ruling, ada: User
) -> None:
    bed.bring(make_release("other"), bed.row("gala"))
    supersede(first, ada, "A gala counts as a dinner.")


def test_a_question_names_no_person_and_no_case_either(
    as_user: AsUser, release: Release, rita: User, omar: User
) -> None:
    own = bed.assign(release, "feast", rita)
    before = bed.everything()
    for name in (own.case.code, own.case.code.lower(), "omar"):
        refused = as_user(rita).post(
            f"/reviews/{own.pk}/ask/", {"subject": bed.ITEMS[0], "text": f"What about {name}?"}
        )
        assert refused.status_code == 409
        assert "without naming a case or a person" in words(refused)
    assert bed.everything() == before


def test_a_refused_question_does_not_tell_which_cases_there_are(
    release: Release, rita: User
) -> None:
    bed.ask(release, "feast", rita, text="Is a rush in the plan a fault, or in wanderer-1?")


# --- Look again -----------------------------------------------------------------------------------


def to_look_again(user: User) -> list[str]:
    return [review.case.case_key for review in select_to_look_again(user)]


def test_a_reviewer_is_asked_to_look_at_own_reviews_that_can_be_revised(
    as_user: AsUser, release: Release, first: Ruling, rita: User, omar: User, ada: User
) -> None:
    mine = bed.review(release, "kids", rita)
    bed.review(release, "kids", omar)
    begun = bed.assign(release, "rush", rita)
    desk_workflow.save_draft(review=begun.pk, user=rita, version=0, said=bed.judgement(), now=NOW)
    supersede(first, ada, look_again=True)
    assert sorted(to_look_again(rita)) == ["kids", "rush"]
    assert to_look_again(omar) == ["kids"]
    client = as_user(rita)
    for path in ("/", "/reviews/"):
        page = words(client.get(path))
        assert "A ruling changed: look again" in page
        assert mine.case.code in page
        assert begun.case.code in page
        assert release.name not in page
    for review in (mine, begun):
        desk = words(client.get(review.get_absolute_url()))
        assert "A ruling changed: look again" in desk
        assert SECOND in desk
    fresh = bed.assign(release, "thrift", rita)
    assert "look again" not in words(client.get(fresh.get_absolute_url()))


def test_without_the_box_nobody_is_asked(
    as_user: AsUser, release: Release, first: Ruling, rita: User, ada: User
) -> None:
    bed.review(release, "kids", rita)
    supersede(first, ada)
    assert to_look_again(rita) == []
    assert "look again" not in words(as_user(rita).get("/"))


def test_the_first_answer_can_ask_too(
    admin: Client, release: Release, asked: Question, rita: User
) -> None:
    bed.review(release, "kids", rita)
    admin.post(page_of(asked), {"text": FIRST, "look_again": "on"})
    assert to_look_again(rita) == ["kids"]


def test_a_ruling_that_is_superseded_again_still_asks(
    release: Release, first: Ruling, rita: User, ada: User
) -> None:
    own = bed.review(release, "kids", rita)
    second = supersede(first, ada, look_again=True)
    supersede(second, ada, "Only with a place.", hours=2)
    assert to_look_again(rita) == ["kids"]
    found = load_rulings(release.rubric_id)
    assert [ruling.text for ruling in found.in_force] == ["Only with a place."]
    assert [ruling.text for ruling in found.find_newer(own)] == [SECOND]


def test_who_revises_or_keeps_the_review_is_asked_no_more(
    as_user: AsUser, release: Release, first: Ruling, rita: User, ada: User
) -> None:
    revised, kept = (bed.review(release, key, rita) for key in ("kids", "rush"))
    ruling = supersede(first, ada, look_again=True)
    bed.submit(revised, bed.judgement(3), reason="The ruling.", now=NOW + 2 * HOUR)
    client, sent = as_user(rita), {"ruling": str(ruling.pk)}
    answer = client.post(f"/reviews/{kept.pk}/keep/", sent)
    assert answer.headers["Location"] == "/reviews/"
    assert to_look_again(rita) == []
    event = release.events.get(kind="review-kept")
    assert (event.by, event.data) == ("rita", {"case": "rush"})
    before = bed.everything()
    assert client.post(f"/reviews/{kept.pk}/keep/", sent).status_code == 302
    assert bed.everything() == before
    supersede(ruling, ada, "Only with a place.", look_again=True, hours=3)
    assert sorted(to_look_again(rita)) == ["kids", "rush"]


def test_keeping_covers_the_rulings_that_were_shown_and_no_later_one(
    release: Release, first: Ruling, rita: User, ada: User
) -> None:
    own = bed.review(release, "kids", rita)
    shown = supersede(first, ada, look_again=True)
    supersede(shown, ada, "Only with a place.", look_again=True, hours=2)
    revision.keep(review=own.pk, ruling=shown.pk, user=rita, now=NOW + 3 * HOUR)
    assert to_look_again(rita) == ["kids"]


def test_no_one_keeps_the_review_of_another_or_for_a_ruling_that_is_none(
    as_user: AsUser, release: Release, first: Ruling, rita: User, omar: User, ada: User
) -> None:
    own = bed.review(release, "kids", rita)
    ruling = supersede(first, ada, look_again=True)
    before = bed.everything()
    path = f"/reviews/{own.pk}/keep/"
    assert as_user(omar).post(path, {"ruling": str(ruling.pk)}).status_code == 404
    assert as_user(rita).get(path).status_code == 405
    for odd in ("", "x", "0", "9" * 30):
        assert as_user(rita).post(path, {"ruling": odd}).status_code == 404
    for number in (first.pk, ruling.pk + 1):
        with pytest.raises(questions_workflow.NoSuchRuling):
            revision.keep(review=own.pk, ruling=number, user=rita, now=NOW)
        as_user(rita).post(path, {"ruling": str(number)})
    assert bed.everything() == before


def test_what_can_no_longer_be_revised_is_not_asked_about(
    release: Release, first: Ruling, rita: User, omar: User, ada: User
) -> None:
    both = make_person("both", Role.REVIEWER, Role.ADMIN)
    bed.review_all(release, both, omar)
    bed.review(release, "feast", rita)
    ruling = supersede(first, ada, look_again=True)
    assert len(to_look_again(both)) == 5
    ledger.append(
        release=bed.current(release), kind="scores-seen", data={}, user=both, now=NOW + HOUR
    )
    assert to_look_again(both) == []
    assert to_look_again(rita) == ["feast"]
    releases_lifecycle.abandon(release=bed.current(release), reason="r", user=None, now=NOW)
    assert to_look_again(rita) == []
    with pytest.raises(Refused):
        revision.keep(
            review=Review.objects.get(reviewer=rita).pk, ruling=ruling.pk, user=rita, now=NOW
        )


def test_asking_takes_one_query_however_many_there_are(
    as_user: AsUser, release: Release, first: Ruling, rita: User, ada: User
) -> None:
    client = as_user(rita)
    bed.review(release, "kids", rita)
    ruling = supersede(first, ada, look_again=True)
    few = queries(client, "/"), queries(client, "/reviews/")
    for key in ("rush", "thrift", "ramp"):
        bed.review(release, key, rita)
    supersede(ruling, ada, "Only with a place.", look_again=True, hours=2)
    assert len(to_look_again(rita)) == 4
    assert (queries(client, "/"), queries(client, "/reviews/")) == few


# --- By script ------------------------------------------------------------------------------------


def test_scripts_read_questions_answer_and_supersede(
    ada: User, release: Release, asked: Question
) -> None:
    script = Script(session=ada)
    path = f"questions/{asked.pk}/answer/"
    [row] = script.get("questions/").json()["results"]
    assert row == {
        "id": asked.pk,
        "release": "wanderer-1",
        "case_key": "feast",
        "subject": asked.subject,
        "text": asked.text,
        "asked_by": "rita",
        "asked_at": row["asked_at"],
        "rulings": [],
    }
    for body in ({"text": FIRST}, {"text": SECOND, "supersedes": 1, "look_again": True}):
        answer = script.post(path, body)
        assert answer.status_code == 200
        before = bed.everything()
        assert script.post(path, body).json() == answer.json()
        assert bed.everything() == before
    given = [(one["number"], one["text"], one["look_again"]) for one in answer.json()["rulings"]]
    assert given == [(1, FIRST, False), (2, SECOND, True)]


def test_scripts_are_refused_with_a_code(ada: User, rita: User, asked: Question) -> None:
    script = Script(session=ada)
    path = f"questions/{asked.pk}/answer/"
    assert code(script.post(path, {"text": FIRST, "supersedes": 1})) == (400, "no_such_ruling")
    script.post(path, {"text": FIRST})
    before = bed.everything()
    assert code(script.post(path, {"text": SECOND})) == (409, "answered_already")
    assert code(script.post(path, {"text": FIRST, "supersedes": 1})) == (409, "says_the_same")
    assert code(script.post(path, {"text": "As rita.", "supersedes": 1})) == (409, "names_the_case")
    refused = script.post(path, {"text": SECOND, "supersedes": 2})
    assert problems(refused) == {"supersedes": "The question has no such ruling."}
    assert code(script.post(path, {"text": ""})) == (400, "words_required")
    assert script.post(f"questions/{asked.pk + 1}/answer/", {"text": FIRST}).status_code == 404
    assert Script(session=rita).get("questions/").status_code == 403
    assert Script(session=rita).post(path, {"text": FIRST}).status_code == 403
    assert bed.everything() == before
    script.post(path, {"text": SECOND, "supersedes": 1})
    late = script.post(path, {"text": "Never.", "supersedes": 1})
    assert code(late) == (409, "superseded_already")


def test_the_list_takes_the_same_queries_for_one_and_for_many(
    ada: User, release: Release, first: Ruling, rita: User
) -> None:
    script = Script(session=ada)

    def count() -> int:
        with CaptureQueriesContext(connection) as context:
            script.get("questions/")
        return len(context)

    few = count()
    for number in range(6):
        one = bed.ask(release, "feast", rita, text=f"Question {number}?")
        given = questions_workflow.answer(question=one.pk, text="Yes.", user=ada, now=NOW)
        supersede(given, ada, "No.")
    assert count() == few


# --- In the report --------------------------------------------------------------------------------


def test_a_report_marks_what_was_superseded_before_it_was_closed(
    release: Release, first: Ruling, ada: User
) -> None:
    def listed(of: Release) -> list[tuple[str, bool]]:
        found = summary.compute(bed.current(of)).rulings
        return [(ruling.text, ruling.is_superseded) for ruling in found]

    assert listed(release) == [(FIRST, False)]
    second = supersede(first, ada)
    assert listed(release) == [(SECOND, False), (FIRST, True)]
    closing = releases_lifecycle.close(
        release=release, waived=["reviews"], reason="late", user=None, now=NOW + 2 * HOUR
    )
    stored = json.loads(closing.summary)["rulings"]
    assert stored == [
        {"subject": first.subject, "text": SECOND, "by": "ada"},
        {"subject": first.subject, "text": FIRST, "by": "ada", "is_superseded": True},
    ]
    supersede(second, ada, "Only with a place.", hours=3)
    assert listed(release) == [(SECOND, False), (FIRST, True)]
