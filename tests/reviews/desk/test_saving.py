"""A draft is saved whole or not at all, given back with a reason, and asked about when it
contradicts itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from cases import ledger
from cases.models import Release
from reviews.adjudication.visibility import StillJudging, is_blind, open_scores
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import judgement as judgements
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.desk.judgement import Judgement
from reviews.errors import NeedsReason, Refused, WrongStatus
from reviews.models import Question, Review, Ruling, Score
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed.cases import NOW
from tests.bed.reviewed import (
    ITEMS,
    METRICS,
    assign,
    current,
    everything,
    judgement,
    put_reviews,
    started,
    submit,
)

MINUTE = timedelta(minutes=1)
SOME = judgements.from_data({"answers": {ITEMS[0]: {"answer": "na"}}, "comment": "So far."})


@pytest.fixture
def release(db: None) -> Release:
    return started()


@pytest.fixture
def own(release: Release, rita: User) -> Review:
    return assign(release, "feast", rita)


@contextmanager
def nothing_written() -> Iterator[None]:
    before = everything()
    yield
    assert everything() == before


def save(own: Review, said: Judgement = SOME, *, version: int = 0, **changes: Any) -> Any:
    options: dict[str, Any] = {"review": own.pk, "user": own.reviewer, "now": NOW}
    options |= {"version": version, "said": said}
    return desk_workflow.save_draft(**(options | changes))


def told(own: Review) -> tuple[str, int, dict[str, Any]]:
    own.refresh_from_db()
    return own.status, own.version, own.draft


# --- Drafts ---------------------------------------------------------------------------------------


def test_a_draft_may_leave_out_anything_and_counts_as_begun(own: Review) -> None:
    assert save(own) == desk_workflow.Saved(1, NOW)
    assert told(own) == ("draft", 1, judgements.to_data(SOME))
    assert save(own, judgements.from_data({}), version=1).version == 2
    assert told(own) == ("draft", 2, {})
    assert not Score.objects.exists()


def test_saving_is_no_event(release: Release, own: Review) -> None:
    length = current(release).ledger_length
    save(own)
    assert current(release).ledger_length == length


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_stale_version_is_refused_with_what_is_stored(own: Review, version: int) -> None:
    save(own)
    with nothing_written(), pytest.raises(desk_workflow.Stale) as stale:
        save(own, judgement(), version=version)
    assert stale.value.review.draft == judgements.to_data(SOME)
    assert stale.value.review.version == 1
    assert "version 1" in str(stale.value)


def test_what_the_rubric_does_not_have_is_not_even_drafted(own: Review) -> None:
    odd = judgements.from_data(
        {"scores": {"charm": {"value": 3}, METRICS[0]: {"value": 6}}, "answers": {"x.1": {}}}
    )
    with nothing_written(), pytest.raises(desk_workflow.Incomplete) as refused:
        save(own, odd)
    paths = [one.rule for one in refused.value.missing]
    assert paths == ["scores.charm", f"scores.{METRICS[0]}.value", "answers.x.1"]


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
def test_a_text_that_no_database_keeps_is_refused(own: Review, text: str) -> None:
    with nothing_written(), pytest.raises(desk_workflow.Incomplete):
        save(own, Judgement(comment=text))


def test_nobody_saves_anothers_review(own: Review, omar: User, ada: User, root: User) -> None:
    for person in (omar, ada, root):
        with nothing_written(), pytest.raises(desk_workflow.NoSuchReview):
            save(own, user=person)
    with pytest.raises(desk_workflow.NoSuchReview):
        save(own, review=own.pk + 1)


def test_a_late_autosave_does_not_reopen_a_submitted_review(own: Review) -> None:
    save(own)
    submit(own)
    with nothing_written(), pytest.raises(desk_workflow.Stale):
        save(own, version=1)
    assert told(own)[0] == "submitted"


def test_a_revision_is_drafted_while_the_submitted_one_stands(own: Review) -> None:
    submit(own, judgement(3))
    save(own, judgement(5), version=1)
    assert told(own)[:2] == ("submitted", 2)
    assert set(own.scores.values_list("value", flat=True)) == {3}
    submit(own, judgement(5))
    assert set(own.scores.values_list("value", flat=True)) == {5}
    assert [one.content["scores"][METRICS[0]]["value"] for one in own.revisions.all()] == [3]


def test_the_stored_draft_is_submitted_when_nothing_else_is_sent(own: Review) -> None:
    save(own, judgement(4))
    desk_submission.submit(
        review=own.pk, user=own.reviewer, key="k", version=1, said=None, now=NOW + MINUTE
    )
    assert told(own)[0] == "submitted"
    assert set(own.scores.values_list("value", flat=True)) == {4}


def test_nothing_is_saved_after_the_closing_or_after_the_case_was_taken_back(
    release: Release, own: Review, rita: User, omar: User
) -> None:
    assignments_workflow.withdraw(
        release=release, case_key="feast", reviewer=rita, reason="ill", user=None, now=NOW
    )
    with nothing_written(), pytest.raises(desk_workflow.NotOpen):
        save(own)
    other = assign(release, "kids", omar)
    releases_lifecycle.abandon(release=release, reason="wrong build", user=None, now=NOW)
    with nothing_written(), pytest.raises(WrongStatus):
        save(other)


# --- Declining ------------------------------------------------------------------------------------


def decline(own: Review, **changes: Any) -> None:
    options: dict[str, Any] = {"review": own.pk, "user": own.reviewer, "now": NOW}
    options |= {"cause": "language", "reason": "It is in Korean."}
    desk_workflow.decline(**(options | changes))


def test_a_declined_case_goes_back_with_its_draft_kept(release: Release, own: Review) -> None:
    save(own)
    decline(own)
    assert told(own) == ("declined", 1, judgements.to_data(SOME))
    assert (own.declined_for, own.decline_reason) == ("language", "It is in Korean.")
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("review-declined", "rita")
    assert event.data["cause"] == "language"
    with nothing_written():
        decline(own, reason="Really.")
    assign(release, "feast", own.reviewer)
    assert told(own)[0] == "assigned"
    assert (own.declined_for, own.decline_reason) == ("", "")


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"cause": "bored"}, desk_workflow.NoSuchCause),
        ({"cause": ""}, desk_workflow.NoSuchCause),
        ({"reason": " "}, NeedsReason),
        ({"reason": "x" * 501}, NeedsReason),
    ],
)
def test_declining_takes_a_known_cause_and_a_reason(
    own: Review, changes: dict[str, str], refusal: type[Refused]
) -> None:
    with nothing_written(), pytest.raises(refusal):
        decline(own, **changes)


def test_a_submitted_review_is_not_declined_and_nobody_declines_for_another(
    own: Review, omar: User
) -> None:
    with nothing_written(), pytest.raises(desk_workflow.NoSuchReview):
        decline(own, user=omar)
    submit(own)
    with nothing_written(), pytest.raises(desk_workflow.NotOpen):
        decline(own)


# --- Coherence ------------------------------------------------------------------------------------


def said(value: int, *answers: str) -> Judgement:
    """With these answers for the first metric; the second is coherent."""
    data = judgements.to_data(judgement(4))
    data["scores"][METRICS[0]]["value"] = value
    data["answers"] |= {item: {"answer": one} for item, one in zip(ITEMS, answers, strict=False)}
    return judgements.from_data(data)


def send(own: Review, what: Judgement, version: int = 0, key: str = "k", **more: Any) -> Any:
    return desk_submission.submit(
        review=own.pk, user=own.reviewer, key=key, version=version, said=what, now=NOW, **more
    )


YES, NO, NA = "yes", "no", "na"


@pytest.mark.parametrize(
    ("value", "answers", "asks"),
    [
        (5, (YES, YES, YES, NO), True),
        (5, (NA, NA, NA, NO), True),
        (5, (YES, YES, YES, YES), False),
        (5, (YES, NA, NA, NA), False),
        (4, (NO, NO, NO, NO), False),
        (1, (YES, YES, YES, YES), True),
        (0, (YES, YES, YES, YES), True),
        (2, (YES, YES, YES, YES), False),
        (1, (YES, YES, YES, NA), False),
        (1, (YES, YES, YES, NO), False),
        (3, (NA, NA, NA, NA), True),
        (0, (NA, NA, NA, NA), True),
        (3, (NA, NA, NA, YES), False),
    ],
)
def test_what_contradicts_itself_is_asked_about(
    own: Review, value: int, answers: tuple[str, ...], asks: bool
) -> None:
    what = said(value, *answers)
    if not asks:
        assert send(own, what).version == 1
        assert own.scores.filter(coherence="", changed_mind=False).count() == 2
        return
    with pytest.raises(desk_submission.Incoherent) as asked:
        send(own, what)
    assert [one.rule for one in asked.value.missing] == [f"coherence.{METRICS[0]}"]
    assert "Usability" in str(asked.value)
    assert told(own)[:2] == ("assigned", 0)
    assert not Score.objects.exists()
    assert send(own, what, coherence={METRICS[0]: " both \n hold "}).version == 1
    first = own.scores.get(metric=METRICS[0])
    assert (first.coherence, first.changed_mind) == ("both hold", False)


def test_a_change_of_mind_is_remembered_without_a_line(own: Review) -> None:
    with pytest.raises(desk_submission.Incoherent):
        send(own, said(5, NO))
    assert send(own, said(4, NO), key="k2").version == 1
    first = own.scores.get(metric=METRICS[0])
    assert (first.value, first.coherence, first.changed_mind) == (4, "", True)
    assert own.scores.get(metric=METRICS[1]).changed_mind is False
    own.refresh_from_db()
    assert own.asked == {}


def test_a_line_for_what_does_not_contradict_itself_is_left_out(own: Review) -> None:
    send(own, said(4, NO), coherence={METRICS[0]: "no need", "charm": "no such metric"})
    assert not own.scores.exclude(coherence="").exists()


def test_it_is_asked_in_the_readers_language(own: Review) -> None:
    with translation.override("zh-hans"), pytest.raises(desk_submission.Incoherent) as asked:
        send(own, said(5, NO))
    assert "最高分" in str(asked.value)


def test_the_line_is_kept_with_the_version_that_was_replaced(own: Review) -> None:
    send(own, said(5, NO), coherence={METRICS[0]: "it does not matter there"})
    submit(own, judgement(4))
    [old] = own.revisions.all()
    assert old.content["coherence"] == {METRICS[0]: "it does not matter there"}


# --- Questions and rulings ------------------------------------------------------------------------


def ask(own: Review, **changes: Any) -> Question:
    options: dict[str, Any] = {"review": own.pk, "user": own.reviewer, "now": NOW}
    options |= {"subject": ITEMS[1], "text": "Does a snack count as lunch?"}
    return questions_workflow.ask(**(options | changes))


@pytest.mark.parametrize("subject", [ITEMS[0], f"{METRICS[1]}:0", f"{METRICS[0]}:5"])
def test_a_reviewer_asks_about_a_question_or_a_level(own: Review, subject: str) -> None:
    question = ask(own, subject=subject)
    assert (question.case, question.subject) == (own.case, subject)
    with nothing_written():
        assert ask(own, subject=subject) == question
    event = own.release.events.order_by("-number")[0]
    assert (event.kind, event.data) == ("question-asked", {"case": "feast", "subject": subject})


@pytest.mark.parametrize("subject", ["", "charm.1", f"{METRICS[0]}.5", f"{METRICS[0]}:6"])
def test_nobody_asks_about_what_the_rubric_does_not_have(own: Review, subject: str) -> None:
    with nothing_written(), pytest.raises(questions_workflow.NoSuchSubject):
        ask(own, subject=subject)


@pytest.mark.parametrize("text", ["", " \n", "x" * 1001])
def test_a_question_is_a_sentence(own: Review, text: str) -> None:
    with nothing_written(), pytest.raises(questions_workflow.NeedsWords):
        ask(own, text=text)


def test_an_admin_answers_once_and_the_ruling_says_nothing_of_the_case(
    own: Review, ada: User, mina: User
) -> None:
    question = ask(own)
    given = questions_workflow.answer(
        question=question.pk, text="A snack is no lunch.", user=ada, now=NOW
    )
    assert list(Ruling.objects.of(own.release.rubric)) == [given]
    assert (given.subject, given.by) == (ITEMS[1], "ada")
    event = own.release.events.order_by("-number")[0]
    assert event.kind == "ruling-given"
    assert "feast" not in str(event.data)
    with nothing_written():
        again = questions_workflow.answer(
            question=question.pk, text="A snack is no lunch.", user=ada, now=NOW
        )
        assert again == given
        with pytest.raises(questions_workflow.Answered, match="ada has already answered"):
            questions_workflow.answer(question=question.pk, text="It is.", user=mina, now=NOW)
    assert not Question.objects.waiting().exists()


def test_a_question_may_be_answered_after_the_closing(own: Review, ada: User) -> None:
    question = ask(own)
    releases_lifecycle.abandon(release=own.release, reason="wrong build", user=None, now=NOW)
    questions_workflow.answer(question=question.pk, text="No.", user=ada, now=NOW)
    assert ledger.verify(own.release)


# --- Looking at what others say -------------------------------------------------------------------


def test_the_first_look_is_an_event_and_the_second_none(release: Release, mina: User) -> None:
    open_scores(release=release, user=mina, now=NOW)
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by, event.data) == ("scores-seen", "mina", {})
    with nothing_written():
        open_scores(release=current(release), user=mina, now=NOW)


def test_nobody_looks_while_an_own_review_is_open(
    release: Release, own: Review, rita: User
) -> None:
    for state in ("assigned", "draft"):
        Review.objects.filter(pk=own.pk).update(status=state)
        assert is_blind(release, rita)
        with nothing_written(), pytest.raises(StillJudging, match="your 1 open review"):
            open_scores(release=release, user=rita, now=NOW)
    decline(own)
    assert not is_blind(release, rita)
    open_scores(release=release, user=rita, now=NOW)


def test_who_has_looked_neither_revises_nor_is_assigned(
    release: Release, own: Review, rita: User
) -> None:
    submit(own)
    open_scores(release=release, user=rita, now=NOW)
    with nothing_written(), pytest.raises(assignments_workflow.SeenScores):
        submit(own, judgement(2))
    with nothing_written(), pytest.raises(assignments_workflow.SeenScores, match="rita has seen"):
        assign(release, "kids", rita)


def test_a_closed_release_is_open_to_everybody_and_no_event(
    release: Release, own: Review, rita: User, omar: User
) -> None:
    put_reviews(release, omar, but=["feast"])
    rules = ["reviews"]
    releases_lifecycle.close(release=release, waived=rules, reason="time is up", user=None, now=NOW)
    with nothing_written():
        open_scores(release=current(release), user=rita, now=NOW)
    assert not is_blind(current(release), rita)
