"""Notices to a team's own command: each event at least once, in order, and no scores."""

import json
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Event, Release
from reviews.models import NoticeCursor, Subscription
from reviews.notices.messages import EVENTS, Message
from reviews.notices.workflow import deliver_all, subscribe
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from tests.bed import pairs
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release

pytestmark = pytest.mark.usefixtures("rubric")

DAY = timedelta(days=1)


class Team:
    """A team's command: what it got, and after how many messages it fails."""

    def __init__(self, name: str = "chat", events: Any = EVENTS) -> None:
        self.name, self.events = name, events
        self.got: list[dict[str, Any]] = []
        self.fails_after: int | None = None
        self.subscription = subscribe(name=name, now=NOW)

    def take(self, message: Message) -> None:
        if self.fails_after is not None and len(self.got) >= self.fails_after:
            raise ConnectionError
        self.got.append(json.loads(message.encode()))

    def listen(self, now: Any = NOW) -> list[dict[str, Any]]:
        """Return what came with this call."""
        before = len(self.got)
        deliver_all(subscription=self.subscription, events=self.events, deliver=self.take, now=now)
        return self.got[before:]


def ids(messages: list[dict[str, Any]]) -> list[str]:
    return [message["id"] for message in messages]


def reopen(release: Release, reason: str = "One more look.") -> Release:
    releases_lifecycle.reopen(release=release, reason=reason, user=None, now=NOW)
    return bed.current(release)


def close(release: Release) -> Release:
    waived = [found.rule for found in releases_lifecycle.find_missing_for_close(release)]
    releases_lifecycle.close(release=release, waived=waived, reason="Small.", user=None, now=NOW)
    return bed.current(release)


# --- From the ledger ------------------------------------------------------------------------------


def test_closing_signing_and_reopening_are_told_in_order(
    rita: User, omar: User, mina: User
) -> None:
    team = Team()
    release = bed.judged(rita, omar, *bed.BAD)
    digest = release.closings.get().digest
    sign(release=release, decision="ship", reason="Seen.", digest=digest, user=mina, now=NOW)
    reopen(bed.current(release))
    closed, signed, reopened, *_ready = team.listen()
    assert (closed["event"], closed["verdict"], closed["is_abandoned"]) == (
        *("closed", "NO-GO", False),
    )
    assert closed["summary"] == digest
    assert closed["url"].endswith("/releases/wanderer-1/")
    assert (signed["event"], signed["decision"], signed["is_against"], signed["by"]) == (
        *("signed", "ship", True, "mina"),
    )
    assert (reopened["event"], reopened["reason"]) == ("reopened", "One more look.")
    assert [message["release"] for message in (closed, signed, reopened)] == ["wanderer-1"] * 3


def test_an_abandoned_release_is_closed_without_a_verdict() -> None:
    team = Team()
    release = bed.started()
    releases_lifecycle.abandon(release=release, reason="Never mind.", user=None, now=NOW)
    [told] = team.listen()
    assert (told["event"], told["is_abandoned"]) == ("closed", True)
    assert "verdict" not in told


def test_what_was_before_the_subscription_is_not_told(rita: User, omar: User) -> None:
    release = bed.judged(rita, omar, *bed.GOOD)
    team = Team()
    assert team.listen() == []
    reopen(release)
    assert [message["event"] for message in team.listen()][:1] == ["reopened"]


def test_a_release_that_is_new_is_told_from_its_beginning(rita: User, omar: User) -> None:
    team = Team()
    bed.judged(rita, omar, *bed.GOOD)
    assert [message["event"] for message in team.listen()] == ["closed"]


def test_nothing_is_told_twice_while_the_command_takes_it(rita: User, omar: User) -> None:
    team = Team()
    bed.judged(rita, omar, *bed.GOOD)
    assert len(team.listen()) == 1
    assert team.listen() == []


def test_what_was_not_taken_comes_again_and_nothing_before_it(rita: User, omar: User) -> None:
    team = Team(events=["closed", "reopened"])
    release = bed.judged(rita, omar, *bed.GOOD)
    for _time in range(3):
        release = close(reopen(release))
    team.fails_after = 2
    with pytest.raises(ConnectionError):
        team.listen()
    team.fails_after = None
    team.listen()
    events = Event.objects.filter(kind__in=["release-closed", "release-reopened"])
    assert ids(team.got) == [f"wanderer-1:{event.number}" for event in events.order_by("number")]


