"""The news of a release since a person's last visit."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count

from cases.models import Event, Release
from reviews.adjudication.visibility import has_opened
from reviews.models import LastLook
from reviews.releases.history import OF_SCORES

# Loading the page again within this time is the same visit and shows the same news.
VISIT = timedelta(minutes=30)
MOST_NEWS = 8
# These happen many times a day and are only counted.
SUBMITTED, ASSIGNED = "review-submitted", "review-assigned"


@dataclass(frozen=True)
class News:
    """Events, newest first; frequent ones are only counted. `since` is None on the first visit."""

    events: list[Event]
    submitted: int
    assigned: int
    count: int
    since: datetime | None

    def __bool__(self) -> bool:
        return bool(self.events or self.submitted or self.assigned)


def look(*, user: User, release: Release, now: datetime) -> News:
    """Return what others did since the previous visit, and record this visit."""
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
        return News([], 0, 0, 0, None)
    if now - known.looked_at > VISIT:
        known.seen_before, known.before_at = known.seen, known.looked_at
    known.seen, known.looked_at = release.ledger_length, now
    known.save(update_fields=["seen", "seen_before", "before_at", "looked_at"])
    fresh = release.events.filter(number__gt=known.seen_before).exclude(by=user.get_username())
    if not has_opened(release, user):
        fresh = fresh.exclude(OF_SCORES)
    counts = dict(fresh.values_list("kind").annotate(count=Count("pk")).order_by())
    singly = fresh.exclude(kind__in=(SUBMITTED, ASSIGNED)).order_by("-number")
    return News(
        list(singly[:MOST_NEWS]),
        counts.get(SUBMITTED, 0),
        counts.get(ASSIGNED, 0),
        sum(counts.values()),
        known.before_at,
    )
