"""The desk over HTTP: read, save, submit, decline, ask, practise; every refusal in words."""

import gzip
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cases import ledger
from cases.models import Case, Event
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import workflow as desk_workflow
from reviews.desk.practice import load_practice
from reviews.models import Question, Review, Score
from reviews.models.reviews import SEEN, ReviewStatus
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.cases.itinerary.filled_cases import filled
from tests.reviews.desk.desk import JSON, body, client_of, fields, given, one_for, send

# --- Whose desk -----------------------------------------------------------------------------------

PAGES = ["", "decline/", "ask/"]
# What the scripts of the desk call.
ACTS: dict[str, Any] = {
    "draft/": body(),
    "submit/": body(),
    "discard/": {"version": 0},
    "ask/": {"subject": bed.ITEMS[0], "text": "x"},
}


@pytest.mark.parametrize("page", PAGES)
def test_its_owner_reads_it(rita: User, page: str) -> None:
    mine = one_for(rita)
    answer = client_of(rita).get(f"/reviews/{mine.pk}/{page}")
    assert answer.status_code == 200
    assert mine.case.code in answer.content.decode()


@pytest.mark.parametrize(
    ("who", "expected"), [("omar", 404), ("sam", 404), ("mina", 403), ("ada", 403), (None, 302)]
)
def test_nobody_else_does(
    request: pytest.FixtureRequest, rita: User, who: str | None, expected: int
) -> None:
    mine = one_for(rita)
    user = request.getfixturevalue(who) if who else None
    client, before = client_of(user), bed.everything()
    for page in PAGES:
        assert client.get(f"/reviews/{mine.pk}/{page}").status_code == expected, page
        assert client.post(f"/reviews/{mine.pk}/{page}", {}).status_code == expected, page
    for act, what in ACTS.items():
        answer = send(client, f"/api/v1/reviews/{mine.pk}/{act}", what, key="k")
        assert answer.status_code == (401 if user is None else expected), act
    assert bed.everything() == before


@pytest.mark.parametrize(
    ("page", "method"),
    [("discard/", "GET"), ("", "PUT"), ("ask/", "DELETE")],
)
def test_wrong_method(rita: User, page: str, method: str) -> None:
    mine = one_for(rita)
    answer = client_of(rita).generic(method, f"/reviews/{mine.pk}/{page}")
    assert answer.status_code == 405


def test_a_number_that_is_no_review(rita: User) -> None:
    client = client_of(rita)
    for number in (0, 987, 2**63, 10**30):
        for page in PAGES:
            assert client.get(f"/reviews/{number}/{page}").status_code == 404, (number, page)
        for act, what in ACTS.items():
            answer = send(client, f"/api/v1/reviews/{number}/{act}", what, key="k")
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), number


# --- What the page shows --------------------------------------------------------------------------


def test_the_page_has_questions_facts_level_texts_and_what_was_said(rita: User) -> None:
    mine = one_for(rita)
    what = bed.judgement(3, comment="Thin in the evening.")
    desk_workflow.save_draft(review=mine.pk, user=rita, version=0, said=what, now=NOW)
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    plain = re.sub(r"<wbr>", "", page)
    document = mine.release.rubric.document
    for metric in document.metrics:
        assert all(level.text.replace("'", "&#x27;") in plain for level in metric.levels)
        assert all(question.text in plain for question in metric.checklist)
    assert page.count("checked") == 10
    assert "Why not one higher?" in page
    assert "Thin in the evening." in page
    assert 'data-fact="' in page
    assert "version 1" in page


def test_of_a_case_only_request_and_plan_are_shown(rita: User) -> None:
    found: dict[str, str] = {}

    def marked(pointer: str) -> str:
        return found.setdefault(pointer, f"qz{len(found)}zq")

    release = bed.filled("secret-release")
    case = filled(marked, automated_summary={"status": "PASS"})
    case |= {"produced_by": [], "case_key": "secret-key"}
    case["plan"]["status"] = "done"
    bed.bring(release, case)
    bed.draw(release)
    amendments.add(release=release, case_key="secret-key", reason="x", user=None, now=NOW)
    release = releases_lifecycle.start(release=release, user=None, now=NOW)
    [mine] = given(rita, "secret-key", release=release)
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    shown = {pointer for pointer, word in found.items() if re.search(rf"\b{word}\b", page)}
    assert "/plan/title" in shown
    assert [one for one in shown if not one.startswith(("/request/", "/plan/", "/trans"))] == []
    assert "secret" not in page