def test_what_was_taken_and_not_remembered_comes_again(
    rita: User, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process was killed between the two."""
    team = Team()
    bed.judged(rita, omar, *bed.GOOD)

    def be_killed(*_given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr("reviews.notices.workflow.move_cursor", be_killed)
        with pytest.raises(KeyboardInterrupt):
            team.listen()
    assert ids(team.listen()) == ids(team.got)[:1]
    assert team.listen() == []


def test_two_teams_have_cursors_of_their_own(rita: User, omar: User) -> None:
    chat, board = Team("chat"), Team("board", ["signed"])
    bed.judged(rita, omar, *bed.GOOD)
    assert [message["event"] for message in chat.listen()] == ["closed"]
    assert board.listen() == []
    assert board.subscription != chat.subscription


def test_an_event_that_is_subscribed_to_later_is_told_from_then_on(rita: User, omar: User) -> None:
    team = Team(events=["signed"])
    release = bed.judged(rita, omar, *bed.GOOD)
    team.listen()
    team.events = ["signed", "closed"]
    assert team.listen() == []
    close(reopen(release))
    assert [message["event"] for message in team.listen()] == ["closed"]


def test_releases_are_told_by_time_and_each_in_the_order_of_its_ledger(
    rita: User, omar: User
) -> None:
    team = Team(events=["closed", "reopened"])
    first = bed.judged(rita, omar, *bed.GOOD)
    second = bed.judged(rita, omar, *bed.GOOD, name="wanderer-2")
    early, late = NOW + DAY, NOW + 2 * DAY
    releases_lifecycle.reopen(release=second, reason="Look.", user=None, now=early)
    releases_lifecycle.reopen(release=first, reason="Look.", user=None, now=late)
    told = [(message["release"], message["event"]) for message in team.listen()]
    assert told == [
        ("wanderer-1", "closed"),
        ("wanderer-2", "closed"),
        ("wanderer-2", "reopened"),
        ("wanderer-1", "reopened"),
    ]


def test_a_cursor_never_goes_back(rita: User, omar: User) -> None:
    team = Team()
    release = bed.judged(rita, omar, *bed.GOOD)
    team.listen()
    NoticeCursor.objects.update(number=release.ledger_length + 5)
    reopen(release)
    team.listen()
    assert NoticeCursor.objects.get().number == release.ledger_length + 5


# --- Worked out -----------------------------------------------------------------------------------


def test_a_release_is_ready_to_close_once(rita: User, omar: User) -> None:
    team = Team()
    release = bed.started(k=2)
    assert team.listen() == []
    bed.review_all(release, rita, omar)
    assert [message["event"] for message in team.listen()] == ["ready-to-close"]
    assert team.listen() == []


def test_it_is_ready_again_after_it_was_reopened(rita: User, omar: User) -> None:
    team = Team(events=["ready-to-close"])
    release = bed.started(k=2)
    bed.review_all(release, rita, omar)
    first = team.listen()
    reopen(close(bed.current(release)))
    second = team.listen()
    assert (len(first), len(second)) == (1, 1)
    assert first[0]["id"] != second[0]["id"]


def test_a_release_is_late_the_day_after_its_due_date_and_once(rita: User) -> None:
    team = Team()
    release = bed.make_due(bed.started(k=1), NOW.date())
    bed.assign(release, "kids", rita)
    assert team.listen() == []
    [told] = team.listen(NOW + DAY)
    assert (told["event"], told["submitted"], told["expected"]) == ("late", 0, 5)
    assert told["due_date"] == "2026-11-17"
    assert team.listen(NOW + DAY) == []
    bed.make_due(release, (NOW + DAY).date())
    assert team.listen(NOW + DAY) == []
    assert [message["event"] for message in team.listen(NOW + 2 * DAY)] == ["late"]


def test_a_release_with_all_its_reviews_is_not_late(rita: User) -> None:
    team = Team(events=["late"])
    release = bed.make_due(bed.started(k=1), NOW.date())
    bed.review_all(release, rita)
    assert team.listen(NOW + DAY) == []


def test_a_release_with_pairs_to_read_is_late(rita: User, omar: User) -> None:
    team = Team(events=["late"])
    release = bed.make_due(pairs.beside_baseline(rita, omar), NOW.date())
    assert team.listen(NOW + DAY) == []
    first, *others = pairs.plan(release, rita)
    for pairing in others:
        pairs.read(pairing)
    [told] = team.listen(NOW + DAY)
    assert (told["submitted"], told["expected"], told["open_pairs"]) == (10, 10, 1)
    pairs.read(first)
    bed.make_due(release, (NOW - DAY).date())
    assert team.listen(NOW + DAY) == []


def test_drafts_closed_and_archived_releases_are_neither(rita: User, omar: User) -> None:
    team = Team(events=["late", "ready-to-close"])
    bed.make_due(make_release("wanderer-9"), NOW.date())
    abandoned = bed.make_due(bed.started("wanderer-3", k=1), NOW.date())
    releases_lifecycle.abandon(release=abandoned, reason="Never mind.", user=None, now=NOW)
    bed.judged(rita, omar, *bed.GOOD)
    archived = bed.make_due(bed.started("wanderer-2", k=1), NOW.date())
    Release.objects.filter(pk=archived.pk).update(archived_at=NOW)
    assert team.listen(NOW + DAY) == []


def test_no_message_has_a_score_or_names_a_reviewer(rita: User, omar: User) -> None:
    team = Team()
    release = bed.make_due(bed.started(k=2), NOW.date())
    bed.assign(release, "kids", rita)
    team.listen(NOW + DAY)
    bed.judged(rita, omar, *bed.BAD, name="wanderer-2")
    told = json.dumps([*team.got, *team.listen(NOW + DAY)])
    for word in ("rita", "omar", "mean", "score", "trams"):
        assert word not in told


def test_closed_releases_cost_nothing_more(rita: User, omar: User) -> None:
    team = Team()
    bed.judged(rita, omar, *bed.GOOD)
    team.listen()
    with CaptureQueriesContext(connection) as one:
        team.listen()
    for number in range(2, 5):
        bed.judged(rita, omar, *bed.GOOD, name=f"wanderer-{number}")
    team.listen()
    with CaptureQueriesContext(connection) as four:
        team.listen()
    assert len(four) == len(one) <= 4


# --- The command ----------------------------------------------------------------------------------

# Appends what it reads to a file, and exits as a second file says.
SCRIPT = """
import pathlib, sys
line = sys.stdin.read()
with open(sys.argv[1], "a", encoding="utf-8") as file:
    file.write(line)
code = pathlib.Path(sys.argv[1] + ".code")
sys.exit(int(code.read_text()) if code.exists() else 0)
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "take it.py"
    path.write_text(SCRIPT, "utf-8")
    return f"{sys.executable} '{path}' '{tmp_path / 'got'}'"


def got(tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "got"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def notify(command: str, *arguments: str) -> str:
    said = StringIO()
    call_command("notify", command, "--once", *arguments, stdout=said, stderr=said)
    return said.getvalue()


def test_the_command_gets_one_line_on_its_standard_input(
    script: str, tmp_path: Path, rita: User, omar: User
) -> None:
    assert notify(script) == "0 delivered.\n"
    bed.judged(rita, omar, *bed.GOOD)
    assert notify(script) == "1 delivered.\n"
    [told] = got(tmp_path)
    assert (told["event"], told["release"], told["verdict"]) == ("closed", "wanderer-1", "GO")


def test_a_command_that_fails_gets_the_same_event_again(
    script: str, tmp_path: Path, rita: User, omar: User
) -> None:
    notify(script)
    bed.judged(rita, omar, *bed.GOOD)
    (tmp_path / "got.code").write_text("7")
    with pytest.raises(CommandError, match=r"wanderer-1:\d+: .* exited with 7\."):
        notify(script)
    (tmp_path / "got.code").unlink()
    assert notify(script) == "1 delivered.\n"
    first, second = got(tmp_path)
    assert first == second


def test_another_command_goes_on_under_the_same_name(
    script: str, tmp_path: Path, rita: User, omar: User
) -> None:
    notify("false", "--as", "chat")
    bed.judged(rita, omar, *bed.GOOD)
    assert notify(script, "--as", "chat") == "1 delivered.\n"
    assert [subscription.name for subscription in Subscription.objects.all()] == ["chat"]


def test_a_command_that_hangs_is_ended(
    rita: User, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.management.commands.notify.SECONDS_FOR_ONE", 0.2)
    notify("sleep 60")
    bed.judged(rita, omar, *bed.GOOD)
    with pytest.raises(CommandError, match="took longer than 0 s"):
        notify("sleep 60")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-program-here"], "No such file or directory"),
        (["'"], "No closing quotation"),
        ([" "], "the command is empty"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused(
    arguments: list[str], said: str, rita: User, omar: User
) -> None:
    subscribe(name=arguments[0], now=NOW)
    bed.judged(rita, omar, *bed.GOOD)
    with pytest.raises(CommandError, match=said):
        notify(*arguments)


def test_without_once_it_goes_on_after_a_failure_and_waits_longer_each_time(
    script: str,
    tmp_path: Path,
    rita: User,
    omar: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notify(script)
    bed.judged(rita, omar, *bed.GOOD)
    (tmp_path / "got.code").write_text("1")
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            (tmp_path / "got.code").unlink()
        if len(naps) == 3:
            raise KeyboardInterrupt

    command = "reviews.management.commands.notify"
    monkeypatch.setattr(f"{command}.sleep", sleep)
    monkeypatch.setattr(f"{command}.connection.close", lambda: None)
    said = StringIO()
    with pytest.raises(KeyboardInterrupt):
        call_command("notify", script, stdout=said, stderr=said)
    assert naps == [10.0, 20.0, 10.0]
    assert said.getvalue().count("exited with 1. Trying again in") == 2
    assert said.getvalue().endswith("1 delivered.\n")
    assert len(got(tmp_path)) == 3


def test_an_unknown_event_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="the events are closed, reopened, signed"):
        notify("true", "--events", "closed,opened")
    with pytest.raises(CommandError, match="the events are"):
        notify("true", "--events", ",")
