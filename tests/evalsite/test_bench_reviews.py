"""The bench creates reviews that people could have given, and checks that none is lost."""

import random
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from cases import ledger
from cases.models import Batch, Case, Event, Release
from evalsite import triggers
from reviews.adjudication.visibility import has_opened
from reviews.desk import judgement as desk_judgement
from reviews.desk import revision as desk_revision
from reviews.models import (
    ChecklistAnswer,
    Closing,
    Draw,
    Review,
    SampledCase,
    Score,
    Submission,
    Waiver,
)
from tests.bed.databases import without_triggers
from tests.bench import driver, export_ours, reviewed, reviewing, seeding, summary_ours
from tests.bench.management.commands.bench import numbers
from tests.bench.measuring import at_most, next_of
from tests.bench.operations import FLOOR_PAGE, Operation
from tests.bench.opinions import opinion
from tests.bench.stock import (
    Kept,
    Round,
    Saves,
    Stock,
    Submits,
    expected,
    kept,
    shipped,
)
from tests.bench.target import Ask

# What points to a release, in an order in which it can go.
AFTER_RELEASES = (Review, SampledCase, Draw, Waiver, Closing, Event, Case, Batch)


def seeded(*, seed: int = 7) -> None:
    """Seed four releases: two closed, one with all reviews in, one waiting for the last reviews."""
    seeding.fill(reviewers=5, seed=seed, password="", cases=26, releases=4, reviews=3, waiting=20)


def rows_now() -> list[Any]:
    """Return the rows without keys, codes and the order that depends on them."""
    words = ("release__name", "case__case_key", "reviewer__username", "status", "draft", "comment")
    moments = ("version", "assigned_at", "saved_at", "submitted_at")
    reviews = Review.objects.order_by(*words[:3]).values_list(*words, *moments)
    by_review = ("review__release__name", "review__case__case_key", "review__reviewer__username")
    scores = Score.objects.order_by(*by_review, "metric").values_list(
        *by_review, "metric", "value", "rationale", "evidence"
    )
    answers = ChecklistAnswer.objects.order_by(*by_review, "item").values_list(
        *by_review, "item", "answer", "note"
    )
    events = Event.objects.order_by("release__name", "number").values_list("release__name", "kind")
    return [*reviews, *scores, *answers, *events]


def test_seeded_reviews_are_such_as_people_could_have_given(db: None) -> None:
    """One test for all, because seeding takes longer than the checks."""
    there = triggers.find_installed(connection)
    seeded()
    assert triggers.find_installed(connection) == there
    they_are_what_submitting_them_would_have_left()
    what_is_at_hand_can_be_reported_and_is_compared_with_nothing_that_grows()
    a_summary_and_files_are_measured_beside_their_raw_rows()
    the_same_seed_gives_the_same_reviews_and_seeding_again_adds_none()


def they_are_what_submitting_them_would_have_left() -> None:
    statuses = dict(Release.objects.values_list("name", "status"))
    assert [statuses[reviewed.reviewed_name(number)] for number in range(1, 5)] == [
        "closed",
        "closed",
        "reviewing",
        "reviewing",
    ]
    of_the_past = Review.objects.filter(release__name__startswith="bench-reviewed-")
    assert of_the_past.count() == 26 * 3
    assert of_the_past.exclude(status="submitted").count() == reviewed.shares(26, 4)[-1]
    submitted = list(Review.objects.submitted().select_related("release__rubric", "reviewer"))
    for review in submitted[::5]:
        said = desk_judgement.from_data(review.draft)
        document = review.release.rubric.document
        problems = [
            *desk_judgement.find_unknown_parts(said, document),
            *desk_judgement.find_missing_parts(said, document),
            *desk_judgement.find_contradictions(said, document),
        ]
        assert problems == []
        stored = desk_revision.collect_content(review)
        assert desk_judgement.from_data(stored) == said
    assert Submission.objects.count() == len(submitted)
    for release in Release.objects.all():
        events = release.events.filter(kind="review-submitted").count()
        assert events == Review.objects.of(release).submitted().count()
        assert ledger.verify(release) >= events
    with pytest.raises(DatabaseError, match="closed"), transaction.atomic():
        Score.objects.filter(release__status="closed").update(value=0)


def what_is_at_hand_can_be_reported_and_is_compared_with_nothing_that_grows() -> None:
    baselines = dict(Release.objects.values_list("name", "baseline__name"))
    names = [reviewed.reviewed_name(number) for number in range(1, 5)]
    assert [baselines[name] for name in names] == [None, None, *names[1:3]]
    manager = User.objects.get(username=seeding.MANAGER)
    for name in names:
        assert has_opened(Release.objects.get(name=name), manager)
    assert Closing.objects.standing().filter(headline__cases=8, headline__reviews=24).count() == 1


