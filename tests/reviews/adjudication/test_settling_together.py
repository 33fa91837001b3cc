"""Small teams: where everyone who could adjudicate reviewed a case, its reviewers settle it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.adjudication import together as rule
from reviews.adjudication import workflow
from reviews.adjudication.visibility import has_seen_scores
from reviews.assignments.workflow import SeenScores
from reviews.errors import Refused
from reviews.export.bundle import write_bundle
from reviews.export.tables import build_case_table
from reviews.export.verify import check_waivers_and_adjudications
from reviews.models import Adjudication, Review
from reviews.models.reviews import SEEN
from reviews.releases import lifecycle
from reviews.releases.history import describe_event
from reviews.report.summary import compute, load, read, serialize
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.races import at_the_same_moment
from tests.people import AsUser, also, make_person
from tests.reviews.adjudication.settling_pages import list_of, page_of, queries, words

pytestmark = pytest.mark.usefixtures("rubric")
BOTH = ["omar", "rita"]


@pytest.fixture
def omar(omar: User) -> User:
    """The only person who could adjudicate, and a reviewer."""
    return also(omar, Role.MANAGER)


@pytest.fixture
def small(rita: User, omar: User) -> Release:
    """Two people read everything; they differ on one metric of the feast."""
    release = bed.started(without=bed.SPARE)
    bed.put_reviews(release, rita, omar, but=["feast"])
    bed.put_judgements(
        release,
        {"feast": {rita: bed.judgement(4), omar: bed.judgement(4, usability_value=1)}},
    )
    return bed.current(release)


def settle(release: Release, user: User, *, together: Any = BOTH, value: int = 3) -> Adjudication:
    return workflow.adjudicate(
        release=release,
        case_key="feast",
        agreed={"usability-value": value},
        cause="taste",
        note="Read again, together.",
        together=together,
        user=user,
        now=NOW,
    )


def refusal_of(release: Release, user: User, **options: Any) -> Refused:
    before = bed.everything()
    with pytest.raises(Refused) as refused:
        settle(release, user, **options)
    assert bed.everything() == before
    return refused.value


# --- What it does ---------------------------------------------------------------------------------


def test_it_is_recorded_with_its_participants_and_each_has_looked(
    small: Release, rita: User, omar: User
) -> None:
    known = settle(small, omar)
    assert (known.together, known.by, known.agreed) == (BOTH, "omar", {"usability-value": 3})
    events = list(small.events.order_by("number"))[-3:]
    assert [(event.kind, event.by) for event in events] == [
        (SEEN, "omar"),
        (SEEN, "rita"),
        ("case-adjudicated", "omar"),
    ]
    assert events[2].data["together"] == BOTH
    assert [describe_event(event) for event in events] == [
        "looked at the scores of others",
        "saw the scores of others when a case was settled together, as recorded by omar",
        "recorded the scores of feast, settled together by its own reviewers: omar, rita (taste)",
    ]
    assert list(lifecycle.find_missing_for_close(bed.current(small))) == []


def test_afterwards_its_participants_neither_revise_nor_are_assigned(
    small: Release, rita: User, omar: User
) -> None:
    settle(small, omar)
    own = Review.objects.get(reviewer=rita, case__case_key="kids")
    with pytest.raises(Refused):
        bed.submit(own, bed.judgement(2), reason="again")
    assert has_seen_scores(small, rita)
    Review.objects.filter(pk=own.pk).update(status="withdrawn")
    with pytest.raises(SeenScores):
        bed.assign(small, "kids", rita)


def test_agreement_stays_that_of_the_independent_reviews(small: Release, omar: User) -> None:
    before = compute(small)
    settle(small, omar)
    after = compute(bed.current(small))
    assert [metric.agreement for metric in after.metrics] == [
        metric.agreement for metric in before.metrics
    ]
    [found] = after.disagreements
    assert found.adjudication
    assert found.adjudication.together == ("omar", "rita")


def test_a_summary_without_it_reads_as_before(small: Release, omar: User, mina: User) -> None:
    """So the digests of summaries that were stored earlier still match."""
    bed.settle(small, "feast", mina, usability_value=3)
    text = serialize(compute(bed.current(small)))[0]
    assert '"together"' not in text
    [found] = read(text).disagreements
    assert found.adjudication
    assert found.adjudication.together == ()


def test_sent_twice_it_is_recorded_once_and_corrected_by_the_same_person(
    small: Release, omar: User
) -> None:
    settle(small, omar)
    before = bed.everything()
    settle(small, omar)
    assert bed.everything() == before
    assert settle(small, omar, value=2).agreed == {"usability-value": 2}


def test_another_person_is_told_that_it_is_settled(small: Release, rita: User, omar: User) -> None:
    also(rita, Role.ADMIN)
    settle(small, omar)
    refusal = refusal_of(small, rita, value=2)
    assert refusal.code == "settled_already"
    assert str(refusal) == "omar has already recorded the agreed scores of feast."


# --- When it is refused ---------------------------------------------------------------------------


def test_an_adjudicator_who_did_not_review_it_comes_first(
    small: Release, omar: User, mina: User
) -> None:
    refusal = refusal_of(small, omar)
    assert refusal.code == "own_review"
    assert "It can be adjudicated by mina." in str(refusal)
    outside = refusal_of(small, mina)
    assert (outside.code, str(outside)) == (
        "not_together",
        "mina did not review this case, so it is not settled together.",
    )


def test_an_adjudicator_who_left_is_not_waited_for(small: Release, omar: User, mina: User) -> None:
    User.objects.filter(pk=mina.pk).update(is_active=False)
    assert settle(small, omar).together == BOTH


def test_a_superuser_could_adjudicate(small: Release, omar: User) -> None:
    User.objects.create(username="root", is_superuser=True)
    assert "It can be adjudicated by root." in str(refusal_of(small, omar))


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["omar"], "Confirm that rita took part: everyone who reviewed the case has to agree."),
        ([*BOTH, "wei"], "Leave out wei: only people who reviewed the case take part."),
    ],
)
def test_exactly_the_reviewers_of_the_case_are_named(
    small: Release, omar: User, names: list[str], sentence: str
) -> None:
    refusal = refusal_of(small, omar, together=names)
    assert (refusal.code, refusal.status, str(refusal)) == ("bad_participants", 400, sentence)


def test_alone_a_reviewer_is_told_to_settle_it_together(small: Release, omar: User) -> None:
    refusal = refusal_of(small, omar, together=[])
    assert refusal.code == "own_review"
    assert str(refusal) == ("Everyone who could adjudicate reviewed this case: settle it together.")


def test_only_an_admin_or_manager_records_it(small: Release, rita: User) -> None:
    refusal = refusal_of(small, rita)
    assert refusal.code == "not_together"
    assert "An admin or a manager who reviewed the case" in str(refusal)


def test_it_waits_until_no_participant_has_an_open_review(
    small: Release, rita: User, omar: User
) -> None:
    own = Review.objects.filter(reviewer=rita, case__case_key="kids")
    own.update(status="draft")
    refusal = refusal_of(small, omar)
    assert refusal.code == "not_together"
    assert "rita has 1 open review in this release" in str(refusal)
    own.update(status="withdrawn")
    assert settle(small, omar)


def test_it_waits_for_a_further_review_of_the_case(small: Release, omar: User) -> None:
    wei = make_person("wei", Role.REVIEWER)
    bed.assign(small, "feast", wei)
    assert "wei has 1 open review" in str(refusal_of(small, omar))


def test_a_further_look_needs_enough_other_readers(
    small: Release, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule, "has_further_look", lambda release: True)
    make_person("wei", Role.REVIEWER)
    assert "More cases are planned" in str(refusal_of(small, omar))
    make_person("lin", Role.REVIEWER)
    assert settle(small, omar)


def test_a_further_look_is_one_that_is_planned_and_possible(small: Release) -> None:
    assert not rule.has_further_look(small)
    planned = bed.started("wanderer-2")
    assert rule.has_further_look(planned)
    act: dict[str, Any] = {"reason": "Cut off.", "user": None, "now": NOW}
    amendments.withdraw(release=planned, case_key="kids", cause="broken", **act)
    assert not rule.has_further_look(planned)
    assert not rule.has_further_look(bed.by_first_rules(bed.started("wanderer-3")))
    assert not rule.has_further_look(bed.drawn("wanderer-4"))


# --- Pages ----------------------------------------------------------------------------------------


@pytest.fixture
def manager(as_user: AsUser, small: Release, omar: User) -> Client:
    bed.look(small, omar)
    return as_user(omar)


FORM = {"agreed-usability-value": "3", "cause": "taste", "note": "Together."}


def test_the_list_offers_it(manager: Client, small: Release) -> None:
    page = words(manager.get(list_of(small)))
    assert "Everyone who could adjudicate reviewed this case: settle it together." in page
    assert "Settle together feast" in page


def test_the_list_names_who_can_adjudicate(manager: Client, small: Release, mina: User) -> None:
    page = words(manager.get(list_of(small)))
    assert "You reviewed this case, so someone else has to settle it." in page
    assert "It can be adjudicated by mina." in page
    assert "Settle together" not in page


def test_the_list_says_why_not_yet(manager: Client, small: Release, rita: User) -> None:
    Review.objects.filter(reviewer=rita, case__case_key="kids").update(status="assigned")
    page = words(manager.get(list_of(small)))
    assert "Its reviewers cannot settle it together yet. rita has 1 open review" in page
    assert "Settle together feast" not in page
    assert "Save the agreed scores" not in words(manager.get(page_of(small, "feast")))


def test_everyone_is_confirmed_by_name_on_the_page(manager: Client, small: Release) -> None:
    path = page_of(small, "feast")
    page = manager.get(path).content.decode()
    assert page.count('type="checkbox" name="together"') == 2
    assert 'name="together" value="rita" checked' not in page
    before = bed.everything()
    answer = manager.post(path, {**FORM, "together": ["omar"]})
    assert answer.status_code == 422
    assert "Confirm that rita took part" in words(answer)
    assert "Confirm that" in words(manager.post(path, FORM))
    assert bed.everything() == before
    assert manager.post(path, {**FORM, "together": BOTH}).status_code == 302
    said = "settled together by its own reviewers: omar, rita"
    for there in (path, list_of(small), f"/releases/{small.name}/report/"):
        assert said in words(manager.get(there)), there


def test_others_get_no_page_of_it(
    as_user: AsUser, manager: Client, small: Release, rita: User, sam: User
) -> None:
    other = make_person("wei", Role.REVIEWER)
    for path in (list_of(small), page_of(small, "feast")):
        for reviewer in (rita, other):
            assert as_user(reviewer).get(path).status_code == 403
            assert as_user(reviewer).post(path, {**FORM, "together": BOTH}).status_code == 403
        assert as_user(sam).get(path).status_code == 404
    assert manager.put(page_of(small, "feast")).status_code == 405
    assert not Adjudication.objects.exists()


def test_a_manager_who_did_not_review_it_adjudicates_as_ever(
    as_user: AsUser, small: Release, mina: User
) -> None:
    bed.look(small, mina)
    client, path = as_user(mina), page_of(small, "feast")
    assert 'name="together"' not in client.get(path).content.decode()
    assert client.post(path, {**FORM, "together": BOTH}).status_code == 302
    assert Adjudication.objects.get().together == []


def test_the_list_takes_the_same_queries_for_more_cases(
    as_user: AsUser, rita: User, omar: User
) -> None:
    few, many = bed.started("few", without=bed.SPARE), bed.started("many", size=8)
    for release in (few, many):
        bed.put_reviews(release, rita, value=5)
        bed.put_reviews(release, omar, value=1)
        bed.look(release, omar)
    client = as_user(omar)
    assert queries(client, list_of(few)) == queries(client, list_of(many))


# --- API ------------------------------------------------------------------------------------------


def test_the_api_takes_it_by_the_same_rule(manager: Client, small: Release) -> None:
    path = f"/api/v1/releases/{small.name}/adjudications/"
    body = {
        "case_key": "feast",
        "agreed": {"usability-value": 3},
        "cause": "taste",
        "note": "Together.",
    }

    def post(**more: Any) -> Any:
        return manager.post(path, json.dumps(body | more), content_type="application/json")

    [row] = manager.get(path).json()["results"]
    assert (row["adjudicators"], row["reviewers"], row["obstacles"]) == ([], BOTH, [])
    assert post().json()["code"] == "own_review"
    assert post(together=["omar"]).json()["code"] == "bad_participants"
    done = post(together=["rita", "omar"])
    assert (done.status_code, done.json()["together"]) == (200, BOTH)
    make_person("ada", Role.ADMIN)
    assert post(together=BOTH, note="Again.").json()["code"] == "own_review"
    assert manager.get(path).json()["results"][0]["adjudicators"] == ["ada"]


# --- Exports --------------------------------------------------------------------------------------


def test_exports_name_who_settled_it(
    rita: User, omar: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = bed.started("exported", without=bed.SPARE)
    bed.review_all(release, rita, omar, but=["feast"])
    bed.review(release, "feast", rita, 4)
    bed.review(release, "feast", omar, 4, usability_value=1)
    settle(bed.current(release), omar)
    lifecycle.close(release=bed.current(release), user=omar, now=NOW)
    release = bed.current(release)
    table = build_case_table(load(release), "final")
    place = table.columns.index("settled_together")
    assert {row[2]: row[place] for row in table.rows if row[place]} == {"feast": "omar, rita"}
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(b"".join(write_bundle(release)))
    call_command("verify_export", str(bundle))
    said = "feast: settled together by its own reviewers: omar, rita"
    assert said in capsys.readouterr().out


def test_a_bundle_that_says_it_of_others_is_found_out(small: Release, omar: User) -> None:
    known = settle(small, omar)
    assert list(check_waivers_and_adjudications(bed.current(small))) == []
    known.together = ["omar"]
    known.save()
    assert list(check_waivers_and_adjudications(bed.current(small))) == [
        "adjudications.jsonl: feast does not match the ledger.",
        "adjudications.jsonl: feast was not settled by its own reviewers.",
    ]


# --- At once --------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_of_two_who_record_it_at_once_one_is_told_so(
    transactional_db: None, rubric: Rubric
) -> None:
    people = [make_person(name, Role.REVIEWER, Role.MANAGER) for name in BOTH]
    release = bed.started(without=bed.SPARE)
    bed.put_reviews(release, *people, but=["feast"])
    bed.put_judgements(
        release, {"feast": {people[0]: bed.judgement(4), people[1]: bed.judgement(1)}}
    )

    def record(user: User, value: int) -> Adjudication:
        return workflow.adjudicate(
            release=release,
            case_key="feast",
            agreed=dict.fromkeys(bed.METRICS, value),
            cause="taste",
            note="Together.",
            together=BOTH,
            user=user,
            now=NOW,
        )

    outcomes = at_the_same_moment(
        lambda: record(people[0], 3), lambda: record(people[1], 2), most_delay=0.01
    )
    won = [found for found in outcomes if isinstance(found, Adjudication)]
    lost = [found for found in outcomes if isinstance(found, workflow.SettledAlready)]
    assert (len(won), len(lost)) == (1, 1), outcomes
    assert str(lost[0]) == f"{won[0].by} has already recorded the agreed scores of feast."
    events = bed.current(release).events
    assert events.filter(kind="case-adjudicated").count() == 1
    assert sorted(events.filter(kind=SEEN).values_list("by", flat=True)) == BOTH
