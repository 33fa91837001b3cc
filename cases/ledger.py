"""The ledger of a release: append events, and verify that none was changed, cut or slipped in."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import isfinite
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import DataError, OperationalError, transaction
from django.utils.translation import gettext

from cases.models import Event, Release


class LedgerBroken(Exception):
    """The first event that does not fit, in words."""


def append(
    *, release: Release, kind: str, data: Mapping[str, Any], user: User | None, now: datetime
) -> Event:
    """`release` was read with its row locked, in the transaction of the act itself."""
    number = release.ledger_length + 1
    event = Event(
        release=release,
        number=number,
        at=now,
        by=user.get_username() if user else "",
        kind=kind,
        data=without_minus_zero(dict(data)),
        previous=release.ledger_head,
    )
    event.digest = digest_event(event, release.name)
    event.save(force_insert=True)
    release.ledger_length, release.ledger_head = number, event.digest
    release.save(update_fields=["ledger_length", "ledger_head"])
    return event


def without_minus_zero(value: Any) -> Any:
    """PostgreSQL keeps no minus zero, and the digest must be that of what is kept."""
    if isinstance(value, dict):
        return {name: without_minus_zero(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_minus_zero(one) for one in value]
    return value + 0.0 if isinstance(value, float) else value


def digest_event(event: Event, release_name: str) -> str:
    """Over everything the event says, in one form on either database."""
    said = [
        release_name,
        event.number,
        event.at.astimezone(UTC).isoformat(timespec="microseconds"),
        event.by,
        event.kind,
        event.data,
        event.previous,
    ]
    return hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()


def is_finite(value: Any) -> bool:
    """JSON has no infinity; written as text it would read as null, and keep its digest."""
    if isinstance(value, dict | list):
        return all(map(is_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or isfinite(value)


def fits(event: Event, release_name: str) -> bool:
    """Whether the event says what its digest was taken over."""
    try:
        return is_finite(event.data) and event.digest == digest_event(event, release_name)
    except (AttributeError, TypeError, ValueError):
        return False  # a value that nobody could have written here


def first_that_does_not_fit(
    events: Sequence[Event], release: Release, *, is_newest: bool = False, is_oldest: bool = False
) -> int | None:
    """The number of an event that is not as it was written, of some that follow each other.

    They come newest first. `is_newest`: the last event of the ledger is among them, or should be;
    `is_oldest`: so is the first.
    """
    for event in events:
        if not fits(event, release.name):
            return event.number
    head = (events[0].number, events[0].digest) if events else (0, "")
    has_end = is_newest or head[0] >= release.ledger_length
    if has_end and head != (release.ledger_length, release.ledger_head):
        return head[0] or release.ledger_length
    for after, event in pairwise(events):
        if (after.previous, after.number) != (event.digest, event.number + 1):
            return event.number
    if is_oldest and events and (events[-1].number, events[-1].previous) != (1, ""):
        return events[-1].number
    return None


# What reading an event raises when somebody wrote into the table what its columns cannot hold.
UNREADABLE = (DataError, OperationalError, ValueError, OverflowError)


def in_order(release: Release) -> Iterator[Event]:
    """Every event. Raises LedgerBroken at one that cannot even be read."""
    events, last = release.events.order_by("number"), -1
    try:
        for event in events.iterator():
            yield event
            last = event.number
    except UNREADABLE:
        # Rows come many at a time; which one it was, only reading one by one tells.
        for number in events.filter(number__gt=last).values_list("number", flat=True):
            try:
                yield events.get(number=number)
            except UNREADABLE as error:
                raise not_as_written(release, number) from error


def not_as_written(release: Release, number: int) -> LedgerBroken:
    return LedgerBroken(
        gettext("%(release)s: event %(number)d is not as it was written.")
        % {"release": release.name, "number": number}
    )


@transaction.atomic
def verify(release: Release) -> int:
    """How many events there are, all of them in order. Raises LedgerBroken."""
    # Locked, so that an event appended meanwhile does not look as if it were slipped in.
    release = Release.objects.select_for_update().get(pk=release.pk)
    number, head = 0, ""
    for event in in_order(release):
        number += 1
        if event.number != number:
            raise LedgerBroken(
                gettext("%(release)s: event %(number)d is missing.")
                % {"release": release.name, "number": number}
            )
        if event.previous != head or not fits(event, release.name):
            raise not_as_written(release, number)
        head = event.digest
    if (number, head) != (release.ledger_length, release.ledger_head):
        raise LedgerBroken(
            gettext(
                "%(release)s: the ledger ends after event %(number)d, the release says %(length)d."
            )
            % {"release": release.name, "number": number, "length": release.ledger_length}
        )
    return number
