"""Decide who may see other reviewers' scores, and record the first look."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import ngettext

from cases import ledger
from cases.models import Release
from evalsite.statements import Statement
from reviews.errors import NotStarted, Refused, WrongStatus, require_reviewing
from reviews.models import Closing, MirrorLook, Pairing, Review
from reviews.models.reviews import SEEN


def has_seen_scores(release: Release, user: User) -> bool:
    return release.events.filter(kind=SEEN, by=user.get_username()).exists()


class StillJudging(Refused):
    """The person has an open review in the release, so they may not see others' scores."""

    code = "own_review_open"


def is_blind(release: Release, user: User) -> bool:
    """Return whether this person may not see others' scores now. Runs at most one query."""
    return not release.is_closed and bool(count_own_open(release, user))


def count_own_open(release: Release, user: User) -> int:
    """Count what this person has still to judge in a release: reviews and pairings. One query."""
    return len(_own_open.rows(release.pk, user.pk))


_own_open = Statement(
    lambda release, user: (
        Review.objects.filter(release=release, reviewer=user)
        .open()
        .values_list("pk")
        .union(
            Pairing.objects.filter(release=release, reader=user).open().values_list("pk"),
            all=True,
        )
    )
)


def has_opened(release: Release, user: User) -> bool:
    """Return whether this person has confirmed the first look, or need not."""
    return release.is_closed or has_seen_scores(release, user)


def require_sight(release: Release, user: User) -> None:
    """Raise StillJudging if this person has an open review in the release."""
    own = 0 if release.is_closed else count_own_open(release, user)
    if own:
        raise StillJudging(
            ngettext(
                "Submit your %(count)d open review in this release first. Until then you cannot "
                "see the scores of others.",
                "Submit your %(count)d open reviews in this release first. Until then you cannot "
                "see the scores of others.",
                own,
            )
            % {"count": own}
        )


@transaction.atomic
def open_scores(*, release: Release, user: User, now: datetime) -> None:
    """Record the first look. From then on the person can neither revise nor be assigned here."""
    if release.is_closed:
        return
    release = Release.objects.locked(release)
    if release.is_draft:
        require_reviewing(release)
    require_sight(release, user)
    record_first_look(release, user, data={}, now=now)


def record_first_look(
    release: Release, user: User, *, data: Mapping[str, Any], now: datetime
) -> None:
    """Append the event of a first look, unless there is one. `release` must be locked."""
    if not has_opened(release, user):
        ledger.append(release=release, kind=SEEN, data=data, user=user, now=now)


# --- Closed releases ------------------------------------------------------------------------------


def look_into_mirror(*, user: User, closings: Sequence[Closing], now: datetime) -> list[Closing]:
    """Record that the person sees these closings, and return those that are still closed."""
    known = set(
        MirrorLook.objects.filter(user=user, closing__in=closings).values_list("closing", flat=True)
    )
    new = [closing for closing in closings if closing.pk not in known]
    return list(closings) if not new else record_mirror_look(user, closings, new, now=now)


@transaction.atomic
def record_mirror_look(
    user: User, closings: Sequence[Closing], new: Sequence[Closing], *, now: datetime
) -> list[Closing]:
    """Record the look under the lock that reopening takes, so that none goes unrecorded."""
    releases = Release.objects.filter(pk__in={closing.release_id for closing in new}).order_by("pk")
    closed = {release.pk for release in releases.select_for_update() if release.is_closed}
    MirrorLook.objects.bulk_create(
        [MirrorLook(user=user, closing=closing, looked_at=now) for closing in new],
        ignore_conflicts=True,
    )
    return [closing for closing in closings if closing not in new or closing.release_id in closed]


# Refusals of a call that shows others' scores. The release may be closed between finding it and
# looking.
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
