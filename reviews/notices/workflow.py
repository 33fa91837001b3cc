"""Subscribe, deliver and remember how far it got: at least once, in the order of each ledger.

A message is remembered after the command took it. Who stops in between sends it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from django.db import transaction

from cases.models import Release
from reviews.models import Notice, NoticeCursor, Subscription

from .messages import Message
from .queries import find_moved, read_events, work_out

Deliver = Callable[[Message], None]


@transaction.atomic
def subscribe(*, name: str, now: datetime) -> Subscription:
    """Return the subscription of this name. A new one begins with what happens from now on."""
    subscription, is_new = Subscription.objects.get_or_create(
        name=name, defaults={"started_at": now}
    )
    if is_new:
        releases = Release.objects.values_list("pk", "ledger_length")
        NoticeCursor.objects.bulk_create(
            NoticeCursor(subscription=subscription, release_id=release, number=length)
            for release, length in releases
        )
    return subscription


def deliver_all(
    *, subscription: Subscription, events: Collection[str], deliver: Deliver, now: datetime
) -> int:
    """Deliver every message that is due, and return how many. What `deliver` raises ends it."""
    moved = find_moved(subscription)
    messages = read_events(moved, events)
    for message in messages:
        deliver(message)
        move_cursor(subscription, message.release.pk, message.number or 0)
    for release, (_done, length) in moved.items():
        move_cursor(subscription, release, length)
    count = len(messages)
    for key, message in work_out(subscription, events, now=now):
        deliver(message)
        Notice.objects.get_or_create(subscription=subscription, key=key, defaults={"sent_at": now})
        count += 1
    return count


def move_cursor(subscription: Subscription, release: int, number: int) -> None:
    """Move a cursor forwards, never back: another process may have moved it further."""
    cursor = NoticeCursor.objects.filter(subscription=subscription, release=release)
    if not cursor.filter(number__lt=number).update(number=number):
        NoticeCursor.objects.get_or_create(
            subscription=subscription, release_id=release, defaults={"number": number}
        )
