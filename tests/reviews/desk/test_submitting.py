"""A review is assigned, submitted once however often it is sent, and revised by its owner alone."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.utils import translation

from cases import ledger
from cases.models import Release
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.queries import load_missing_reviews
from reviews.desk import judgement as judgements
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.desk.judgement import Judgement
from reviews.errors import NeedsReason, NoSuchCase, Refused, WrongStatus
from reviews.models import ChecklistAnswer, Flag, Review, Revision, Score, Submission
from reviews.models.reviews import ReviewStatus
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed.cases import NOW
from tests.bed.reviewed import (
    ITEMS,
    METRICS,
    assign,
    bring,
    by_first_rules,
    current,
    draw,
    drawn,
    everything,
    filled,
    judgement,
    put_reviews,
    review,
    review_all,
    row,
    started,
    submit,
)
from tests.people import make_person

MINUTE = timedelta(minutes=1)
WHY = "Read the fallback again."


@pytest.fixture
def release(db: None) -> Release:
    return started()


@pytest.fixture
def own(release: Release, rita: User) -> Review:
    """rita's review of `feast`, assigned."""
    return assign(release, "feast", rita)


def without(what: Judgement, *paths: str) -> Judgement:
    """The judgement with these scores and answers left out."""
    data = judgements.to_data(what)
    for path in paths:
        part, key = path.split(".", 1)
        del data[part][key]
    return judgements.from_data(data)


def changed(what: Judgement, **parts: Any) -> Judgement:
    data = judgements.to_data(what)
    for name, value in parts.items():
        data[name] = {**data.get(name, {}), **value} if isinstance(value, dict) else value
    return judgements.from_data(data)


def refused(own: Review, what: Judgement, **options: Any) -> Refused:
    """Why it was not taken; nothing may be written."""
    own.refresh_from_db()
    before = everything()
    with pytest.raises(Refused) as refusal:
        submit(own, what, **options)
    assert everything() == before
    return refusal.value


def kinds(release: Release) -> list[str]:
    """What happened since the start."""
    first = release.events.get(kind="review-started").number
    later = release.events.filter(number__gt=first).order_by("number")
    return list(later.values_list("kind", flat=True))


def values(own: Review) -> dict[str, int]:
    return dict(Score.objects.filter(review=own).values_list("metric", "value"))


def answers(own: Review) -> dict[str, str]:
    return dict(ChecklistAnswer.objects.filter(review=own).values_list("item", "answer"))


# --- Assigning ------------------------------------------------------------------------------------


def test_assigning_creates_that_persons_review(release: Release, rita: User, ada: User) -> None:
    own = assignments_workflow.assign(
        release=release, case_key="kids", reviewer=rita, user=ada, now=NOW
    )
    assert (own.reviewer, own.case.case_key, own.release) == (rita, "kids", release)
    assert (own.status, own.version, own.draft, own.submitted_at) == ("assigned", 0, {}, None)
    event = release.events.order_by("number").last()
    assert event is not None
    assert (event.kind, event.by) == ("review-assigned", "ada")
    assert event.data == {"case": "kids", "reviewer": "rita"}


def test_assigning_twice_is_assigning_once(release: Release, own: Review, rita: User) -> None:
    before = everything()
    assert assign(release, "feast", rita, now=NOW + MINUTE) == own
    assert everything() == before
    submit(own)
    before = everything()
    assert assign(release, "feast", rita, now=NOW + MINUTE).status == "submitted"
    assert everything() == before


@pytest.mark.parametrize("over", [ReviewStatus.WITHDRAWN, ReviewStatus.DECLINED])
def test_a_review_that_was_taken_back_can_be_assigned_again(
    release: Release, own: Review, rita: User, over: str
) -> None:
    """With what was written so far."""
    draft = {"comment": "The mill is closed on Mondays."}
    Review.objects.filter(pk=own.pk).update(
        status=over, draft=draft, version=3, declined_for="language"
    )
    assert isinstance(refused(own, judgement()), desk_workflow.NotOpen)
    again = assign(release, "feast", rita, now=NOW + MINUTE)
    assert again.pk == own.pk
    assert (again.status, again.assigned_at) == ("assigned", NOW + MINUTE)
    assert (again.draft, again.version) == (draft, 3)
    assert kinds(release) == ["review-assigned", "review-assigned"]
    submit(again)
    assert Review.objects.get().status == "submitted"


