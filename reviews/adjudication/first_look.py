"""The page that asks before somebody first looks at other reviewers' scores."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from cases.models import Release
from evalsite.http import SignedInRequest
from reviews.adjudication.queries import reviewed_by
from reviews.adjudication.visibility import has_opened, require_sight
from reviews.workflow.refusals import Refused


def page_before_first_look(
    request: SignedInRequest, release: Release, *, title: str = ""
) -> HttpResponse | None:
    """None when others' scores may be shown; otherwise why not yet, or the question.

    `title` is that of the page behind the door.
    """
    context: dict[str, object] = {
        "release": release,
        "next": request.get_full_path(),
        "title": title or _("What reviewers differ on"),
    }
    if release.is_closed:
        return None
    try:
        require_sight(release, request.user)
    except Refused as refusal:
        return render(
            request, "reviews/adjudication/look.html", context | {"refusal": refusal}, status=409
        )
    if has_opened(release, request.user):
        return None
    own = reviewed_by(request.user, release).count()
    status = 200 if request.method in ("GET", "HEAD") else 409
    return render(request, "reviews/adjudication/look.html", context | {"own": own}, status=status)
