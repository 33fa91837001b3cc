"""Somebody with the database password rewrites history: whatever they do to the ledger is found."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from cases import ledger
from cases.models import Event, Release
from cases.releases import workflow as releases_workflow
from cases.tags import workflow as tags_workflow
from reviews.adjudication import workflow as adjudication_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.sample import amendments
from tests.bed import reviewed, soak
from tests.bed.cases import NOW, make_release
from tests.bed.databases import without_triggers
from tests.people import AsUser


@pytest.fixture
def release(rita: User, omar: User, ada: User, mina: User) -> Release:
    """About thirty events of nearly every kind, and then without the guards."""
    release = reviewed.filled("wanderer-1", more={"thrift-2": ("low-budget",)})
    codes = list(release.cases.filter(case_key="spare-3").values_list("code", flat=True))
    act: dict[str, Any] = {"release": release, "codes": codes, "user": ada, "now": NOW}
    tags_workflow.give(tag="quiet", reason="no trains", **act)
    tags_workflow.exclude(reason="a twin", **act)
    reviewed.draw(release)
    amendments.add(release=release, case_key="spare-1", reason="odd", user=ada, now=NOW)
    amendments.remove(release=release, case_key="spare-1", reason="not odd", user=ada, now=NOW)
    releases_lifecycle.start(release=release, user=ada, now=NOW)
    for case_key in ("feast", "kids", "ramp"):
        for person, value in ((rita, 4), (omar, 1 if case_key == "kids" else 4)):
            reviewed.review(release, case_key, person, value)
    reviewed.review(release, "feast", rita, 5)
    agreed = dict.fromkeys(reviewed.METRICS, 3)
    adjudication_workflow.adjudicate(
        release=release,
        case_key="kids",
        agreed=agreed,
        cause="taste",
        note="both read it well",
        user=mina,
        now=NOW,
    )
    amendments.withdraw(
        release=release, case_key="thrift", cause="broken", reason="cut", user=ada, now=NOW
    )
    releases_workflow.change(release=release, due_date=NOW.date(), user=ada, now=NOW)
    releases_waivers.waive(release=release, rule="cases", reason="a small one", user=mina, now=NOW)
    releases_lifecycle.close(
        release=release, waived=["reviews"], reason="in a hurry", user=mina, now=NOW
    )
    releases_lifecycle.reopen(release=release, reason="not so fast", user=mina, now=NOW)
    return reviewed.current(release)


@pytest.fixture
def other(release: Release) -> Release:
    return make_release("wanderer-2")


@pytest.fixture
def unguarded(release: Release, other: Release) -> Iterator[None]:
    with without_triggers():
        yield


def test_the_release_has_a_history_worth_rewriting(release: Release) -> None:
    kinds = set(release.events.values_list("kind", flat=True))
    assert 28 <= release.events.count() <= 49
    assert len(kinds) >= 15
    assert ledger.verify(release) == release.events.count()


# --- Past the product, straight into the table ----------------------------------------------------

COLUMNS = ("id", "release_id", "number", "at", "by", "kind", "data", "previous", "digest")
Row = dict[str, Any]


def sql(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def rows_of(release: Release) -> list[Row]:
    return list(release.events.order_by("number").values(*COLUMNS))


def put(pk: int, **values: Any) -> None:
    """Other values for columns of one event."""
    setting = ", ".join(f'"{name}" = {mark(name)}' for name in values)
    packed = [stored(name, value) for name, value in values.items()]
    sql(f"UPDATE cases_event SET {setting} WHERE id = %s", *packed, pk)


def slip_in(row: Row) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join(mark(name) for name in row)
    packed = [stored(name, value) for name, value in row.items()]
    sql(f"INSERT INTO cases_event ({names}) VALUES ({marks})", *packed)


def take_out(*rows: Row) -> None:
    for row in rows:
        sql("DELETE FROM cases_event WHERE id = %s", row["id"])


def mark(column: str) -> str:
    return "%s::jsonb" if column == "data" and connection.vendor == "postgresql" else "%s"


def stored(column: str, value: Any) -> Any:
    if column == "data":
        return msgspec.json.encode(value).decode()
    if column == "at":
        return connection.ops.adapt_datetimefield_value(value)
    return value


def own_digest(row: Row, release: Release) -> str:
    """What the product would have written for an event that says this."""
    return ledger.digest_event(Event(**row), release.name)


def move(rows: Sequence[Row], by: int) -> None:
    """Other numbers for a run of events, without two of the same in between."""
    for row in sorted(rows, key=lambda row: int(row["number"]), reverse=by > 0):
        put(row["id"], number=row["number"] + by)


def chain_anew(release: Release, start: int) -> None:
    """From this number on every event fits the one before; only the release is left as it was."""
    rows = rows_of(release)
    for before, row in pairwise(rows):
        if row["number"] >= start:
            row["previous"] = before["digest"]
            row["digest"] = own_digest(row, release)
            put(row["id"], previous=row["previous"], digest=row["digest"])


# --- At random ------------------------------------------------------------------------------------


class Tampering:
    """One way to rewrite the history of a release, chosen by chance."""

    def __init__(self, chance: random.Random, release: Release, other: Release) -> None:
        self.chance = chance
        self.release = release
        self.other = other

    def act(self) -> str:
        acts = [self.change, self.delete, self.swap, self.insert, self.cut]
        # After another one there may be too little left to cut.
        return self.chance.choice(acts if len(rows_of(self.release)) > 3 else [self.insert])()

    def change(self) -> str:
        row = self.chance.choice(rows_of(self.release))
        column = self.chance.choice(COLUMNS[1:])
        value = self.other_value(column, row)
        if column in ("number", "release_id"):
            put(row["id"], **{column: value})
            return f"{column} of {row['number']}"
        changed = row | {column: value}
        how = self.chance.choice(["alone", "with its digest", "with all digests"])
        if how != "alone" and column != "digest":
            changed["digest"] = own_digest(changed, self.release)
        put(row["id"], **{name: changed[name] for name in (column, "digest")})
        if how == "with all digests":
            chain_anew(self.release, row["number"] + 1)
        return f"{column} of {row['number']}, {how}"

    def other_value(self, column: str, row: Row) -> Any:
        old = row[column]
        if column == "release_id":
            # A number that neither has.
            put(row["id"], number=self.free_number())
            return self.other.pk
        if column == "number":
            return self.free_number()
        if column == "at":
            step = self.chance.choice([1, 1_000, 86_400_000_000]) * self.chance.choice([1, -1])
            return old + timedelta(microseconds=step)
        if column == "data":
            return self.other_data(old)
        if column in ("previous", "digest"):
            digits = list(old or "0" * 64)
            place = self.chance.randrange(64)
            digits[place] = "0" if digits[place] != "0" else "1"
            return "".join(digits)
        words = [
            "",
            "mina",
            "ada ",
            "rita",
            "review-submitted",
            "looked",
            old.upper(),
            old + "\u200b",
        ]
        return self.chance.choice([word for word in words if word != old])

    def free_number(self) -> int:
        taken = {int(row["number"]) for row in [*rows_of(self.release), *rows_of(self.other)]}
        later = max(taken) + self.chance.randint(1, 99)
        return self.chance.choice([later] if 0 in taken else [later, 0])

    def other_data(self, old: Any) -> Any:
        if not isinstance(old, dict):
            return {"was": old}
        name = self.chance.choice(sorted(old)) if old else "new"
        without = {key: value for key, value in old.items() if key != name}
        choices: list[Any] = [
            without,
            old | {"more": None},
            old | {name: [old.get(name)]},
            old | {name: not old.get(name)},
            old | {name: 1.0},
            without | {name + " ": old.get(name)},
            [],
        ]
        said = msgspec.json.encode(old, order="deterministic")
        others = [
            item for item in choices if msgspec.json.encode(item, order="deterministic") != said
        ]
        return self.chance.choice(others)

    def delete(self) -> str:
        rows = rows_of(self.release)
        place = self.chance.randrange(len(rows))
        take_out(rows[place])
        how = self.chance.choice(["alone", "ranks closed", "all digests"])
        if how != "alone":
            move(rows[place + 1 :], -1)
        if how == "all digests":
            chain_anew(self.release, rows[place]["number"])
        return f"without {rows[place]['number']}, {how}"

    def swap(self) -> str:
        one, two = self.chance.sample(rows_of(self.release), 2)
        how = self.chance.choice(["places", "words", "all digests"])
        if how == "places":
            put(one["id"], number=999_999)
            put(two["id"], number=one["number"])
            put(one["id"], number=two["number"])
        else:
            said = ("at", "by", "kind", "data")
            put(one["id"], **{name: two[name] for name in said})
            put(two["id"], **{name: one[name] for name in said})
        if how == "all digests":
            first = min(one["number"], two["number"])
            row = next(row for row in rows_of(self.release) if row["number"] == first)
            put(row["id"], digest=own_digest(row, self.release))
            chain_anew(self.release, first + 1)
        return f"{one['number']} and {two['number']} swapped, {how}"

    def insert(self) -> str:
        """Before an event, or after the last one; with a correct digest of its own."""
        rows = rows_of(self.release)
        place = self.chance.randint(0, len(rows))
        move(rows[place:], 1)
        like = self.chance.choice(rows)
        row = {name: like[name] for name in COLUMNS if name != "id"}
        row["number"] = rows[place]["number"] if place < len(rows) else rows[-1]["number"] + 1
        row["previous"] = rows[place - 1]["digest"] if place else ""
        row["digest"] = own_digest(row, self.release)
        slip_in(row)
        how = self.chance.choice(["alone", "all digests"])
        if how == "all digests":
            chain_anew(self.release, row["number"] + 1)
        return f"one more as {row['number']}, {how}"

    def cut(self) -> str:
        rows = rows_of(self.release)
        count = self.chance.randint(1, len(rows) - 1)
        take_out(*rows[-count:])
        return f"the last {count} cut"


def said_by(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Without the key of the database, which says nothing."""
    return [
        tuple(msgspec.json.encode(row[name], order="deterministic") for name in COLUMNS[1:])
        for row in rows
    ]