def test_nobody_reviews_a_case_of_their_own_making(rita: User, omar: User) -> None:
    release = filled()
    bring(release, row("spare-1", produced_by=["omar", "rita"]))
    draw(release, size=8)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    before = everything()
    for person in (rita, omar):
        with pytest.raises(
            assignments_workflow.MadeTheCase, match=f"{person.username} made spare-1"
        ):
            assign(release, "spare-1", person)
    assert everything() == before
    assert assign(release, "spare-2", rita).status == "assigned"
    wei = make_person("wei", Role.REVIEWER)
    assert assign(release, "spare-1", wei).status == "assigned"


@pytest.mark.parametrize("case_key", ["spare-1", "nothing", "", "feast\0"])
def test_only_a_case_of_the_sample_is_assigned(release: Release, rita: User, case_key: str) -> None:
    before = everything()
    with pytest.raises(NoSuchCase):
        assign(release, case_key, rita)
    assert everything() == before


def test_a_withdrawn_case_is_not_assigned(release: Release, rita: User) -> None:
    withdraw(release)
    with pytest.raises(NoSuchCase):
        assign(release, "feast", rita)


def test_cases_are_assigned_while_the_release_is_reviewed(rita: User) -> None:
    release = drawn()
    with pytest.raises(WrongStatus, match="still a draft"):
        assign(release, "feast", rita)
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    with pytest.raises(WrongStatus, match="closed"):
        assign(release, "feast", rita)
    assert not Review.objects.exists()


# --- Submitting -----------------------------------------------------------------------------------


def test_a_complete_review_is_taken(release: Release, own: Review) -> None:
    what = changed(judgement(4, usability_value=3, comment="Nice mill."), flags=["broken"])
    taken = submit(own, what, key="first", now=NOW + MINUTE)
    assert taken == desk_submission.Submitted(version=1, submitted_at=NOW + MINUTE)
    own.refresh_from_db()
    assert (own.status, own.version, own.comment) == ("submitted", 1, "Nice mill.")
    assert (own.submitted_at, own.saved_at) == (NOW + MINUTE, NOW + MINUTE)
    assert own.draft == judgements.to_data(what)
    assert values(own) == {"usability-value": 3, "personalization": 4}
    assert answers(own) == dict.fromkeys(ITEMS, "yes")
    assert [(one.kind, one.outcome) for one in own.flags.all()] == [("broken", "open")]
    for rows in (Score, ChecklistAnswer, Flag, Submission):
        assert set(rows._default_manager.values_list("release", "review")) == {(release.pk, own.pk)}
    assert kinds(release) == ["review-assigned", "review-submitted"]


def test_the_event_holds_digests_and_never_scores(release: Release, own: Review) -> None:
    what = judgement(2, comment="The word that nobody else may read.")
    submit(own, what)
    event = release.events.get(kind="review-submitted")
    assert (event.by, event.at) == ("rita", NOW)
    assert event.data == {
        "case": "feast",
        "reviewer": "rita",
        "version": 1,
        "content": judgements.digest(what),
    }
    assert ledger.verify(release)


def test_zero_is_a_score_and_not_applicable_an_answer(own: Review) -> None:
    for value, answer in ((0, "yes"), (0, "na"), (5, "na"), (1, "no")):
        submit(own, judgement(value, answer=answer))
        assert values(own) == dict.fromkeys(METRICS, value)
        assert answers(own) == dict.fromkeys(ITEMS, answer)


def test_evidence_and_words_are_kept_with_their_score_and_answer(own: Review) -> None:
    evidence = [{"kind": "quote", "ref": "/plan/days/1/items/0/note#0-2", "text": "不用"}]
    what = changed(
        judgement(),
        scores={"personalization": {"value": 2, "rationale": "  为什么？ ", "evidence": evidence}},
        answers={"personalization.1": {"answer": "no", "note": "没有", "evidence": evidence}},
    )
    submit(own, what)
    score = own.scores.get(metric="personalization")
    assert (score.rationale, score.evidence) == ("  为什么？ ", evidence)
    answer = own.answers.get(item="personalization.1")
    assert (answer.answer, answer.note, answer.evidence) == ("no", "没有", evidence)


def test_a_flag_said_twice_is_raised_once(own: Review) -> None:
    submit(own, changed(judgement(), flags=["harmful", "broken", "harmful"]))
    assert sorted(own.flags.values_list("kind", flat=True)) == ["broken", "harmful"]


