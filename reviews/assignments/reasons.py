"""Why somebody cannot take a case, and why a plan is uneven: the planner's reasons in words."""

from collections.abc import Iterable
from datetime import date

from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from cases.case.display import language_name
from reviews.assignments.plan import Reason, Why

WORDS = {
    Why.ON_THE_CASE: _("on the case already"),
    Why.DECLINED: _("declined it"),
    Why.WITHDRAWN: _("taken off it"),
    Why.MADE_THE_CASE: _("made the case"),
    Why.SEEN_SCORES: _("saw others' scores in this release"),
    Why.CAPACITY: _("no room left"),
    Why.STANDING_WORK: _("what exists is not moved"),
    Why.NO_BETTER_FOUND: _("no exchange was found that makes it more even"),
}
# True of every case alike, so to count cases says nothing more.
ALWAYS = (Why.SEEN_SCORES, Why.AWAY, Why.CAPACITY, Why.NO_BETTER_FOUND)


def why(reason: Reason, *, due: date | None, today: date) -> str:
    if reason.why is Why.LANGUAGE:
        return gettext("cannot read %(languages)s") % {"languages": language_names(reason)}
    if reason.why is Why.AWAY:
        lasts = due is not None and due >= today
        return gettext("away until the due date") if lasts else gettext("away today")
    return str(WORDS[reason.why])


def why_uneven(reason: Reason, *, due: date | None, today: date) -> str:
    """With how many reviews it is about."""
    words = why(reason, due=due, today=today)
    if reason.why in ALWAYS:
        return words
    count = ngettext("%(count)d review", "%(count)d reviews", reason.count)
    return gettext("%(what)s (%(count)s)") % {
        "what": words,
        "count": count % {"count": reason.count},
    }


def language_names(reason: Reason) -> str:
    return listed(language_name(language) for language in reason.languages)


def listed(words: Iterable[object]) -> str:
    return pgettext("between the items of a list", ", ").join(map(str, words))


def together(reasons: Iterable[str]) -> str:
    return gettext("; ").join(reasons)
