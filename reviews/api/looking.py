"""Before anything that others said is shown to whoever asks."""

from django.utils import timezone

from cases.models import Release
from evalsite.api.endpoints import Call
from reviews.adjudication.visibility import StillJudging, has_opened, open_scores, require_sight
from reviews.api.errors import refusals
from reviews.workflow.refusals import NotStarted, WrongStatus

# Somebody may close the release between finding and looking.
LOOKING = refusals(StillJudging, WrongStatus, NotStarted)


def look(request: Call, release: Release) -> bool:
    """Whether it was the first look: of a release that is not closed that is an event. There is
    nothing to look at in a draft. Raises StillJudging."""
    if release.is_draft:
        return False
    if has_opened(release, request.user):
        require_sight(release, request.user)
    else:
        open_scores(release=release, user=request.user, now=timezone.now())
        return True
    return False