def test_every_missing_part_is_named_by_its_path(own: Review) -> None:
    what = changed(
        without(judgement(), "scores.personalization", "answers.usability-value.2"),
        scores={"usability-value": {"value": 0, "rationale": " "}},
        answers={"personalization.4": {"answer": None, "note": "?"}},
    )
    refusal = refused(own, what)
    assert isinstance(refusal, desk_workflow.Incomplete)
    assert [(one.rule, one.sentence) for one in refusal.missing] == [
        (
            "answers.usability-value.2",
            "Question 2 of Usability & Value needs an answer.",
        ),
        (
            "scores.usability-value.rationale",
            "Usability & Value needs a reason or evidence.",
        ),
        ("answers.personalization.4", "Question 4 of Personalization needs an answer."),
        ("scores.personalization.value", "Personalization needs a score."),
    ]


def test_an_empty_review_lacks_everything(own: Review) -> None:
    refusal = refused(own, Judgement())
    assert sorted(one.rule for one in refusal.missing) == sorted(
        [*(f"answers.{item}" for item in ITEMS), *(f"scores.{metric}.value" for metric in METRICS)]
    )


def test_what_is_missing_is_said_in_the_readers_language(own: Review) -> None:
    with translation.override("zh-hans"):
        refusal = refused(own, without(judgement(), "answers.usability-value.2"))
    [one] = refusal.missing
    assert one.rule == "answers.usability-value.2"
    assert one.sentence == "“可用性与价值”的第 2 个问题还没有回答。"
    assert "needs an answer" not in one.sentence


UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({"scores": {"beauty": {"value": 3, "rationale": "x"}}}, "scores.beauty"),
    ({"scores": {"": {"value": 3, "rationale": "x"}}}, "scores."),
    ({"answers": {"usability-value.5": {"answer": "yes"}}}, "answers.usability-value.5"),
    ({"answers": {"usability-value": {"answer": "yes"}}}, "answers.usability-value"),
    *(
        (
            {"scores": {"personalization": {"value": value, "rationale": "x"}}},
            "scores.personalization.value",
        )
        for value in (6, -1, 2**80)
    ),
]


def test_what_the_rubric_does_not_have_is_refused(own: Review) -> None:
    for parts, path in UNKNOWN:
        refusal = refused(own, changed(judgement(), **parts))
        assert isinstance(refusal, desk_workflow.Incomplete)
        assert [one.rule for one in refusal.missing] == [path]


def test_unknown_and_missing_parts_are_named_together(own: Review) -> None:
    what = changed(without(judgement(), "scores.personalization"), scores={"beauty": {"value": 3}})
    paths = [one.rule for one in refused(own, what).missing]
    assert paths == ["scores.beauty", "scores.personalization.value"]


@pytest.mark.parametrize("text", ["a\0b", "😀\udfff"])
@pytest.mark.parametrize("place", ["comment", "rationale", "ref"])
def test_text_that_a_database_does_not_take_is_refused_or_cleaned(
    release: Release, own: Review, place: str, text: str
) -> None:
    """Both are JSON: NUL, which PostgreSQL refuses, and half a character, which is no UTF-8."""
    texts = {"comment": "", "rationale": "x", "ref": "/x"} | {place: text}
    evidence = [{"kind": "quote", "ref": texts["ref"]}]
    score = {"value": 3, "rationale": texts["rationale"], "evidence": evidence}
    try:
        what = changed(judgement(comment=texts["comment"]), scores={"personalization": score})
        submit(own, what)
    except (Refused, msgspec.ValidationError):
        assert not Score.objects.exists()
    else:
        assert values(own)["personalization"] == 3
    assert ledger.verify(release)


@pytest.mark.parametrize("key", ["k" * 200, "k" * 201, "", "\0", "钥匙"])
def test_an_odd_key_is_taken_or_refused(own: Review, key: str) -> None:
    """Two hundred characters are what a key may have; SQLite would take more."""
    options: dict[str, Any] = {
        "review": own.pk,
        "user": own.reviewer,
        "key": key,
        "version": 0,
        "said": judgement(),
        "now": NOW,
    }
    try:
        first = desk_submission.submit(**options)
    except Refused:
        assert len(key) != 200
        assert not Submission.objects.exists()
    else:
        assert len(key) <= 200
        assert desk_submission.submit(**options) == first
        assert Submission.objects.get().key == key


