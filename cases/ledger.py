"""Append events to the ledger of a release, and verify that none was changed, lost or inserted."""

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
    """An event is missing or was changed; the text says which."""


def append(
    *, release: Release, kind: str, data: Mapping[str, Any], user: User | None, now: datetime
) -> Event:
    """Append an event. `release` must be locked, in the transaction of the change itself."""
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
    """Replace -0.0 by 0.0: PostgreSQL does not store it, and the digest is over what is stored."""
    if isinstance(value, dict):
        return {name: without_minus_zero(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_minus_zero(item) for item in value]
    return value + 0.0 if isinstance(value, float) else value


def digest_event(event: Event, release_name: str) -> str:
    """Return the SHA-256 over all fields of the event, the same on either database."""
    fields = [
        release_name,
        event.number,
        event.at.astimezone(UTC).isoformat(timespec="microseconds"),
        event.by,
        event.kind,
        event.data,
        event.previous,
    ]
    return hashlib.sha256(msgspec.json.encode(fields, order="deterministic")).hexdigest()


def is_finite(value: Any) -> bool:
    """Whether a value has no infinity: JSON would encode it as null, with the same digest."""
    if isinstance(value, dict | list):
        return all(map(is_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or isfinite(value)


def fits(event: Event, release_name: str) -> bool:
    """Whether the event matches its digest."""
    try:
        return is_finite(event.data) and event.digest == digest_event(event, release_name)
    except (AttributeError, TypeError, ValueError):
        return False  # a value that this code cannot have written


def first_that_does_not_fit(
    events: Sequence[Event], release: Release, *, is_newest: bool = False, is_oldest: bool = False
) -> int | None:
    """Return the number of the first event that was changed, out of consecutive events.

    They come newest first. `is_newest`: they should include the last event of the ledger;
    `is_oldest`: they should include the first.
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


# Raised when a row was tampered with so that its columns cannot be read.
UNREADABLE = (DataError, OperationalError, ValueError, OverflowError)


def in_order(release: Release) -> Iterator[Event]:
    """Yield every event in order. Raises LedgerBroken at one that cannot be read."""
    events, last = release.events.order_by("number"), -1
    try:
        for event in events.iterator():
            yield event
            last = event.number
    except UNREADABLE:
        # Rows are fetched in batches; read them one by one to find the bad one.
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
    """Verify the whole ledger and return the number of events. Raises LedgerBroken."""
    # Lock, so that an event appended meanwhile does not look like an inserted one.
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
