"""A case that cannot be judged: one way to say so, no scores, and an admin who answers."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases import ledger
from cases.models import Event
from evalsite.models import Scope
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import queue as desk_queue
from reviews.desk import workflow as desk_workflow
from reviews.desk.queue import Filters
from reviews.models import Review
from reviews.models.reviews import ReviewStatus
from reviews.questions.workflow import NamesTheCase
from tests.bed import reviewed as bed
from tests.bed.api import Script, by, code, token_of
from tests.bed.cases import NOW
from tests.reviews.desk.desk import client_of, one_for

ANSWER = "The second day is meant to be empty: score it as it is."


def declined(user: User, *, with_draft: bool = False) -> Review:
    mine = one_for(user)
    if with_draft:
        said = bed.judgement(2)
        desk_workflow.save_draft(review=mine.pk, user=user, version=0, said=said, now=NOW)
    desk_workflow.decline(
        review=mine.pk, user=user, cause="broken", reason="Day 2 is empty.", now=NOW
    )
    return fresh(mine)


def fresh(review: Review) -> Review:
    return Review.objects.select_related("release", "case").get(pk=review.pk)


def give_back(review: Review, answer: str = ANSWER, user: User | None = None) -> None:
    assignments_workflow.give_back(
        release=review.release,
        case_key=review.case.case_key,
        reviewer=review.reviewer,
        answer=answer,
        user=user,
        now=NOW + timedelta(hours=1),
    )


def address(review: Review) -> str:
    return (
        f"/releases/{review.release.name}/assignments/{review.case.code}"
        f"/{review.reviewer.username}/give-back/"
    )


# --- Saying so ------------------------------------------------------------------------------------


def test_the_desk_has_one_way_and_asks_for_no_scores(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    desk = client.get(f"/reviews/{mine.pk}/").content.decode()
    assert desk.count(f"/reviews/{mine.pk}/decline/") == 1
    assert "Cannot judge" in desk
    assert 'value="broken"' not in desk
    page = client.get(f"/reviews/{mine.pk}/decline/").content.decode()
    assert "This case cannot be judged" in page
    for cause in ("broken", "language", "conflict", "cannot-judge"):
        assert f'value="{cause}"' in page
    sent = {"cause": "broken", "reason": "Day 2 is empty."}
    assert client.post(f"/reviews/{mine.pk}/decline/", sent).status_code == 302
    mine = fresh(mine)
    assert (mine.status, mine.declined_for) == (ReviewStatus.DECLINED, "broken")
    assert not mine.scores.exists()


def test_a_draft_from_before_keeps_its_flag_in_sight(rita: User) -> None:
    mine = one_for(rita)
    Review.objects.filter(pk=mine.pk).update(draft={"flags": ["broken"]})
    desk = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert 'value="broken" checked' in desk


# --- The answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize("with_draft", [False, True])
def test_a_case_given_back_is_open_again_with_its_draft_and_the_answer(
    rita: User, ada: User, with_draft: bool
) -> None:
    mine = declined(rita, with_draft=with_draft)
    assert desk_queue.find_next(rita, Filters()) is None
    before = mine.draft
    give_back(mine, user=ada)
    mine = fresh(mine)
    assert mine.status == (ReviewStatus.DRAFT if with_draft else ReviewStatus.ASSIGNED)
    assert (mine.declined_for, mine.decline_reason, mine.given_back) == ("", "", ANSWER)
    assert mine.draft == before
    assert desk_queue.find_next(rita, Filters()) == mine
    desk = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert ANSWER in desk
    event = Event.objects.get(kind="review-given-back")
    assert event.data == {"case": "feast", "reviewer": "rita", "reason": ANSWER}
    assert ledger.verify(bed.current(mine.release)) > 0
    bed.submit(mine)
    assert ANSWER not in client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()


def test_giving_back_twice_is_one_event_and_it_can_be_declined_again(rita: User) -> None:
    mine = declined(rita)
    give_back(mine)
    give_back(mine)
    assert Event.objects.filter(kind="review-given-back").count() == 1
    desk_workflow.decline(
        review=mine.pk, user=rita, cause="conflict", reason="My own trip.", now=NOW
    )
    assert fresh(mine).declined_for == "conflict"


@pytest.mark.parametrize("named", ["feast", "wanderer-1"])
def test_an_answer_must_not_name_the_case_or_the_release(rita: User, named: str) -> None:
    mine = declined(rita)
    with pytest.raises(NamesTheCase):
        give_back(mine, f"See {named}.")
    assert fresh(mine).status == ReviewStatus.DECLINED


def test_only_what_was_declined_is_given_back(rita: User) -> None:
    mine = one_for(rita)
    with pytest.raises(assignments_workflow.NotDeclined):
        give_back(mine)
    bed.submit(mine)
    with pytest.raises(assignments_workflow.NotDeclined):
        give_back(mine)
    assert not Event.objects.filter(kind="review-given-back").exists()


def test_who_has_seen_scores_gets_nothing_back(rita: User) -> None:
    mine = declined(rita)
    bed.look(mine.release, rita)
    with pytest.raises(assignments_workflow.SeenScores):
        give_back(mine)


# --- The page of the admin ------------------------------------------------------------------------


def test_an_admin_withdraws_the_case_or_gives_it_back(rita: User, ada: User) -> None:
    mine = declined(rita)
    client = client_of(ada)
    page = client.get(f"/releases/{mine.release.name}/assignments/").content.decode()
    assert "Day 2 is empty." in page
    assert address(mine) in page
    assert f"/releases/{mine.release.name}/sample/{mine.case.code}/withdraw/" in page
    assert "Day 2 is empty." in client.get(address(mine)).content.decode()
    assert client.post(address(mine), {"answer": " "}).status_code == 422
    assert client.post(address(mine), {"answer": "See feast."}).status_code == 409
    assert client.post(address(mine), {"answer": ANSWER}).status_code == 302
    assert fresh(mine).given_back == ANSWER
    assert client.post(address(mine), {"answer": "Another."}).status_code == 409
    gone = address(mine).replace("rita", "nobody")
    assert client.get(gone).status_code == 404


def test_the_page_is_for_admins(
    rita: User, omar: User, mina: User, sam: User, client: Client
) -> None:
    mine = declined(rita)
    for user, expected in ((rita, 403), (omar, 403), (mina, 403), (sam, 404)):
        assert client_of(user).get(address(mine)).status_code == expected
        assert client_of(user).post(address(mine), {"answer": ANSWER}).status_code == expected
    assert client.get(address(mine)).status_code == 302
    assert fresh(mine).status == ReviewStatus.DECLINED


# --- The call -------------------------------------------------------------------------------------


def test_an_admin_gives_a_case_back_by_script_as_on_the_page(rita: User, ada: User) -> None:
    mine = declined(rita, with_draft=True)
    call = f"releases/{mine.release.name}/assignments/give-back/"
    body = {"case_key": "feast", "reviewer": "rita", "answer": ANSWER}
    script = by(ada)
    for changes, expected in (
        ({"answer": " "}, (400, "reason_required")),
        ({"answer": "See feast."}, (409, "names_the_case")),
        ({"case_key": "nowhere"}, (400, "no_such_case")),
        ({"reviewer": "nobody"}, (400, "not_a_reviewer")),
        ({"note": "More."}, (400, "bad_body")),
    ):
        assert code(script.post(call, body | changes)) == expected
    assert fresh(mine).status == ReviewStatus.DECLINED
    for _attempt in range(2):
        answer = script.post(call, body).json()
        assert (answer["case_key"], answer["status"]) == ("feast", "draft")
    assert fresh(mine).given_back == ANSWER
    assert Event.objects.filter(kind="review-given-back").count() == 1
    assert code(script.post(call, body | {"answer": "Another."})) == (409, "not_declined")


def test_the_call_needs_an_admin_whose_token_may_run_releases(
    rita: User, mina: User, ada: User
) -> None:
    mine = declined(rita)
    call = f"releases/{mine.release.name}/assignments/give-back/"
    body = {"case_key": "feast", "reviewer": "rita", "answer": ANSWER}
    for script in (by(rita), by(mina), Script(token_of(ada, Scope.PUSH, Scope.REVIEW))):
        assert script.post(call, body).status_code == 403
    assert fresh(mine).status == ReviewStatus.DECLINED
    assert Script(token_of(ada, Scope.RUN)).post(call, body).status_code == 200