# --- Stale ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 2, -1])
def test_a_version_that_does_not_stand_is_stale(own: Review, version: int) -> None:
    submit(own)
    refusal = refused(own, judgement(2), version=version, key="other")
    assert isinstance(refusal, desk_workflow.Stale)
    assert (refusal.review, refusal.review.version) == (own, 1)
    assert refusal.sentences == ["This review was saved elsewhere after you opened it (version 1)."]


def test_a_draft_saved_elsewhere_makes_a_submit_stale(own: Review) -> None:
    Review.objects.filter(pk=own.pk).update(status="draft", version=1, draft={"comment": "x"})
    assert isinstance(refused(own, judgement(), version=0), desk_workflow.Stale)
    assert submit(own, version=1).version == 2


# --- However often it is sent ---------------------------------------------------------------------


def test_the_same_submit_again_is_one_review(release: Release, own: Review) -> None:
    first = submit(own, judgement(3), key="k", version=0)
    before = everything()
    for later in (NOW, NOW + MINUTE, NOW + 60 * MINUTE):
        assert submit(own, judgement(3), key="k", version=0, now=later) == first
    assert everything() == before
    assert Submission.objects.count() == 1
    assert kinds(release) == ["review-assigned", "review-submitted"]


def test_the_first_answer_comes_again_after_a_revision(own: Review) -> None:
    first = submit(own, judgement(3), key="k", version=0)
    submit(own, judgement(4), key="l", version=1, now=NOW + MINUTE)
    before = everything()
    assert submit(own, judgement(3), key="k", version=0, now=NOW + MINUTE) == first
    assert everything() == before
    assert values(own) == dict.fromkeys(METRICS, 4)


def test_the_first_answer_comes_again_after_the_release_is_closed(
    release: Release, own: Review
) -> None:
    first = submit(own, judgement(3), key="k", version=0)
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    before = everything()
    assert submit(own, judgement(3), key="k", version=0, now=NOW + MINUTE) == first
    assert isinstance(refused(own, judgement(2), key="k"), desk_submission.KeyReused)
    assert isinstance(refused(own, judgement(3), key="l"), WrongStatus)
    assert everything() == before


def test_the_first_answer_comes_again_after_the_case_was_withdrawn(
    release: Release, own: Review
) -> None:
    first = submit(own, judgement(3), key="k", version=0)
    withdraw(release)
    assert submit(own, judgement(3), key="k", version=0) == first


def test_a_key_is_good_for_one_content(own: Review) -> None:
    submit(own, judgement(3), key="k")
    refusal = refused(own, judgement(4), key="k")
    assert isinstance(refusal, desk_submission.KeyReused)
    assert isinstance(
        refused(own, judgement(3, comment="More."), key="k"), desk_submission.KeyReused
    )
    assert values(own) == dict.fromkeys(METRICS, 3)


def test_the_reason_of_a_revision_is_part_of_its_body(own: Review) -> None:
    """contract.md: the body of a submit has the reason too; same key, other body: refused."""
    submit(own, judgement(3), key="k")
    submit(own, judgement(4), key="l", reason="Read the fallback again.")
    with pytest.raises(desk_submission.KeyReused):
        submit(own, judgement(4), key="l", version=1, reason="Missed the tram.")


def test_a_key_belongs_to_one_review(release: Release, own: Review, omar: User) -> None:
    other = assign(release, "feast", omar)
    third = assign(release, "kids", own.reviewer)
    for one, value in ((own, 1), (other, 2), (third, 3)):
        submit(one, judgement(value), key="k")
    assert [values(one)["personalization"] for one in (own, other, third)] == [1, 2, 3]


def test_a_refused_submit_does_not_use_up_its_key(own: Review) -> None:
    refused(own, Judgement(), key="k")
    assert submit(own, judgement(), key="k").version == 1


# --- Revising -------------------------------------------------------------------------------------