def a_summary_and_files_are_measured_beside_their_raw_rows() -> None:
    closed, complete = (reviewed.reviewed_name(number) for number in (2, 3))
    summed = summary_ours.measured(complete, rounds=2, database_pids=[])
    assert (summed.reviews, summed.statements) == (24, 14)
    assert summed.rows > 8 * 10  # cases by metrics and questions, and more
    assert min(summed.ours + summed.raw) > 0
    found = export_ours.measured(
        closed, warm_up=complete, kinds=[*export_ours.FILES], rounds=1, database_pids=[]
    )
    assert export_ours.read("words\n" + export_ours.printed(found)) == found
    assert {export.reviews for export in found} == {24}
    assert [export.what for export in found][:2] == ["wide", "long"]
    assert all(export.ours[0] > export.raw[0] > 0 for export in found[:2])
    release = Release.objects.get(name=closed)
    rows = [driver.fetch([(sql, (release.pk,))]) for sql in export_ours.READ_BACK]
    assert rows == [24, 24 * 2, 24 * 8]


def the_same_seed_gives_the_same_reviews_and_seeding_again_adds_none() -> None:
    once = rows_now()
    seeded()
    assert rows_now() == once
    with without_triggers():
        Release.objects.update(baseline=None)
        for model in (*AFTER_RELEASES, Release):
            model._default_manager.all().delete()
    seeded()
    assert rows_now() == once
    values = Score.objects.order_by("value").values_list("value", flat=True).distinct()
    assert len(values) > 3


@pytest.mark.parametrize(
    ("cases", "releases", "found"),
    [
        (334, 8, [10, 6, 6, 6, 6, 100, 100, 100]),
        (33_334, 5, [32_934, 100, 100, 100, 100]),
        (100_000, 5, [33_333, 66_367, 100, 100, 100]),
        (33_334, 4, [33_034, 100, 100, 100]),
        (26, 4, [2, 8, 8, 8]),
        (7, 2, [4, 3]),
        (7, 1, [7]),
    ],
)
def test_the_work_at_hand_is_the_same_however_large_the_past_is(
    cases: int, releases: int, found: list[int]
) -> None:
    assert reviewed.shares(cases, releases) == found
    assert sum(found) == cases


def test_an_opinion_is_complete_and_never_asked_about() -> None:
    chance = random.Random(7)
    document = shipped()
    for quality in range(6):
        for _ in range(50):
            said = opinion(chance, document, quality)
            assert not list(desk_judgement.find_unknown_parts(said, document))
            assert not list(desk_judgement.find_missing_parts(said, document))
            assert not list(desk_judgement.find_contradictions(said, document))


# --- What can be sent only once -------------------------------------------------------------------


def stock(count: int = 3) -> Stock:
    return Stock([(10 + number, f"reviewer-{number}") for number in range(count)], {"comment": ""})


def test_every_save_and_submit_names_the_version_that_stands() -> None:
    own = stock()
    saves, submits = Saves(own), Submits(own)
    assert [ask.json for ask in saves.next(2)] == ['{"version": 0, "comment": ""}'] * 2
    saves.used(2)
    third, first = saves.next(2)
    assert (third.path, first.path) == ("/api/v1/reviews/12/draft/", "/api/v1/reviews/10/draft/")
    assert '"version": 0' in third.json
    assert '"version": 1' in first.json
    assert [ask.json[12] for ask in submits.next(9)] == ["1", "1", "0"]
    assert len({ask.key for ask in submits.next(9)}) == 3
    submits.used(2)
    [last] = submits.next(9)
    assert (last.path, last.who) == ("/api/v1/reviews/12/submit/", "reviewer-2")
    assert expected(own) == Kept(2, 2, 4, 16, 2, 2, versions=4)


def test_scripts_save_and_submit_the_same_reviews_by_the_api() -> None:
    own = stock()
    [save], [submit] = Saves(own, by_token=True).next(1), Submits(own, by_token=True).next(1)
    assert (save.method, save.path) == ("PUT", "/api/v1/reviews/10/draft/")
    assert (submit.method, submit.path) == ("POST", "/api/v1/reviews/10/submit/")
    assert save.by_token
    assert submit.by_token
    assert save.json == submit.json == Saves(own).next(1)[0].json


def test_desks_are_asked_for_in_turn_and_each_round_goes_on_where_the_last_one_ended() -> None:
    desks = [Ask(f"/reviews/{number}/") for number in range(3)]
    ring = Round(desks)
    assert ring.lap == 3
    assert ring.next(1) == desks
    ring.used(4)
    assert ring.next(1) == [desks[1], desks[2], desks[0]]
    assert [next_of(ring) for _ in range(3)] == [desks[1], desks[2], desks[0]]