def test_the_rubric_comes_in_the_language_of_the_reader(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    client.cookies["django_language"] = "zh-hans"
    page = client.get(f"/reviews/{mine.pk}/").content.decode()
    for question in mine.release.rubric.text_for("zh-hans").document.questions:
        assert question.text in page


def test_a_ruling_stands_under_its_question_and_names_no_case(rita: User, omar: User) -> None:
    mine, other = one_for(rita), None
    [other] = given(omar, "rush", release=mine.release)
    item = bed.ITEMS[1]
    asked = questions_workflow.ask(
        review=other.pk, user=omar, subject=item, text="Is tea a meal?", now=NOW
    )
    questions_workflow.answer(question=asked.pk, text="Tea is no meal.", user=omar, now=NOW)
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    row = page.split(f'data-row="answers.{item}"')[1].split("</fieldset>")[0]
    assert "Tea is no meal." in row
    assert "Is tea a meal?" not in page
    assert other.case.code not in page


# --- Saving ---------------------------------------------------------------------------------------


def test_a_draft_is_saved_and_answered_with_its_version(rita: User) -> None:
    mine = one_for(rita)
    for version in (0, 1):
        address = f"/api/v1/reviews/{mine.pk}/draft/"
        answer = send(client_of(rita), address, body(version, value=version))
        assert answer.status_code == 200
        assert answer.json()["version"] == version + 1
        assert answer.json()["sentence"].endswith(f"version {version + 1}")
    mine.refresh_from_db()
    assert (mine.status, mine.version) == (ReviewStatus.DRAFT, 2)
    assert mine.draft["scores"]["personalization"]["value"] == 1
    assert not Score.objects.exists()


def test_half_a_draft_is_a_draft_and_0_is_a_score(rita: User) -> None:
    mine = one_for(rita)
    half = {"version": 0, "scores": {bed.METRICS[0]: {"value": 0}}}
    assert send(client_of(rita), f"/api/v1/reviews/{mine.pk}/draft/", half).status_code == 200
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert page.count("checked") == 1
    assert re.search(r'value="0" checked', page)
    assert "0/4, 0" in page
    assert "0/4, –" in page


def test_evidence_comes_back_as_it_was_sent(rita: User) -> None:
    mine = one_for(rita)
    pieces = [
        {"kind": "stop", "ref": "/plan/days/0/items/1", "text": "12:00 “<b>"},
        {"kind": "fact", "ref": "meals", "text": ""},
        {"kind": "quote", "ref": "/request/text#4-8", "text": "slow"},
    ]
    what = {"version": 0, "scores": {bed.METRICS[0]: {"value": 3, "evidence": pieces}}}
    assert send(client_of(rita), f"/api/v1/reviews/{mine.pk}/draft/", what).status_code == 200
    mine.refresh_from_db()
    assert mine.draft["scores"][bed.METRICS[0]]["evidence"] == pieces
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert "12:00 “&lt;b&gt;" in page
    assert "<b>" not in page


def test_a_stale_save_gets_what_is_stored_and_changes_nothing(rita: User) -> None:
    mine = one_for(rita)
    address = f"/api/v1/reviews/{mine.pk}/draft/"
    send(client_of(rita), address, body(0, comment="first tab"))
    before = bed.everything()
    answer = send(client_of(rita), address, body(0, comment="second tab"))
    assert answer.status_code == 409
    told = answer.json()
    assert (told["code"], told["version"], told["is_submitted"]) == ("stale_version", 1, False)
    assert told["draft"]["comment"] == "first tab"
    assert "saved elsewhere" in told["detail"]
    # So that the desk can say when what is stored was saved.
    assert re.fullmatch(r"Saved \d\d:\d\d, version 1", told["sentence"])
    assert bed.everything() == before


def test_a_late_autosave_does_not_reopen_a_submitted_review(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/draft/", body(0, value=1))
    assert answer.status_code == 409
    assert answer.json()["is_submitted"] is True
    mine.refresh_from_db()
    assert (mine.status, mine.version) == (ReviewStatus.SUBMITTED, 1)


NEVER_SENT: list[tuple[Any, str]] = [
    ("[]", ""),
    ("{", ""),
    ({}, "version"),
    (b"\xff", ""),
    ({"version": "1"}, "version"),
    ({"version": 0, "more": 1}, "more"),
    ({"version": 0, "flags": ["bad"]}, "flags"),
    ({"version": 0, "comment": "a\0b"}, "comment"),
    ({"version": 0, "scores": {"none": {"value": 1}}}, "scores.none"),
    (
        {"version": 0, "scores": {"personalization": {"value": 6}}},
        "scores.personalization.value",
    ),
    ({"version": 0, "answers": {"personalization.9": {}}}, "answers.personalization.9"),
]


def test_what_the_desk_never_sends_is_refused_with_its_path(rita: User) -> None:
    mine, client = one_for(rita), client_of(rita)
    before = bed.everything()
    for what, path in NEVER_SENT:
        answer = send(client, f"/api/v1/reviews/{mine.pk}/draft/", what)
        assert answer.status_code == 400, what
        told = answer.json()
        assert told["code"] in ("malformed", "bad_body", "incomplete"), what
        assert [one["path"].split("[")[0] for one in told["errors"]] == [path], what
        assert all(one["message"] for one in told["errors"]), what
    assert bed.everything() == before


def end_by(name: str, mine: Review) -> None:
    release = bed.current(mine.release)
    words: dict[str, Any] = {"reason": "x", "user": None, "now": NOW}
    if name == "closed":
        releases_lifecycle.close(release=release, waived=["reviews"], **words)
    elif name == "withdrawn":
        assignments_workflow.withdraw(
            release=release, case_key="feast", reviewer=mine.reviewer, **words
        )
    elif name == "left the sample":
        amendments.withdraw(release=release, case_key="feast", cause="broken", **words)
    else:
        own = {"cause": "language", "reason": "x", "now": NOW}
        desk_workflow.decline(review=mine.pk, user=mine.reviewer, **own)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("closed", "release_frozen"),
        ("withdrawn", "review_not_open"),
        ("left the sample", "review_not_open"),
        ("declined", "review_not_open"),
    ],
)
def test_what_is_over_can_be_read_and_no_longer_written(rita: User, end: str, code: str) -> None:
    mine = given(rita, "feast", release=bed.started("secret-release"))[0]
    saved = bed.judgement(comment="still here")
    desk_workflow.save_draft(review=mine.pk, user=rita, version=0, said=saved, now=NOW)
    end_by(end, mine)
    before = bed.everything()
    for act in ("draft/", "submit/"):
        answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/{act}", body(1), key="k")
        assert (answer.status_code, answer.json()["code"]) == (409, code)
        assert "secret-release" not in answer.content.decode()
    asked = {"subject": bed.ITEMS[0], "text": "Why?"}
    assert send(client_of(rita), f"/api/v1/reviews/{mine.pk}/ask/", asked).status_code == 409
    posted = client_of(rita).post(f"/reviews/{mine.pk}/", fields(version=1, act="submit"))
    assert posted.status_code == 409
    assert "secret-release" not in posted.content.decode()
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert "still here" in page
    assert re.search(r'<fieldset class="all"\s+disabled', page)
    assert 'value="submit"' not in page
    assert bed.everything() == before


