"""What reviewers differ on: the list, the reviews side by side, and agreeing on scores."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.disagreements import list_open_disagreements
from reviews.desk import judgement as said
from reviews.desk import workflow as desk_workflow
from reviews.models import Adjudication, Review, Score
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import code_of, list_of, page_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def apart(rita: User, omar: User) -> Release:
    """All reviews are in: 4 against 1 on one metric of the feast, 2 against 4 on both of kids."""
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["feast", "kids"])
    bed.put_judgements(
        release,
        {
            "feast": {rita: bed.judgement(4), omar: bed.judgement(4, usability_value=1)},
            "kids": {rita: bed.judgement(2), omar: bed.judgement(4)},
        },
    )
    return bed.current(release)


@pytest.fixture
def manager(as_user: AsUser, apart: Release, mina: User) -> Client:
    bed.look(apart, mina)
    return as_user(mina)


def rows(response: Any) -> list[str]:
    """The words of each row of the list of cases."""
    [table] = re.findall(
        r'<table class="list cards differing">(.*?)</table>', response.content.decode(), re.DOTALL
    )
    found = [re.sub("<[^>]*>", " ", row) for row in table.split("<tr>")[2:]]
    return [re.sub(r"\s+", " ", row).strip() for row in found]


def digest_in(client: Client, path: str) -> str:
    [found] = re.findall(r'name="seen" value="([^"]*)"', client.get(path).content.decode())
    return str(found)


def form(client: Client, path: str, **changes: Any) -> dict[str, Any]:
    good = {
        "agreed-usability-value": "3",
        "cause": "taste",
        "note": "The trams are named.",
        "seen": digest_in(client, path),
    }
    return {name: value for name, value in (good | changes).items() if value is not None}


# --- Who may --------------------------------------------------------------------------------------


def test_admins_and_managers_only(
    as_user: AsUser, apart: Release, rita: User, sam: User, ada: User
) -> None:
    bed.look(apart, ada)
    reviewer, stranger, guest, admin = (as_user(one) for one in (rita, sam, None, ada))
    paths = [list_of(apart), page_of(apart, "feast"), "/releases/nothing/adjudications/"]
    for path in paths:
        assert reviewer.get(path).status_code == 403
        assert stranger.get(path).status_code == 404
        assert guest.get(path).headers["Location"].startswith("/sign-in/")
    assert [admin.get(path).status_code for path in paths] == [200, 200, 404]


def test_other_methods_are_refused(manager: Client, apart: Release) -> None:
    assert manager.post(list_of(apart)).status_code == 405
    assert manager.get(f"{list_of(apart)}look/").status_code == 405
    assert manager.put(page_of(apart, "feast")).status_code == 405


def test_a_case_that_is_not_in_the_sample_has_no_page(manager: Client, apart: Release) -> None:
    other = bed.filled("other")
    for code in ("BBBBB", code_of(apart, "spare-1"), code_of(other, "feast")):
        assert manager.get(f"{list_of(apart)}{code}/").status_code == 404
        assert manager.post(f"{list_of(apart)}{code}/").status_code == 404


# --- The list -------------------------------------------------------------------------------------


def test_the_largest_gap_stands_first(manager: Client, apart: Release) -> None:
    [feast, kids] = rows(manager.get(list_of(apart)))
    assert feast.startswith("feast")
    assert "Usability &amp; Value: 1 against 4" in feast
    assert "Personalization" not in feast
    assert "Usability &amp; Value: 2 against 4 Personalization: 2 against 4" in kids


def test_the_rule_just_inside_and_just_outside(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    """Each case of the sample has a pair of scores of its own."""
    release = bed.started()
    pairs = {"feast": (4, 3), "kids": (4, 2), "ramp": (3, 2), "rush": (2, 1), "thrift": (1, 0)}
    given = {
        key: {
            user: bed.judgement(4, personalization=value)
            for user, value in zip((rita, omar), pair, strict=True)
        }
        for key, pair in pairs.items()
    }
    bed.put_judgements(release, given)
    bed.look(release, mina)
    [kids, rush] = rows(as_user(mina).get(list_of(release)))
    assert kids.startswith("kids")
    assert "Personalization: 2 against 4" in kids
    assert rush.startswith("rush")
    assert "Personalization: 1 against 2" in rush


def test_where_all_are_near_enough_no_case_is_listed(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    release = bed.started()
    bed.put_judgements(release, {"feast": {rita: bed.judgement(4), omar: bed.judgement(3)}})
    bed.look(release, mina)
    page = words(as_user(mina).get(list_of(release)))
    assert "No case needs to be settled" in page
    assert "3 against 4" not in page


def test_without_any_review_the_list_is_empty_and_says_so(as_user: AsUser, mina: User) -> None:
    release = bed.started()
    bed.look(release, mina)
    page = words(as_user(mina).get(list_of(release)))
    assert "All reviews are in for 0 of 5 cases." in page
    assert "No case has all its reviews yet." in page
    assert "No cases are flagged." in page


def test_a_case_is_listed_only_when_all_its_reviews_are_in(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    release = bed.started(k=3)
    bed.put_judgements(release, {"feast": {rita: bed.judgement(4), omar: bed.judgement(1)}})
    bed.look(release, mina)
    client = as_user(mina)
    assert "against" not in words(client.get(list_of(release)))
    for answer in (client.get(page_of(release, "feast")), client.post(page_of(release, "feast"))):
        assert answer.status_code == 409
        assert "1 review of feast is missing." in words(answer)
        assert "rita" not in words(answer)
    with pytest.raises(adjudication_workflow.NotAllIn):
        bed.settle(release, "feast", mina, usability_value=3, personalization=3)
    bed.review(release, "feast", make_person("wei", Role.REVIEWER), 4)
    assert "1 against 4" in words(client.get(list_of(release)))
    assert client.get(page_of(release, "feast")).status_code == 200


def test_a_review_that_was_waived_is_not_waited_for(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    release = bed.started(k=3)
    bed.put_judgements(release, {"feast": {rita: bed.judgement(4), omar: bed.judgement(1)}})
    releases_waivers.waive(release=release, rule="reviews", reason="wei left", user=mina, now=NOW)
    bed.look(release, mina)
    assert "1 against 4" in words(as_user(mina).get(list_of(release)))
    assert bed.settle(release, "feast", mina, usability_value=3, personalization=3)


def test_a_settled_case_says_so_and_a_revision_opens_it_again(
    manager: Client, apart: Release, mina: User, omar: User
) -> None:
    bed.settle(apart, "feast", mina, usability_value=2)
    assert "settled mina · taste" in rows(manager.get(list_of(apart)))[1]
    own = Review.objects.get(reviewer=omar, case__case_key="feast")
    bed.submit(own, bed.judgement(4, usability_value=2), reason="read again")
    [feast, _kids] = rows(manager.get(list_of(apart)))
    assert "open again A review changed after it was settled." in feast
    assert "outdated: a review has changed" in words(manager.get(page_of(apart, "feast")))


def test_a_revision_that_is_only_begun_leaves_the_case_settled(
    manager: Client, apart: Release, mina: User, omar: User
) -> None:
    own = Review.objects.get(reviewer=omar, case__case_key="feast")
    bed.submit(own, bed.judgement(4, usability_value=1), reason="read again")
    bed.settle(apart, "feast", mina, usability_value=2)
    own.refresh_from_db()
    desk_workflow.save_draft(
        review=own.pk, user=omar, version=own.version, said=bed.judgement(4), now=NOW
    )
    assert [one.case_key for one in list_open_disagreements(apart)] == ["kids"]
    assert "settled mina" in rows(manager.get(list_of(apart)))[1]


def test_a_waived_case_says_so_until_a_review_changes(
    manager: Client, apart: Release, mina: User, omar: User
) -> None:
    releases_waivers.waive(
        release=apart, rule="adjudications", reason="no time", user=mina, now=NOW
    )
    page = manager.get(list_of(apart))
    assert [("waived no time" in row) for row in rows(page)] == [True, True]
    own = Review.objects.get(reviewer=omar, case__case_key="feast")
    bed.submit(own, bed.judgement(4, usability_value=0), reason="read again")
    [feast, kids] = rows(manager.get(list_of(apart)))
    assert "waiting" in feast
    assert "waived" in kids


def test_a_withdrawn_case_leaves_the_list_and_its_reviews_can_be_read(
    manager: Client, apart: Release
) -> None:
    amendments.withdraw(
        release=apart, case_key="feast", cause="broken", reason="cut off", user=None, now=NOW
    )
    assert [row.split()[0] for row in rows(manager.get(list_of(apart)))] == ["kids"]
    page = manager.get(page_of(apart, "feast"))
    assert page.status_code == 200
    assert "This case is withdrawn" in words(page)
    assert "Save the agreed scores" not in words(page)


# --- Splits ---------------------------------------------------------------------------------------


def answered(release: Release, case_key: str, user: User, **answers: str) -> None:
    data = said.to_data(bed.judgement())
    for item, answer in answers.items():
        data["answers"][bed.ITEMS[int(item.removeprefix("item"))]]["answer"] = answer
    bed.submit(bed.assign(release, case_key, user), said.from_data(data))


def test_questions_are_grouped_by_how_often_they_were_read_differently(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    release = bed.started()
    for case_key in ("feast", "kids", "rush"):
        answered(release, case_key, rita)
    answered(release, "feast", omar, item1="no", item2="na")
    answered(release, "kids", omar, item1="na")
    answered(release, "rush", omar)
    answered(release, "ramp", omar, item1="no")
    bed.look(release, mina)
    page = words(as_user(mina).get(list_of(release)))
    questions = [one.text for one in release.rubric.document.questions]
    assert f"{questions[1]} answered differently in 2 of 3 cases" in page
    assert f"{questions[2]} answered differently in 1 of 3 cases" in page
    assert page.index(questions[1]) < page.index(questions[2])
    assert questions[0] not in page
    assert "omar : no · rita : yes" in page


def test_a_split_never_blocks_closing(rita: User, omar: User) -> None:
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["feast"])
    answered(release, "feast", rita)
    answered(release, "feast", omar, item0="no")
    assert list(releases_lifecycle.find_missing_for_close(release)) == []


# --- Side by side ---------------------------------------------------------------------------------


def test_the_reviews_stand_side_by_side_with_their_evidence(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    release = bed.started()
    data = said.to_data(bed.judgement(5, answer="no", comment="Too <b>thin</b>."))
    evidence = [
        {"kind": "stop", "ref": "/plan/days/0/items/0", "text": ""},
        {"kind": "quote", "ref": "/plan/days/1/items/0/note#0-2", "text": "不用"},
        {"kind": "quote", "ref": "/request/text#0-3", "text": "Two"},
        {"kind": "fact", "ref": "no-such-fact", "text": ""},
        {"kind": "stop", "ref": "", "text": "odd"},
    ]
    data["answers"][bed.ITEMS[0]]["note"] = "Only <i>one</i> tram."
    bed.submit(bed.assign(release, "feast", rita), said.from_data(data))
    # What an earlier Spotcheck took, or a fact that is computed no longer.
    Score.objects.filter(metric="usability-value").update(evidence=evidence)
    bed.review(release, "feast", omar, 1)
    bed.look(release, mina)
    page = as_user(mina).get(page_of(release, "feast"))
    html = page.content.decode()
    assert 'data-refs="/plan/days/0/items/0"><a href="#at-plan-days-0-items-0">' in html
    assert "Paper mill" in html
    assert '<a href="#at-plan-days-1-items-0">' in html
    text = words(page)
    for part in (
        "“不用”",
        "“Two”",
        "no-such-fact",
        "odd",
        "Too <b>thin</b>.",
        "Only <i>one</i> tram.",
    ):
        assert part in text
    assert "How it fits the checklist: both hold" in text
    level = release.rubric.document.metrics[0].level(5).text
    assert level.split("/")[0] in text
    assert text.count("read differently") == len(bed.ITEMS)


def test_every_fact_can_be_evidence(as_user: AsUser, mina: User, rita: User, omar: User) -> None:
    release = bed.started()
    bed.look(release, mina)
    client = as_user(mina)
    facts = re.findall(r"F\d+", client.get(f"/cases/{code_of(release, 'feast')}/").content.decode())
    assert facts
    data = said.to_data(bed.judgement(4))
    data["scores"]["usability-value"]["evidence"] = [
        {"kind": "fact", "ref": "languages", "text": ""},
        {"kind": "fact", "ref": "meals", "text": "as written"},
    ]
    bed.submit(bed.assign(release, "feast", rita), said.from_data(data))
    bed.review(release, "feast", omar, 1)
    assert "as written" in words(client.get(page_of(release, "feast")))


# --- Agreeing -------------------------------------------------------------------------------------


def test_agreed_scores_are_recorded_and_said(manager: Client, apart: Release) -> None:
    path = page_of(apart, "feast")
    answer = manager.post(path, form(manager, path), follow=True)
    assert answer.redirect_chain == [(list_of(apart), 302)]
    assert "You settled feast." in words(answer)
    known = Adjudication.objects.get()
    assert (known.agreed, known.cause, known.note, known.by) == (
        {"usability-value": 3},
        "taste",
        "The trams are named.",
        "mina",
    )
    page = words(manager.get(path))
    assert "Settle again" in page
    assert "The trams are named." in page


def test_sent_twice_it_is_recorded_once(manager: Client, apart: Release) -> None:
    path = page_of(apart, "feast")
    data = form(manager, path)
    manager.post(path, data)
    before = bed.everything()
    assert manager.post(path, data).status_code == 302
    assert bed.everything() == before


def test_settled_otherwise_later_it_is_another_event(manager: Client, apart: Release) -> None:
    path = page_of(apart, "feast")
    manager.post(path, form(manager, path))
    manager.post(path, form(manager, path, **{"agreed-usability-value": "2"}))
    assert Adjudication.objects.get().agreed == {"usability-value": 2}
    assert apart.events.filter(kind="case-adjudicated").count() == 2


INCOMPLETE: list[tuple[dict[str, Any], str]] = [
    ({"agreed-usability-value": None}, "Usability & Value needs an agreed score from 0 to 5."),
    ({"agreed-usability-value": "6"}, "Usability & Value needs an agreed score from 0 to 5."),
    ({"agreed-usability-value": "2.5"}, "Usability & Value needs an agreed score"),
    ({"cause": None}, "Choose what caused the disagreement."),
    ({"cause": "weather"}, "weather is not one of the available choices."),
    ({"note": " "}, "Say why: a reason is kept with this."),
    ({"note": "y" * 501}, "at most 500 characters"),
]


def test_what_is_incomplete_is_refused_in_words_and_stays(manager: Client, apart: Release) -> None:
    path = page_of(apart, "feast")
    good, before = form(manager, path), bed.everything()
    for changes, sentence in INCOMPLETE:
        sent = {name: value for name, value in (good | changes).items() if value is not None}
        answer = manager.post(path, sent)
        text = words(answer)
        assert answer.status_code == 422, changes
        assert sentence in text
        if "note" not in changes:
            assert "The trams are named." in text, changes
        if "cause" not in changes:
            assert re.search(r'name="cause" value="taste" checked', answer.content.decode())
    assert bed.everything() == before


def test_reviews_that_changed_since_they_were_read_are_read_again(
    manager: Client, apart: Release, omar: User
) -> None:
    path = page_of(apart, "feast")
    data = form(manager, path)
    own = Review.objects.get(reviewer=omar, case__case_key="feast")
    bed.submit(own, bed.judgement(4, usability_value=0), reason="read again")
    before = bed.everything()
    answer = manager.post(path, data)
    assert answer.status_code == 409
    assert "A review of feast was revised after you opened this page." in words(answer)
    assert "The trams are named." in words(answer)
    assert bed.everything() == before
    fresh = form(manager, path)
    assert fresh["seen"] != data["seen"]
    assert manager.post(path, fresh).status_code == 302


def test_nobody_settles_a_case_they_reviewed(as_user: AsUser, apart: Release, mina: User) -> None:
    both = make_person("both", Role.MANAGER, Role.REVIEWER)
    bed.review(apart, "feast", both, 4)
    bed.look(apart, both)
    client = as_user(both)
    assert (
        "You reviewed this case, so someone else has to settle it. It can be adjudicated by mina."
        in rows(client.get(list_of(apart)))[0]
    )
    before = bed.everything()
    page = client.get(page_of(apart, "feast"))
    assert page.status_code == 200
    assert "Save the agreed scores" not in words(page)
    answer = client.post(page_of(apart, "feast"), {"agreed-usability-value": "3"})
    assert answer.status_code == 409
    assert "You reviewed this case, so someone else has to settle it." in words(answer)
    assert bed.everything() == before


def test_what_does_not_differ_is_read_and_not_settled(manager: Client, apart: Release) -> None:
    before = bed.everything()
    page = manager.get(page_of(apart, "rush"))
    assert "do not differ enough" in words(page)
    answer = manager.post(page_of(apart, "rush"), {"cause": "taste", "note": "x"})
    assert answer.status_code == 409
    assert "do not differ enough" in words(answer)
    assert bed.everything() == before


def test_without_a_look_nothing_is_settled(
    as_user: AsUser, apart: Release, ada: User, manager: Client
) -> None:
    path = page_of(apart, "feast")
    data, before = form(manager, path), bed.everything()
    answer = as_user(ada).post(path, data)
    assert answer.status_code == 409
    assert "Before you look" in words(answer)
    assert bed.everything() == before


def test_a_closed_release_is_not_settled(manager: Client, apart: Release, mina: User) -> None:
    bed.settle(apart, "feast", mina, usability_value=3)
    bed.settle(apart, "kids", mina, usability_value=3, personalization=3)
    data = form(manager, page_of(apart, "feast"), **{"agreed-usability-value": "1"})
    releases_lifecycle.close(release=apart, user=mina, now=NOW + timedelta(hours=1))
    before = bed.everything()
    answer = manager.post(page_of(apart, "feast"), data)
    assert answer.status_code == 409
    assert "is closed, so nothing in it can change" in words(answer)
    assert bed.everything() == before


def test_the_next_step_leads_to_the_list(manager: Client, apart: Release) -> None:
    page = manager.get(f"/releases/{apart.name}/").content.decode()
    [step] = re.findall(r'<section class="card next-step".*?</section>', page, re.DOTALL)
    assert f'href="{list_of(apart)}"' in step


# --- Cost -----------------------------------------------------------------------------------------


def test_pages_take_the_same_queries_for_5_cases_and_for_12(
    as_user: AsUser, mina: User, rita: User, omar: User
) -> None:
    few = bed.started("few", without=bed.SPARE)
    many = bed.started(
        "many", size=12, without=bed.SPARE, more={f"more-{one:02}": () for one in range(7)}
    )
    for release in (few, many):
        bed.put_reviews(release, rita, value=5)
        bed.put_reviews(release, omar, value=1)
        bed.look(release, mina)
    client = as_user(mina)
    assert len(rows(client.get(list_of(many)))) == 12
    assert queries(client, list_of(few)) == queries(client, list_of(many))
    assert queries(client, page_of(few, "feast")) == queries(client, page_of(many, "feast"))
    with_both = queries(client, "/")
    Release.objects.filter(name="many").update(archived_at=NOW)
    assert queries(client, "/") == with_both