def verdict(release: Release) -> str:
    """Empty when the ledger is in order."""
    try:
        ledger.verify(release)
    except ledger.LedgerBroken as broken:
        return str(broken)
    return ""


def first_difference(before: Sequence[Any], after: Sequence[Any]) -> int:
    """The place, from 1, at which two histories begin to differ."""
    pairs = zip(before, after, strict=False)
    same = next((place for place, (item, two) in enumerate(pairs) if item != two), None)
    return (min(len(before), len(after)) if same is None else same) + 1


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("unguarded")
def test_whatever_is_done_to_the_ledger_is_found(release: Release, other: Release) -> None:
    rounds = soak.size(short=30, long=1_000)
    chance = random.Random()
    before = said_by(rows_of(release))
    tried = 0
    bad: list[Any] = []
    while tried < rounds:
        with transaction.atomic():
            tampering = Tampering(chance, release, other)
            done = [tampering.act() for _ in range(chance.choice([1, 1, 1, 2, 3]))]
            after = said_by(rows_of(release))
            if after != before:  # two of them can make up for each other
                tried += 1
                found = verdict(release)
                named = re.search(r"event (\d+)", found)
                # Nothing before the first difference is at fault.
                least = first_difference(before, after) - 1
                if not named or int(named[1]) < least:
                    bad.append((done, found))
            transaction.set_rollback(True)
        if verdict(release) != "":
            bad.append(("clean", verdict(release)))
    soak.report("tamperings with the ledger", tried=tried, bad=len(bad))
    assert bad == []


