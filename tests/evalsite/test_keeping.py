"""Work that is done once in each process."""

import gc
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Model, QuerySet
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from cases.models import Rubric
from evalsite.keeping import Kept, Statement, nothing_collected
from reviews.models import Review
from tests.bed import reviewed
from tests.bed.cases import NOW


def test_what_was_made_once_is_not_made_again() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("once")
        return "result"

    kept = Kept[str](most=2)
    assert [kept.get("key", make), kept.get("key", make)] == ["result", "result"]
    assert made == ["once"]


def test_whoever_edits_a_template_sees_it_at_once(settings: Any) -> None:
    settings.DEBUG = True
    kept = Kept[str](most=2)
    assert [kept.get("key", lambda: "before"), kept.get("key", lambda: "after")] == [
        "before",
        "after",
    ]


def test_whoever_was_asked_for_longest_ago_goes_first() -> None:
    kept = Kept[str](most=2)
    for key in ("first", "second", "first", "third"):
        kept.get(key, lambda key=key: f"{key}, made early")  # type: ignore[misc]
    assert kept.get("first", lambda: "made late") == "first, made early"
    assert kept.get("second", lambda: "made late") == "made late"


def test_a_failure_is_not_kept() -> None:
    kept = Kept[int](most=2)
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)
    assert kept.get("key", lambda: 1) == 1


@given(most=st.integers(1, 5), keys=st.lists(st.integers(0, 9)))
def test_everybody_is_given_what_their_own_key_makes_and_no_more_are_kept_than_may_be(
    most: int, keys: list[int]
) -> None:
    kept = Kept[int](most)

    def square(of: int) -> Callable[[], int]:
        return lambda: of * of

    assert [kept.get(key, square(key)) for key in keys] == [key * key for key in keys]
    assert len(kept._found) <= most


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


def test_keys_that_no_row_can_have_find_none(rita: User) -> None:
    statement = Statement[User](lambda key: User.objects.filter(pk=key).values_list("username"))
    assert [statement.rows(key) for key in (2**63, 10**30, -1, 0)] == [[], [], [], []]
    assert statement.rows(rita.pk) == [("rita",)]


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


def test_garbage_is_not_looked_for_meanwhile_and_is_afterwards() -> None:
    @nothing_collected()
    def fail() -> None:
        with nothing_collected():
            pass
        assert not gc.isenabled()
        raise ZeroDivisionError

    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.isenabled()
