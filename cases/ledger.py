"""Append events to a ledger, and verify that none was changed, lost or inserted.

A release has a ledger, and so has each `Ledger`, such as that of a product: the same chain.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import isfinite
from typing import Any, TypeVar

import msgspec
from django.contrib.auth.models import User
from django.db import DataError, OperationalError, transaction
from django.utils.translation import gettext

from cases.models import Event, Ledger, LedgerEvent, Release
from cases.models.ledgers import Chained


class LedgerBroken(Exception):
    """An event is missing or was changed; the text says which."""


C = TypeVar("C", bound=Chained)


def append(
    *, release: Release, kind: str, data: Mapping[str, Any], user: User | None, now: datetime
) -> Event:
    """Append an event. `release` must be locked, in the transaction of the change itself."""
    return chain(Event(release=release), release, kind=kind, data=data, user=user, now=now)


def record(
    *, ledger: Ledger, kind: str, data: Mapping[str, Any], user: User | None, now: datetime
) -> LedgerEvent:
    """Append an event to the ledger of something else. `ledger` comes from `locked`.

    Details are ids, versions, digests and reasons, never scores.
    """
    return chain(LedgerEvent(ledger=ledger), ledger, kind=kind, data=data, user=user, now=now)


def chain(
    event: C,
    owner: Release | Ledger,
    *,
    kind: str,
    data: Mapping[str, Any],
    user: User | None,
    now: datetime,
) -> C:
    """Store the event as the new head of its owner's ledger."""
    event.number = owner.ledger_length + 1
    event.at = now
    event.by = user.get_username() if user else ""
    event.kind = kind
    event.data = without_minus_zero(dict(data))
    event.previous = owner.ledger_head
    event.digest = digest_event(event, owner.name)
    event.save(force_insert=True)
    owner.ledger_length, owner.ledger_head = event.number, event.digest
    owner.save(update_fields=["ledger_length", "ledger_head"])
    return event


def without_minus_zero(value: Any) -> Any:
    """Replace -0.0 by 0.0: PostgreSQL does not store it, and the digest is over what is stored."""
    if isinstance(value, dict):
        return {name: without_minus_zero(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_minus_zero(item) for item in value]
    return value + 0.0 if isinstance(value, float) else value


def digest_event(event: Chained, name: str) -> str:
    """Return the SHA-256 over all fields of the event, the same on either database."""
    fields = [
        name,
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


def fits(event: Chained, name: str) -> bool:
    """Whether the event matches its digest."""
    try:
        return is_finite(event.data) and event.digest == digest_event(event, name)
    except (AttributeError, TypeError, ValueError):
        return False  # a value that this code cannot have written


def first_that_does_not_fit(
    events: Sequence[Chained],
    owner: Release | Ledger,
    *,
    is_newest: bool = False,
    is_oldest: bool = False,
) -> int | None:
    """Return the number of the first event that was changed, out of consecutive events.

    They come newest first. `is_newest`: they should include the last event of the ledger;
    `is_oldest`: they should include the first.
    """
    for event in events:
        if not fits(event, owner.name):
            return event.number
    head = (events[0].number, events[0].digest) if events else (0, "")
    has_end = is_newest or head[0] >= owner.ledger_length
    if has_end and head != (owner.ledger_length, owner.ledger_head):
        return head[0] or owner.ledger_length
    for after, event in pairwise(events):
        if (after.previous, after.number) != (event.digest, event.number + 1):
            return event.number
    if is_oldest and events and (events[-1].number, events[-1].previous) != (1, ""):
        return events[-1].number
    return None


# Raised when a row was tampered with so that its columns cannot be read.
UNREADABLE = (DataError, OperationalError, ValueError, OverflowError)


def in_order(owner: Release | Ledger) -> Iterator[Chained]:
    """Yield every event in order. Raises LedgerBroken at one that cannot be read."""
    events, last = owner.events.order_by("number"), -1
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
                raise not_as_written(owner, number) from error


def not_as_written(owner: Release | Ledger, number: int) -> LedgerBroken:
    return LedgerBroken(
        gettext("%(name)s: event %(number)d is not as it was written.")
        % {"name": owner.name, "number": number}
    )


@transaction.atomic
def verify(owner: Release | Ledger) -> int:
    """Verify the whole ledger and return the number of events. Raises LedgerBroken."""
    # Lock, so that an event appended meanwhile does not look like an inserted one.
    owner = type(owner)._default_manager.select_for_update().get(pk=owner.pk)
    number, head = 0, ""
    for event in in_order(owner):
        number += 1
        if event.number != number:
            raise LedgerBroken(
                gettext("%(name)s: event %(number)d is missing.")
                % {"name": owner.name, "number": number}
            )
        if event.previous != head or not fits(event, owner.name):
            raise not_as_written(owner, number)
        head = event.digest
    if (number, head) != (owner.ledger_length, owner.ledger_head):
        raise LedgerBroken(
            gettext("%(name)s: the ledger ends after event %(number)d, its record says %(length)d.")
            % {"name": owner.name, "number": number, "length": owner.ledger_length}
        )
    return number