# --- Values that cannot even be read --------------------------------------------------------------

UNREADABLE: dict[str, dict[str, str]] = {
    "sqlite": {
        "a moment that is none": "at = 'yesterday'",
        "a month that is none": "at = '2026-13-01 00:00:00'",
        "half a letter in the details": """data = '{"a": "\\ud800"}'""",
        "bytes that are no text": "by = CAST(x'ff' AS TEXT)",
        "nothing turned into infinity": "data = replace(data, 'null', '1e999')",
    },
    "postgresql": {
        "the end of time": "at = 'infinity'",
        "before our era": "at = '0044-03-15 12:00:00 BC'",
    },
}


@pytest.mark.usefixtures("unguarded")
def test_a_value_that_cannot_be_read_is_found_and_named(release: Release) -> None:
    found = {}
    for what, setting in UNREADABLE[connection.vendor].items():
        with transaction.atomic():
            sql(
                f"UPDATE cases_event SET {setting} WHERE release_id = %s AND number = 1", release.pk
            )
            try:
                found[what] = verdict(release)
            except Exception as error:
                found[what] = f"{type(error).__name__}: {error}"
            transaction.set_rollback(True)
    named = "wanderer-1: event 1 is not as it was written."
    assert found == dict.fromkeys(found, named)


# --- The events of a page -------------------------------------------------------------------------


def shown(release: Release, start: int, stop: int) -> list[Event]:
    return list(release.events.order_by("-number")[start:stop])


def test_on_clean_pages_of_any_offset_every_event_fits_and_the_page_has_its_tick(
    release: Release, as_user: AsUser, mina: User
) -> None:
    count = release.events.count()
    for size in (1, 2, 7, count, count + 5):
        for start in range(count + 1):
            events = shown(release, start, start + size)
            assert ledger.first_that_does_not_fit(events, release) is None, (start, size)
    client = as_user(mina)
    assert TICK in page(client, release)
    assert WHOLE_TICK in page(client, release, verify="all")


