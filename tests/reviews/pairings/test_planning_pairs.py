"""Who reads which pair, on which side the new plan is, and when pairs can be planned."""

import json
from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from hypothesis import given
from hypothesis import strategies as st

from cases.models import Case, Event, Release
from evalsite.permissions import Role
from reviews.adjudication import together
from reviews.adjudication.visibility import is_blind
from reviews.assignments.workflow import NotAReviewer, PlanChanged, ReadsPairs
from reviews.desk.revision import keep_revision
from reviews.errors import NeedsReason, WrongStatus
from reviews.escapes.queries import is_judging
from reviews.models import Pairing, Review
from reviews.pairings import judgement, reading, workflow
from reviews.pairings.pairs import WhyNot, load_pairs
from reviews.pairings.sides import is_new_left
from reviews.pairings.verify import find_mismatches
from reviews.releases import lifecycle
from reviews.sample import amendments
from tests.bed import pairs, reviewed
from tests.bed.cases import NOW
from tests.people import also, make_person

pytestmark = pytest.mark.django_db


def test_every_shared_case_gets_as_many_readers_as_reviews(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    planned = pairs.plan(release)
    assert Counter(pairing.case.case_key for pairing in planned) == dict.fromkeys(
        reviewed.FILLING, release.reviews_per_case
    )
    assert {pairing.old_case.release_id for pairing in planned} == {release.baseline_id}


def test_people_who_scored_neither_plan_come_first(rita: User, omar: User) -> None:
    make_person("wei", Role.REVIEWER)
    release = pairs.beside_baseline(rita, omar)
    readers = Counter(pairing.reader.username for pairing in pairs.plan(release))
    assert readers["wei"] == len(reviewed.FILLING)
    assert readers["rita"] + readers["omar"] == len(reviewed.FILLING)


def test_planning_again_adds_nothing(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    first = pairs.plan(release)
    events = Event.objects.filter(release=release).count()
    assert pairs.plan(release) == first
    assert Event.objects.filter(release=release).count() == events


def test_the_side_of_the_new_plan_follows_from_the_digest(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    for pairing in pairs.plan(release):
        assert pairing.is_new_left == is_new_left(
            rubric_digest=release.rubric.digest,
            case_key=pairing.case.case_key,
            reader=pairing.reader.username,
            release=release.name,
        )


@given(st.lists(st.text(min_size=1), min_size=4, max_size=4))
def test_a_side_is_the_same_each_time_and_depends_on_every_part(parts: list[str]) -> None:
    names = ("rubric_digest", "case_key", "reader", "release")
    given_parts = dict(zip(names, parts, strict=True))
    assert is_new_left(**given_parts) == is_new_left(**given_parts)
    for name in names:
        sides = {
            is_new_left(**given_parts | {name: f"{given_parts[name]}{number}"})
            for number in range(64)
        }
        assert sides == {True, False}


def test_a_case_with_the_same_plan_or_another_request_is_left_out(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    old = {case.case_key: case for case in Case.objects.filter(release=release.baseline_id)}
    new = {case.case_key: case for case in Case.objects.filter(release=release)}
    # What the product would have to have sent: the database freezes the cases of a release.
    same, other = new["feast"], new["kids"]
    same.data = old["feast"].data
    content = json.loads(other.data)
    other.data = json.dumps(content | {"request": content["request"] | {"days": 3}})
    assert load_pairs(release).left_out == {}
    Case.objects.bulk_update([same, other], ["data"])
    left_out = load_pairs(release).left_out
    assert left_out == {"feast": WhyNot.SAME_PLAN, "kids": WhyNot.OTHER_REQUEST}


def test_a_release_without_baseline_has_no_pairs(rita: User, omar: User) -> None:
    release = reviewed.started()
    with pytest.raises(workflow.NotPairable, match="has no baseline"):
        pairs.plan(release)


def test_pairs_wait_for_the_last_review(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    last = Review.objects.of(release).first()
    assert last is not None
    Review.objects.filter(pk=last.pk).update(status="draft", submitted_at=None)
    with pytest.raises(workflow.NotPairable, match="1 review is missing"):
        pairs.plan(release)
    Review.objects.filter(pk=last.pk).update(status="submitted", submitted_at=NOW)
    assert pairs.plan(release)


def test_pairs_wait_for_the_last_planned_look(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar, spare=1)
    for sizes, is_planned in (([5, 6], False), ([5], True)):
        policy = {**release.policy, "looks": sizes}
        Release.objects.filter(pk=release.pk).update(policy=policy)
        if is_planned:
            assert pairs.plan(reviewed.current(release))
        else:
            with pytest.raises(workflow.NotPairable, match="Look 2 of 2 is still to come"):
                pairs.plan(reviewed.current(release))


def test_pairs_wait_until_the_baseline_is_closed(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    assert release.baseline is not None
    lifecycle.reopen(release=release.baseline, reason="Typo.", user=None, now=NOW)
    with pytest.raises(workflow.NotPairable, match="is not closed"):
        pairs.plan(reviewed.current(release))


def test_a_plan_that_changed_since_it_was_shown_is_refused(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    with pytest.raises(PlanChanged):
        workflow.plan_pairings(
            release=release, usernames=None, per_case=None, seen="other", user=None, now=NOW
        )
    assert not Pairing.objects.exists()


def test_only_active_reviewers_read_pairs(rita: User, omar: User, ada: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    with pytest.raises(NotAReviewer, match="ada"):
        pairs.plan(release, ada)


def test_a_reader_of_pairs_gets_no_review_and_revises_none(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    pairs.plan(release)
    own = Review.objects.of(release).by(rita).select_related("reviewer").first()
    assert own is not None
    with pytest.raises(ReadsPairs, match="no longer change"):
        keep_revision(release, own, reason="", now=NOW)
    Review.objects.filter(pk=own.pk).update(status="withdrawn")
    with pytest.raises(ReadsPairs, match="rita reads pairs"):
        reviewed.assign(release, own.case.case_key, rita)


def test_taking_back_needs_a_reason_and_frees_the_pair(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    planned = pairs.plan(release)
    with pytest.raises(NeedsReason):
        workflow.take_back(release=release, usernames=["rita"], reason=" ", user=None, now=NOW)
    for _again in range(2):
        workflow.take_back(release=release, usernames=["rita"], reason="Ill.", user=None, now=NOW)
    open_now = Pairing.objects.of(release).open()
    assert open_now.count() == len(planned) - open_now.model.objects.by(rita).count()
    taken = Event.objects.filter(release=release, kind="pairings-taken-back")
    assert taken.count() == 1


def test_the_database_refuses_a_pair_that_is_none(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    [good, *_others] = pairs.plan(release)
    wrong = Case.objects.filter(release=release.baseline_id).exclude(case_key=good.case.case_key)
    for old_case in (wrong[0], good.case):
        with pytest.raises(DatabaseError), transaction.atomic():
            Pairing.objects.create(
                release=release,
                case=good.case,
                old_case=old_case,
                reader=User.objects.create(username="new"),
                is_new_left=True,
                assigned_at=NOW,
            )


def test_the_database_keeps_the_side_of_a_pairing(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    [pairing, *_others] = pairs.plan(release)
    with pytest.raises(DatabaseError), transaction.atomic():
        Pairing.objects.filter(pk=pairing.pk).update(is_new_left=not pairing.is_new_left)


def test_a_closed_release_keeps_its_pairings(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    [pairing, *_others] = pairs.plan(release)
    lifecycle.close(release=release, user=None, now=NOW)
    with pytest.raises(DatabaseError), transaction.atomic():
        Pairing.objects.filter(pk=pairing.pk).update(status="withdrawn")
    with pytest.raises(WrongStatus):
        pairs.read(pairing)


def test_a_case_that_leaves_the_sample_leaves_no_reader_blind(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    for pairing in pairs.plan(release):
        if pairing.case.case_key != "feast":
            pairs.read(pairing)
    assert is_blind(release, rita)
    amendments.withdraw(
        release=release, case_key="feast", cause="broken", reason="No day.", user=None, now=NOW
    )
    assert not is_blind(release, rita)


def test_a_team_of_two_reads_what_was_taken_back(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    planned = pairs.plan(release)
    [begun, *_others] = planned
    said = judgement.from_data({"newer": "left"})
    reading.save_draft(pairing=begun.pk, user=begun.reader, version=0, said=said, now=NOW)
    workflow.take_back(release=release, usernames=None, reason="A typo.", user=None, now=NOW)
    again = pairs.plan(release)
    assert {pairing.pk for pairing in again} == {pairing.pk for pairing in planned}
    assert Counter(pairing.status for pairing in again) == {"assigned": 9, "draft": 1}
    assert next(one for one in again if one.pk == begun.pk).draft == {"newer": "left"}
    assert list(find_mismatches(release)) == []
    assert len(pairs.plan(release)) == 10


def test_what_was_taken_back_goes_to_others_first(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    pairs.plan(release)
    workflow.take_back(release=release, usernames=["rita"], reason="Ill.", user=None, now=NOW)
    wei = make_person("wei", Role.REVIEWER)
    pairs.plan(release)
    assert Pairing.objects.by(wei).open().count() == len(reviewed.FILLING)
    assert not Pairing.objects.by(rita).open().exists()


def test_nobody_settles_together_with_a_reader_of_pairs(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    also(omar, Role.MANAGER)
    team = together.load_team(release)
    assert team.list_obstacles("feast", ["omar", "rita"]) == []
    pairs.plan(release, rita)
    [obstacle] = together.load_team(release).list_obstacles("feast", ["omar", "rita"])
    assert "rita has 5 open" in obstacle


def test_a_reader_of_pairs_is_not_told_how_much_got_through(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    assert not is_judging(rita, release.product)
    own = [pairing for pairing in pairs.plan(release) if pairing.reader == rita]
    assert is_judging(rita, release.product)
    for pairing in own:
        pairs.read(pairing)
    assert not is_judging(rita, release.product)
