"""Pairs under several hands at once: nothing lost, nothing twice, no rule broken."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases import ledger
from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.desk.submission import KeyReused
from reviews.models import Closing, PairAnswer, Pairing, PairSubmission
from reviews.pairings import judgement, reading, workflow
from reviews.pairings.reading import Submitted
from reviews.pairings.verify import find_mismatches
from reviews.releases import lifecycle
from tests.bed import pairs, reviewed, soak
from tests.bed.cases import NOW
from tests.bed.races import MOST_DELAY, at_the_same_moment, kinds_of, run_races
from tests.people import make_person

at_once = pytest.mark.django_db(transaction=True, serialized_rollback=True)

ROUNDS = soak.size(short=6, long=100)
READERS = soak.size(short=2, long=20)


@pytest.fixture
def release(transactional_db: None, rubric: Rubric) -> Release:
    rita, omar = (make_person(name, Role.REVIEWER) for name in ("rita", "omar"))
    return pairs.beside_baseline(rita, omar)


@pytest.fixture
def readers(release: Release) -> list[User]:
    return [make_person(f"p{number}", Role.REVIEWER) for number in range(READERS)]


@pytest.fixture
def own_pairs(release: Release, readers: list[User]) -> Iterator[Pairing]:
    """One after the other, each of another case or by another person."""
    plan(release, readers)
    return iter(Pairing.objects.select_related("reader", "case", "release").order_by("pk"))


def plan(release: Release, readers: list[User]) -> int:
    """Plan the pairs of these people, who read all of them. Return how many were added."""
    planned = workflow.plan_pairings(
        release=release,
        usernames=[reader.username for reader in readers],
        per_case=len(readers),
        user=None,
        now=NOW,
    )
    return len(planned.assignments)


def take_back(release: Release) -> int:
    return workflow.take_back(
        release=release, usernames=None, reason="Another look.", user=None, now=NOW
    )


def save(own: Pairing, newer: str) -> Any:
    return reading.save_draft(
        pairing=own.pk,
        user=own.reader,
        version=0,
        said=judgement.from_data({"newer": newer}),
        now=NOW,
    )


def submit(own: Pairing, *, key: str = "key", step: int = 1) -> Submitted:
    return reading.submit(
        pairing=own.pk, user=own.reader, key=key, version=0, said=pairs.say(step), now=NOW
    )


def is_whole(own: Pairing) -> bool:
    """A submitted pairing has its rows and one event, any other has neither."""
    own.refresh_from_db()
    rows = PairAnswer.objects.filter(pairing=own).count()
    sent = PairSubmission.objects.filter(pairing=own).count()
    events = own.release.events.filter(
        kind="pairing-submitted", data__case=own.case.case_key, by=own.reader.username
    ).count()
    expected = (len(reviewed.METRICS), 1, 1) if own.is_submitted else (0, 0, 0)
    return (rows, sent, events) == expected


Race = Callable[[Pairing], tuple[list[Any], bool]]


def run(what: str, release: Release, own_pairs: Iterator[Pairing], race: Race) -> None:
    run_races(f"pairs: {what}", own_pairs, race, is_whole=is_whole, rounds=ROUNDS)
    check_ledger(release)


def check_ledger(release: Release) -> None:
    assert ledger.verify(release)
    assert list(find_mismatches(reviewed.current(release))) == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_late_autosave_never_reopens_a_pair_that_is_being_submitted(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: save(own, "left"), lambda: submit(own), most_delay=MOST_DELAY
        )
        own.refresh_from_db()
        saved_first = (["Saved", "stale_version"], ("draft", "left"))
        submitted_first = (["stale_version", "Submitted"], ("submitted", "no"))
        found = (kinds_of(answers), (own.status, own.draft.get("newer")))
        return answers, own.version == 1 and found in (saved_first, submitted_first)

    run("autosave and submit at once", release, own_pairs, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_of_two_tabs_that_save_one_version_one_is_told(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        words = ["left", "right"]
        answers = at_the_same_moment(
            *(lambda word=word: save(own, word) for word in words), most_delay=MOST_DELAY
        )
        own.refresh_from_db()
        kinds = kinds_of(answers)
        winner = kinds.index("Saved") if "Saved" in kinds else -1
        return answers, (
            sorted(kinds) == ["Saved", "stale_version"]
            and own.draft == {"newer": words[winner]} == answers[1 - winner].pairing.draft
            and own.version == 1
        )

    run("two tabs at once", release, own_pairs, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_submit_sent_up_to_five_times_at_once_is_one_reading(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(*(random.randint(2, 5) * [lambda: submit(own)]))
        is_same = all(one == answers[0] for one in answers)
        try:
            submit(own, step=-1)
        except KeyReused:
            return answers, is_same and isinstance(answers[0], Submitted)
        return answers, False

    run("the same submit up to five times at once", release, own_pairs, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_of_two_submits_with_other_keys_one_is_told(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        steps = [1, -1]
        answers = at_the_same_moment(
            *(lambda step=step: submit(own, key=f"key {step}", step=step) for step in steps),
            most_delay=MOST_DELAY,
        )
        kinds = kinds_of(answers)
        winner = kinds.index("Submitted") if "Submitted" in kinds else -1
        stored = set(PairAnswer.objects.filter(pairing=own).values_list("step", flat=True))
        return answers, sorted(kinds) == ["Submitted", "stale_version"] and stored == {
            steps[winner]
        }

    run("two submits at once", release, own_pairs, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_pair_is_declined_or_submitted_and_never_both(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: reading.decline(pairing=own.pk, user=own.reader, reason="Mine.", now=NOW),
            lambda: submit(own),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        declined = (["NoneType", "review_not_open"], "declined")
        submitted = (["review_not_open", "Submitted"], "submitted")
        return answers, (kinds_of(answers), own.status) in (declined, submitted)

    run("decline and submit at once", release, own_pairs, race)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_pair_submitted_while_the_release_closes_is_in_the_report_or_refused(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: lifecycle.close(release=release, user=None, now=NOW),
            lambda: submit(own),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        came = kinds_of(answers)[1]
        is_sound = isinstance(answers[0], Closing) and (
            (own.status, came) in (("submitted", "Submitted"), ("assigned", "release_frozen"))
        )
        counted = Pairing.objects.of(release).counted().count()
        said = count_in_report(release)
        lifecycle.reopen(release=release, reason="The next round.", user=None, now=NOW)
        return answers, is_sound and said == counted

    run("close and submit at once", release, own_pairs, race)


def count_in_report(release: Release) -> int:
    """Return how many readings the standing closing counts."""
    summary = Closing.objects.filter(release=release).latest("number").summary
    return int(json.loads(summary)["side_by_side"]["readings"])


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_pair_that_is_taken_back_while_it_is_submitted_is_one_of_both(
    release: Release, own_pairs: Iterator[Pairing]
) -> None:
    def race(own: Pairing) -> tuple[list[Any], bool]:
        answers = at_the_same_moment(
            lambda: workflow.take_back(
                release=release, usernames=[own.reader.username], reason="Ill.", user=None, now=NOW
            ),
            lambda: submit(own),
            most_delay=MOST_DELAY,
        )
        own.refresh_from_db()
        came = (kinds_of(answers), own.status)
        # What was taken back in an earlier round stays so.
        Pairing.objects.filter(reader=own.reader, status="withdrawn").exclude(pk=own.pk).update(
            status="assigned"
        )
        taken_back = (["int", "review_not_open"], "withdrawn")
        return answers, came in (taken_back, (["int", "Submitted"], "submitted"))

    run("take back and submit at once", release, own_pairs, race)


# --- Planning -------------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_of_two_plans_at_once_one_adds_and_the_other_finds_all_there(
    release: Release, readers: list[User]
) -> None:
    wanted, bad = len(readers) * len(reviewed.FILLING), 0
    for _round in range(ROUNDS):
        Pairing.objects.all().delete()
        before = release.events.count()
        added = at_the_same_moment(*(2 * [lambda: plan(release, readers)]), most_delay=MOST_DELAY)
        events = release.events.count() - before
        there = Pairing.objects.of(release).count()
        bad += (added not in ([wanted, 0], [0, wanted])) or (there, events) != (wanted, 1)
    soak.report("pairs: two plans at once", tried=ROUNDS, bad=bad)
    assert bad == 0
    check_ledger(release)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_a_plan_and_its_taking_back_at_once_follow_each_other(
    release: Release, readers: list[User]
) -> None:
    wanted, bad, came = len(readers) * len(reviewed.FILLING), 0, Counter[str]()
    for _round in range(ROUNDS):
        Pairing.objects.all().delete()
        answers = at_the_same_moment(
            lambda: plan(release, readers), lambda: take_back(release), most_delay=MOST_DELAY
        )
        statuses = Counter(Pairing.objects.of(release).values_list("status", flat=True))
        planned_first = ([wanted, wanted], {"withdrawn": wanted})
        taken_first = ([wanted, 0], {"assigned": wanted})
        came[", ".join(statuses)] += 1
        bad += (answers, dict(statuses)) not in (planned_first, taken_first)
    soak.report(f"pairs: plan and take back at once {dict(came)}", tried=ROUNDS, bad=bad)
    assert bad == 0
    check_ledger(release)
