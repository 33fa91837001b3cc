"""Who may look at other reviewers' scores, and the event of the first look."""

from django.contrib.auth.models import User

from cases.models import Release

# The event of somebody's first look at what others say, in a release that is not closed.
SEEN = "scores-seen"


def has_seen_scores(release: Release, user: User) -> bool:
    return release.events.filter(kind=SEEN, by=user.get_username()).exists()
