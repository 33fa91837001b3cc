"""Saving, submitting and revising a pairing, and what closing needs of pairings."""

from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from cases.models import Event, Release
from evalsite.permissions import Role
from reviews.adjudication.visibility import StillJudging, is_blind, open_scores
from reviews.desk.submission import BadKey, KeyReused
from reviews.desk.workflow import Incomplete, NotOpen, Saved
from reviews.models import PairAnswer, Pairing, PairRevision, PairSubmission
from reviews.pairings import judgement, reading
from reviews.pairings.judgement import PairJudgement
from reviews.pairings.queries import (
    count_progress,
    load_missing_pairings,
    load_own_pairings,
)
from reviews.releases import lifecycle, waivers
from reviews.report.summary.rows import read_pair_rows
from tests.bed import pairs, reviewed
from tests.bed.cases import NOW
from tests.bed.summaries import DOCUMENT
from tests.people import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairing(rita: User, omar: User) -> Pairing:
    release = pairs.beside_baseline(rita, omar)
    return next(own for own in pairs.plan(release) if own.reader == rita)


def save(pairing: Pairing, version: int, **data: Any) -> Saved:
    return reading.save_draft(
        pairing=pairing.pk,
        user=pairing.reader,
        version=version,
        said=judgement.from_data(data),
        now=NOW,
    )


def test_a_draft_is_kept_as_it_is_and_writes_no_answer(pairing: Pairing) -> None:
    saved = save(pairing, 0, steps={"personalization": {"step": -2}})
    pairing.refresh_from_db()
    assert (saved.version, pairing.version, pairing.status) == (1, 1, "draft")
    assert pairing.draft == {"steps": {"personalization": {"step": -2}}}
    assert not PairAnswer.objects.exists()


def test_a_save_from_an_older_version_is_refused_with_the_stored_one(pairing: Pairing) -> None:
    save(pairing, 0, newer="left")
    with pytest.raises(reading.StalePairing) as refusal:
        save(pairing, 0, newer="right")
    assert refusal.value.extra["draft"] == {"newer": "left"}


@pytest.mark.parametrize("step", [-4, 4])
def test_a_step_beyond_the_scale_is_not_read(step: int) -> None:
    judgement.from_data({"steps": {"x": {"step": 3}}})
    with pytest.raises(msgspec.ValidationError):
        judgement.from_data({"steps": {"x": {"step": step}}})


def test_unknown_metrics_and_questions_are_refused(pairing: Pairing) -> None:
    with pytest.raises(Incomplete) as refusal:
        save(pairing, 0, steps={"charm": {}}, sides={"usability-value.99": "left"})
    assert [missing.rule for missing in refusal.value.missing] == [
        "steps.charm",
        "sides.usability-value.99",
    ]


def test_a_text_that_cannot_be_stored_is_refused(pairing: Pairing) -> None:
    with pytest.raises(Incomplete, match="cannot be stored"):
        save(pairing, 0, steps={"personalization": {"why": "a\0b"}})


def test_submitting_names_everything_that_is_missing(pairing: Pairing) -> None:
    half = judgement.from_data({"steps": {"usability-value": {"step": 1}}})
    with pytest.raises(Incomplete) as refusal:
        pairs.read(pairing, half)
    assert [missing.rule for missing in refusal.value.missing] == [
        "steps.usability-value.why",
        "steps.personalization.step",
        "newer",
    ]


def test_no_difference_needs_no_reason(pairing: Pairing) -> None:
    assert pairs.read(pairing, pairs.say(0)).is_submitted


def test_what_was_submitted_reads_back_the_same(pairing: Pairing) -> None:
    asked = reading.list_questions(reading_of(pairing))
    said = msgspec.structs.replace(pairs.say(2, newer="left"), sides=dict.fromkeys(asked, "both"))
    pairs.read(pairing, said)
    assert asked
    assert reading.read_submitted(pairing) == said
    submitted = Event.objects.get(kind="pairing-submitted")
    assert submitted.data["content"] == judgement.digest(reading.read_submitted(pairing))


def reading_of(pairing: Pairing) -> Pairing:
    return Pairing.objects.select_related("release").get(pk=pairing.pk)


def test_the_same_submit_twice_is_one(pairing: Pairing) -> None:
    first = pairs.read(pairing, key="once").version
    again = reading.submit(
        pairing=pairing.pk, user=pairing.reader, key="once", version=0, said=pairs.say(), now=NOW
    )
    assert again.version == first == 1
    assert PairSubmission.objects.count() == 1
    with pytest.raises(KeyReused):
        reading.submit(
            pairing=pairing.pk,
            user=pairing.reader,
            key="once",
            version=0,
            said=pairs.say(3),
            now=NOW,
        )


def test_a_key_that_is_none_is_refused(pairing: Pairing) -> None:
    with pytest.raises(BadKey):
        reading.submit(
            pairing=pairing.pk, user=pairing.reader, key="", version=0, said=None, now=NOW
        )


def test_a_revision_keeps_the_earlier_version(pairing: Pairing) -> None:
    pairs.read(pairing, pairs.say(1))
    save(pairing, 1, newer="left")
    pairs.read(pairing, pairs.say(-1))
    earlier = PairRevision.objects.get()
    assert earlier.content["steps"]["personalization"]["step"] == 1
    assert {answer.step for answer in PairAnswer.objects.all()} == {-1}


