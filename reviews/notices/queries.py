"""What a subscription has not got yet: events of the ledgers, and what is worked out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from operator import itemgetter

from django.db.models import F, IntegerField, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from cases.models import Event, Release
from cases.models.releases import Status, is_past
from reviews.assignments.queries import load_overview
from reviews.models import Closing, NoticeCursor, SampledCase, Subscription
from reviews.releases.lifecycle import find_missing_for_close

from .messages import FROM_LEDGER, LATE, READY, Message, describe_event


def find_moved(subscription: Subscription) -> dict[int, tuple[int, int]]:
    """Return the releases whose ledgers are ahead of their cursors: where both are."""
    cursor = NoticeCursor.objects.filter(subscription=subscription, release=OuterRef("pk"))
    rows = Release.objects.annotate(
        done=Coalesce(Subquery(cursor.values("number")), Value(0), output_field=IntegerField())
    )
    moved = rows.filter(ledger_length__gt=F("done")).values_list("pk", "done", "ledger_length")
    return {pk: (done, length) for pk, done, length in moved}


def read_events(moved: dict[int, tuple[int, int]], events: Collection[str]) -> list[Message]:
    """Read the messages of these ledgers: each in its own order, by time among them."""
    kinds = [kind for kind, event in FROM_LEDGER.items() if event in events]
    rows = Event.objects.filter(release__in=moved, kind__in=kinds).select_related("release")
    found = [
        event
        for event in rows.order_by("release", "number")
        if moved[event.release_id][0] < event.number <= moved[event.release_id][1]
    ]
    words = read_words({event.release_id for event in found})
    return [describe_event(event, words[event.release_id]) for event in sort_by_time(found)]


def sort_by_time(events: list[Event]) -> list[Event]:
    """Sort events by time. Those of one ledger, in whose order they come, keep their order.

    The time of an event is taken before the lock, so within a ledger it may go back a little.
    """
    latest: dict[int, datetime] = {}
    places = []
    for event in events:
        latest[event.release_id] = max(event.at, latest.get(event.release_id, event.at))
        places.append((latest[event.release_id], event.release_id, event.number))
    return [event for _place, event in sorted(zip(places, events, strict=True), key=itemgetter(0))]


def read_words(releases: Collection[int]) -> dict[int, dict[int, str | None]]:
    """Return the verdict of each closing, by release and number."""
    found = defaultdict[int, dict[int, str | None]](dict)
    rows = Closing.objects.filter(release__in=releases)
    for release, number, headline in rows.values_list("release", "number", "headline"):
        found[release][number] = headline.get("verdict")
    return found


def work_out(
    subscription: Subscription, events: Collection[str], *, now: datetime
) -> Iterator[tuple[str, Message]]:
    """Yield what is true now and was not sent before, each with its key."""
    known = set(subscription.notices.values_list("key", flat=True))
    rows = Release.objects.filter(status=Status.REVIEWING, archived_at=None)
    for release in rows.select_related("rubric", "baseline").order_by("created_at", "pk"):
        if LATE in events and is_past(release.due_date, timezone.localdate(now)):
            key = f"{LATE}:{release.pk}:{release.due_date}"
            if key not in known and (message := describe_late(release, now=now)):
                yield key, message
        if READY in events:
            key = name_readiness(release)
            if key not in known and not any(find_missing_for_close(release)):
                yield key, Message(f"{release.name}:{READY}:{key}", READY, release, now, {})


def describe_late(release: Release, *, now: datetime) -> Message | None:
    """Describe a release past its due date; None if all its reviews and planned pairs are in."""
    overview = load_overview(release, now=now)
    open_pairs = sum(person.open_pairs for person in overview.people)
    if overview.submitted >= overview.expected and not open_pairs:
        return None
    due = release.due_date.isoformat() if release.due_date else ""
    counts = {"submitted": overview.submitted, "expected": overview.expected, "due_date": due}
    if open_pairs:
        counts["open_pairs"] = open_pairs
    return Message(f"{release.name}:{LATE}:{due}", LATE, release, now, counts)


def name_readiness(release: Release) -> str:
    """Name what would be ready: a release is ready once at each look and after each reopening."""
    closings = Closing.objects.filter(release=release).count()
    cases = SampledCase.objects.of(release).standing().planned().count()
    return f"{READY}:{release.pk}:{closings}:{cases}"
