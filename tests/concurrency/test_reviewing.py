"""A review under several hands at once: nothing lost, nothing twice, no rule broken."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cases import ledger
from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.queries import load_missing_reviews
from reviews.desk import judgement as judgements
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.errors import WrongStatus
from reviews.models import Closing, Review, Score, Submission
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed, soak
from tests.bed.cases import NOW
from tests.bed.races import MOST_DELAY, at_the_same_moment, kinds_of, run_races
from tests.people import make_person

at_once = pytest.mark.django_db(transaction=True, serialized_rollback=True)

ROUNDS = soak.size(short=6, long=200)
PEOPLE = soak.size(short=3, long=45)


@pytest.fixture
def release(transactional_db: None, rubric: Rubric) -> Release:
    return reviewed.started()


@pytest.fixture
def own_reviews(release: Release) -> Iterator[Review]:
    """One after the other, each of another case or by another person."""
    people = [make_person(f"p{number}", Role.REVIEWER) for number in range(PEOPLE)]
    return (reviewed.assign(release, key, user) for user in people for key in reviewed.FILLING)


def save(own: Review, words: str) -> Any:
    return desk_workflow.save_draft(
        review=own.pk,
        user=own.reviewer,
        version=0,
        said=judgements.from_data({"comment": words}),
        now=NOW,
    )


def submit(own: Review, *, key: str = "key", value: int = 4) -> desk_submission.Submitted:
    return desk_submission.submit(
        review=own.pk,
        user=own.reviewer,
        key=key,
        version=0,
        said=reviewed.judgement(value),
        now=NOW,
    )


def is_whole(own: Review) -> bool:
    """A submitted review has its rows and one event, any other has neither."""
    own.refresh_from_db()
    rows = (Score.objects.filter(review=own).count(), own.answers.count())
    sent = Submission.objects.filter(review=own).count()
    events = own.release.events.filter(
        kind="review-submitted", data__case=own.case.case_key, by=own.reviewer.username
    ).count()
    if own.status == "submitted":
        return rows == (len(reviewed.METRICS), len(reviewed.ITEMS)) and (sent, events) == (1, 1)
    return rows == (0, 0) and (sent, events) == (0, 0)


Race = Callable[[Review], tuple[list[Any], bool]]


def run(what: str, own_reviews: Iterator[Review], race: Race) -> None:
    run_races(what, own_reviews, race, is_whole=is_whole, rounds=ROUNDS)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_late_autosave_never_reopens_a_review_that_is_being_submitted(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: save(own, "late"), lambda: submit(own), most_delay=MOST_DELAY
        )
        own.refresh_from_db()
        saved_first = (["Saved", "stale_version"], ("draft", 1, "late"))
        submitted_first = (["stale_version", "Submitted"], ("submitted", 1, ""))
        found = (kinds_of(answers), (own.status, own.version, own.draft.get("comment", "")))
        return answers, found in (saved_first, submitted_first)

    run("autosave and submit at once", own_reviews, race)
    assert ledger.verify(release)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_of_two_tabs_that_save_one_version_one_is_told(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        texts = ["left", "right"]
        answers = at_the_same_moment(
            *(lambda text=text: save(own, text) for text in texts), most_delay=MOST_DELAY
        )
        own.refresh_from_db()
        kinds = kinds_of(answers)
        winner = kinds.index("Saved") if "Saved" in kinds else -1
        loser = answers[1 - winner]
        return answers, (
            sorted(kinds) == ["Saved", "stale_version"]
            and own.draft == {"comment": texts[winner]}
            and own.version == 1
            and loser.review.draft == own.draft
        )

    run("two tabs at once", own_reviews, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_review_is_declined_or_submitted_and_never_both(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: desk_workflow.decline(
                review=own.pk, user=own.reviewer, cause="conflict", reason="a friend", now=NOW
            ),
            lambda: submit(own),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        declined = (["NoneType", "review_not_open"], "declined")
        submitted = (["review_not_open", "Submitted"], "submitted")
        return answers, (kinds_of(answers), own.status) in (declined, submitted)

    run("decline and submit at once", own_reviews, race)
    assert ledger.verify(release)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_draft_that_is_taken_back_while_it_saves_keeps_its_words_or_says_no(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: assignments_workflow.withdraw(
                release=release,
                case_key=own.case.case_key,
                reviewer=own.reviewer,
                reason="ill",
                user=None,
                now=NOW,
            ),
            lambda: save(own, "so far"),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        saved_first = (["NoneType", "Saved"], "withdrawn", {"comment": "so far"})
        nothing: dict[str, str] = {}
        withdrawn_first = (["NoneType", "review_not_open"], "withdrawn", nothing)
        return answers, (kinds_of(answers), own.status, own.draft) in (saved_first, withdrawn_first)

    run("withdraw and autosave at once", own_reviews, race)
    assert ledger.verify(release)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_review_submitted_while_the_release_closes_is_in_the_report_or_refused(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        waived = ["reviews"] if load_missing_reviews(release) else []
        answers = at_the_same_moment(
            lambda: releases_lifecycle.close(
                release=release, waived=waived, reason="time is up", user=None, now=NOW
            ),
            lambda: submit(own),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        closing = answers[0]
        if isinstance(closing, releases_lifecycle.CannotClose):
            # The last review that was missing came in first, so there was nothing left to waive.
            return answers, own.status == "submitted" and not load_missing_reviews(release)
        is_sound = isinstance(closing, Closing)
        if own.status == "submitted":
            is_sound = is_sound and isinstance(answers[1], desk_submission.Submitted)
        else:
            is_sound = is_sound and isinstance(answers[1], WrongStatus)
        submitted = Review.objects.counted().count()
        is_sound = is_sound and closing.headline["reviews"] == submitted
        releases_lifecycle.reopen(release=release, reason="the next round", user=None, now=NOW)
        return answers, is_sound

    run("close and submit at once", own_reviews, race)
    assert ledger.verify(release)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_submit_sent_up_to_five_times_at_once_is_one_review(
    release: Release, own_reviews: Iterator[Review]
) -> None:
    def race(own: Review) -> tuple[list[Any], bool]:
        times = random.randint(1, 5)
        answers = at_the_same_moment(*(times * [lambda: submit(own)]))
        first = answers[0]
        is_same = all(one == first for one in answers)
        try:
            submit(own, value=2)
        except desk_submission.KeyReused:
            return answers, is_same and isinstance(first, desk_submission.Submitted)
        return answers, False

    run("the same submit up to five times at once", own_reviews, race)
    assert ledger.verify(release)
