"""What got through, while others close, reopen and move, or a process dies: as the final state."""

import random
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases import ledger
from cases.models import Ledger, Release
from evalsite.permissions import Role
from reviews.errors import Refused
from reviews.escapes import workflow
from reviews.models import Escape
from reviews.releases import lifecycle
from reviews.releases.verify import verify_ledger
from tests.bed import escapes, reviewed, soak
from tests.bed.cases import NOW
from tests.bed.escapes import LUNCH, in_force, says
from tests.bed.races import MOST_DELAY, at_the_same_moment, killed_on_leaving
from tests.people import make_person

at_once = pytest.mark.django_db(transaction=True, serialized_rollback=True)

# For how long a process goes on after its first closing.
MOST_LEFT = 0.3
FOUND = [(LUNCH, "feast"), (LUNCH, "kids")]


@pytest.fixture
def two(transactional_db: None, rubric: object) -> list[User]:
    return [make_person(name, Role.REVIEWER) for name in ("rita", "omar")]


def read_by(people: list[User], name: str = "wanderer-1") -> Release:
    release = reviewed.started(name)
    finding = [says(no=[LUNCH])] * 2
    escapes.put(release, people, {"feast": finding, "kids": finding})
    return release


def close(release: Release) -> None:
    lifecycle.close(release=release, user=None, now=NOW)


def reopen(release: Release) -> None:
    lifecycle.reopen(release=release, reason="A mistake.", user=None, now=NOW)


def check(*releases: Release) -> None:
    """The escapes are those of the closed releases, and every ledger is whole."""
    is_closed = any(reviewed.current(release).is_closed for release in releases)
    assert in_force() == (FOUND if is_closed else [])
    for owner in (*map(reviewed.current, releases), *Ledger.objects.all()):
        verify_ledger(owner)


def refusals(answers: list[Any]) -> list[Any]:
    found = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(answer, Refused) for answer in found), found
    return found


@at_once
def test_closing_and_reopening_at_once_leaves_the_escapes_of_the_final_state(
    two: list[User],
) -> None:
    release = read_by(two)
    for _round in range(soak.size(short=4, long=100)):
        acts = [partial(act, release) for act in (close, reopen, close, reopen)]
        refusals(at_the_same_moment(*acts, most_delay=MOST_DELAY))
        check(release)
    assert Escape.objects.count() in (0, 2)


@at_once
def test_two_releases_of_a_product_that_close_at_once_share_their_escapes(two: list[User]) -> None:
    """Neither finds a ledger of the product, and each would open the same escapes."""
    for number in range(soak.size(short=2, long=50)):
        both = [read_by(two, f"wanderer-{number}-{place}") for place in (1, 2)]
        answers = at_the_same_moment(*(partial(close, release) for release in both))
        assert refusals(answers) == []
        check(*both)
    assert Escape.objects.count() == 2
    assert ledger.verify(Ledger.objects.get()) == 2 * soak.size(short=2, long=50)


@at_once
def test_a_move_while_the_release_is_reopened_is_made_before_or_refused(two: list[User]) -> None:
    release = read_by(two)
    for _round in range(soak.size(short=3, long=50)):
        close(release)
        keys = list(Escape.objects.values_list("pk", flat=True))
        state = random.choice(["fixed", "open", "accepted"])
        move = partial(
            workflow.move,
            product="wanderer",
            escapes=keys,
            state=state,
            reason="Commit 4711.",
            user=None,
            now=NOW + timedelta(days=1),
        )
        moved, reopened = at_the_same_moment(move, partial(reopen, release), most_delay=MOST_DELAY)
        assert reopened is None
        assert isinstance(moved, list | workflow.NoSuchEscape)
        check(release)


@pytest.mark.soak
@at_once
def test_a_process_that_is_killed_leaves_all_of_a_closing_or_nothing(two: list[User]) -> None:
    release = read_by(two)

    def go_on() -> None:
        while True:
            for act in (close, reopen):
                with suppress(Refused):
                    act(release)

    rounds = soak.size(short=4, long=300)
    for _round in range(rounds):
        before = release.closings.count()
        with killed_on_leaving(go_on):
            while release.closings.count() == before:
                time.sleep(0.01)
            time.sleep(random.uniform(0, MOST_LEFT))
        check(release)
    soak.report("kill while closing and reopening", tried=rounds, bad=0)