# --- Submitting -----------------------------------------------------------------------------------


def test_submit_is_answered_with_its_version(rita: User) -> None:
    mine = one_for(rita)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/submit/", body(), key="k-1")
    assert answer.status_code == 200
    assert answer.json()["version"] == 1
    assert answer.json()["submitted_at"]
    mine.refresh_from_db()
    assert mine.is_submitted
    assert mine.scores.count() == 2


def test_the_same_submit_twice_is_one_review_and_another_body_is_refused(rita: User) -> None:
    mine = one_for(rita)
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    first, second = (send(client_of(rita), address, body(), key="k-1") for _ in range(2))
    assert first.json() == second.json()
    assert Event.objects.filter(kind="review-submitted").count() == 1
    other = send(client_of(rita), address, body(value=3), key="k-1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


@pytest.mark.parametrize("key", [None, "", "x" * 201])
def test_without_a_good_key_nothing_is_submitted(rita: User, key: str | None) -> None:
    mine = one_for(rita)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/submit/", body(), key=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_idempotency_key")
    assert not Score.objects.exists()


def test_what_is_missing_is_named_one_by_one(rita: User) -> None:
    mine = one_for(rita)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/submit/", {"version": 0}, key="k")
    assert (answer.status_code, answer.json()["code"]) == (400, "incomplete")
    paths = [one["path"] for one in answer.json()["errors"]]
    assert len(paths) == 10
    assert f"scores.{bed.METRICS[0]}.value" in paths
    assert f"answers.{bed.ITEMS[0]}" in paths