def test_another_key_is_a_revision_and_the_old_version_is_kept(
    release: Release, own: Review
) -> None:
    evidence = [{"kind": "stop", "ref": "/plan/days/0/items/1", "text": "河边面馆"}]
    first = changed(
        judgement(3, comment="Hm."),
        scores={"personalization": {"value": 0, "rationale": "No lift.", "evidence": evidence}},
        answers={"personalization.3": {"answer": "no", "note": "Stairs.", "evidence": evidence}},
        flags=["harmful", "broken"],
    )
    submit(own, first, key="a", now=NOW)
    submit(own, judgement(4), key="b", now=NOW + MINUTE)
    kept = Revision.objects.get()
    assert (kept.review, kept.release, kept.version) == (own, release, 1)
    assert (kept.submitted_at, kept.replaced_at, kept.reason) == (NOW, NOW + MINUTE, "")
    assert sorted(kept.content.pop("flags")) == ["broken", "harmful"]
    parts = judgements.to_data(first)
    parts.pop("flags")
    assert judgements.from_data(kept.content) == judgements.from_data(parts)
    own.refresh_from_db()
    assert (own.status, own.version, own.submitted_at) == ("submitted", 2, NOW + MINUTE)
    assert kinds(release)[-1] == "review-revised"


def test_only_the_last_version_stands_in_the_rows(own: Review) -> None:
    submit(own, changed(judgement(1, answer="no"), flags=["harmful"]), key="a")
    submit(own, changed(judgement(5, answer="na"), flags=["broken"]), key="b")
    submit(own, changed(judgement(2), comment="The last."), key="c")
    assert Score.objects.count() == len(METRICS)
    assert ChecklistAnswer.objects.count() == len(ITEMS)
    assert (values(own), answers(own)) == (dict.fromkeys(METRICS, 2), dict.fromkeys(ITEMS, "yes"))
    assert not Flag.objects.exists()
    own.refresh_from_db()
    assert (own.comment, own.version) == ("The last.", 3)
    versions = Revision.objects.order_by("version")
    assert [one.version for one in versions] == [1, 2]
    assert [one.content["scores"]["personalization"]["value"] for one in versions] == [1, 5]
    assert [one.content["flags"] for one in versions] == [["harmful"], ["broken"]]


def test_a_refused_revision_leaves_the_submitted_one(own: Review) -> None:
    submit(own, judgement(3), key="a")
    refused(own, without(judgement(5), "scores.personalization"), key="b")
    assert values(own) == dict.fromkeys(METRICS, 3)


@pytest.mark.parametrize("later", [timedelta(0), 10 * MINUTE])
def test_second_thoughts_need_no_reason(release: Release, own: Review, later: timedelta) -> None:
    submit(own, judgement(3), key="a")
    submit(own, judgement(4), key="b", now=NOW + later)
    assert Revision.objects.get().reason == ""
    assert release.events.get(kind="review-revised").data["reason"] == ""


def test_later_on_a_revision_needs_a_reason(release: Release, own: Review) -> None:
    submit(own, judgement(3), key="a")
    late = NOW + 10 * MINUTE + timedelta(microseconds=1)
    for reason in ("", "  ", "\0"):
        refusal = refused(own, judgement(4), key="b", reason=reason, now=late)
        assert isinstance(refusal, NeedsReason)
    submit(own, judgement(4), key="b", reason=f" {WHY}\n", now=late)
    assert Revision.objects.get().reason == WHY
    event = release.events.get(kind="review-revised")
    assert event.data == {
        "case": "feast",
        "reviewer": "rita",
        "version": 2,
        "content": judgements.digest(judgement(4)),
        "reason": WHY,
    }


def test_a_reason_given_early_is_kept_too(own: Review) -> None:
    submit(own, judgement(3), key="a")
    submit(own, judgement(4), key="b", reason=WHY)
    assert Revision.objects.get().reason == WHY


def test_a_blank_reason_given_early_is_none(own: Review) -> None:
    submit(own, judgement(3), key="a")
    submit(own, judgement(4), key="b", reason=" \n ")
    assert Revision.objects.get().reason == ""


def test_the_first_submit_needs_no_reason_however_late(own: Review) -> None:
    submit(own, now=NOW + 100_000 * MINUTE)
    assert not Revision.objects.exists()


def test_a_review_is_revised_after_the_release_was_reopened(release: Release, own: Review) -> None:
    submit(own, judgement(3), key="a")
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    releases_lifecycle.reopen(release=release, reason=WHY, user=None, now=NOW)
    submit(own, judgement(4), key="b")
    assert values(own) == dict.fromkeys(METRICS, 4)


# --- Not yours, not open --------------------------------------------------------------------------


