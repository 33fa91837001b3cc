"""Queries that are worded once in each process."""

from operator import attrgetter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Model, QuerySet, Value
from django.test.utils import CaptureQueriesContext

from cases.models import Rubric
from evalsite.statements import Statement
from reviews.models import Review
from tests.bed import reviewed
from tests.bed.cases import NOW


def test_a_statement_is_worded_once_and_asked_about_each_key(rita: User, omar: User) -> None:
    worded: list[int] = []

    def make(key: int) -> "QuerySet[User, tuple[str, int]]":
        worded.append(key)
        mine = User.objects.filter(pk=key, is_active=True)
        return mine.values_list("username").annotate(count=Count("groups"))

    statement = Statement(make)
    assert statement.rows(rita.pk) == [("rita", 1)]
    assert statement.rows(omar.pk) == [("omar", 1)]
    assert statement.rows(omar.pk + 1000) == []
    assert len(worded) == 1


def test_negative_numbers_of_the_query_are_not_taken_for_keys(rita: User) -> None:
    statement = Statement[User](
        lambda key: User.objects.filter(pk=key).values_list("username", Value(-1), Value(-2))
    )
    assert statement.rows(rita.pk) == [("rita", -1, -2)]


def test_a_statement_is_worded_for_each_engine(rita: User, monkeypatch: pytest.MonkeyPatch) -> None:
    worded: list[int] = []

    def make(key: int) -> "QuerySet[User, tuple[str]]":
        worded.append(key)
        return User.objects.filter(pk=key).values_list("username")

    statement = Statement(make)
    assert statement.rows(rita.pk) == [("rita",)]
    monkeypatch.setattr(connection, "vendor", "another")
    assert statement.rows(rita.pk) == [("rita",)]
    assert len(worded) == 2


def test_keys_that_no_row_can_have_find_none(rita: User) -> None:
    statement = Statement[User](lambda key: User.objects.filter(pk=key).values_list("username"))
    assert [statement.rows(key) for key in (2**63, 10**30, -1, 0)] == [[], [], [], []]
    assert statement.rows(rita.pk) == [("rita",)]


def test_a_key_may_be_a_text(rita: User, omar: User) -> None:
    statement = Statement[User](lambda name: User.objects.filter(username=name))
    assert statement.objects("rita") == [rita]
    assert statement.objects("omar") == [omar]
    assert [statement.objects(name) for name in ("-1", "", "1", "rita' OR '1'='1")] == [[]] * 4


def test_rows_of_the_model_are_as_the_query_gives_them(rita: User, rubric: Rubric) -> None:
    release = reviewed.started()
    review = reviewed.review(release, "feast", rita)

    def make(user: int, key: int) -> "QuerySet[Review]":
        return Review.objects.filter(reviewer=user, pk=key).for_desk()

    statement = Statement[Review](make)
    [asked], [found] = make(rita.pk, review.pk), statement.objects(rita.pk, review.pk)
    ways = map(attrgetter, ("case", "case.sampled", "release", "release.rubric"))
    with CaptureQueriesContext(connection) as asking:
        for one, other in ((found, asked), *((way(found), way(asked)) for way in ways)):
            assert values_of(one) == values_of(other)
    assert len(asking) == 0
    assert found.submitted_at == NOW
    assert found.draft["scores"] == asked.draft["scores"]
    assert statement.objects(rita.pk, review.pk + 1) == []
    assert statement.objects(rita.pk + 1, review.pk) == []


def values_of(row: Model) -> dict[str, Any]:
    """What was read, and only that."""
    return {name: value for name, value in vars(row).items() if name != "_state"}