def test_a_contradiction_is_asked_about_and_one_line_answers_it(rita: User) -> None:
    mine = one_for(rita)
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    answers = {item: {"answer": "no"} for item in bed.ITEMS}
    best = body(value=5, answers=answers)
    answer = send(client_of(rita), address, best, key="k-1")
    assert (answer.status_code, answer.json()["code"]) == (400, "incoherent")
    paths = [one["path"] for one in answer.json()["errors"]]
    assert paths == [f"coherence.{metric}" for metric in bed.METRICS]
    lines = dict.fromkeys(bed.METRICS, "The rest is perfect.")
    answer = send(client_of(rita), address, best | {"coherence": lines}, key="k-2")
    assert answer.status_code == 200
    assert set(Score.objects.values_list("coherence", "changed_mind")) == {
        ("The rest is perfect.", False)
    }


def test_a_change_of_mind_is_remembered(rita: User) -> None:
    mine = one_for(rita)
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    send(client_of(rita), address, body(value=0), key="k-1")
    assert send(client_of(rita), address, body(value=3), key="k-2").status_code == 200
    assert set(Score.objects.values_list("coherence", "changed_mind")) == {("", True)}


# --- Without scripts ------------------------------------------------------------------------------


def test_the_form_saves(rita: User) -> None:
    mine = one_for(rita)
    piece = [{"kind": "fact", "ref": "meals", "text": "Meals: 1"}]
    more: dict[str, Any] = {
        f"evidence:scores.{bed.METRICS[0]}": json.dumps(piece),
        "flags": "broken",
    }
    what = fields(3, act="save", comment="First\nlook", **more)
    page = client_of(rita).post(f"/reviews/{mine.pk}/", what, follow=True)
    assert page.redirect_chain == [(f"/reviews/{mine.pk}/", 302)]
    assert "Your draft is saved." in page.content.decode()
    mine.refresh_from_db()
    assert mine.status == ReviewStatus.DRAFT
    assert mine.draft["comment"] == "First\nlook"
    assert mine.draft["flags"] == ["broken"]
    assert mine.draft["scores"][bed.METRICS[0]]["evidence"] == piece


def test_the_form_submits_and_leads_on_and_twice_is_once(rita: User) -> None:
    first, second = sorted(given(rita, "feast", "rush"), key=lambda one: one.place)
    client = client_of(rita)
    for _again in range(2):
        page = client.post(f"/reviews/{first.pk}/", fields(act="submit"), follow=True)
        assert page.redirect_chain[-1] == (f"/reviews/{second.pk}/", 302)
        assert f"You submitted {first.case.code}." in page.content.decode()
    assert Event.objects.filter(kind="review-submitted").count() == 1


