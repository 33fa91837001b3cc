"""The page that asks for confirmation before the first look at other reviewers' scores."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from cases.models import Release
from evalsite.http import SignedInRequest
from reviews.adjudication.queries import select_own_reviews
from reviews.adjudication.visibility import has_opened, require_sight
from reviews.errors import NotClosed, Refused, require_closed


def confirm_first_look(
    request: SignedInRequest, release: Release, *, title: str = ""
) -> HttpResponse | None:
    """Return the page that refuses or asks, or None if others' scores may be shown.

    `title` is that of the page the person wants to see.
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
    own = select_own_reviews(request.user, release).count()
    status = 200 if request.method in ("GET", "HEAD") else 409
    return render(request, "reviews/adjudication/look.html", context | {"own": own}, status=status)


def show_not_closed(request: SignedInRequest, release: Release) -> HttpResponse | None:
    """Return the page that refuses what only a closed release has, or None."""
    try:
        require_closed(release)
    except NotClosed as refusal:
        context = {"release": release, "refusal": refusal}
        return render(request, "reviews/adjudication/look.html", context, status=409)
    return None