def test_as_many_reviews_wait_as_the_rounds_can_use_up() -> None:
    most, few = reviewing.waiting_needed([1, 32], rounds=5, seconds=2)
    assert few == 2 * (5 * reviewing.SUBMITS_A_ROUND + 10)
    assert most == 5 * (2 * (200 + 200) + 200) + few
    assert at_most(32, 0.2) == 64


@pytest.fixture
def whole(tmp_path: Path) -> str:
    """Create a database with three reviews, one of them submitted, and return its URL."""
    path = tmp_path / "bench_x.sqlite3"
    with closing(sqlite3.connect(path)) as file:
        file.executescript(
            """
            CREATE TABLE cases_release (id, name);
            CREATE TABLE reviews_review (id, release_id, status, version);
            CREATE TABLE reviews_score (review_id, release_id);
            CREATE TABLE reviews_checklistanswer (review_id, release_id);
            CREATE TABLE reviews_submission (review_id, release_id);
            CREATE TABLE cases_event (release_id, kind);
            INSERT INTO cases_release VALUES (1, 'bench-waiting'), (2, 'bench-reviewed-1');
            INSERT INTO reviews_review VALUES
                (10, 1, 'submitted', 2), (11, 1, 'draft', 1), (12, 1, 'assigned', 0),
                (13, 2, 'submitted', 1);
            INSERT INTO reviews_score VALUES (10, 1), (10, 1), (13, 2);
            INSERT INTO reviews_submission VALUES (10, 1), (13, 2);
            INSERT INTO cases_event VALUES (1, 'review-submitted'), (1, 'reviews-planned');
            """
        )
        rows = [[10, 1]] * 8
        file.executemany("INSERT INTO reviews_checklistanswer VALUES (?, ?)", rows)
        file.commit()
    return f"sqlite:///{path}"


def test_what_was_answered_well_is_found_whole(whole: str) -> None:
    assert kept(whole) == expected(replace(stock(), saved=2, submitted=1))


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM reviews_score WHERE rowid = 1",
        "INSERT INTO reviews_score VALUES (10, 1)",
        "DELETE FROM reviews_checklistanswer WHERE rowid = 8",
        "INSERT INTO reviews_checklistanswer VALUES (11, 1)",
        "INSERT INTO reviews_submission VALUES (10, 1)",
        "INSERT INTO cases_event VALUES (1, 'review-submitted')",
        "DELETE FROM cases_event",
        "UPDATE reviews_review SET version = 0 WHERE id = 11",
        "UPDATE reviews_review SET status = 'draft' WHERE id = 10",
        "UPDATE reviews_review SET status = 'submitted' WHERE id = 12",
    ],
)
def test_whatever_is_lost_or_there_twice_is_seen(whole: str, harm: str) -> None:
    with closing(sqlite3.connect(whole.removeprefix("sqlite:///"))) as file:
        file.execute(harm)
        file.commit()
    assert kept(whole) != expected(replace(stock(), saved=2, submitted=1))


# --- Growth ---------------------------------------------------------------------------------------


def test_growth_is_the_slope_of_log_cpu_over_log_reviews() -> None:
    found = reviewing.exponents([1000, 100_000], [[2.0, 3.0], [2.0, 30.0]])
    assert found == pytest.approx([0, 0.5])
    assert reviewing.exponents([10, 100, 1000], [[1.0], [10.0], [100.0]]) == pytest.approx([1])


@pytest.mark.parametrize(
    ("reviews", "cpu_ms", "against", "passed"),
    [
        ([1000, 10_000, 100_000], [[1.0], [4.0], [5.0]], "10,000", True),
        ([1000, 10_000, 100_000], [[5.0], [4.0], [5.1]], "10,000", False),
        ([1000, 10_000], [[4.0], [5.0]], "1,000", True),
    ],
)
def test_a_report_may_cost_little_more_with_many_reviews_in_the_tables(
    reviews: list[int], cpu_ms: list[list[float]], against: str, passed: bool
) -> None:
    operation = Operation("report", FLOOR_PAGE, FLOOR_PAGE, growth_at_most=1.25)
    grown = reviewing.Grown("sqlite", operation, reviews, cpu_ms, Counter())
    row = grown.ratio_row(1.25)
    assert row.quantity == f"CPU ms, {reviews[-1]:,} reviews against {against}"
    assert row.passed is passed
    assert replace(grown, errors=Counter({"500": 1})).ratio_row(1.25).passed is False


def test_sizes_are_written_short() -> None:
    assert numbers("1k,10k, 1M,30") == [1000, 10_000, 1_000_000, 30]
    with pytest.raises(ValueError, match="invalid literal"):
        numbers("k")
