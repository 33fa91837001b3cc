"""Looking at what others say: refused while own work is open, and an event the first time."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import ngettext

from cases import ledger
from cases.models import Release
from reviews.models import Review
from reviews.staffing import SEEN, has_seen_scores
from reviews.workflow.refusals import Refused, require_reviewing


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
