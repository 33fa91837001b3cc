"""Refusals carry their status and code, and tell reviewers nothing about the release."""

import pytest

from reviews.assignments import workflow as assigning
from reviews.desk import submission as submitting
from reviews.desk import workflow as reviewing
from reviews.errors import (
    Missing,
    NeedsReason,
    NoSuchCase,
    NotClosed,
    NotStarted,
    Refused,
    WrongStatus,
    hide_release,
)

pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Refused, 409),
        (WrongStatus, 409),
        (NotStarted, 409),
        (NoSuchCase, 400),
        (NeedsReason, 400),
        (reviewing.NoSuchReview, 404),
        (submitting.Incoherent, 400),
        (submitting.BadKey, 400),
        (assigning.NotAReviewer, 400),
        (assigning.OnTheCase, 409),
    ],
)
def test_a_refusal_carries_its_status(kind: type[Refused], status: int) -> None:
    assert kind("No.").status == status


@pytest.mark.parametrize("kind", [WrongStatus, NotStarted, NotClosed])
def test_a_reviewer_is_not_told_the_name_of_the_release(kind: type[WrongStatus]) -> None:
    told = hide_release(kind("wanderer-1 is closed."))
    assert type(told) is kind
    assert "wanderer" not in str(told.document)


def test_other_refusals_are_told_as_they_are() -> None:
    refusal = NeedsReason(Missing("reason", "Say why."))
    assert hide_release(refusal) is refusal


def test_the_answer_lists_every_reason_by_its_path() -> None:
    refusal = Refused(Missing("cases", "Two cases are missing."), "The rubric changed.")
    assert [(one.path, one.message) for one in refusal.document["errors"]] == [
        ("cases", "Two cases are missing."),
        ("", "The rubric changed."),
    ]
    assert refusal.document["detail"] == "Two cases are missing. The rubric changed."
    assert refusal.document["code"] == "refused"
