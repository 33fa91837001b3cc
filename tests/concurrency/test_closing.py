"""Acts on one release at the same moment: the lock on its row decides, and the report is true.

`work` runs in processes of its own, each with its own connection to the database of the test.
They are forked from this one: to start Django in them takes longer than all of their work.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection as PipeConnection
from threading import Barrier, BrokenBarrierError, Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from cases import ledger
from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.desk import submission as desk_submission
from reviews.errors import Refused, WrongStatus
from reviews.models import Closing, Draw, Ruling, Score
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from reviews.sample import workflow as sample_workflow
from reviews.sample.extension import Extension, extend
from tests.bed import reviewed, soak
from tests.bed.cases import NOW
from tests.bed.races import at_the_same_moment, use_no_connection_of_the_parent
from tests.people import make_person

at_once = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@pytest.fixture
def rubric(transactional_db: None, rubric: Rubric) -> Rubric:
    return rubric


@pytest.fixture
def wei(rubric: Rubric) -> User:
    return make_person("wei", Role.REVIEWER)


def read_by(person: User, name: str = "wanderer-1") -> Release:
    """A release of one review per case, all of them in. Each kind has one case and no other."""
    release = reviewed.started(name, k=1)
    reviewed.review_all(release, person)
    return release


def covers_its_kinds(release: Release) -> bool:
    return set(reviewed.sampled(release)) >= set(reviewed.FILLING)


def report_of(release: Release) -> dict[str, Any]:
    """What the one closing stored."""
    found: dict[str, Any] = json.loads(Closing.objects.get(release=release).summary)
    return found


# --- Two processes --------------------------------------------------------------------------------


def work(orders: PipeConnection) -> None:
    """In a process: for each order a release, an act and how long to wait first; says what came."""
    use_no_connection_of_the_parent()
    while True:
        order = orders.recv()
        release = Release.objects.get(name=order["release"])
        time.sleep(order["delay"])
        orders.send(outcome_of(release, order["act"]))


def outcome_of(release: Release, act: str) -> str:
    """Empty when it was done, otherwise the code of the refusal."""
    try:
        if act == "close":
            releases_lifecycle.close(release=release, user=None, now=NOW)
        else:
            reason = {"cause": "broken", "reason": "the plan is cut off"}
            amendments.withdraw(release=release, case_key="kids", user=None, now=NOW, **reason)
    except Refused as refusal:
        return refusal.code
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


class Worker:
    def __init__(self, pipe: PipeConnection) -> None:
        self.pipe = pipe

    def order(self, **order: Any) -> None:
        self.pipe.send(order)

    def answer(self) -> str:
        assert self.pipe.poll(300), "no answer"
        return str(self.pipe.recv())


@contextmanager
def worker() -> Iterator[Worker]:
    forking = get_context("fork")
    ours, theirs = forking.Pipe()
    process = forking.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Worker(ours)
    finally:
        process.kill()
        process.join(120)
        ours.close()


# Neither process can know which of them comes first.
MOST_DELAY = 0.015

CLOSED_FIRST = {"close": "", "withdraw": "release_frozen"}
WITHDRAWN_FIRST = {"close": "cannot_close", "withdraw": ""}


@pytest.mark.soak
@pytest.mark.timeout(1800)
@at_once
def test_withdrawing_and_closing_at_once_never_closes_an_uncovered_release(wei: User) -> None:
    rounds = soak.size(short=4, long=200)
    bad: list[Any] = []
    came = Counter[str]()
    with ExitStack() as stack:
        workers = {act: stack.enter_context(worker()) for act in ("close", "withdraw")}
        # One after the other, so that both outcomes are seen whatever chance does later; and by
        # then both processes have started.
        for first, expected in (("close", CLOSED_FIRST), ("withdraw", WITHDRAWN_FIRST)):
            release = read_by(wei, f"{first}-first")
            answers = {}
            for act in sorted(workers, key=lambda act: act != first):
                workers[act].order(release=release.name, act=act, delay=0)
                answers[act] = workers[act].answer()
            assert answers == expected
            assert is_sound(reviewed.current(release), answers)
        for number in range(rounds):
            release = read_by(wei, f"wanderer-{number}")
            for act, one in workers.items():
                delay = random.uniform(0, MOST_DELAY)
                one.order(release=release.name, act=act, delay=delay)
            answers = {act: one.answer() for act, one in workers.items()}
            if not is_sound(reviewed.current(release), answers):
                bad.append((number, answers))
            came["closed first" if answers == CLOSED_FIRST else "withdrawn first"] += 1
    soak.report(f"withdraw and close at once {dict(came)}", tried=rounds, bad=len(bad))
    assert bad == []
    assert len(came) == 2 or not soak.SOAKING


def is_sound(release: Release, answers: dict[str, str]) -> bool:
    """One act was done and the other refused, and the release is as that act left it."""
    length = ledger.verify(release)
    last = release.events.get(number=length).kind
    has_case = "kids" in reviewed.sampled(release)
    if answers == CLOSED_FIRST:
        kinds = report_of(release)["coverage"]
        return (
            release.is_closed
            and has_case
            and covers_its_kinds(release)
            and all(kind["is_covered"] for kind in kinds)
            and last == "release-closed"
        )
    return (
        answers == WITHDRAWN_FIRST
        and release.is_reviewing
        and not has_case
        and not covers_its_kinds(release)
        and not Closing.objects.filter(release=release).exists()
        and last == "case-withdrawn"
    )


# --- Two threads ----------------------------------------------------------------------------------


Meet = Callable[..., None]


@pytest.fixture
def meet(monkeypatch: pytest.MonkeyPatch) -> Meet:
    """Whoever has decided waits for the other one to have decided too, before either writes.

    Where only one at a time may decide, nobody comes, and the wait ends by itself.
    """
    meeting = Barrier(2)

    def before(*targets: tuple[Any, str]) -> None:
        for module, name in targets:
            monkeypatch.setattr(module, name, waiting(getattr(module, name)))

    def waiting(act: Callable[..., Any]) -> Callable[..., Any]:
        def wait_and_act(*arguments: Any, **named: Any) -> Any:
            with suppress(BrokenBarrierError):
                meeting.wait(timeout=0.5)
            return act(*arguments, **named)

        return wait_and_act

    return before


def refusals(answers: list[Any]) -> list[Exception]:
    found = [one for one in answers if isinstance(one, Exception)]
    assert all(isinstance(one, Refused) for one in found), found
    return found


def close(release: Release) -> Closing:
    return releases_lifecycle.close(release=release, user=None, now=NOW)


@at_once
def test_two_admins_who_draw_the_same_at_once_have_drawn_once(rubric: Rubric, meet: Meet) -> None:
    release = reviewed.filled()
    meet((sample_workflow, "store_sample"))
    answers = at_the_same_moment(*(2 * [lambda: reviewed.draw(release)]))
    assert refusals(answers) == []
    assert [one.number for one in answers] == [1, 1]
    assert Draw.objects.of(release).count() == 1
    assert len(reviewed.sampled(release)) == 5
    assert ledger.verify(release) == reviewed.current(release).ledger_length


@at_once
def test_two_admins_who_draw_other_sizes_at_once_have_a_number_each(
    rubric: Rubric, meet: Meet
) -> None:
    release = reviewed.filled()
    meet((sample_workflow, "store_sample"))
    answers = at_the_same_moment(
        lambda: reviewed.draw(release, size=5), lambda: reviewed.draw(release, size=7)
    )
    assert refusals(answers) == []
    assert sorted(one.number for one in answers) == [1, 2]
    last = max(answers, key=lambda one: int(one.number))
    assert len(reviewed.sampled(release)) == last.size
    kinds = release.events.filter(kind="sample-drawn").order_by("number")
    assert [one.data["draw"] for one in kinds] == [1, 2]
    assert ledger.verify(release) == reviewed.current(release).ledger_length


@at_once
def test_two_managers_who_close_at_once_have_one_report(wei: User, meet: Meet) -> None:
    release = read_by(wei)
    meet((releases_lifecycle, "store_closing"))
    answers = at_the_same_moment(*(2 * [lambda: close(release)]))
    [refusal] = refusals(answers)
    assert isinstance(refusal, WrongStatus)
    assert Closing.objects.filter(release=release).count() == 1
    assert release.events.filter(kind="release-closed").count() == 1
    ledger.verify(release)


@at_once
def test_of_two_admins_who_supersede_a_ruling_at_once_one_is_told_of_the_other(
    wei: User, ada: User
) -> None:
    asked = reviewed.ask(reviewed.started(k=1), "feast", wei)
    answer = partial(questions_workflow.answer, question=asked.pk, now=NOW)
    answer(text="It counts.", user=ada)
    other = make_person("eve", Role.ADMIN)
    answers = at_the_same_moment(
        *(
            partial(answer, text=f"By {n}.", user=by, supersedes=1)
            for n, by in enumerate((ada, other))
        )
    )
    [refusal] = refusals(answers)
    assert isinstance(refusal, questions_workflow.Superseded)
    [given] = [one for one in answers if isinstance(one, Ruling)]
    assert str(refusal) == f"{given.by} has superseded this ruling. Read the new one first."
    assert list(asked.rulings.values_list("number", flat=True)) == [1, 2]


@at_once
def test_a_review_submitted_while_the_release_closes_is_counted_or_refused(
    wei: User, rita: User, meet: Meet
) -> None:
    release = read_by(wei)
    own = reviewed.assign(release, "kids", rita)
    meet((releases_lifecycle, "store_closing"), (desk_submission, "write_rows"))
    submitted, closing = at_the_same_moment(lambda: reviewed.submit(own), lambda: close(release))
    assert isinstance(closing, Closing)
    own.refresh_from_db()
    if isinstance(submitted, Exception):
        assert isinstance(submitted, WrongStatus)
        assert (own.status, report_of(release)["reviews_in"]) == ("assigned", 5)
        assert not Score.objects.filter(review=own).exists()
    else:
        assert (own.status, report_of(release)["reviews_in"]) == ("submitted", 6)
    ledger.verify(release)


@at_once
def test_a_case_added_while_the_release_closes_is_in_the_report_or_refused(
    wei: User, meet: Meet
) -> None:
    release = reviewed.by_first_rules(read_by(wei))
    meet((releases_lifecycle, "store_closing"), (amendments, "take_in"))
    reason = "it looked odd"
    added, closing = at_the_same_moment(
        lambda: amendments.add(
            release=release, case_key="spare-1", reason=reason, user=None, now=NOW
        ),
        lambda: close(release),
    )
    assert len(refusals([added, closing])) == 1
    if isinstance(closing, Closing):
        assert isinstance(added, WrongStatus)
        in_report = {case["case_key"] for case in report_of(release)["sample"]}
        assert in_report == set(reviewed.sampled(release)) == set(reviewed.FILLING)
    else:
        # Nobody has read it yet.
        assert isinstance(closing, releases_lifecycle.CannotClose)
        assert [one.cases for one in closing.missing] == [("spare-1",)]
        assert "spare-1" in reviewed.sampled(release)
    ledger.verify(release)


# --- Past the product, on PostgreSQL --------------------------------------------------------------

only_postgresql = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite has one writer at a time"
)
SCORE = (
    "INSERT INTO reviews_score (review_id, release_id, metric, value, rationale, evidence, "
    "coherence, changed_mind) SELECT id, release_id, %s, 4, '', '[]', '', FALSE "
    "FROM reviews_review WHERE release_id = %s AND id NOT IN "
    "(SELECT review_id FROM reviews_score WHERE metric = %s)"
)


def without_a_score(release: Release) -> Release:
    """One of two reviews of a case lacks one, so that there is something to slip in."""
    case_key = next(iter(reviewed.FILLING))
    own = reviewed.review(release, case_key, make_person(f"omar of {release}", Role.REVIEWER))
    Score.objects.filter(review=own, metric=METRIC).delete()
    assert not slipped_in(release)
    return release


def slip_in(release: Release) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SCORE, [METRIC, release.pk, METRIC])


def slipped_in(release: Release) -> bool:
    return Score.objects.filter(release=release, metric=METRIC).count() == 6


METRIC = reviewed.METRICS[0]
WAITING = (
    "SELECT count(*) FROM pg_locks "
    "WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
)


def keeps_waiting(done: Event) -> bool:
    """Whether another session waits for this transaction; not when it was done meanwhile."""
    while not done.is_set():
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone() != (0,):
                return not done.is_set()
        time.sleep(0.01)
    return False


@only_postgresql
@at_once
def test_a_score_that_comes_while_a_closing_is_under_way_waits_and_is_refused(wei: User) -> None:
    release = without_a_score(read_by(wei))
    is_closing, is_in = Event(), Event()

    def close_slowly() -> bool:
        with transaction.atomic():
            close(release)
            is_closing.set()
            return keeps_waiting(is_in)

    def slip_in_meanwhile() -> None:
        assert is_closing.wait(timeout=300)
        slip_in(release)
        is_in.set()

    has_waited, refusal = at_the_same_moment(close_slowly, slip_in_meanwhile)
    assert has_waited is True
    assert isinstance(refusal, IntegrityError)
    assert "The release is closed, so this cannot be changed." in str(refusal)
    assert not slipped_in(release)


@only_postgresql
@at_once
def test_a_closing_waits_for_a_score_that_is_under_way(wei: User) -> None:
    release = without_a_score(read_by(wei))
    is_in, is_closed = Event(), Event()

    def slip_in_slowly() -> bool:
        with transaction.atomic():
            slip_in(release)
            is_in.set()
            return keeps_waiting(is_closed)

    def close_meanwhile() -> Closing:
        assert is_in.wait(timeout=300)
        closing = close(release)
        is_closed.set()
        return closing

    has_waited, closing = at_the_same_moment(slip_in_slowly, close_meanwhile)
    assert isinstance(closing, Closing)
    assert has_waited is True, "the release was closed around a score that was still coming in"
    assert slipped_in(release)


@only_postgresql
@at_once
def test_a_score_of_another_release_waits_for_nobody(wei: User) -> None:
    """So that the two above can fail."""
    release, other = read_by(wei), without_a_score(read_by(wei, "wanderer-2"))
    is_closing, is_in = Event(), Event()

    def close_slowly() -> bool:
        with transaction.atomic():
            close(release)
            is_closing.set()
            return is_in.wait(timeout=300)

    def slip_in_meanwhile() -> None:
        assert is_closing.wait(timeout=300)
        slip_in(other)
        is_in.set()

    assert at_the_same_moment(close_slowly, slip_in_meanwhile) == [True, None]
    assert slipped_in(other)


def go_on(release: Release) -> Extension:
    return extend(release=release, look=2, user=None, now=NOW)


@at_once
def test_a_look_that_several_take_at_once_is_taken_once(wei: User) -> None:
    for name in ("wanderer-1", "wanderer-2", "wanderer-3"):
        release = reviewed.started(name, k=1)
        reviewed.put_reviews(release, wei)
        answers = at_the_same_moment(*[partial(go_on, release)] * 4, most_delay=0.01)
        assert [type(answer) for answer in answers] == [Extension] * 4
        assert len({(answer.size, answer.cases, answer.assigned) for answer in answers}) == 1
        assert release.events.filter(kind="sample-extended").count() == 1
        assert release.sample.count() == 8
        assert release.reviews.open().count() == 3
        ledger.verify(reviewed.current(release))
