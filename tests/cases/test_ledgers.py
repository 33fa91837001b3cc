"""A ledger that belongs to no release, such as that of a product: the same chain, kept as well."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from cases import ledger
from cases.models import Ledger, LedgerEvent
from tests.bed.cases import NOW, make_release
from tests.bed.databases import without_triggers
from tests.people import AsUser

NAME = "product:wanderer"


def record(kind: str = "looked", name: str = NAME, **data: Any) -> LedgerEvent:
    with transaction.atomic():
        locked = Ledger.objects.locked(name)
        return ledger.record(ledger=locked, kind=kind, data=data, user=None, now=NOW)


@pytest.fixture
def three(db: None) -> Ledger:
    for number in range(3):
        record(what=number)
    return Ledger.objects.get()


def verdict(found: Ledger) -> str:
    try:
        ledger.verify(found)
    except ledger.LedgerBroken as broken:
        return str(broken)
    return ""


def test_the_first_lock_makes_it_and_the_next_finds_it(three: Ledger) -> None:
    events = list(three.events.order_by("number"))
    assert [event.number for event in events] == [1, 2, 3]
    assert [event.previous for event in events] == ["", *(event.digest for event in events[:-1])]
    assert (three.ledger_length, three.ledger_head) == (3, events[-1].digest)
    assert ledger.verify(three) == 3
    assert three.product == "wanderer"


def test_two_ledgers_do_not_share_events(three: Ledger) -> None:
    assert record(name="accounts").number == 1
    assert record().number == 4
    assert [found.name for found in Ledger.objects.of_products()] == [NAME]


def test_who_did_it_is_recorded_and_the_command_line_is_empty(ada: User, db: None) -> None:
    with transaction.atomic():
        event = ledger.record(
            ledger=Ledger.objects.locked("accounts"), kind="x", data={}, user=ada, now=NOW
        )
    assert (event.by, record().by) == ("ada", "")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cases_ledgerevent SET data = '{}' WHERE number = 2",
        "UPDATE cases_ledgerevent SET kind = 'other' WHERE number = 3",
        "DELETE FROM cases_ledgerevent WHERE number = 3",
        "UPDATE cases_ledger SET name = 'product:other'",
        "DELETE FROM cases_ledger",
    ],
)
def test_the_database_refuses_to_change_it(three: Ledger, statement: str) -> None:
    with (
        pytest.raises(DatabaseError, match=r"ledger (cannot be|keeps its)"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert verdict(three) == ""


@pytest.mark.parametrize(
    ("number", "values"),
    [
        (1, {"by": "mina"}),
        (2, {"kind": "other"}),
        (2, {"data": {"what": 9}}),
        (3, {"previous": "0" * 64}),
        (3, {"digest": "0" * 64}),
    ],
)
def test_a_changed_event_is_found(three: Ledger, number: int, values: dict[str, Any]) -> None:
    with without_triggers():
        three.events.filter(number=number).update(**values)
    assert verdict(three) == f"{NAME}: event {number} is not as it was written."


def test_a_cut_tail_a_hole_and_another_name_are_found(three: Ledger) -> None:
    for number, sentence in (
        (3, f"{NAME}: the ledger ends after event 2, its record says 3."),
        (2, f"{NAME}: event 2 is missing."),
    ):
        with without_triggers(), transaction.atomic():
            three.events.filter(number=number).delete()
            assert verdict(three) == sentence
            transaction.set_rollback(True)
    with without_triggers(), transaction.atomic():
        Ledger.objects.update(name="product:other")
        assert verdict(three) == "product:other: event 1 is not as it was written."
        transaction.set_rollback(True)
    assert verdict(three) == ""


def verify(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_ledger", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_verifies_releases_and_other_ledgers(three: Ledger) -> None:
    make_release("wanderer-1")
    expected = f"{NAME}: 3 events, all in order.\n"
    assert verify() == f"wanderer-1: 1 events, all in order.\n{expected}"
    assert verify(NAME) == expected
    with without_triggers():
        three.events.filter(number=1).update(by="mina")
    with pytest.raises(CommandError, match="event 1 is not as it was written"):
        verify()
    with pytest.raises(CommandError):
        verify("product:unknown")


def test_admins_read_who_and_when_and_never_the_details(
    three: Ledger, as_user: AsUser, ada: User, rita: User
) -> None:
    record("looked", secret="details-are-hidden")
    event = three.events.last()
    assert event
    for path in (
        "/admin/cases/ledger/",
        f"/admin/cases/ledger/{three.pk}/change/",
        "/admin/cases/ledgerevent/",
        f"/admin/cases/ledgerevent/{event.pk}/change/",
    ):
        page = as_user(ada).get(path)
        assert page.status_code == 200
        text = page.content.decode()
        assert "details-are-hidden" not in text
        assert event.digest not in text
        assert 'name="_save"' not in text
        assert as_user(rita).get(path).status_code == 403
