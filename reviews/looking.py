"""What happened to a release since somebody last looked."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from cases.models import Event, Release
from reviews.models import LastLook

# Looking again within this time is the same visit: the news stay.
VISIT = timedelta(minutes=30)
MOST_NEWS = 8


@dataclass(frozen=True)
class News:
    """Newest first. `since` is None on the first visit: then nothing is news."""

    events: list[Event]
    count: int
    since: datetime | None


def look(*, user: User, release: Release, now: datetime) -> News:
    """What others did since the visit before, and remember that this person was here."""
    known = LastLook.objects.filter(user=user, release=release).first()
    if known is None:
        LastLook.objects.bulk_create(
            [
                LastLook(
                    user=user,
                    release=release,
                    looked_at=now,
                    seen=release.ledger_length,
                    seen_before=release.ledger_length,
                )
            ],
            ignore_conflicts=True,
        )
        return News([], 0, None)
    if now - known.looked_at > VISIT:
        known.seen_before, known.before_at = known.seen, known.looked_at
    known.seen, known.looked_at = release.ledger_length, now
    known.save(update_fields=["seen", "seen_before", "before_at", "looked_at"])
    fresh = release.events.filter(number__gt=known.seen_before).exclude(by=user.get_username())
    events = list(fresh.order_by("-number")[: MOST_NEWS + 1])
    count = release.ledger_length - known.seen_before
    return News(
        events[:MOST_NEWS], count if len(events) > MOST_NEWS else len(events), known.before_at
    )
