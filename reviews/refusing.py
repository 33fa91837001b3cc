"""What a refusal of the workflow is told as to somebody who does not know the release."""

from django.utils.translation import gettext as _

from reviews.desk import submission as desk_submission
from reviews.desk.workflow import Incomplete, NoSuchReview, Stale
from reviews.questions import workflow as questions_workflow
from reviews.workflow.refusals import Missing, NeedsReason, Refused, WrongStatus


class BadBody(Refused):
    """Not what the desk sends."""

    code = "bad_body"


# Anything else is a conflict with what is stored.
STATUS: dict[type[Refused], int] = {
    NoSuchReview: 404,
    Incomplete: 400,
    NeedsReason: 400,
    BadBody: 400,
    desk_submission.BadKey: 400,
    questions_workflow.NoSuchSubject: 400,
    questions_workflow.NeedsWords: 400,
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
