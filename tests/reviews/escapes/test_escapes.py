"""What got through: which findings open an escape, at closing and reopening; and their states."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from cases import ledger
from cases.models import Ledger, LedgerEvent, Release
from reviews.errors import NeedsReason
from reviews.escapes import workflow
from reviews.models import Escape, Flag, Sighting
from reviews.releases import lifecycle
from reviews.releases.verify import verify_ledger
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.databases import without_triggers
from tests.bed.escapes import LUNCH, close, closed, in_force, put, says
from tests.bed.reviewed import FILLING, ITEMS, METRICS

LATER = NOW + timedelta(days=2)
USABILITY = METRICS[0]

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def two(rita: User, omar: User) -> list[User]:
    return [rita, omar]


def product_ledger() -> Ledger:
    return Ledger.objects.get(name="product:wanderer")


def kinds() -> list[str]:
    return [event.kind for event in product_ledger().events.order_by("number")]


def reopen(release: Release, now: Any = LATER) -> None:
    lifecycle.reopen(release=release, reason="A mistake.", user=None, now=now)


def move(*escapes: Escape, state: str = "fixed", now: Any = LATER, **more: Any) -> list[Escape]:
    return workflow.move(
        product="wanderer",
        escapes=[escape.pk for escape in escapes],
        state=state,
        reason=more.pop("reason", "Commit 4711."),
        user=None,
        now=now,
        **more,
    )


def returned() -> dict[str, bool]:
    """Case -> whether its escape came back."""
    return dict(
        Escape.objects.in_force().with_return().values_list("case_key", "came_back")  # type: ignore[misc]
    )


# --- What is a finding ----------------------------------------------------------------------------


def test_a_question_that_all_readers_answer_with_no_opens_an_escape(two: list[User]) -> None:
    no, yes, na = says(no=[LUNCH]), says(), says(na=[LUNCH])
    closed(two, {"feast": [no, no], "kids": [no, yes], "ramp": [no, na], "rush": [na, na]})
    assert in_force() == [(LUNCH, "feast")]
    [escape] = Escape.objects.all()
    assert (escape.about, escape.state, escape.rule, escape.reason) == ("question", "open", "", "")
    assert escape.event is None


def test_a_score_at_the_two_lowest_levels_opens_one(two: list[User]) -> None:
    def both(first: int, second: int) -> list[Any]:
        return [says(usability_value=first), says(usability_value=second)]

    given = {"feast": both(1, 1), "kids": both(0, 0), "ramp": both(1, 0), "rush": both(2, 1)}
    closed(two, {**given, "thrift": both(2, 2)})
    assert in_force() == [(USABILITY, key) for key in ("feast", "kids", "ramp")]


@pytest.mark.parametrize(("agreed", "is_low"), [(1, True), (2, False)])
def test_an_agreed_score_counts_instead_of_the_mean(
    two: list[User], mina: User, agreed: int, is_low: bool
) -> None:
    release = reviewed.started()
    put(release, two, {"feast": [says(usability_value=0), says(usability_value=3)]})
    reviewed.look(release, mina)
    reviewed.settle(release, "feast", mina, usability_value=agreed)
    close(release)
    assert in_force() == ([(USABILITY, "feast")] if is_low else [])


@pytest.mark.parametrize("outcome", ["confirmed", "rejected", "open"])
def test_a_confirmed_flag_opens_one(rita: User, outcome: str) -> None:
    release = reviewed.started(k=1)
    flag = reviewed.flag(release, "feast", rita, "harmful")
    reviewed.review_all(release, rita, but=["feast"])
    if outcome != "open":
        judge(flag.pk, outcome)
    close(release)
    assert in_force() == ([("harmful", "feast")] if outcome == "confirmed" else [])


def judge(flag: int, outcome: str) -> None:
    Flag.objects.filter(pk=flag).update(
        outcome=outcome, judged_by=User.objects.get(username="rita"), judged_at=NOW, reason="Yes."
    )


def test_an_abandoned_release_and_one_without_findings_open_none(two: list[User]) -> None:
    release = reviewed.started()
    put(release, two, {"feast": [says(no=[LUNCH])] * 2})
    lifecycle.abandon(release=release, reason="Over.", user=None, now=NOW)
    assert in_force() == []
    assert not Ledger.objects.exists()
    closed(two, {}, "wanderer-2")
    assert kinds() == [workflow.OPENED]
    assert verify_ledger(product_ledger()) == 1


def test_where_a_review_is_waived_the_only_reader_decides(two: list[User]) -> None:
    release = reviewed.started()
    put(release, two, {"feast": [says(no=[LUNCH])] * 2})
    release.reviews.filter(case__case_key="feast", reviewer=two[0]).delete()
    close(release)
    assert in_force() == [(LUNCH, "feast")]


# --- Reopening and later releases -----------------------------------------------------------------


def test_reopening_voids_them_and_closing_again_brings_the_same_back(two: list[User]) -> None:
    release = closed(two, {"feast": [says(no=[LUNCH])] * 2})
    [escape] = Escape.objects.all()
    reopen(release)
    assert in_force() == []
    close(release, now=LATER)
    assert in_force() == [(LUNCH, "feast")]
    assert [found.pk for found in Escape.objects.all()] == [escape.pk]
    assert kinds() == [workflow.OPENED, workflow.VOIDED, workflow.OPENED]
    assert set(Sighting.objects.values_list("since", flat=True)) == {NOW}
    assert verify_ledger(product_ledger()) == 3


def test_the_same_finding_in_a_later_release_joins_its_escape(two: list[User]) -> None:
    finding = {"feast": [says(no=[LUNCH])] * 2}
    closed(two, finding)
    closed(two, {**finding, "kids": finding["feast"]}, "wanderer-2", now=LATER)
    assert Escape.objects.count() == 2
    [old, new] = Escape.objects.order_by("pk")
    assert (old.case_key, old.sightings.count()) == ("feast", 2)
    assert (new.case_key, new.sightings.count()) == ("kids", 1)
    assert returned() == {"feast": False, "kids": False}


def test_of_another_product_or_another_wording_it_is_another_escape(two: list[User]) -> None:
    finding = {"feast": [says(no=[LUNCH])] * 2}
    closed(two, finding)
    other = reviewed.started("other-1")
    put(other, two, finding)
    Release.objects.filter(pk=other.pk).update(product="other")
    close(other)
    assert in_force() == in_force("other") == [(LUNCH, "feast")]
    with without_triggers():
        Escape.objects.of("wanderer").update(wording="0" * 16)
    closed(two, finding, "wanderer-2", now=LATER)
    assert Escape.objects.of("wanderer").count() == 2


@pytest.mark.parametrize(
    ("state", "is_back"), [("fixed", True), ("rule", True), ("accepted", False), ("open", False)]
)
def test_what_was_done_with_comes_back_in_a_later_release(
    two: list[User], state: str, is_back: bool
) -> None:
    finding = {"feast": [says(no=[LUNCH])] * 2}
    closed(two, finding)
    move(Escape.objects.get(), state=state)
    assert returned() == {"feast": False}
    later = closed(two, finding, "wanderer-2", now=LATER + timedelta(days=1))
    assert returned() == {"feast": is_back}
    to_do = Escape.objects.in_force().with_return().to_do()
    assert to_do.count() == (1 if is_back or state == "open" else 0)
    reopen(later, LATER + timedelta(days=2))
    assert returned() == {"feast": False}


def test_a_release_that_is_closed_again_is_no_later_release(two: list[User]) -> None:
    release = closed(two, {"feast": [says(no=[LUNCH])] * 2})
    move(Escape.objects.get())
    reopen(release, LATER + timedelta(days=1))
    close(release, now=LATER + timedelta(days=2))
    assert returned() == {"feast": False}


# --- Moving ---------------------------------------------------------------------------------------


@pytest.fixture
def three(two: list[User]) -> list[Escape]:
    finding = [says(no=[LUNCH])] * 2
    closed(two, {"feast": finding, "kids": finding, "ramp": finding})
    return list(Escape.objects.order_by("pk"))


def test_one_event_moves_several_with_a_reason(three: list[Escape], ada: User) -> None:
    first, second, third = three
    workflow.move(
        product="wanderer",
        escapes=[second.pk, first.pk, second.pk],
        state="rule",
        rule="short-gap",
        reason="  A check \n now. ",
        user=ada,
        now=LATER,
    )
    event = product_ledger().events.get(number=2)
    assert (event.kind, event.by, event.at) == (workflow.MOVED, "ada", LATER)
    reason = "A check now."
    assert event.data == {
        "escapes": [first.pk, second.pk],
        "state": "rule",
        "rule": "short-gap",
        "reason": reason,
    }
    for escape in Escape.objects.exclude(pk=third.pk).select_related("event"):
        assert (escape.state, escape.rule, escape.reason) == ("rule", "short-gap", reason)
    assert Escape.objects.get(pk=third.pk).state == "open"
    assert verify_ledger(product_ledger()) == 2
    move(first, state="open", reason="Not a rule after all.")
    assert Escape.objects.get(pk=first.pk).state == "open"
    assert verify_ledger(product_ledger()) == 3


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"reason": " "}, NeedsReason),
        ({"reason": "x" * 501}, NeedsReason),
        ({"state": "gone"}, workflow.BadState),
        ({"state": "fixed", "rule": "short-gap"}, workflow.BadState),
        ({"escapes": []}, workflow.NoSuchEscape),
        ({"escapes": [10**9]}, workflow.NoSuchEscape),
        ({"product": "other"}, workflow.NoSuchEscape),
        ({"escapes": list(range(1, 1002))}, workflow.NoSuchEscape),
    ],
)
def test_a_move_that_cannot_be_made_changes_nothing(
    three: list[Escape], values: dict[str, Any], refusal: type[Exception]
) -> None:
    before = reviewed.everything()
    whole: dict[str, Any] = {
        "product": "wanderer",
        "escapes": [three[0].pk],
        "state": "fixed",
        "reason": "Commit 4711.",
        **values,
    }
    with pytest.raises(refusal):
        workflow.move(**whole, user=None, now=LATER)
    assert reviewed.everything() == before


def test_what_is_void_cannot_be_moved(three: list[Escape]) -> None:
    reopen(Release.objects.get())
    with pytest.raises(workflow.NoSuchEscape):
        move(three[0])


# --- Kept by the database, verified by the ledger -------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE reviews_escape SET state = 'fixed', event_id = event_id WHERE case_key = 'feast'",
        "UPDATE reviews_escape SET rule = 'x' WHERE case_key = 'kids'",
        "UPDATE reviews_escape SET state = 'open', rule = '' WHERE case_key = 'kids'",
        "UPDATE reviews_escape SET case_key = 'rush' WHERE case_key = 'feast'",
        "UPDATE reviews_escape SET product = 'other'",
        "DELETE FROM reviews_sighting",
        "UPDATE reviews_sighting SET is_counted = NOT is_counted",
        "DELETE FROM reviews_escape",
    ],
)
def test_the_database_refuses_it(three: list[Escape], statement: str) -> None:
    move(three[1], state="rule", rule="short-gap")
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert verify_ledger(product_ledger()) == 2


def tampered(model: Any, key: str, **values: Any) -> str:
    with without_triggers():
        model.objects.filter(**{key: "feast"}).update(**values)
    try:
        verify_ledger(product_ledger())
    except ledger.LedgerBroken as broken:
        return str(broken)
    return ""


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (Escape, {"wording": "0" * 16}),
        (Escape, {"case_key": "rush"}),
        (Escape, {"state": "accepted"}),
        (Sighting, {"is_counted": False}),
    ],
)
def test_what_was_changed_past_the_database_is_found(
    three: list[Escape], model: Any, values: dict[str, Any]
) -> None:
    move(*three)
    key = "case_key" if model is Escape else "case__case_key"
    sentence = tampered(model, key, **values)
    assert "does not match the ledger" in sentence or "do not match the ledger" in sentence


def test_a_finding_that_was_removed_or_added_is_found(three: list[Escape]) -> None:
    sentence = "wanderer-1: the findings of report 1 do not match the ledger."
    with without_triggers():
        row = Sighting.objects.get(case__case_key="feast")
        Sighting.objects.filter(pk=row.pk).delete()
    with pytest.raises(ledger.LedgerBroken, match=sentence):
        verify_ledger(product_ledger())
    row.pk = None
    row.save()
    assert verify_ledger(product_ledger()) == 1
    row.pk = None
    row.escape = Escape.objects.get(case_key="kids")
    row.closing = three[0].sightings.get().closing
    with without_triggers():
        Sighting.objects.filter(escape=row.escape).delete()
        row.save()
    with pytest.raises(ledger.LedgerBroken, match=sentence):
        verify_ledger(product_ledger())


# --- Releases of before ---------------------------------------------------------------------------


def forget_escapes() -> None:
    """As after an upgrade: the release was closed before there were any."""
    with without_triggers():
        for model in (Sighting, Escape, LedgerEvent, Ledger):
            model._default_manager.all().delete()


def test_a_release_closed_before_there_were_escapes_is_opened_once(two: list[User]) -> None:
    release = closed(two, {"feast": [says(no=[LUNCH])] * 2})
    forget_escapes()
    found = workflow.open_for(release=release, user=None, now=LATER)
    assert found is not None
    assert in_force() == [(LUNCH, "feast")]
    assert Sighting.objects.get().since == NOW
    assert workflow.open_for(release=release, user=None, now=LATER) is None
    assert kinds() == [workflow.OPENED]
    assert verify_ledger(product_ledger()) == 1


def test_the_command_opens_those_of_every_closed_release(two: list[User]) -> None:
    release = closed(two, {"feast": [says(no=[LUNCH])] * 2})
    reviewed.started("wanderer-2")
    assert run() == run("wanderer-2").replace("wanderer-2", "wanderer-1") != ""
    forget_escapes()
    assert run(release.name) == "wanderer-1: 1 findings.\n"
    assert run() == "wanderer-1: nothing to do.\n"


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("open_escapes", *arguments, stdout=out)
    return out.getvalue()


def test_closing_takes_as_many_statements_for_many_findings_as_for_one(two: list[User]) -> None:
    """As long as they fit into one insert; a thousand cases with 5,000 take some eighty more."""
    all_of_it = [says(no=ITEMS, usability_value=1, personalization=0)] * 2
    given = [{"feast": [says(no=[LUNCH])] * 2}, dict.fromkeys(FILLING, all_of_it)]
    counts = []
    for number, findings in enumerate(given):
        release = reviewed.started(f"wanderer-{number}")
        put(release, two, findings)
        Release.objects.filter(pk=release.pk).update(product=f"product {number}")
        with CaptureQueriesContext(connection) as queries:
            close(release)
        counts.append(len(queries))
    assert Sighting.objects.count() == 1 + 5 * 10
    assert counts[0] == counts[1]
