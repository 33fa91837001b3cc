"""The planner's reasons in words: why a person cannot take a case, why a plan is uneven."""

from collections.abc import Iterable
from datetime import date

from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from cases.case.display import language_name
from reviews.assignments.plan import Reason, Why

WORDS = {
    Why.ON_THE_CASE: _("has this case already"),
    Why.DECLINED: _("declined it"),
    Why.WITHDRAWN: _("was taken off it"),
    Why.MADE_THE_CASE: _("made the case"),
    Why.SEEN_SCORES: _("saw others' scores in this release"),
    Why.READS_PAIRS: _("reads pairs of this release"),
    Why.OPEN_REVIEWS: _("has open reviews of this release"),
    Why.CAPACITY: _("no room left"),
    Why.STANDING_WORK: _("existing reviews are not moved"),
    Why.NO_BETTER_FOUND: _("no exchange makes it more even"),
}
# These apply to every case, so the number of cases adds nothing.
ALWAYS = (
    Why.SEEN_SCORES,
    Why.READS_PAIRS,
    Why.OPEN_REVIEWS,
    Why.AWAY,
    Why.CAPACITY,
    Why.NO_BETTER_FOUND,
)


def describe_reason(reason: Reason, *, due: date | None, today: date) -> str:
    if reason.why is Why.LANGUAGE:
        return gettext("cannot read %(languages)s") % {"languages": name_languages(reason)}
    if reason.why is Why.AWAY:
        is_before_due = due is not None and due >= today
        return gettext("away until the due date") if is_before_due else gettext("away today")
    return str(WORDS[reason.why])


def describe_uneven_reason(reason: Reason, *, due: date | None, today: date) -> str:
    """Describe a reason with the number of reviews it concerns."""
    words = describe_reason(reason, due=due, today=today)
    if reason.why in ALWAYS:
        return words
    count = ngettext("%(count)d review", "%(count)d reviews", reason.count)
    return gettext("%(what)s (%(count)s)") % {
        "what": words,
        "count": count % {"count": reason.count},
    }


def name_languages(reason: Reason) -> str:
    return join_names(language_name(language) for language in reason.languages)


def join_names(words: Iterable[object]) -> str:
    return pgettext("between the items of a list", ", ").join(map(str, words))


def join_reasons(reasons: Iterable[str]) -> str:
    return gettext("; ").join(reasons)
