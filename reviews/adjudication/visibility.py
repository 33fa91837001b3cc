"""Who may look at other reviewers' scores, and the event of the first look."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import ngettext

from cases import ledger
from cases.models import Release
from reviews.errors import NotStarted, Refused, WrongStatus, require_reviewing
from reviews.models import Closing, MirrorLook, Review
from reviews.models.reviews import SEEN


def has_seen_scores(release: Release, user: User) -> bool:
    return release.events.filter(kind=SEEN, by=user.get_username()).exists()


class StillJudging(Refused):
    """Nobody sees others' scores in a release in which an own review is not submitted."""

    code = "own_review_open"


def is_blind(release: Release, user: User) -> bool:
    """Whether this person may not see others' scores in the release now. One query, or none."""
    return not release.is_closed and Review.objects.of(release).by(user).open().exists()


def has_opened(release: Release, user: User) -> bool:
    """Whether this person was asked already, or need not be."""
    return release.is_closed or has_seen_scores(release, user)


def require_sight(release: Release, user: User) -> None:
    """Raises StillJudging for whoever has an own review to submit here."""
    own = 0 if release.is_closed else Review.objects.of(release).by(user).open().count()
    if own:
        raise StillJudging(
            ngettext(
                "You have %(count)d review to submit in this release first: until then you see "
                "nobody's scores.",
                "You have %(count)d reviews to submit in this release first: until then you see "
                "nobody's scores.",
                own,
            )
            % {"count": own}
        )


@transaction.atomic
def open_scores(*, release: Release, user: User, now: datetime) -> None:
    """Before anything of others' is shown. From then on this person judges nothing here."""
    if release.is_closed:
        return
    release = Release.objects.locked(release)
    if release.is_draft:
        require_reviewing(release)
    require_sight(release, user)
    if not has_opened(release, user):
        ledger.append(release=release, kind=SEEN, data={}, user=user, now=now)


# --- Of a release that was closed -----------------------------------------------------------------


def look_into_mirror(*, user: User, closings: Sequence[Closing], now: datetime) -> list[Closing]:
    """Remembers whom what is shown; those of them that still stand may be."""
    known = set(
        MirrorLook.objects.filter(user=user, closing__in=closings).values_list("closing", flat=True)
    )
    new = [one for one in closings if one.pk not in known]
    return list(closings) if not new else first_look(user, closings, new, now=now)


@transaction.atomic
def first_look(
    user: User, closings: Sequence[Closing], new: Sequence[Closing], *, now: datetime
) -> list[Closing]:
    """Under the lock of reopening: nobody is shown what is open again, unremembered."""
    releases = Release.objects.filter(pk__in={one.release_id for one in new}).order_by("pk")
    closed = {one.pk for one in releases.select_for_update() if one.is_closed}
    MirrorLook.objects.bulk_create(
        [MirrorLook(user=user, closing=one, looked_at=now) for one in new],
        ignore_conflicts=True,
    )
    return [one for one in closings if one not in new or one.release_id in closed]


# What a call that shows others' scores can be refused with. Somebody may close the release between
# finding and looking.
LOOKING = (StillJudging, WrongStatus, NotStarted)


def look(*, release: Release, user: User, now: datetime) -> bool:
    """Record the first look before a call shows others' scores; True if this was the first.

    A draft has nothing to look at. Raises StillJudging."""
    if release.is_draft:
        return False
    if has_opened(release, user):
        require_sight(release, user)
        return False
    open_scores(release=release, user=user, now=now)
    return True
