"""The ledger of a release: append events, and verify that none was changed, cut or slipped in."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
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
    event.digest = digest_of(event, release.name)
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


def digest_of(event: Event, release_name: str) -> str:
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


def first_that_does_not_fit(events: Sequence[Event], release: Release) -> int | None:
    """The number of the first of these events, newest first, that is not as it was written.

    Only between themselves, and against the head of the ledger if the newest is among them.
    """
    for after, event in zip([None, *events], events, strict=False):
        if after is not None:
            follows = (after.previous, after.number) == (event.digest, event.number + 1)
        else:
            is_newest = event.number >= release.ledger_length
            follows = not is_newest or event.digest == release.ledger_head
        if not follows or event.digest != digest_of(event, release.name):
            return event.number
    return None


@transaction.atomic
def verify(release: Release) -> int:
    """How many events there are, all of them in order. Raises LedgerBroken."""
    # Locked, so that an event appended meanwhile does not look as if it were slipped in.
    release = Release.objects.select_for_update().get(pk=release.pk)
    number, head = 0, ""
    for event in release.events.order_by("number").iterator():
        number += 1
        if event.number != number:
            raise LedgerBroken(
                gettext("%(release)s: event %(number)d is missing.")
                % {"release": release.name, "number": number}
            )
        if event.previous != head or event.digest != digest_of(event, release.name):
            raise LedgerBroken(
                gettext("%(release)s: event %(number)d is not as it was written.")
                % {"release": release.name, "number": number}
            )
        head = event.digest
    if (number, head) != (release.ledger_length, release.ledger_head):
        raise LedgerBroken(
            gettext(
                "%(release)s: the ledger ends after event %(number)d, the release says %(length)d."
            )
            % {"release": release.name, "number": number, "length": release.ledger_length}
        )
    return number
