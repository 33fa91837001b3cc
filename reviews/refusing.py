"""What a refusal of the workflow is told as to somebody who does not know the release."""

from django.utils.translation import gettext as _

from reviews.workflow import asking, submitting
from reviews.workflow.refusals import Missing, NeedsReason, Refused, WrongStatus
from reviews.workflow.reviewing import Incomplete, NoSuchReview, Stale


class BadBody(Refused):
    """Not what the desk sends."""

    code = "bad_body"


# Anything else is a conflict with what is stored.
STATUS: dict[type[Refused], int] = {
    NoSuchReview: 404,
    Incomplete: 400,
    NeedsReason: 400,
    BadBody: 400,
    submitting.BadKey: 400,
    asking.NoSuchSubject: 400,
    asking.NeedsWords: 400,
}


def stored_in(stale: Stale) -> dict[str, object]:
    return {
        "version": stale.review.version,
        "draft": stale.review.draft,
        "is_submitted": stale.review.is_submitted,
    }


def problems_of(refusal: Refused) -> list[Missing]:
    """What is said of a release names it; a reviewer never learns the name."""
    if isinstance(refusal, WrongStatus):
        return [Missing("", _("This review is closed. You can read it, but nothing can change."))]
    return refusal.missing
