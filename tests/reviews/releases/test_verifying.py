"""What is stored of reports and decisions, against what the ledger tells of them."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction

from cases import ledger
from cases.ledger import LedgerBroken
from cases.models import Event, Release
from reviews.models import Closing, Decision
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from reviews.releases.verify import verify_ledger
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.databases import without_triggers

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def release(rita: User, mina: User) -> Release:
    """Closed, signed and reopened, then closed and signed again."""
    release = reviewed.started(k=1)
    reviewed.put_reviews(release, rita)
    for time in (1, 2):
        closing = releases_lifecycle.close(release=release, user=mina, now=NOW)
        sign(
            release=release,
            decision="ship",
            reason="good",
            digest=closing.digest,
            user=mina,
            now=LATER,
        )
        if time == 1:
            releases_lifecycle.reopen(release=release, reason="a slip", user=mina, now=LATER)
    return reviewed.current(release)


def what_is_wrong(release: Release) -> str:
    try:
        verify_ledger(reviewed.current(release))
    except LedgerBroken as broken:
        return str(broken)
    return ""


def test_a_release_that_was_closed_signed_and_reopened_verifies(release: Release) -> None:
    assert verify_ledger(release) == release.ledger_length


def test_a_release_that_was_never_closed_verifies(db: None) -> None:
    assert verify_ledger(reviewed.started()) == 4


def test_an_abandoned_release_verifies(db: None) -> None:
    release = reviewed.started()
    releases_lifecycle.abandon(release=release, reason="wrong build", user=None, now=NOW)
    assert what_is_wrong(release) == ""


OF_A_CLOSING: dict[str, Any] = {
    "head": "0" * 64,
    "digest": "0" * 64,
    "summary": "{}",
    "event": 2,
    "number": 7,
    "reason": "other",
    "by": "other",
    "closed_at": LATER,
    "reopened_at": NOW,
}


def test_a_report_that_was_changed_behind_the_triggers_is_named(release: Release) -> None:
    sentence = "wanderer-1: report 1 is not the report stored at closing."
    with without_triggers():
        first = Closing.objects.filter(release=release, number=1)
        for column, value in OF_A_CLOSING.items():
            with transaction.atomic():
                assert first.update(**{column: value})
                assert what_is_wrong(release) == sentence, column
                transaction.set_rollback(True)
    assert what_is_wrong(release) == ""


def test_a_report_that_is_said_to_be_abandoned_is_named(release: Release) -> None:
    with without_triggers():
        Closing.objects.filter(number=1).update(is_abandoned=True, reason="other")
    assert what_is_wrong(release) == "wanderer-1: report 1 is not the report stored at closing."


def test_a_report_that_was_removed_is_named(release: Release) -> None:
    with without_triggers():
        Decision.objects.filter(closing__number=2).delete()
        Closing.objects.filter(number=2).delete()
    sentence = "wanderer-1: report 2 is not the report stored at closing."
    assert what_is_wrong(release) == sentence


OF_A_DECISION: dict[str, Any] = {
    "decision": "do-not-ship",
    "reason": "other",
    "by": "other",
    "decided_at": NOW,
    "voided_at": NOW,
}


def test_a_decision_that_was_changed_behind_the_triggers_is_seen(release: Release) -> None:
    sentence = "wanderer-1: the decisions do not match the ledger."
    with without_triggers():
        standing = Decision.objects.filter(release=release, voided_at=None)
        for column, value in OF_A_DECISION.items():
            with transaction.atomic():
                assert standing.update(**{column: value})
                assert what_is_wrong(release) == sentence, column
                transaction.set_rollback(True)
    assert what_is_wrong(release) == ""


def test_a_decision_that_was_removed_is_seen(release: Release) -> None:
    with without_triggers():
        Decision.objects.filter(release=release, voided_at=None).delete()
    assert what_is_wrong(release) == "wanderer-1: the decisions do not match the ledger."


def rewrite_history(release: Release, change: Callable[[Event], None]) -> None:
    """Every event as the change leaves it, with digests that fit each other again."""
    head = ""
    for event in release.events.order_by("number"):
        change(event)
        event.previous = head
        head = event.digest = ledger.digest_event(event, release.name)
        event.save()
    release.ledger_head = head
    release.save(update_fields=["ledger_head"])


def test_a_history_that_was_rewritten_as_a_whole_does_not_fit_the_report(release: Release) -> None:
    def another_reason(event: Event) -> None:
        if event.kind == "sample-drawn":
            event.data["size"] = 6

    with without_triggers():
        rewrite_history(release, another_reason)
    assert ledger.verify(release) == release.ledger_length, "the chain itself is whole"
    assert what_is_wrong(release) == "wanderer-1: report 1 is not the report stored at closing."


def test_a_history_rewritten_to_the_same_words_still_fits(release: Release) -> None:
    """So that the test above can fail."""
    with without_triggers():
        rewrite_history(release, lambda event: None)
    assert what_is_wrong(release) == ""


def test_the_command_says_which_report_it_is(release: Release) -> None:
    out = StringIO()
    call_command("verify_ledger", release.name, stdout=out)
    assert out.getvalue() == f"wanderer-1: {release.ledger_length} events, all in order.\n"
    with without_triggers():
        Closing.objects.filter(number=1).update(by="other")
    with pytest.raises(CommandError) as refused:
        call_command("verify_ledger", release.name)
    assert str(refused.value) == "wanderer-1: report 1 is not the report stored at closing."