def test_the_form_comes_back_with_what_is_missing_and_what_was_typed(rita: User) -> None:
    mine = one_for(rita)
    what = {
        "version": "0",
        "key": "k",
        "act": "submit",
        "comment": "typed",
        "score:personalization": "9999999",
    }
    answer = client_of(rita).post(f"/reviews/{mine.pk}/", what)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "typed" in page
    assert page.count('<li><a href="#problem-') == 10
    for target in re.findall(r'href="#(problem-[^"]+)"', page):
        assert f'id="{target}"' in page
    mine.refresh_from_db()
    assert mine.version == 0


def test_the_form_asks_about_a_contradiction_in_place(rita: User) -> None:
    mine = one_for(rita)
    what = fields(5, act="submit") | {f"answer:{bed.ITEMS[0]}": "no"}
    page = client_of(rita).post(f"/reviews/{mine.pk}/", what).content.decode()
    assert "has the highest score" in page
    assert re.search(rf'data-coherence="{bed.METRICS[0]}">', page)
    assert re.search(rf'data-coherence="{bed.METRICS[1]}" hidden>', page)
    what |= {f"coherence:{bed.METRICS[0]}": "One tram is missing, the rest is perfect."}
    assert client_of(rita).post(f"/reviews/{mine.pk}/", what).status_code == 302
    mine.refresh_from_db()
    assert mine.is_submitted


def test_a_stale_form_shows_both_and_overwrites_only_on_a_second_press(rita: User) -> None:
    mine = one_for(rita)
    stored = bed.judgement(comment="from the other tab")
    desk_workflow.save_draft(review=mine.pk, user=rita, version=0, said=stored, now=NOW)
    what = fields(act="save", comment="from this tab")
    answer = client_of(rita).post(f"/reviews/{mine.pk}/", what)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "from the other tab" in page
    assert "from this tab" in page
    assert 'name="version" value="1"' in page
    mine.refresh_from_db()
    assert mine.draft["comment"] == "from the other tab"
    client_of(rita).post(f"/reviews/{mine.pk}/", what | {"version": "1"})
    mine.refresh_from_db()
    assert mine.draft["comment"] == "from this tab"


# --- After submit ---------------------------------------------------------------------------------


def test_a_submitted_review_is_read_at_its_address_and_revised_on_request(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine, now=timezone.now())
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert "You have submitted this review." in page
    assert re.search(r'<fieldset class="all"\s+disabled', page)
    page = client_of(rita).get(f"/reviews/{mine.pk}/?revise=1").content.decode()
    assert "Submit again" in page
    assert not re.search(r'<fieldset class="all"\s+disabled', page)
    again = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/submit/", body(1, value=3), key="k-2")
    assert again.status_code == 200
    assert mine.revisions.count() == 1


def test_after_ten_minutes_a_revision_needs_a_reason(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine, now=timezone.now() - timedelta(minutes=11))
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    answer = send(client_of(rita), address, body(1, value=3), key="k-2")
    assert (answer.status_code, answer.json()["code"]) == (400, "reason_required")
    assert [one["path"] for one in answer.json()["errors"]] == ["reason"]
    page = (
        client_of(rita)
        .post(f"/reviews/{mine.pk}/", fields(3, version=1, act="submit"))
        .content.decode()
    )
    assert 'href="#problem-reason"' in page
    more = body(1, value=3, reason="I had missed the tram.")
    assert send(client_of(rita), address, more, key="k-3").status_code == 200


def test_a_revision_that_was_only_begun_is_not_shown_as_submitted(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine, bed.judgement(comment="submitted words"), now=timezone.now())
    begun = body(1, comment="begun words")
    assert send(client_of(rita), f"/api/v1/reviews/{mine.pk}/draft/", begun).status_code == 200
    client = client_of(rita)
    assert "submitted words" in client.get(f"/reviews/{mine.pk}/").content.decode()
    assert "begun words" in client.get(f"/reviews/{mine.pk}/?revise=1").content.decode()


@pytest.mark.parametrize("address", ["", "?revise=1"])
def test_the_line_that_was_asked_for_stands_with_what_was_submitted(
    rita: User, address: str
) -> None:
    """A revision that leaves it as it is need not be asked again."""
    mine = one_for(rita)
    bed.submit(mine, bed.judgement(5, answer="no"), now=timezone.now())
    page = client_of(rita).get(f"/reviews/{mine.pk}/{address}").content.decode()
    assert page.count(">both hold</textarea>") == 2
    assert not re.search(r"data-coherence=[^>]* hidden", page)


