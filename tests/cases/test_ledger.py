"""The ledger: every act is chained to the one before, and whatever was tampered with is found."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from cases import imports, ledger
from cases.models import Event, Release, Rubric
from tests.bed.cases import NOW, database_digest, import_lines, make_release, many
from tests.bed.databases import without_triggers


@pytest.fixture
def release(rubric: Rubric) -> Release:
    """Four events: opened, two imports, one undone."""
    release = make_release(rubric=rubric)
    import_lines(release, many(2))
    import_lines(release, many(3))
    imports.undo_import(release=release, number=2, user=None, now=NOW)
    release.refresh_from_db()
    return release


def append(release: Release, kind: str = "looked", **data: Any) -> Event:
    with transaction.atomic():
        locked = Release.objects.select_for_update().get(pk=release.pk)
        return ledger.append(release=locked, kind=kind, data=data, user=None, now=NOW)


def verdict(release: Release) -> str:
    """Empty when the ledger is in order."""
    try:
        ledger.verify(Release.objects.get(pk=release.pk))
    except ledger.LedgerBroken as broken:
        return str(broken)
    return ""


def event(release: Release, number: int) -> Event:
    return release.events.get(number=number)


# --- Appending ------------------------------------------------------------------------------------


def test_every_event_carries_the_digest_of_the_one_before(release: Release) -> None:
    events = list(release.events.order_by("number"))
    assert [row.number for row in events] == [1, 2, 3, 4]
    assert [row.previous for row in events] == [
        "",
        *(row.digest for row in events[:-1]),
    ]
    assert len({row.digest for row in events}) == 4
    assert (release.ledger_length, release.ledger_head) == (4, events[-1].digest)
    assert ledger.verify(release) == 4


def test_a_new_event_is_the_head(release: Release) -> None:
    added = append(release, "looked", who="mina")
    release.refresh_from_db()
    assert (added.number, release.ledger_length, release.ledger_head) == (5, 5, added.digest)
    assert ledger.verify(release) == 5


def test_an_event_names_its_person_or_the_command_line(release: Release, ada: User) -> None:
    with transaction.atomic():
        locked = Release.objects.select_for_update().get(pk=release.pk)
        said = ledger.append(release=locked, kind="looked", data={}, user=ada, now=NOW)
    assert said.by == "ada"
    assert append(release).by == ""


def test_the_digest_is_what_anybody_can_compute(release: Release) -> None:
    """Names of fields in order, no spaces: the form that docs/ledger promises to whoever checks."""
    append(release, "looked", b=[1, None], a="云")
    last = event(release, 5)
    said = (
        f'["wanderer-1",5,"2026-11-17T09:30:00.000000+00:00","","looked",'
        f'{{"a":"云","b":[1,null]}},"{last.previous}"]'
    )
    assert last.digest == hashlib.sha256(said.encode()).hexdigest()


def test_the_digest_does_not_depend_on_the_time_zone(release: Release) -> None:
    one = event(release, 2)
    digest = ledger.digest_event(one, release.name)
    one.at = one.at.astimezone(timezone(timedelta(hours=8)))
    assert ledger.digest_event(one, release.name) == digest


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"text": "“云溪” \\ \" ' 😀 \u202e"},
        {"deep": [[{"a": [1, -2, 3.5, True, None, ""]}]]},
        {"z": 1, "a": 2, "Z": 3},
        {"large": 2**60},
    ],
)
def test_whatever_an_event_says_is_verified_after_reading_it_back(
    release: Release, data: dict[str, Any]
) -> None:
    append(release, "looked", **data)
    assert event(release, 5).data == data
    assert verdict(release) == ""


def test_a_moment_is_kept_to_the_microsecond(release: Release) -> None:
    moment = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)
    with transaction.atomic():
        locked = Release.objects.select_for_update().get(pk=release.pk)
        ledger.append(release=locked, kind="looked", data={}, user=None, now=moment)
    assert event(release, 5).at == moment
    assert verdict(release) == ""


def test_the_database_refuses_a_number_twice(release: Release) -> None:
    """Two people who append to the same head: only one of them can."""
    stale = Release.objects.get(pk=release.pk)
    append(release)
    with pytest.raises(IntegrityError), transaction.atomic():
        ledger.append(release=stale, kind="looked", data={}, user=None, now=NOW)
    assert verdict(release) == ""


def test_an_act_that_is_rolled_back_leaves_no_event(release: Release) -> None:
    before = database_digest()

    def act_and_fail() -> None:
        with transaction.atomic():
            append(release)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        act_and_fail()
    assert database_digest() == before


# --- Tampering, past the triggers -----------------------------------------------------------------


@pytest.fixture
def unguarded(release: Release) -> Iterator[None]:
    with without_triggers():
        yield


past_the_triggers = pytest.mark.usefixtures("unguarded")


def change(release: Release, which: int, **values: Any) -> None:
    """Past the product, straight into the table."""
    Event.objects.filter(release=release, number=which).update(**values)


CHANGES: dict[str, dict[str, Any]] = {
    "who": {"by": "mina"},
    "when": {"at": NOW + timedelta(microseconds=1)},
    "what": {"kind": "tag-given"},
    "details": {"data": {"batch": 1, "new": 3}},
    "the digest before": {"previous": "0" * 64},
    "the digest": {"digest": "0" * 64},
}


@past_the_triggers
@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_changed_event_is_found(release: Release, number: int) -> None:
    for what, values in CHANGES.items():
        with transaction.atomic():
            change(release, number, **values)
            sentence = f"wanderer-1: event {number} is not as it was written."
            assert verdict(release) == sentence, what
            transaction.set_rollback(True)
    assert verdict(release) == ""


@past_the_triggers
def test_a_changed_event_with_a_new_digest_of_its_own_is_found_at_the_next(
    release: Release,
) -> None:
    changed = event(release, 2)
    changed.by = "mina"
    change(release, 2, by="mina", digest=ledger.digest_event(changed, release.name))
    assert verdict(release) == "wanderer-1: event 3 is not as it was written."


@past_the_triggers
def test_a_changed_last_event_with_a_new_digest_does_not_fit_the_release(
    release: Release,
) -> None:
    changed = event(release, 4)
    changed.by = "mina"
    change(release, 4, by="mina", digest=ledger.digest_event(changed, release.name))
    assert "the ledger ends after event 4" in verdict(release)


@past_the_triggers
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_deleted_event_is_found(release: Release, number: int) -> None:
    event(release, number).delete()
    assert verdict(release) == f"wanderer-1: event {number} is missing."


@past_the_triggers
def test_a_deleted_event_is_found_even_when_the_others_close_ranks(release: Release) -> None:
    event(release, 2).delete()
    change(release, 3, number=2)
    change(release, 4, number=3)
    assert verdict(release) == "wanderer-1: event 2 is not as it was written."


@past_the_triggers
@pytest.mark.parametrize("left", [3, 1, 0])
def test_a_cut_tail_is_found(release: Release, left: int) -> None:
    release.events.filter(number__gt=left).delete()
    assert verdict(release) == (
        f"wanderer-1: the ledger ends after event {left}, its record says 4."
    )


@past_the_triggers
def test_a_tail_cut_from_a_ledger_that_went_on_is_found(release: Release) -> None:
    event(release, 4).delete()
    Release.objects.filter(pk=release.pk).update(
        ledger_length=3, ledger_head=event(release, 3).digest
    )
    assert verdict(release) == ""  # a whole copy from before: nothing inside can tell
    append(release)
    Event.objects.filter(release=release, number=4).delete()
    assert "the ledger ends after event 3, its record says 4." in verdict(release)


@past_the_triggers
def test_an_event_slipped_in_at_the_end_is_found(release: Release) -> None:
    slipped = Event(
        release=release,
        number=5,
        at=NOW,
        by="ada",
        kind="looked",
        data={},
        previous=release.ledger_head,
    )
    slipped.digest = ledger.digest_event(slipped, release.name)
    slipped.save()
    assert "the ledger ends after event 5, its record says 4." in verdict(release)


@past_the_triggers
def test_an_event_slipped_in_at_the_front_is_found(release: Release) -> None:
    Event.objects.create(
        release=release, number=0, at=NOW, kind="looked", data={}, previous="", digest="0" * 64
    )
    assert verdict(release) != ""


@past_the_triggers
def test_an_event_slipped_into_the_middle_is_found(release: Release) -> None:
    for number in (4, 3):
        change(release, number, number=number + 1)
    before = event(release, 2)
    slipped = Event(
        release=release, number=3, at=NOW, kind="looked", data={}, previous=before.digest
    )
    slipped.digest = ledger.digest_event(slipped, release.name)
    slipped.save()
    assert verdict(release) == "wanderer-1: event 4 is not as it was written."


@past_the_triggers
def test_an_event_of_another_release_does_not_fit(release: Release, rubric: Rubric) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    event(other, 1).delete()
    Event.objects.filter(release=release, number=1).update(release=other)
    assert verdict(release) == "wanderer-1: event 1 is missing."
    assert verdict(other) == "wanderer-2: event 1 is not as it was written."


@past_the_triggers
def test_a_changed_release_name_is_found(release: Release) -> None:
    Release.objects.filter(pk=release.pk).update(name="wanderer-9")
    assert verdict(release) == "wanderer-9: event 1 is not as it was written."


@past_the_triggers
@pytest.mark.parametrize("values", [{"ledger_length": 5}, {"ledger_head": "0" * 64}])
def test_a_changed_head_is_found(release: Release, values: dict[str, Any]) -> None:
    Release.objects.filter(pk=release.pk).update(**values)
    assert "the ledger ends after event 4" in verdict(release)


@past_the_triggers
def test_two_events_that_changed_places_are_found(release: Release) -> None:
    change(release, 2, number=99)
    change(release, 3, number=2)
    change(release, 99, number=3)
    assert verdict(release) == "wanderer-1: event 2 is not as it was written."


@past_the_triggers
def test_verifying_beside_somebody_who_appends_raises_no_false_alarm(release: Release) -> None:
    """Found by this test: the release had been read before the event, its events after it."""
    read_before = Release.objects.get(pk=release.pk)
    append(release)
    assert ledger.verify(read_before) == 5


# --- The command ----------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_ledger", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == 1
    return str(refusal.value)


def test_the_command_says_that_all_is_in_order(release: Release, rubric: Rubric) -> None:
    make_release("stroller-1", product="stroller", rubric=rubric)
    assert run("wanderer-1") == "wanderer-1: 4 events, all in order.\n"
    assert run() == "stroller-1: 1 events, all in order.\nwanderer-1: 4 events, all in order.\n"


@pytest.mark.django_db
def test_the_command_has_nothing_to_say_without_releases() -> None:
    assert run() == ""


@past_the_triggers
@pytest.mark.parametrize("arguments", [["wanderer-1"], []])
def test_the_command_names_the_first_event_that_does_not_fit(
    release: Release, arguments: list[str]
) -> None:
    change(release, 3, by="mina")
    assert refused(*arguments) == "wanderer-1: event 3 is not as it was written."


@past_the_triggers
def test_the_command_can_look_at_the_releases_that_are_in_order(
    release: Release, rubric: Rubric
) -> None:
    make_release("stroller-1", product="stroller", rubric=rubric)
    change(release, 3, by="mina")
    assert "all in order" in run("stroller-1")


def test_the_command_does_not_know_every_release(release: Release) -> None:
    assert refused("nothing") == "There is no release called nothing."


@past_the_triggers
def test_the_command_changes_nothing(release: Release) -> None:
    before = database_digest()
    run()
    change(release, 3, by="mina")
    refused()
    change(release, 3, by="")
    assert database_digest() == before
