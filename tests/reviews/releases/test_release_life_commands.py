"""start_review, close_release, reopen_release and waive: what they print, and how they refuse."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import connections

from cases.models import Event, Release
from reviews.management.commands import close_release, reopen_release, start_review, waive
from reviews.models import Closing, Waiver
from reviews.sample import amendments
from tests.bed.cases import NOW
from tests.bed.reviewed import (
    KIND_OF,
    TEXT_OF,
    bring,
    current,
    drawn,
    everything,
    filled,
    put_reviews,
    review,
    row,
    started,
)

WHY = "The release is small."
KIDS = f"kind:{KIND_OF['kids']}"
COMMANDS: dict[str, type[BaseCommand]] = {
    "start_review": start_review.Command,
    "close_release": close_release.Command,
    "reopen_release": reopen_release.Command,
    "waive": waive.Command,
}


def run(command: str, *arguments: str) -> str:
    out, wrong = StringIO(), StringIO()
    call_command(command, *arguments, stdout=out, stderr=wrong)
    assert wrong.getvalue() == ""
    return out.getvalue()


def refused(command: str, *arguments: str) -> list[str]:
    """The lines that the command ends with; nothing may be written."""
    before = everything()
    with pytest.raises(CommandError) as refusal:
        run(command, *arguments)
    assert refusal.value.returncode == 1
    assert everything() == before
    return str(refusal.value).split("\n")


def last_event(release: Release) -> Event:
    return release.events.order_by("-number")[0]


# --- start_review ---------------------------------------------------------------------------------


def test_start_review_starts(ada: User) -> None:
    release = drawn()
    said = run("start_review", "wanderer-1", "--by", "ada")
    assert said == "The review of wanderer-1 has started.\n"
    assert current(release).is_reviewing
    assert (last_event(release).kind, last_event(release).by) == ("review-started", "ada")


@pytest.mark.django_db
def test_without_a_name_the_command_line_acts() -> None:
    release = drawn()
    run("start_review", "wanderer-1")
    assert last_event(release).by == ""


@pytest.mark.django_db
def test_start_review_gives_every_reason_a_line() -> None:
    release = drawn()
    bring(release, row("late"))
    for case_key in ("kids", "rush"):
        amendments.remove(release=release, case_key=case_key, reason=WHY, user=None, now=NOW)
    assert refused("start_review", "wanderer-1") == [
        "The pool changed since the sample was drawn (new 1: late). Draw again.",
        f"{TEXT_OF['kids']}: no case in the sample.",
        f"{TEXT_OF['rush']}: no case in the sample.",
        "The sample has 3 cases; at least 5 are needed.",
    ]


@pytest.mark.django_db
def test_start_review_wants_a_draw_and_a_draft() -> None:
    filled("wanderer-1")
    started("wanderer-2")
    assert refused("start_review", "wanderer-1") == ["No sample is drawn yet."]
    assert refused("start_review", "wanderer-2") == ["wanderer-2 is no longer a draft."]


# --- close_release --------------------------------------------------------------------------------


def test_close_release_prints_the_digests_of_report_and_ledger(rita: User, mina: User) -> None:
    release = started(k=1)
    put_reviews(release, rita)
    said = run("close_release", "wanderer-1", "--by", "mina")
    closing = Closing.objects.get()
    assert said == f"wanderer-1 is closed. Report {closing.digest}, ledger {closing.head}.\n"
    assert current(release).is_closed
    assert closing.head == current(release).ledger_head
    assert closing.by == last_event(release).by == "mina"


def test_close_release_gives_every_reason_a_line(rita: User, omar: User, mina: User) -> None:
    release = started(without=["spare-1", "spare-2", "spare-3"])
    amendments.withdraw(
        release=release, case_key="kids", cause="broken", reason=WHY, user=None, now=NOW
    )
    review(release, "feast", rita, 4)
    review(release, "feast", omar, 1)
    told = [
        f"{TEXT_OF['kids']}: no case in the sample.",
        "The sample has 4 cases; at least 5 are needed.",
        "6 reviews are missing: ramp, rush, thrift.",
        "1 case is waiting for adjudication: feast.",
    ]
    assert refused("close_release", "wanderer-1") == told
    some = ("--waive", KIDS, "--waive", "cases", "--reason", WHY)
    assert refused("close_release", "wanderer-1", *some) == told[2:]
    every = (*some, "--waive", "reviews", "--waive", "adjudications")
    run("close_release", "wanderer-1", *every, "--by", "mina")
    assert current(release).is_closed
    waived = Waiver.objects.order_by("rule").values_list("rule", "reason", "by")
    assert list(waived) == [
        (rule, WHY, "mina") for rule in ("adjudications", "cases", KIDS, "reviews")
    ]


@pytest.mark.django_db
def test_close_release_abandons() -> None:
    release = started()
    said = run("close_release", "wanderer-1", "--abandon", "--reason", WHY)
    closing = Closing.objects.get()
    assert said == f"wanderer-1 is abandoned. Report {closing.digest}, ledger {closing.head}.\n"
    assert (closing.is_abandoned, closing.reason) == (True, WHY)
    assert last_event(release).kind == "release-abandoned"


@pytest.mark.django_db
def test_close_release_wants_options_that_go_together() -> None:
    started()
    assert refused("close_release", "wanderer-1", "--reason", WHY) == [
        "--reason goes with --waive or --abandon."
    ]
    both = ("--abandon", "--waive", "reviews", "--reason", WHY)
    assert refused("close_release", "wanderer-1", *both) == [
        "--abandon needs no waiver. Give one of the two."
    ]
    why = ["Say why: a reason is kept with this."]
    assert refused("close_release", "wanderer-1", "--abandon") == why
    assert refused("close_release", "wanderer-1", "--abandon", "--reason", " ") == why
    assert refused("close_release", "wanderer-1", "--waive", "reviews") == why


@pytest.mark.django_db
def test_close_release_knows_its_rules_and_wants_a_review() -> None:
    drawn("wanderer-1")
    started("wanderer-2")
    [draft] = refused("close_release", "wanderer-1")
    assert "wanderer-1 is still a draft" in draft
    [unknown] = refused(
        "close_release", "wanderer-2", "--waive", "reviews", "--waive", "luck", "--reason", WHY
    )
    assert "There is no rule “luck”" in unknown
    assert not Waiver.objects.exists()


# --- reopen_release -------------------------------------------------------------------------------


def test_reopen_release_says_as_what(mina: User) -> None:
    started("wanderer-1")
    filled("wanderer-2")
    for name, before in (("wanderer-1", "reviewing"), ("wanderer-2", "draft")):
        assert refused("reopen_release", name, "--reason", WHY) == [f"{name} is not closed."]
        run("close_release", name, "--abandon", "--reason", WHY)
        said = run("reopen_release", name, "--reason", WHY, "--by", "mina")
        assert said == f"{name} is open again, as {before}.\n"
        release = Release.objects.get(name=name)
        assert release.status == before
        assert (last_event(release).kind, last_event(release).by) == ("release-reopened", "mina")


@pytest.mark.django_db
def test_reopen_release_wants_a_reason() -> None:
    started()
    run("close_release", "wanderer-1", "--abandon", "--reason", WHY)
    assert refused("reopen_release", "wanderer-1", "--reason", "  ") == [
        "Say why: a reason is kept with this."
    ]
    assert refused("reopen_release", "wanderer-1") == ["Say why: a reason is kept with this."]


# --- waive ----------------------------------------------------------------------------------------


def test_waive_lets_a_rule_go(mina: User) -> None:
    """A kind even before the draw."""
    release = filled(without=["kids"])
    assert run("waive", "wanderer-1", KIDS, "--reason", WHY, "--by", "mina") == (
        f"wanderer-1: {KIDS} is waived.\n"
    )
    waiver = Waiver.objects.get()
    assert (waiver.rule, waiver.reason, waiver.by) == (KIDS, WHY, "mina")
    assert (last_event(release).kind, last_event(release).by) == ("rule-waived", "mina")
    run("draw_sample", "wanderer-1")
    run("start_review", "wanderer-1")


@pytest.mark.django_db
def test_waive_says_what_it_cannot_do() -> None:
    filled()
    assert refused("waive", "wanderer-1", "reviews", "--reason", WHY) == ["No review is missing."]
    assert refused("waive", "wanderer-1", "adjudications", "--reason", WHY) == [
        "No case is waiting for adjudication."
    ]
    assert refused("waive", "wanderer-1", KIDS, "--reason", "") == [
        "Say why: a reason is kept with this."
    ]
    [unknown] = refused("waive", "wanderer-1", "kind:luck", "--reason", WHY)
    assert unknown == (
        "There is no rule “kind:luck”. Those that can be waived: "
        + ", ".join(f"kind:{kind}" for kind in KIND_OF.values())
        + ", cases, reviews, adjudications, pairings."
    )
    run("close_release", "wanderer-1", "--abandon", "--reason", WHY)
    [closed] = refused("waive", "wanderer-1", KIDS, "--reason", WHY)
    assert "wanderer-1 is closed" in closed


# --- All four -------------------------------------------------------------------------------------

REST: dict[str, tuple[str, ...]] = {
    "start_review": (),
    "close_release": (),
    "reopen_release": ("--reason", WHY),
    "waive": (KIDS, "--reason", WHY),
}


def arguments(command: str, name: str, *more: str) -> list[str]:
    return [name, *REST[command], *more]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_release_or_person_is_told(command: str, ada: User) -> None:
    drawn()
    assert refused(command, *arguments(command, "nothing")) == [
        "There is no release called nothing."
    ]
    by_nobody = arguments(command, "wanderer-1", "--by", "nobody")
    assert refused(command, *by_nobody) == ["No active person is called nobody."]
    User.objects.filter(pk=ada.pk).update(is_active=False)
    by_somebody_who_left = arguments(command, "wanderer-1", "--by", "ada")
    assert refused(command, *by_somebody_who_left) == ["No active person is called ada."]


@pytest.mark.parametrize(
    ("command", "who"),
    [
        *((name, "manager") for name in COMMANDS if name != "start_review"),
        ("start_review", "admin"),
    ],
)
def test_nobody_is_recorded_for_an_act_that_takes_another_role(
    command: str, who: str, rita: User, ada: User, mina: User
) -> None:
    drawn()
    for name in ("rita", "ada" if who == "manager" else "mina"):
        assert refused(command, *arguments(command, "wanderer-1", "--by", name)) == [
            f"{name} may not do this; it needs the role of {who}."
        ]


def at_the_shell(
    command: str, *arguments: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, list[str]]:
    """As manage.py runs it: exit code, standard output, lines of standard error."""
    try:
        COMMANDS[command]().run_from_argv(["manage.py", command, *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    else:
        code = 0
    said = capsys.readouterr()
    return code, said.out, said.err.splitlines()


@pytest.fixture
def _stay_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command ends by closing the connection, which holds the test's own transaction."""
    monkeypatch.setattr(connections, "close_all", lambda: None)


@pytest.mark.usefixtures("_stay_connected")
def test_reasons_go_to_standard_error_and_the_exit_code_is_1(
    capsys: pytest.CaptureFixture[str], rita: User
) -> None:
    release = started(k=1, without=["spare-1", "spare-2", "spare-3"])
    amendments.withdraw(
        release=release, case_key="kids", cause="broken", reason=WHY, user=None, now=NOW
    )
    before = everything()
    code, out, wrong = at_the_shell("close_release", "wanderer-1", capsys=capsys)
    assert (code, out) == (1, "")
    assert [line.removeprefix("CommandError: ") for line in wrong] == [
        f"{TEXT_OF['kids']}: no case in the sample.",
        "The sample has 4 cases; at least 5 are needed.",
        "4 reviews are missing: feast, ramp, rush, thrift.",
    ]
    for command in ("start_review", "reopen_release"):
        code, out, wrong = at_the_shell(command, *arguments(command, "wanderer-1"), capsys=capsys)
        assert (code, out, len(wrong)) == (1, "", 1)
    assert everything() == before
    code, out, wrong = at_the_shell("waive", "wanderer-1", "cases", "--reason", WHY, capsys=capsys)
    assert (code, out, wrong) == (0, "wanderer-1: cases is waived.\n", [])