def test_who_has_seen_others_scores_revises_no_more(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine, now=timezone.now())
    ledger.append(release=bed.current(mine.release), kind=SEEN, data={}, user=rita, now=NOW)
    page = client_of(rita).get(f"/reviews/{mine.pk}/?revise=1").content.decode()
    assert "You have seen the scores of other reviewers" in page
    assert re.search(r'<fieldset class="all"\s+disabled', page)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/submit/", body(1, value=3), key="k")
    assert (answer.status_code, answer.json()["code"]) == (409, "seen_scores")


# --- Declining and asking -------------------------------------------------------------------------


def test_declining_gives_the_case_back_with_cause_and_reason(rita: User) -> None:
    mine = one_for(rita)
    what = {"cause": "language", "reason": "I read no Dutch."}
    page = client_of(rita).post(f"/reviews/{mine.pk}/decline/", what, follow=True)
    assert f"what you wrote about {mine.case.code}" in page.content.decode()
    mine.refresh_from_db()
    assert (mine.status, mine.declined_for) == (ReviewStatus.DECLINED, "language")
    assert mine.decline_reason == "I read no Dutch."


@pytest.mark.parametrize(
    "what", [{}, {"cause": "language"}, {"reason": "x"}, {"cause": "mood", "reason": "x"}]
)
def test_declining_needs_both(rita: User, what: dict[str, str]) -> None:
    mine = one_for(rita)
    assert client_of(rita).post(f"/reviews/{mine.pk}/decline/", what).status_code == 422
    mine.refresh_from_db()
    assert mine.status == ReviewStatus.ASSIGNED


def test_what_is_submitted_cannot_be_declined(rita: User) -> None:
    mine = one_for(rita)
    bed.submit(mine)
    what = {"cause": "language", "reason": "x"}
    answer = client_of(rita).post(f"/reviews/{mine.pk}/decline/", what)
    assert answer.status_code == 409
    assert "You can say so only before you submit the review" in answer.content.decode()


def test_a_question_about_the_rubric_is_asked_by_form_and_by_script(rita: User) -> None:
    mine = one_for(rita)
    address = f"/reviews/{mine.pk}/ask/"
    assert (
        'value="personalization.2" selected'
        in client_of(rita).get(f"{address}?about=personalization.2").content.decode()
    )
    what = {"subject": "personalization.2", "text": "Is a nap pace?"}
    assert client_of(rita).post(address, what).status_code == 302
    by_script = what | {"subject": "personalization:4"}
    answer = send(client_of(rita), f"/api/v1{address}", by_script)
    assert answer.status_code == 200
    assert answer.json()["sentence"].startswith("Your question was sent.")
    subjects = set(Question.objects.values_list("subject", flat=True))
    assert subjects == {"personalization.2", "personalization:4"}


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ({"subject": "none", "text": "x"}, "no_such_subject"),
        ({"subject": "personalization.1", "text": " "}, "words_required"),
        ({"subject": "personalization.1"}, "bad_body"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    rita: User, what: dict[str, str], code: str
) -> None:
    mine = one_for(rita)
    answer = send(client_of(rita), f"/api/v1/reviews/{mine.pk}/ask/", what)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert client_of(rita).post(f"/reviews/{mine.pk}/ask/", what).status_code == 422


# --- Signing in again -----------------------------------------------------------------------------


def test_a_script_without_a_session_gets_401_and_a_page_the_door(rita: User) -> None:
    mine = one_for(rita)
    answer = send(client_of(None), f"/api/v1/reviews/{mine.pk}/draft/", body())
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_signed_in"
    assert client_of(None).get("/token/", headers={"Accept": JSON}).status_code == 401
    assert client_of(None).get(f"/reviews/{mine.pk}/").headers["Location"].startswith("/sign-in/")