@pytest.mark.usefixtures("unguarded")
def test_a_change_among_the_shown_events_is_named(release: Release, other: Release) -> None:
    tampering = Tampering(random.Random(), release, other)
    columns = ("at", "by", "kind", "data", "previous", "digest")
    rows = rows_of(release)
    # Each event in two of the columns, each column of a third of the events; both ends in all.
    chosen = [
        (row, column)
        for (place, row), (turn, column) in product(enumerate(rows), enumerate(columns))
        if place % 3 == turn % 3 or row in (rows[0], rows[-1])
    ]
    for row, column in chosen:
        with transaction.atomic():
            put(row["id"], **{column: tampering.other_value(column, row)})
            found = ledger.first_that_does_not_fit(shown(release, 0, 99), release)
            assert found == row["number"], column
            place = release.ledger_length - row["number"]
            alone = shown(release, place, place + 1)
            assert ledger.first_that_does_not_fit(alone, release) == row["number"], column
            before = shown(release, place + 1, 99)
            assert ledger.first_that_does_not_fit(before, release) is None, column
            transaction.set_rollback(True)


@pytest.mark.usefixtures("unguarded")
def test_a_change_with_a_digest_of_its_own_and_a_gap_are_named(release: Release) -> None:
    rows = rows_of(release)
    for row in rows:
        with transaction.atomic():
            changed = row | {"by": "nobody"}
            put(row["id"], by="nobody", digest=own_digest(changed, release))
            found = ledger.first_that_does_not_fit(shown(release, 0, 99), release)
            assert found == row["number"]
            transaction.set_rollback(True)
    for row in rows[1:-1]:
        with transaction.atomic():
            take_out(row)
            found = ledger.first_that_does_not_fit(shown(release, 0, 99), release)
            assert found == row["number"] - 1
            transaction.set_rollback(True)


TICK = "The events on this page are verified."
WHOLE_TICK = "are verified"


def page(client: Client, release: Release, **query: str) -> str:
    answer = client.get(reverse("event-list", args=[release.name]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def cut_the_tail(release: Release) -> None:
    take_out(*rows_of(release)[-3:])


def cut_everything(release: Release) -> None:
    take_out(*rows_of(release))


def take_out_the_first(release: Release) -> None:
    take_out(rows_of(release)[0])


def take_out_one_in_the_middle(release: Release) -> None:
    take_out(rows_of(release)[7])


def one_more_at_the_end(release: Release) -> None:
    last = rows_of(release)[-1]
    row = {name: last[name] for name in COLUMNS if name != "id"}
    row |= {"number": last["number"] + 1, "previous": last["digest"]}
    slip_in(row | {"digest": own_digest(row, release)})


def one_more_before_the_first(release: Release) -> None:
    row = {name: value for name, value in rows_of(release)[0].items() if name != "id"}
    row |= {"number": 0, "previous": ""}
    slip_in(row | {"digest": own_digest(row, release)})


def another_head(release: Release) -> None:
    sql("UPDATE cases_release SET ledger_head = %s WHERE id = %s", "0" * 64, release.pk)


def a_longer_ledger(release: Release) -> None:
    sql("UPDATE cases_release SET ledger_length = 99 WHERE id = %s", release.pk)


TAMPERINGS: list[Callable[[Release], None]] = [
    cut_the_tail,
    cut_everything,
    take_out_the_first,
    take_out_one_in_the_middle,
    one_more_at_the_end,
    one_more_before_the_first,
    another_head,
    a_longer_ledger,
]


@pytest.mark.usefixtures("unguarded")
def test_a_page_with_the_whole_ledger_on_it_has_no_tick_after_tampering(
    release: Release, as_user: AsUser, mina: User
) -> None:
    client = as_user(mina)
    ticked = []
    for tamper in TAMPERINGS:
        with transaction.atomic():
            tamper(release)
            assert verdict(release) != ""
            assert WHOLE_TICK not in page(client, release, verify="all")
            if TICK in page(client, release):
                ticked.append(tamper.__name__)
            transaction.set_rollback(True)
    assert ticked == []


def test_a_moment_is_the_same_in_the_table_and_in_the_product() -> None:
    """So that a change by one microsecond is a change on either engine."""
    moment = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)
    assert stored("at", moment) != stored("at", moment - timedelta(microseconds=1))