def test_another_person_has_no_such_pairing(pairing: Pairing, omar: User) -> None:
    with pytest.raises(reading.NoSuchPairing):
        reading.decline(pairing=pairing.pk, user=omar, reason="Not mine.", now=NOW)


def test_a_declined_pairing_is_over_and_its_draft_kept(pairing: Pairing) -> None:
    save(pairing, 0, newer="no")
    for _again in range(2):
        reading.decline(pairing=pairing.pk, user=pairing.reader, reason="Mine.", now=NOW)
    pairing.refresh_from_db()
    assert (pairing.status, pairing.draft) == ("declined", {"newer": "no"})
    with pytest.raises(NotOpen):
        save(pairing, 1, newer="left")
    assert Event.objects.filter(kind="pairing-declined").count() == 1


def test_an_open_pairing_keeps_its_reader_blind(pairing: Pairing) -> None:
    release, user = pairing.release, pairing.reader
    assert is_blind(release, user)
    with pytest.raises(StillJudging):
        open_scores(release=release, user=user, now=NOW)
    for own in Pairing.objects.by(user):
        pairs.read(own)
    assert not is_blind(release, user)


def test_what_is_due_first_is_what_is_not_submitted(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    pairs.plan(release)
    Release.objects.filter(pk=release.pk).update(due_date=NOW.date())
    assert load_own_pairings(rita).due_date == NOW.date()
    for own in Pairing.objects.by(rita):
        pairs.read(own)
    assert load_own_pairings(rita).due_date is None


def test_a_pair_that_one_declined_and_another_read_lacks_nothing(rita: User, omar: User) -> None:
    wei = make_person("wei", Role.REVIEWER)
    release = pairs.beside_baseline(rita, omar)
    [first, *_others] = pairs.plan(release, rita, omar)
    reading.decline(pairing=first.pk, user=first.reader, reason="Mine.", now=NOW)
    for own in pairs.plan(release, wei):
        if own.pk != first.pk:
            pairs.read(own)
    found = read_pair_rows(release)
    assert found is not None
    assert (found.missing, load_missing_pairings(release)) == ({}, {})


def test_a_pair_keeps_its_number_when_the_release_is_closed(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    own = [pairing for pairing in pairs.plan(release) if pairing.reader == rita]
    before = {pairing.pk: count_progress(rita, pairing) for pairing in own}
    assert {progress.place for progress in before.values()} == {1, 2, 3, 4, 5}
    lifecycle.close(release=release, user=None, now=NOW)
    assert {pairing.pk: count_progress(rita, pairing) for pairing in own} == before


# --- Closing --------------------------------------------------------------------------------------


def test_open_pairings_block_closing_only_where_they_decide(rita: User, omar: User) -> None:
    by_scores = pairs.beside_baseline(rita, omar)
    pairs.plan(by_scores)
    assert not list(lifecycle.find_missing_for_close(by_scores))
    decided = pairs.beside_baseline(
        rita, omar, name="other-2", before="other-1", regression_by="side-by-side"
    )
    missing = list(lifecycle.find_missing_for_close(decided))
    assert [entry.rule for entry in missing] == ["pairings"]
    assert "5 pairs are not read yet" in missing[0].sentence
    for own in pairs.plan(decided):
        pairs.read(own)
    assert not list(lifecycle.find_missing_for_close(decided))


def test_a_waiver_covers_the_pairs_that_are_missing_now(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by="side-by-side")
    waiver = waivers.waive(release=release, rule="pairings", reason="No time.", user=None, now=NOW)
    assert waiver.covers["pairings"] == load_missing_pairings(release)
    assert not list(lifecycle.find_missing_for_close(release))
    for own in pairs.plan(release):
        pairs.read(own)
    with pytest.raises(waivers.NothingToWaive):
        waivers.waive(release=release, rule="pairings", reason="Again.", user=None, now=NOW)


# --- Pure -----------------------------------------------------------------------------------------

entries = st.builds(
    judgement.StepEntry, step=st.none() | st.integers(-3, 3), why=st.text(max_size=9)
)
judgements = st.builds(
    PairJudgement,
    steps=st.dictionaries(st.sampled_from(reviewed.METRICS), entries),
    sides=st.dictionaries(
        st.sampled_from(reviewed.ITEMS), st.sampled_from(["left", "right", "both", "neither", None])
    ),
    newer=st.sampled_from(["no", "left", "right", None]),
)


@given(judgements)
def test_a_judgement_stored_and_read_is_the_same(said: PairJudgement) -> None:
    again = judgement.from_data(judgement.to_data(said))
    assert again == said
    assert judgement.digest(again) == judgement.digest(said)


@given(judgements)
def test_nothing_is_missing_exactly_if_every_metric_has_its_choice(said: PairJudgement) -> None:
    document = DOCUMENT
    complete = said.newer is not None and all(
        (entry := said.steps.get(metric)) is not None
        and entry.step is not None
        and (entry.step == 0 or bool(entry.why.strip()))
        for metric in reviewed.METRICS
    )
    assert (not list(judgement.find_missing_parts(said, document))) == complete