def test_the_token_is_a_new_one_that_works(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    client.handler.enforce_csrf_checks = True
    address = f"/api/v1/reviews/{mine.pk}/draft/"
    answer = send(client, address, body())
    assert (answer.status_code, answer.json()["code"]) == (403, "form_expired")
    told = client.get("/token/", headers={"Accept": JSON}).json()
    assert told["user"] == str(rita.pk)
    headers = {"Accept": JSON, "X-CSRFToken": told["token"]}
    answer = client.put(address, json.dumps(body()), content_type=JSON, headers=headers)
    assert answer.status_code == 200


# --- Practice -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_practice_is_the_real_desk_and_stores_nothing(rita: User, language: str) -> None:
    client = client_of(rita)
    client.cookies["django_language"] = language
    before = bed.everything()
    agreed, document = load_practice(language)
    page = client.get("/practice/").content.decode()
    assert agreed.case.request.text in page
    assert all(question.text in page for question in document.questions)
    assert "data-draft" not in page
    answer = client.post("/practice/", fields(3))
    done = answer.content.decode()
    assert answer.status_code == 200
    reasons = [one.why for one in agreed.scores.values()]
    reasons += [one.why for one in agreed.answers.values()]
    assert [one for one in reasons if one not in done] == []
    assert bed.everything() == before
    assert not Case.objects.exists()


def test_practice_without_an_answer_shows_dashes(rita: User) -> None:
    assert "–" in client_of(rita).post("/practice/", {}).content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_agreed_scores_fit_the_shipped_rubric(language: str) -> None:
    agreed, document = load_practice(language)
    assert set(agreed.scores) == {one.key for one in document.metrics}
    assert set(agreed.answers) == {one.key for one in document.questions}
    for metric in document.metrics:
        assert agreed.scores[metric.key].value in metric.values
    english, _ = load_practice("en")
    assert {key: one.value for key, one in agreed.scores.items()} == {
        key: one.value for key, one in english.scores.items()
    }
    assert {key: one.answer for key, one in agreed.answers.items()} == {
        key: one.answer for key, one in english.answers.items()
    }


# --- Cost (bench.md P1 to P3) ---------------------------------------------------------------------


def statements(act: Callable[[], Any]) -> int:
    """What passes a cursor; the savepoints of a test stand where a BEGIN stands in use."""
    with CaptureQueriesContext(connection) as captured:
        act()
    return sum("SAVEPOINT" not in one["sql"] for one in captured)


def test_p1_the_next_case_takes_at_most_8_statements(rita: User) -> None:
    first, _second = given(rita, "feast", "rush")
    bed.submit(first)
    client = client_of(rita)
    assert statements(lambda: client.get("/reviews/next/")) <= 5
    after = f"/reviews/next/?after={first.case.code}"
    assert statements(lambda: client.get(after)) <= 8


def test_p2_the_desk_takes_at_most_10_statements_and_60_kb(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    assert statements(lambda: client.get(f"/reviews/{mine.pk}/")) <= 10
    page = client.get(f"/reviews/{mine.pk}/").content
    parts = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.decode()))
    modules = {f"/static/spotcheck/{name}.js" for name in ("evidence", "keys", "saving")}
    sizes = {path: len(gzip.compress(client.get(path).getvalue())) for path in parts | modules}
    assert len(sizes) >= 9
    assert len(gzip.compress(page)) + sum(sizes.values()) <= 60 * 1024
    bed.submit(mine, now=timezone.now())
    assert statements(lambda: client.get(f"/reviews/{mine.pk}/?revise=1")) <= 10


@pytest.mark.parametrize("value", [3, 4])
def test_p3_submitting_takes_at_most_14_statements(rita: User, value: int) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    # One more for the BEGIN that SQLite counts.
    assert statements(lambda: send(client, address, body(value=value), key="k")) + 1 <= 14
    mine.refresh_from_db()
    assert mine.is_submitted


def test_a_draft_takes_the_same_few_statements_however_much_it_says(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    address = f"/api/v1/reviews/{mine.pk}/draft/"
    little = statements(lambda: send(client, address, {"version": 0}))
    much = statements(lambda: send(client, address, body(1, comment="x" * 9000)))
    assert little == much <= 8