def test_somebody_elses_review_does_not_exist(
    own: Review, omar: User, ada: User, root: User
) -> None:
    submit(own, judgement(3), key="k")
    before = everything()
    for person in (omar, ada, root):
        for number, key in ((own.pk, "k"), (own.pk, "other"), (own.pk + 1000, "k")):
            with pytest.raises(desk_workflow.NoSuchReview, match="There is no such review"):
                desk_submission.submit(
                    review=number,
                    user=person,
                    key=key,
                    version=1,
                    said=judgement(3),
                    now=NOW,
                )
    assert everything() == before


def withdraw(release: Release) -> None:
    amendments.withdraw(
        release=release, case_key="feast", cause="broken", reason=WHY, user=None, now=NOW
    )


def test_a_review_of_a_withdrawn_case_is_taken_back(release: Release, own: Review) -> None:
    withdraw(release)
    own.refresh_from_db()
    assert own.status == "withdrawn"
    assert isinstance(refused(own, judgement()), desk_workflow.NotOpen)


def test_a_submitted_review_of_a_withdrawn_case_stays_and_is_not_revised(
    release: Release, own: Review, omar: User
) -> None:
    submit(own, judgement(3), key="a")
    other = assign(release, "feast", omar)
    withdraw(release)
    own.refresh_from_db()
    other.refresh_from_db()
    assert (own.status, other.status) == ("submitted", "withdrawn")
    assert isinstance(refused(own, judgement(4), key="b"), desk_workflow.NotOpen)
    assert values(own) == dict.fromkeys(METRICS, 3)


def test_a_case_that_was_swapped_out_is_not_open_until_it_is_back_and_assigned(
    release: Release, own: Review, rita: User
) -> None:
    """A sample with planned looks takes no swap; those of earlier releases do."""
    release = by_first_rules(release)
    swap: dict[str, Any] = {"release": release, "reason": WHY, "user": None, "now": NOW}
    amendments.swap(out="feast", into="spare-1", **swap)
    assert isinstance(refused(own, judgement()), desk_workflow.NotOpen)
    amendments.swap(out="spare-1", into="feast", **swap)
    assert isinstance(refused(own, judgement()), desk_workflow.NotOpen)
    submit(assign(release, "feast", rita))
    assert Review.objects.get().status == "submitted"


def test_a_closed_release_takes_no_review(release: Release, own: Review) -> None:
    releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)
    refusal = refused(own, judgement())
    assert isinstance(refusal, WrongStatus)
    assert refusal.sentences == [
        "wanderer-1 is closed, so nothing in it can change. Reopen it first."
    ]


# --- How far the reviews are ----------------------------------------------------------------------


def test_only_submitted_reviews_count(release: Release, rita: User, omar: User) -> None:
    def missing() -> int:
        return load_missing_reviews(current(release)).get("feast", 0)

    assert load_missing_reviews(release) == dict.fromkeys(
        ["feast", "kids", "ramp", "rush", "thrift"], 2
    )
    own = assign(release, "feast", rita)
    assert missing() == 2
    Review.objects.filter(pk=own.pk).update(status="draft", draft={"comment": "x"}, version=1)
    assert missing() == 2
    submit(own)
    assert missing() == 1
    submit(own, judgement(2), key="again")
    assert missing() == 1
    review(release, "feast", omar)
    assert missing() == 0
    review(release, "feast", make_person("wei", Role.REVIEWER))
    assert missing() == 0


def test_reviews_put_in_by_the_bed_are_as_submit_leaves_them(rita: User, omar: User) -> None:
    """So that tests about closing may take the short way."""

    def rows(user: User) -> list[Any]:
        own = Review.objects.by(user).order_by("case__case_key")
        fields = ("case__case_key", "status", "version", "draft", "comment", "submitted_at")
        return [
            *own.values_list(*fields, "release", "assigned_at", "saved_at"),
            *Score.objects.filter(review__in=own)
            .order_by("review__case__case_key", "metric")
            .values_list("metric", "value", "rationale", "evidence", "release"),
            *ChecklistAnswer.objects.filter(review__in=own)
            .order_by("review__case__case_key", "item")
            .values_list("item", "answer", "note", "evidence", "release"),
        ]

    release = started()
    review_all(release, rita, value=3)
    put_reviews(release, omar, value=3)
    assert len(rows(rita)) == 5 * (1 + len(METRICS) + len(ITEMS))
    assert rows(omar) == rows(rita)
